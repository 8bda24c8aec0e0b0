import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { answerOrders } from './gateway/child.ts';

/** The baseline of a WebSocket: the library as it comes, sending back what it is sent. */
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', (socket) => socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })));
await once(server, 'listening');
answerOrders(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, () => undefined);
