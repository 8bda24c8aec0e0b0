import { request } from 'node:http';
import { connect } from 'node:net';
import { Fault } from '../../../platform/faults.ts';
import type { HandOver } from '../../http/app.ts';

/** They are about one connection (RFC 9110 7.6.1), and the owner has another one. */
const perConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/**
 * Hands requests over to the owner.
 *
 * @param pipe see {@link openPrivateDoor}
 * @param isLeaving connections are not kept for a next request
 */
export const handingOver =
  (pipe: string, isLeaving: () => boolean): HandOver =>
  ({ incoming }, outgoing, read) => {
    // The caller has left. Neither the request nor the response would end.
    if (outgoing.destroyed) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const body = typeof read === 'string' ? Buffer.from(read) : read;
      const asked = request({
        method: incoming.method,
        path: incoming.url,
        headers: [...headersOf(incoming.rawHeaders), ...framing(incoming.headers, body)],
        createConnection() {
          const socket = connect(pipe);
          socket.write(`${incoming.socket.remoteAddress ?? ''}\n`);
          return socket;
        },
      });
      asked.on('response', (answer) => {
        const leaving = isLeaving() ? ['connection', 'close'] : [];
        outgoing.writeHead(answer.statusCode ?? 502, [...headersOf(answer.rawHeaders, 'content-length'), ...leaving]);
        if (answer.headers['content-length'] === undefined) outgoing.flushHeaders(); // a stream may begin with silence
        answer.pipe(outgoing);
        // Nobody must take a part for the whole.
        answer.on('error', () => outgoing.destroy());
      });
      asked.on('error', (cause) => {
        if (outgoing.headersSent) outgoing.destroy();
        else reject(new Fault('unavailable', 'The gateway is not responding. Retry.', { cause }));
      });
      outgoing.once('close', () => {
        if (!outgoing.writableFinished) asked.destroy();
        resolve();
      });
      if (body) asked.end(body);
      else incoming.pipe(asked);
    });
  };

/** @param kept name of a header that describes the body, which is passed on as it is */
function headersOf(raw: readonly string[], kept?: string): string[] {
  const headers: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (perConnection.has(lower) || (lower === 'content-length' && lower !== kept)) continue;
    headers.push(name, value);
  }
  return headers;
}

/** How the body of a request is sent on: as it came, unless it was read. */
function framing(headers: NodeJS.Dict<string | string[]>, body: Uint8Array | undefined): readonly string[] {
  if (body) return ['content-length', String(body.byteLength)];
  const length = headers['content-length'];
  if (typeof length === 'string') return ['content-length', length];
  return headers['transfer-encoding'] === undefined ? [] : ['transfer-encoding', 'chunked'];
}
