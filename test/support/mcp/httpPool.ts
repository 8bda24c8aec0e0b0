import { Agent, request } from 'undici';
import { readAll } from '../../../sidecar/gateway/backends/mcp/readAll.ts';
import type { HttpSend } from '../../../sidecar/gateway/backends/mcp/types.ts';
import { notifyingSent } from '../../../sidecar/gateway/backends/net/pool.ts';

export interface HttpPool {
  readonly send: HttpSend;
  close(): Promise<void>;
}

/** Kept-alive sockets to backends. Follows no redirect; time limits are the caller's signal. */
export function openHttpPool(): HttpPool {
  const dispatcher = new Agent({
    connections: 256,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
  });
  return {
    async send({ method, url, headers, body, onSent }, signal) {
      const response = await request(url, {
        dispatcher: notifyingSent(onSent, dispatcher),
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
