import { Readable } from 'node:stream';
import { type Agent, request } from 'undici';
import { openStreamAgent } from './net/agent.ts';

/** One request whose body and answer flow: nothing is held but what is on the way. */
export interface StreamRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array> | undefined;
}
export interface StreamAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}
/** @throws whatever the network throws; a redirect is an answer */
export type StreamSend = (request: StreamRequest, signal: AbortSignal) => Promise<StreamAnswer>;

export interface StreamPoolOptions {
  /** Until the first byte of an answer. Default 60 s: launching an agent takes its time. */
  readonly headersTimeoutMs?: number;
}

/** Kept-alive sockets to services that are relayed to. An answer may pause for as long as it likes. */
export function openStreamPool({ headersTimeoutMs = 60_000 }: StreamPoolOptions = {}): {
  readonly send: StreamSend;
  close(): Promise<void>;
} {
  let dispatcher: Agent | undefined;
  return {
    async send({ method, url, headers, body }, signal) {
      dispatcher ??= openStreamAgent(headersTimeoutMs);
      const response = await request(url, {
        dispatcher,
        method: method as 'GET',
        headers,
        signal,
        body: body ? Readable.from(body) : null,
      });
      return { status: response.statusCode, headers: response.headers, body: response.body };
    },
    close: async () => dispatcher?.close(),
  };
}
