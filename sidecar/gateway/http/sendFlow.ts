import type { ServerResponse } from 'node:http';
import type { FlowResponse } from '../../platform/httpMessages.ts';
import type { Timers } from '../../platform/timers.ts';

/**
 * Writes a backend's answer as it comes, no faster than its caller reads. Where it breaks, the connection does, so that nobody
 * takes a part for the whole.
 */
export function sendFlow(
  { status, headers, source }: FlowResponse,
  outgoing: ServerResponse,
  timers: Pick<Timers, 'soon'>,
  onBroken: (thrown: unknown) => void,
): void {
  outgoing.writeHead(status, headers.all);
  if (outgoing.destroyed) {
    source.destroy();
    return;
  }
  // Bytes that are there at once go out together with the head; a head waits for no others.
  const stopFlush = timers.soon(() => outgoing.flushHeaders());
  const resume = source.flow({
    chunk: (bytes) => outgoing.write(bytes),
    end: () => {
      stopFlush();
      outgoing.end();
    },
    fail(thrown) {
      stopFlush();
      if (outgoing.destroyed) return; // the caller left first
      onBroken(thrown);
      outgoing.destroy();
    },
  });
  outgoing.on('drain', resume);
  outgoing.once('close', () => source.destroy());
}
