import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { Agent, request as send } from 'undici';
import { answerOrders } from './child.ts';

/** What Node itself costs in the middle: a reverse proxy that looks at nothing. */
const [backend = ''] = process.argv.slice(2);
const dispatcher = new Agent({ connections: 256, pipelining: 1 });

const server = createServer((request, response) => {
  const { host: _host, connection: _connection, ...headers } = request.headers;
  send(`${backend}${request.url}`, {
    dispatcher,
    method: request.method ?? 'GET',
    headers,
    body: request.method === 'POST' ? request : null,
  })
    .then(({ statusCode, headers: { connection: _hop, 'keep-alive': _hops, ...answered }, body }) => {
      response.writeHead(statusCode, answered);
      return pipeline(body, response);
    })
    .catch((thrown: unknown) => response.destroy(thrown as Error));
});

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  answerOrders(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => undefined);
});
