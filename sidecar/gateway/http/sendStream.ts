import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '../../platform/httpMessages.ts';
import type { Timers } from '../../platform/timers.ts';

/**
 * Writes an answer that comes bit by bit, no faster than its caller reads. Where its body breaks, the connection does, so
 * that nobody takes a part for the whole. The caller does not get the reason: that is for `onBroken`.
 */
export async function sendStream(
  response: HttpResponse,
  outgoing: ServerResponse,
  timers: Pick<Timers, 'soon'>,
  onBroken: (thrown: unknown) => void,
): Promise<void> {
  writeHead(response, outgoing);
  const reader = response.body?.getReader();
  if (!reader) {
    outgoing.end();
    return;
  }
  const leave = () => void reader.cancel().catch(() => undefined); // nobody is there to get the result
  if (outgoing.destroyed) leave();
  else outgoing.once('close', leave);
  // An answer that is there at once goes out together with its head; a head waits for no other.
  const stopFlush = timers.soon(() => outgoing.flushHeaders());
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (!outgoing.write(next.value)) await writable(outgoing);
    }
    if (!outgoing.destroyed) outgoing.end();
  } catch (thrown) {
    if (outgoing.destroyed) return; // the caller left first
    onBroken(thrown);
    outgoing.destroy();
  } finally {
    stopFlush();
    outgoing.off('close', leave);
  }
}

function writeHead({ status, headers }: HttpResponse, outgoing: ServerResponse): void {
  const all: string[] = [];
  for (const [name, value] of headers) all.push(name, value);
  outgoing.writeHead(status, all);
}

/** Until there is room again, or nobody reads any more. */
function writable(outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const go = () => {
      outgoing.off('drain', go);
      outgoing.off('close', go);
      resolve();
    };
    outgoing.once('drain', go);
    outgoing.once('close', go);
  });
}
