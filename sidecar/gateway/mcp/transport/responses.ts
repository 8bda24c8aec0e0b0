import { type HttpResponse, TextResponse } from '../../../platform/httpMessages.ts';
import type { Timers } from '../../../platform/timers.ts';
import type { MessageText } from '../../backends/mcp/streamEvent.ts';
import type { Reply } from '../../backends/mcp/types.ts';

/** How often a comment goes out, and who counts. */
export interface KeepAlive {
  readonly keepAliveMs: number;
  readonly timers: Pick<Timers, 'every'>;
}

export const keepAliveOf = ({
  timers,
  options: { keepAliveMs },
}: Pick<KeepAlive, 'timers'> & { readonly options: Pick<KeepAlive, 'keepAliveMs'> }): KeepAlive => ({
  keepAliveMs,
  timers,
});

/** An event as it is written. */
export interface WrittenEvent {
  readonly event?: string;
  readonly id?: string;
  readonly retryMs?: number;
  readonly data: string | MessageText;
}

const encoder = new TextEncoder();

/** A reply over HTTP: JSON as it came, or a stream that is written event by event. */
export function toResponse(
  reply: Reply,
  beat: KeepAlive,
  headers: Readonly<Record<string, string>>,
  onDisconnected: () => void,
): HttpResponse {
  if (reply.kind === 'message') {
    return new TextResponse(reply.text, reply.status, Object.assign({ 'content-type': 'application/json' }, headers));
  }
  return toStream(reply.events, beat, headers, onDisconnected);
}

/** @param first an event that is sent before anything else comes */
export function toStream(
  events: AsyncIterable<WrittenEvent>,
  beat: KeepAlive,
  headers: Readonly<Record<string, string>>,
  onDisconnected: () => void,
  first?: WrittenEvent,
): Response {
  return new Response(toBody(events, beat, onDisconnected, first && formatEvent(first)), {
    status: 200,
    headers: { ...streamHeaders, ...headers },
  });
}

/** A stream that is open before anything is sent on it: a first comment makes the headers go out at once. */
export function openStream(events: AsyncIterable<WrittenEvent>, beat: KeepAlive, onDisconnected: () => void): Response {
  return new Response(toBody(events, beat, onDisconnected, ': open\n\n'), { headers: streamHeaders });
}

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** @param onDisconnected called when the reader goes before the end */
function toBody(
  events: AsyncIterable<WrittenEvent>,
  { keepAliveMs, timers }: KeepAlive,
  onDisconnected: () => void,
  first?: string,
): ReadableStream<Uint8Array> {
  const iterator = events[Symbol.asyncIterator]();
  let stopKeepAlive: (() => void) | undefined;
  let isRead = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (first !== undefined) controller.enqueue(encoder.encode(first));
        stopKeepAlive = timers.every(keepAliveMs, () => controller.enqueue(encoder.encode(': keepalive\n\n')));
      },
      async pull(controller) {
        isRead = true;
        try {
          const next = await iterator.next();
          if (!next.done) {
            controller.enqueue(encoder.encode(formatEvent(next.value)));
            return;
          }
          stopKeepAlive?.();
          controller.close();
        } catch (thrown) {
          stopKeepAlive?.();
          controller.error(thrown);
        }
      },
      cancel() {
        stopKeepAlive?.();
        onDisconnected();
        const finish = () => void iterator.return?.();
        // A generator that never began would not clean up: it begins, sees that its caller left, and ends.
        if (isRead) finish();
        else iterator.next().then(finish, finish);
      },
    },
    { highWaterMark: 0 },
  );
}

export function formatEvent({ event, id, retryMs, data }: WrittenEvent): string {
  const head = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}`;
  const retry = retryMs === undefined ? '' : `retry: ${retryMs}\n`;
  return `${head}${retry}data: ${data.toString().replaceAll('\n', '\ndata: ')}\n\n`;
}

export const rpcError = (status: number, code: number, message: string, id: unknown = null, data?: unknown) =>
  TextResponse.json({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }, status);
