import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PublicServerDeps {
  /** `dist/sidecar/main.mjs`. */
  readonly modulePath: string;
  readonly dataDir: string;
  /** For the server and, through it, for the agents of its clients. */
  readonly env: Readonly<Record<string, string>>;
  /** What its clients have no settings for: `agents` and `rules`, as `--window-file` takes them. */
  readonly window: () => object;
}
/** Where other programs reach the host, and what they have to know. */
export interface PublicAddress {
  readonly url: string;
  readonly token: string;
}

/**
 * `switchboard serve` as a child of this window: the host for other programs, on this machine. One window serves; the
 * others of the same user find its port taken and say its address.
 */
export class PublicServer {
  readonly #deps: PublicServerDeps;
  #running: { readonly port: number; readonly child: ChildProcess; readonly listens: Promise<void> } | undefined;

  constructor(deps: PublicServerDeps) {
    this.#deps = deps;
  }

  /**
   * Serves at `port` from now on, unless it does.
   * @throws {Error} with the server's sentence for the person, when it cannot
   */
  async open(port: number): Promise<PublicAddress> {
    if (this.#running?.port !== port) this.close();
    this.#running ??= this.#start(port);
    try {
      await this.#running.listens;
    } catch (thrown) {
      this.close();
      if (!(await isServed(port))) throw thrown;
    }
    return { url: `ws://127.0.0.1:${port}`, token: readFileSync(this.#tokenFile, 'utf8').trim() };
  }

  close(): void {
    this.#running?.child.kill();
    this.#running = undefined;
  }

  get #tokenFile(): string {
    return join(this.#deps.dataDir, 'public-token');
  }

  #start(port: number): { port: number; child: ChildProcess; listens: Promise<void> } {
    const { modulePath, dataDir, env, window } = this.#deps;
    const files = ['--token-file', this.#tokenFile, '--window-file', '-', '--data-dir', dataDir];
    const child = spawn(process.execPath, [modulePath, 'serve', '--port', `${port}`, ...files], {
      env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
      stdio: 'pipe',
      windowsHide: true,
    });
    child.stdin.on('error', () => undefined); // it ended before it read this, and says why
    child.stdin.end(JSON.stringify(window()));
    let lastLine = '';
    child.stderr.on('data', (it: Buffer) => (lastLine = it.toString('utf8').trimEnd().split('\n').at(-1) ?? ''));
    const listens = new Promise<void>((resolve, reject) => {
      child.stdout.once('data', () => resolve());
      child.once('error', reject);
      child.once('close', () => {
        if (this.#running?.child === child) this.#running = undefined;
        reject(new Error(lastLine || 'The server for other programs ended.'));
      });
    });
    return { port, child, listens };
  }
}

/** Whether such a server answers there: it says to a browser that it is a WebSocket. */
async function isServed(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2_000) });
    return answer.status === 426 && (await answer.text()).startsWith('This is a WebSocket.');
  } catch {
    return false; // nobody, or somebody who speaks something else: what our own server said counts
  }
}
