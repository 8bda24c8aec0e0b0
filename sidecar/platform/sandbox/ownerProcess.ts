import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Children, LeashedChild } from '../children/children.ts';
import { Fault } from '../faults.ts';
import { type FileRules, FromOwner, type Obstacle, type ToOwner } from './messages.ts';

export interface ConnectionAnswer {
  readonly allow: boolean;
  /** For the program inside: one line. */
  readonly reason?: string;
}

export interface OwnerDeps {
  readonly children: Pick<Children, 'spawn'>;
  readonly session: string;
  /** An empty folder of its own. */
  readonly folder: string;
  /** PATH, the home folder, and the proxy of the machine. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether a program inside may connect to a host. */
  readonly connects: (host: string, port: number) => Promise<ConnectionAnswer>;
}

/** A running sandbox. */
export interface OwnerProcess {
  /** @returns the command that runs `line` in the sandbox. @throws {Fault} `unavailable` */
  wrap(line: string, shell: string, files: FileRules): Promise<readonly string[]>;
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** @throws {Fault} `unavailable` with the reason for the user if a sandbox cannot start here */
export async function startOwner(deps: OwnerDeps): Promise<OwnerProcess> {
  if (process.platform === 'win32') throw cannotStart('system', 'win32');
  // Next to this file in the source, and next to the chunk that contains it in a build.
  const name = import.meta.url.endsWith('.ts') ? './sandboxOwner.ts' : './sandboxOwner.mjs';
  const asNode: Record<string, string> =
    process.versions['electron'] === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' };
  const child = await deps.children.spawn({
    command: process.execPath,
    args: [fileURLToPath(new URL(name, import.meta.url))],
    cwd: deps.folder,
    env: { ...deps.env, ...asNode },
    role: 'tool',
    title: 'Sandbox',
  });
  const owner = new Owner(deps, child);
  try {
    await owner.ready;
  } catch (thrown) {
    await child.stop();
    throw thrown;
  }
  return owner;
}

interface Settles<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (thrown: Fault) => void;
}

class Owner implements OwnerProcess {
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  readonly #deps: OwnerDeps;
  readonly #child: LeashedChild;
  readonly #waiting = new Map<number, Settles<readonly string[]>>();
  #count = 0;

  constructor(deps: OwnerDeps, child: LeashedChild) {
    this.#deps = deps;
    this.#child = child;
    let ready: Settles<void> | undefined;
    this.ready = new Promise((resolve, reject) => {
      ready = { resolve, reject };
    });
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      const message = messageIn(line);
      if (message) this.#take(message, ready!);
      else void child.stop(); // without its owner, the sandbox has no network
    });
    this.ended = child.exited.then(() => {
      const gone = new Fault('unavailable', 'The sandbox of this session stopped. Try again.', {
        cause: new Error(child.stderrTail()),
      });
      ready?.reject(gone);
      for (const it of this.#waiting.values()) it.reject(gone);
      this.#waiting.clear();
    });
  }

  wrap(line: string, shell: string, files: FileRules): Promise<readonly string[]> {
    this.#count += 1;
    const id = this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#say({ kind: 'wrap', id, line, shell, files });
    });
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }

  #take(message: FromOwner, ready: Settles<void>): void {
    switch (message.kind) {
      case 'ready':
        return ready.resolve();
      case 'failed':
        return ready.reject(cannotStart(message.obstacle, message.detail));
      case 'wrapped':
        this.#waiting.get(message.id)?.resolve(message.command);
        return void this.#waiting.delete(message.id);
      case 'unwrapped':
        this.#waiting.get(message.id)?.reject(
          new Fault('unavailable', 'The program could not be started in the sandbox of this session.', {
            cause: new Error(message.detail),
          }),
        );
        return void this.#waiting.delete(message.id);
      case 'asks':
        return void this.#answer(message);
    }
  }

  async #answer({ id, host, port }: Extract<FromOwner, { kind: 'asks' }>): Promise<void> {
    // If the question cannot be asked, the connection is denied.
    const { allow, reason } = await this.#deps.connects(host, port).catch(() => ({ allow: false, reason: undefined }));
    this.#say({ kind: 'answer', id, allow, ...(reason !== undefined && { reason }) });
  }

  #say(message: ToOwner): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}

function messageIn(line: string): FromOwner | undefined {
  try {
    return FromOwner.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined; // not JSON
  }
}

function cannotStart(obstacle: Obstacle, detail: string): Fault {
  return new Fault('unavailable', sentences[obstacle](detail));
}

const sentences: Readonly<Record<Obstacle, (detail: string) => string>> = {
  system: () => 'A sandbox cannot start on this operating system. It requires Linux or macOS.',
  programs: (names) =>
    `A sandbox cannot start because these programs were not found: ${names}. Install them, for example with: sudo apt install bubblewrap socat`,
  processor: () => 'A sandbox cannot start on this processor. It requires an x64 or Arm64 processor.',
  namespaces: () =>
    'A sandbox cannot start because the system does not let this user create namespaces. Ask an administrator to allow unprivileged user namespaces.',
};
