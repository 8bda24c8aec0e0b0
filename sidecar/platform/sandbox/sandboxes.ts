import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Children, ConfinedNeeds } from '../children/children.ts';
import { findCommand } from '../children/findCommand.ts';
import { Fault } from '../faults.ts';
import type { Timers } from '../timers.ts';
import { type FilePlace, fileRules, madeToProtect } from './fileRules.ts';
import { innerEnvironment, innerLine, outerPath } from './innerShell.ts';
import { writeNodeProxy } from './nodeProxy.ts';
import { type ConnectionAnswer, type OwnerProcess, startOwner } from './ownerProcess.ts';

type Environment = Readonly<Record<string, string>>;

export interface SandboxesDeps {
  /** Starts programs outside a sandbox. */
  readonly children: Pick<Children, 'spawn'>;
  readonly timers: Pick<Timers, 'after'>;
  /** Absolute and real. */
  readonly dataDir: string;
  readonly home: string;
  /** Absolute real paths of the session's current folders. */
  readonly folders: (session: string) => Promise<readonly string[]>;
  /** State folders of all known agents. */
  readonly agentStates: readonly string[];
  /** Whether a program of the session can connect to a host. Rules or the user decide. */
  readonly connects: (session: string, host: string, port: number) => Promise<ConnectionAnswer>;
}

export interface ToConfine {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly needs?: ConfinedNeeds | undefined;
}
/** The command that starts a program in a sandbox. */
export interface Confined extends Pick<ToConfine, 'command' | 'args' | 'env'> {
  /** Must be called when the program has ended or could not be started. A sandbox without programs ends. */
  over(): void;
}

interface Running {
  readonly owner: OwnerProcess;
  /** Contains the owner's working directory and the folder for temporary files. */
  readonly place: string;
  readonly temporary: string;
  /** @see writeNodeProxy */
  readonly nodeProxy: string;
  /** Ports on this machine that programs of the session can reach. */
  readonly ports: Set<number>;
  /** Folders that were created to be protected. */
  readonly made: Set<string>;
  /** The number of programs that run in it or are about to start. */
  users: number;
  stopIdle: (() => void) | undefined;
  /** The next program of the session starts another sandbox. */
  readonly forget: () => void;
}

/** A sandbox without programs ends after this time. The next program starts it again. */
const IDLE_MS = 60_000;
const loopback = /^(?:127(?:\.\d+){3}|::1|\[::1\]|(?:.*\.)?localhost\.?)$/i;

/** The sandboxes of sessions. A separate process owns each sandbox. It starts with the first program of its session. */
export class Sandboxes {
  readonly #deps: SandboxesDeps;
  readonly #running = new Map<string, Promise<Running>>();
  /** By session. A program's own environment does not decide through which proxy the owner reaches the network. */
  readonly #environments = new Map<string, Environment>();
  #isTidy = false;

  constructor(deps: SandboxesDeps) {
    this.#deps = deps;
  }

  /**
   * Starts the session's sandbox if it is not running.
   * @param env of the window
   * @throws {Fault} `unavailable` if it cannot start
   */
  async start(session: string, env: Environment): Promise<void> {
    this.#environments.set(session, env);
    await this.#use(session, env);
  }

  /**
   * The command that starts a program in the session's sandbox.
   * @throws {Fault} `unavailable` if the sandbox cannot start. The program then does not run
   */
  async confine(session: string, program: ToConfine): Promise<Confined> {
    const running = await this.#use(session, program.env);
    running.users += 1;
    running.stopIdle?.();
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      running.users -= 1;
      this.#endWhenIdle(running);
    };
    try {
      return { ...(await this.#wrap(session, running, program)), over };
    } catch (thrown) {
      over();
      throw thrown;
    }
  }

  async #wrap(session: string, running: Running, { command, args, env, needs = {} }: ToConfine) {
    const { owner, place, temporary, nodeProxy, made } = running;
    const { ports = [], variables, isNode = false } = needs;
    for (const it of ports) running.ports.add(it);
    const folders = await this.#deps.folders(session);
    makeProtected(folders, made);
    const files = fileRules(this.#filePlace(folders, place, temporary), needs);
    const inner = innerEnvironment(env, variables);
    const { platform } = process;
    const line = innerLine({ command, args, path: inner['PATH'], ports, temporary, nodeProxy, isNode, platform });
    const PATH = outerPath(inner['PATH'] ?? '', [...files.writes, ...this.#deps.agentStates]);
    const shell = findCommand('bash', { PATH }) ?? '/bin/sh';
    const [first, ...rest] = await owner.wrap(line, shell, files);
    return { command: first!, args: rest, env: { ...inner, PATH } };
  }

  /** Ends the sandbox of a session that no longer exists or continues without a sandbox. */
  async close(session: string): Promise<void> {
    const running = this.#running.get(session);
    this.#running.delete(session);
    this.#environments.delete(session);
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
    const forget = () => {
      if (this.#running.get(session) === starting) this.#running.delete(session);
    };
    const starting = this.#start(session, this.#environments.get(session) ?? env, forget);
    this.#running.set(session, starting);
    starting.then((it) => it.owner.ended.then(forget), forget);
    return starting;
  }

  async #start(session: string, env: Environment, forget: () => void): Promise<Running> {
    const { children, home, agentStates } = this.#deps;
    const folders = await this.#deps.folders(session);
    const PATH = outerPath(env['PATH'] ?? process.env['PATH'] ?? '', [...folders, ...agentStates]);
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
        env: { ...proxyOf(env), PATH, HOME: home, CLAUDE_CODE_TMPDIR: temporary },
        connects: async (host, port) => {
          // On this machine, only the ports that a program needs are allowed. The user is not asked about others.
          if (loopback.test(host))
            return host === '127.0.0.1' && ports.has(port) ? { allow: true } : { allow: false, reason: OWN_MACHINE };
          return this.#deps.connects(session, host, port);
        },
      });
      void owner.ended.then(removeAll);
      const nodeProxy = writeNodeProxy(folder);
      const running: Running = {
        owner,
        place,
        temporary,
        nodeProxy,
        ports,
        made,
        users: 0,
        stopIdle: undefined,
        forget,
      };
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
      if (running.users > 0) return;
      running.forget();
      void running.owner.stop();
    });
  }

  /** In the host's data directory, which is hidden from all sessions. Folders of an earlier host are removed first. */
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

/** The proxy through which this machine reaches the network. */
function proxyOf(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^(?:HTTP|HTTPS|NO)_PROXY$/i.test(name)));
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
    // It is not empty, or it was removed already.
  }
}
