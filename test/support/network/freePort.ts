import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to whoever asks for any, and above those of known services. */
const [FIRST, COUNT] = [10_000, 20_000];

/**
 * A loopback port that nobody has now; for programs that cannot say which one they took. No system gives it away until it is
 * listened on, as it may do with one that it has just given here.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
