import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Children, ConfinedNeeds } from '../children/children.ts';
import { findCommand } from '../children/findCommand.ts';
import { Fault } from '../faults.ts';
import type { Timers } from '../timers.ts';
import { type FilePlace, fileRules, madeToProtect } from './fileRules.ts';
import { innerEnvironment, innerLine } from './innerShell.ts';
import { type ConnectionAnswer, type OwnerProcess, startOwner } from './ownerProcess.ts';

type Environment = Readonly<Record<string, string>>;

export interface SandboxesDeps {
  /** Those that start programs outside. */
  readonly children: Pick<Children, 'spawn'>;
  readonly timers: Pick<Timers, 'after'>;
  /** Absolute and real. */
  readonly dataDir: string;
  readonly home: string;
  /** Absolute real paths of the session's folders, as they are now. */
  readonly folders: (session: string) => Promise<readonly string[]>;
  /** State folders of all agents that are known. */
  readonly agentStates: readonly string[];
  /** Whether a program of the session may connect to a host: by rules, or as a person answers. */
  readonly connects: (session: string, host: string, port: number) => Promise<ConnectionAnswer>;
}

/** A program, and as it is started in a sandbox. */
export interface ToConfine {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly needs?: ConfinedNeeds | undefined;
}
export interface Confined extends Pick<ToConfine, 'command' | 'args' | 'env'> {
  /** To be called when the program has ended, or did not start: a sandbox in which none runs ends. */
  over(): void;
}

interface Running {
  readonly owner: OwnerProcess;
  /** Holds what belongs to the sandbox: the owner's own folder, and the one for temporary files. */
  readonly place: string;
  readonly temporary: string;
  /** Ports on this machine that programs of the session were given. */
  readonly ports: Set<number>;
  /** Folders that were made to be protected. */
  readonly made: Set<string>;
  /** Programs that run in it. */
  users: number;
  stopIdle: (() => void) | undefined;
}

/** A sandbox in which no program runs ends after this time; the next program starts it again. */
const IDLE_MS = 60_000;
const loopback = /^(?:127(?:\.\d+){3}|::1|\[::1\]|(?:.*\.)?localhost\.?)$/i;

/** The sandboxes of sessions, each with a process that owns it. They start with the first program of their session. */
export class Sandboxes {
  readonly #deps: SandboxesDeps;
  readonly #running = new Map<string, Promise<Running>>();
  #isTidy = false;

  constructor(deps: SandboxesDeps) {
    this.#deps = deps;
  }

  /** Starts the session's sandbox, if it does not run. @throws {Fault} `unavailable` where it cannot start */
  async start(session: string, env: Environment): Promise<void> {
    await this.#use(session, env);
  }

  /**
   * A program as it runs in the session's sandbox.
   * @throws {Fault} `unavailable` where the sandbox cannot start: then the program does not run
   */
  async confine(session: string, { command, args, env, needs = {} }: ToConfine): Promise<Confined> {
    const running = await this.#use(session, env);
    const { ports = [], variables } = needs;
    for (const it of ports) running.ports.add(it);
    const folders = await this.#deps.folders(session);
    makeProtected(folders, running.made);
    const files = fileRules(this.#filePlace(folders, running.place, running.temporary), needs);
    const { platform } = process;
    const line = innerLine({ command, args, ports, temporary: running.temporary, platform });
    const shell = findCommand('bash', env) ?? '/bin/sh';
    const [first, ...rest] = await running.owner.wrap(line, shell, files);
    running.users += 1;
    running.stopIdle?.();
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      running.users -= 1;
      this.#endWhenIdle(running);
    };
    return { command: first!, args: rest, env: innerEnvironment(env, variables), over };
  }

  /** The session is gone, or in no sandbox any more. */
  async close(session: string): Promise<void> {
    const running = this.#running.get(session);
    this.#running.delete(session);
    await running?.then(
      ({ owner }) => owner.stop(),
      () => undefined, // it did not start
    );
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((it) => this.close(it)));
  }

  async #use(session: string, env: Environment): Promise<Running> {
    const known = this.#running.get(session);
    if (known) return known;
    const starting = this.#start(session, env);
    this.#running.set(session, starting);
    const forget = () => {
      if (this.#running.get(session) === starting) this.#running.delete(session);
    };
    starting.then((it) => it.owner.ended.then(forget), forget);
    return starting;
  }

  async #start(session: string, env: Environment): Promise<Running> {
    const { children } = this.#deps;
    const place = this.#makePlace();
    const [folder, temporary] = [join(place, 'own'), join(place, 'tmp')];
    for (const it of [folder, temporary]) mkdirSync(it, { mode: 0o700 });
    const ports = new Set<number>();
    const made = new Set<string>();
    const removeAll = () => {
      rmSync(place, { recursive: true, force: true });
      for (const it of made) removeEmpty(it);
    };
    try {
      const owner = await startOwner({
        children,
        session,
        folder,
        env: { ...ownEnvironment(env), HOME: this.#deps.home, CLAUDE_CODE_TMPDIR: temporary },
        connects: async (host, port) => {
          // This machine is reached through the ports that a program was given, and nobody is asked about others.
          if (loopback.test(host))
            return host === '127.0.0.1' && ports.has(port) ? { allow: true } : { allow: false, reason: OWN_MACHINE };
          return this.#deps.connects(session, host, port);
        },
      });
      void owner.ended.then(removeAll);
      const running: Running = { owner, place, temporary, ports, made, users: 0, stopIdle: undefined };
      this.#endWhenIdle(running);
      return running;
    } catch (thrown) {
      removeAll();
      throw thrown instanceof Fault
        ? thrown
        : new Fault('unavailable', 'The sandbox could not start.', { cause: thrown });
    }
  }

  #endWhenIdle(running: Running): void {
    running.stopIdle?.();
    if (running.users > 0) return;
    running.stopIdle = this.#deps.timers.after(IDLE_MS, () => {
      if (running.users === 0) void running.owner.stop();
    });
  }

  /** In the host's data directory, which is hidden from all sessions. What an earlier host left there is removed. */
  #makePlace(): string {
    const all = join(this.#deps.dataDir, 'sandboxes');
    if (!this.#isTidy) rmSync(all, { recursive: true, force: true });
    this.#isTidy = true;
    mkdirSync(all, { recursive: true, mode: 0o700 });
    return mkdtempSync(join(all, 's'));
  }

  #filePlace(folders: readonly string[], place: string, temporary: string): FilePlace {
    const { dataDir, home, agentStates } = this.#deps;
    return { folders, place, temporary, home, dataDir, agentStates, exists: existsSync };
  }
}

const OWN_MACHINE = 'Programs in the sandbox cannot reach this port of the machine.';

/** What the owner gets: where programs are, and through which proxy the machine reaches the network. */
function ownEnvironment(env: Environment): Record<string, string> {
  const own = Object.entries(env).filter(([name]) => /^(?:PATH|HTTP_PROXY|HTTPS_PROXY|NO_PROXY)$/i.test(name));
  return { PATH: process.env['PATH'] ?? '', ...Object.fromEntries(own) };
}

function makeProtected(folders: readonly string[], made: Set<string>): void {
  for (const it of folders.flatMap((folder) => madeToProtect.map((name) => join(folder, name)))) {
    if (existsSync(it)) continue;
    mkdirSync(it);
    made.add(it);
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody outside put something into it, or removed it.
  }
}
