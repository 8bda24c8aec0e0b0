import type { ServerResponse } from 'node:http';
import type { FlowResponse } from '../../platform/httpMessages.ts';
import type { Timers } from '../../platform/timers.ts';

/**
 * Writes a backend's response as it arrives, no faster than the caller reads. If the response breaks off, the connection is
 * closed, so that the caller does not mistake a part for the whole.
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
  // Bytes that are already there are sent together with the headers. The headers do not wait for others.
  const stopFlush = timers.soon(() => outgoing.flushHeaders());
  const resume = source.flow({
    chunk: (bytes) => outgoing.write(bytes),
    end: () => {
      stopFlush();
      outgoing.end();
    },
    fail(thrown) {
      stopFlush();
      if (outgoing.destroyed) return; // the caller disconnected first
      onBroken(thrown);
      outgoing.destroy();
    },
  });
  outgoing.on('drain', resume);
  outgoing.once('close', () => source.destroy());
}
