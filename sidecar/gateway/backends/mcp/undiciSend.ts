import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { telling } from '../net/pool.ts';
import type { HttpSend } from './types.ts';

export interface PoolOptions {
  /** Sockets to one origin. Default 256. */
  readonly connections?: number;
  /** How sockets are opened; the address guard hands in its own. */
  readonly connect?: Agent.Options['connect'];
}

export interface HttpPool {
  readonly send: HttpSend;
  close(): Promise<void>;
}

/** Kept-alive sockets to backends. Follows no redirect; time limits are the caller's signal. */
export function openHttpPool({ connections = 256, connect }: PoolOptions = {}): HttpPool {
  const dispatcher = new Agent({
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    ...(connect !== undefined && { connect }),
  });
  return {
    async send({ method, url, headers, body, onSent }, signal) {
      const response = await request(url, {
        dispatcher: telling(onSent, dispatcher),
        method,
        headers,
        signal,
        body: body ?? null,
      });
      const { body: stream } = response;
      const text = (maxBytes: number) => readAll(stream, maxBytes);
      return { status: response.statusCode, headers: response.headers, body: stream, text };
    },
    close: () => dispatcher.close(),
  };
}

/** All of a body as text; `undefined` beyond the limit. */
export function readAll(stream: Readable, maxBytes: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        resolve(undefined);
        stream.destroy();
      }
    });
    stream.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    stream.once('error', reject);
  });
}
