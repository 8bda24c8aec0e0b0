import { Agent, request } from 'undici';
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
    async send({ method, url, headers, body }, signal) {
      const options: Parameters<typeof request>[1] = { dispatcher, method, headers, signal, body: body ?? null };
      const response = await request(url, options);
      return { status: response.statusCode, headers: response.headers, body: response.body };
    },
    close: () => dispatcher.close(),
  };
}
