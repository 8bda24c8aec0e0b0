import type { Timers } from '../../platform/timers.ts';
import type { BackendBody } from '../backends/net/answerBody.ts';

const encoder = new TextEncoder();
const keepAlive = encoder.encode(': keepalive\n\n');

export interface RelayStreamOptions {
  readonly keepAliveMs: number;
  readonly timers: Pick<Timers, 'every'>;
  /** Called once: the agent ended it, it broke, or the reader went. */
  readonly onEnd: (end: 'whole' | 'broken' | 'left', cause?: unknown) => void;
  /** The last event for a reader whose stream broke. */
  readonly brokenEvent: (cause: unknown) => string;
}

/**
 * Hands an event stream on: each event whole and when the reader asks for it, so that a slow reader slows the agent, with
 * comments in the pauses. One that breaks ends with an event that says so.
 *
 * @param body what the events are read from; it is closed when the reader goes
 */
export function relayStream(
  body: Pick<BackendBody, 'destroy'>,
  events: AsyncIterable<string>,
  options: RelayStreamOptions,
): ReadableStream<Uint8Array> {
  const iterator = events[Symbol.asyncIterator]();
  let stopKeepAlive: (() => void) | undefined;
  let isQuiet = false;
  let isOver = false;
  const end = (how: 'whole' | 'broken' | 'left', cause?: unknown) => {
    if (isOver) return;
    isOver = true;
    stopKeepAlive?.();
    options.onEnd(how, cause);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stopKeepAlive = options.timers.every(options.keepAliveMs, () => {
          if (isQuiet && controller.desiredSize === 0) controller.enqueue(keepAlive);
          isQuiet = true;
        });
      },
      async pull(controller) {
        try {
          const next = await iterator.next();
          if (next.done) {
            end('whole');
            controller.close();
            return;
          }
          isQuiet = false;
          controller.enqueue(encoder.encode(next.value));
        } catch (thrown) {
          if (isOver) return;
          end('broken', thrown);
          controller.enqueue(encoder.encode(options.brokenEvent(thrown)));
          controller.close();
        }
      },
      cancel() {
        end('left');
        body.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
