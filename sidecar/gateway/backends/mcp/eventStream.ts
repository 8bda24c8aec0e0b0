import { createParser } from 'eventsource-parser';
import { tooLarge } from './failure.ts';
import type { HttpResponse, McpTarget } from './types.ts';

/** An event as it came, which nobody read yet. */
export interface NamedEvent {
  readonly id?: string;
  readonly retryMs?: number;
  /** What it is, as the older transport names its POST address. */
  readonly event?: string;
  readonly data: string;
}

/** The events of a `text/event-stream` body as they come. @throws {BackendFailure} `too_large` for one beyond the limit */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  target: Pick<McpTarget, 'name' | 'maxResponseBytes'>,
): AsyncGenerator<NamedEvent> {
  const ready: NamedEvent[] = [];
  let retryMs: number | undefined;
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: target.maxResponseBytes,
    onRetry: (ms) => {
      retryMs = ms;
    },
    onEvent: ({ id, event, data }) => {
      ready.push({
        data,
        ...(id !== undefined && { id }),
        ...(event !== undefined && { event }),
        ...(retryMs !== undefined && { retryMs }),
      });
      retryMs = undefined;
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') isTooLarge = true;
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
    if (isTooLarge) throw tooLarge(target.name, target.maxResponseBytes);
  }
}

/** Reads a body that nobody wants, so that its socket can be used again; at most 64 KB of it. */
export async function discard(response: HttpResponse): Promise<void> {
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > 65_536) return;
  }
}

export function headerOf(response: HttpResponse, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
