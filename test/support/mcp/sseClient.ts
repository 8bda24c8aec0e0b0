import { createParser } from 'eventsource-parser';

/** The stream of a client of 2024-11-05 at the gateway. */
export interface SseClient {
  /** Path and query to post to, from the first event. */
  readonly address: string;
  /** The data of the next event. */
  next(): Promise<string>;
  close(): Promise<void>;
}

export async function openSse(base: string, key: string): Promise<SseClient> {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  const response = await fetch(`${base}/sse`, { headers, signal: leaving.signal });
  const reader = response.body?.getReader();
  if (response.status !== 200 || !reader) throw new Error(`no stream: ${response.status}`);
  const ready: string[] = [];
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: ({ data }) => void ready.push(data) });
  const next = async (): Promise<string> => {
    for (let event = ready.shift(); ; event = ready.shift()) {
      if (event !== undefined) return event;
      const { value, done } = await reader.read();
      if (done) throw new Error('the stream ended');
      parser.feed(decoder.decode(value, { stream: true }));
    }
  };
  return {
    address: await next(),
    next,
    async close() {
      leaving.abort();
      await reader.cancel().catch(() => undefined); // it was aborted
    },
  };
}
