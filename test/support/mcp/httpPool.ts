import { Agent } from 'undici';
import type { HttpSend } from '../../../sidecar/gateway/backends/mcp/types.ts';
import { destinationOf, exchange } from '../../../sidecar/gateway/backends/net/exchange.ts';

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
    send: (request, signal) => exchange(dispatcher, destinationOf(new URL(request.url)), request, signal),
    close: () => dispatcher.close(),
  };
}
