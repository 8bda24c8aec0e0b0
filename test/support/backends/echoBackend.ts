import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type Listening, listen } from './listen.ts';

/** One request as the backend got it. */
export interface Heard {
  readonly method: string;
  /** With the query, as on the wire. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface EchoBackend extends Listening {
  readonly heard: Heard[];
  /** What it answers. Default 200 and `{}`. */
  answer: (heard: Heard, response: ServerResponse) => void;
}

/** A real HTTP server on loopback that keeps what it was sent. */
export async function startEchoBackend(): Promise<EchoBackend> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers, rawHeaders } = request;
      const one = { method, path, headers, rawHeaders, body: Buffer.concat(chunks) };
      heard.push(one);
      backend.answer(one, response);
    });
  });
  const backend: EchoBackend = {
    ...(await listen(server)),
    heard,
    answer: (_, response) => void response.setHeader('content-type', 'application/json').end('{}'),
  };
  return backend;
}
