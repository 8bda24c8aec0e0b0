import type { Readable } from 'node:stream';

const encoder = new TextEncoder();
const keepAlive = encoder.encode(': keepalive\n\n');

export interface StreamParts {
  readonly keepAliveMs: number;
  /** Sees each piece before it is handed on, which waits for it. One that fails breaks the stream before that piece. */
  readonly onBytes: (bytes: Uint8Array) => Promise<unknown> | undefined;
  /** Called once: the agent ended it, it broke, or the reader went. */
  readonly onEnd: (end: 'whole' | 'broken' | 'left', cause?: unknown) => void;
  /** The data of a last event for a reader whose stream broke. */
  readonly brokenEvent: string;
}

/**
 * Hands an event stream on as it came: each piece when the reader asks for it, so that a slow reader slows the agent, with
 * comments in the pauses between events. One that breaks between two events ends with an event that says so; one that
 * breaks within an event breaks for the reader too, who would take the piece for the whole otherwise.
 */
export function relayStream(body: Readable, parts: StreamParts): ReadableStream<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const boundary = new Boundary();
  let timer: NodeJS.Timeout | undefined;
  let isQuiet = false;
  let isOver = false;
  const end = (how: 'whole' | 'broken' | 'left', cause?: unknown) => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    parts.onEnd(how, cause);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        timer = setInterval(() => {
          if (isQuiet && boundary.isHere && controller.desiredSize === 0) controller.enqueue(keepAlive);
          isQuiet = true;
        }, parts.keepAliveMs);
        timer.unref();
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
          const kept = parts.onBytes(next.value);
          if (kept) await kept;
          boundary.pass(next.value);
          controller.enqueue(next.value);
        } catch (thrown) {
          if (isOver) return;
          end('broken', thrown);
          body.destroy();
          if (!boundary.isHere) return controller.error(new Error('the stream of the agent broke'));
          controller.enqueue(encoder.encode(`data: ${parts.brokenEvent}\n\n`));
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

/** Whether the last event is complete, by the blank line after it. Line ends are CR, LF or both. */
class Boundary {
  /** The last bytes, as many as the longest blank line has. */
  #tail = '\n\n';

  get isHere(): boolean {
    return /(\n\n|\r\r|\r\n\r\n|\n\r\n|\r\n\n)$/.test(this.#tail);
  }

  pass(bytes: Uint8Array): void {
    this.#tail = (this.#tail + String.fromCharCode(...bytes.subarray(-4))).slice(-4);
  }
}
