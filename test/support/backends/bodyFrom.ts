import type { Readable } from 'node:stream';
import { AnswerBody } from '../../../sidecar/gateway/backends/net/answerBody.ts';

/** The body of a backend's response, from a stream that stands for its socket. */
export function bodyFrom(socket: Readable): AnswerBody {
  const body = new AnswerBody({
    aborted: false,
    reason: null,
    get paused() {
      return socket.isPaused();
    },
    rawHeaders: null,
    rawTrailers: null,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    abort: () => void socket.destroy(),
  });
  socket.on('data', (bytes: Uint8Array) => body.push(bytes));
  socket.on('end', () => body.end());
  socket.on('error', (thrown) => body.fail(thrown));
  return body;
}
