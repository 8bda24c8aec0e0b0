import type { ChildProcess } from 'node:child_process';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Fault } from '../../../platform/faults.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import type { Guardrail } from '../../../protocol/gateway/guardrail.ts';
import type { Accounting } from '../../activity/accounting.ts';
import type { ProcessFigures } from '../../activity/telemetry/processFigures.ts';
import type { GatewayStore } from '../../storage/store.ts';
import { openFrontPort } from './frontPort.ts';
import { OneWorker } from './oneWorker.ts';
import { openPrivateDoor } from './privateDoor.ts';

/** How soon a worker that ended is replaced, so that one that cannot start does not keep the machine busy. */
const AGAIN_MS = 500;
/** How soon workers have guardrails of a configuration file that changed. */
const GUARDRAILS_MS = 250;
/** How long metrics wait for a worker. */
const FIGURES_MS = 1_000;
/** Connections that wait while no worker serves. */
const MOST_WAITING = 1_000;
/** What a worker gets beyond the grace of its calls, before it is killed. */
const LAST_MS = 5_000;

export interface WorkersDeps extends Pick<Runtime, 'timers' | 'log'> {
  readonly count: number;
  readonly host: string;
  readonly port: number;
  /** See {@link openPrivateDoor}. */
  readonly pipe: string;
  /** Starts a process that becomes a worker. */
  readonly startProcess: () => ChildProcess;
  readonly guardrails: () => readonly Guardrail[];
  readonly credentialRefused: () => void;
  /** Writes a line of a worker's log. */
  readonly line: (text: string) => void;
}
export interface OwnedParts {
  readonly store: GatewayStore;
  readonly accounting: Accounting;
}

/** The workers of a gateway. This process, their owner, has the port, the database, the limits, and everything that lasts. */
export interface Workers {
  readonly port: number;
  /** Gets the requests that workers hand over. */
  serveOn(server: Server): void;
  /** Starts them, and comes back when all serve. @throws {Fault} `unavailable` */
  begin(parts: OwnedParts): Promise<void>;
  figures(): Promise<readonly ProcessFigures[]>;
  /** As `Gateway.close`. Called again, it waits for the same. */
  close(graceMs: number, leaveMs: number): Promise<void>;
}

/** Opens the port of callers: connections wait until workers serve. @throws {Fault} `unavailable` */
export async function openWorkers(deps: WorkersDeps): Promise<Workers> {
  const waiting: Socket[] = [];
  const team = new Team(deps, waiting);
  let server: Server | undefined;
  const front = await openFrontPort(deps.host, deps.port, (socket) => void team.give(socket));
  const door = await openPrivateDoor(deps.pipe, (socket) => server?.emit('connection', socket)).catch(
    (cause: unknown) => {
      front.close();
      throw new Fault('unavailable', 'The gateway cannot open the pipe for its workers.', { cause });
    },
  );
  let closing: Promise<void> | undefined;
  const close = async (graceMs: number, leaveMs: number) => {
    team.leave(graceMs, leaveMs);
    if (leaveMs > 0) await deps.timers.wait(leaveMs);
    front.close();
    for (const it of waiting.splice(0)) it.destroy();
    await team.ended(graceMs);
    door.close();
  };
  return {
    port: front.port,
    serveOn(it) {
      server = it;
    },
    begin: (parts) => team.begin(parts, { port: front.port, pipe: deps.pipe }),
    figures: () => team.figures(),
    close: (graceMs, leaveMs) => (closing ??= close(graceMs, leaveMs)),
  };
}

class Team {
  readonly #deps: WorkersDeps;
  readonly #waiting: Socket[];
  readonly #all = new Set<OneWorker>();
  #next = 0;
  #isLeaving = false;
  #stopFollowing = () => {};

  constructor(deps: WorkersDeps, waiting: Socket[]) {
    this.#deps = deps;
    this.#waiting = waiting;
  }

  async begin(parts: OwnedParts, at: { readonly port: number; readonly pipe: string }): Promise<void> {
    const { count, guardrails, timers } = this.#deps;
    let known = guardrails();
    this.#stopFollowing = timers.every(GUARDRAILS_MS, () => {
      if (guardrails() === known) return;
      known = guardrails();
      for (const it of this.#all) it.guardrails(known);
    });
    const start = () => this.#start(parts, at);
    await Promise.all(
      Array.from({ length: count }, async () => {
        const worker = start();
        const isReady = await Promise.race([worker.ready.then(() => true), worker.ended.then(() => false)]);
        if (!isReady)
          throw new Fault('unavailable', 'A worker of the gateway cannot start. See the log for the reason.');
      }),
    );
  }

  #start(parts: OwnedParts, at: { readonly port: number; readonly pipe: string }): OneWorker {
    const { timers, log, startProcess, line, credentialRefused, guardrails } = this.#deps;
    const start = () => ({ ...at, guardrails: guardrails() });
    const worker = new OneWorker({ ...parts, timers, process: startProcess(), start, line, credentialRefused });
    this.#all.add(worker);
    void worker.ready.then(() => {
      log.info({ worker: worker.process.pid }, 'A worker serves.');
      for (const it of this.#waiting.splice(0)) void this.give(it);
    });
    void worker.ended.then(() => {
      this.#all.delete(worker);
      if (this.#isLeaving) return;
      log.warn({ worker: worker.process.pid }, 'A worker ended unexpectedly. Another one takes its place.');
      timers.after(AGAIN_MS, () => void (this.#isLeaving || this.#start(parts, at)));
    });
    return worker;
  }

  /** In turn: what is left to the system goes to few workers of many. */
  async give(socket: Socket): Promise<void> {
    for (;;) {
      const ready = [...this.#all].filter((it) => it.isReady);
      const worker = ready[this.#next % Math.max(1, ready.length)];
      this.#next += 1;
      if (!worker) break;
      try {
        return await worker.give(socket);
      } catch {
        worker.isReady = false; // it has ended, and another one gets the connection
      }
    }
    if (this.#waiting.length >= MOST_WAITING || this.#isLeaving) socket.destroy();
    else this.#waiting.push(socket);
  }

  async figures(): Promise<readonly ProcessFigures[]> {
    const late = this.#deps.timers.wait(FIGURES_MS).then(() => undefined);
    const all = await Promise.all([...this.#all].map((it) => Promise.race([it.figures(), late])));
    return all.filter((it) => it !== undefined);
  }

  leave(graceMs: number, leaveMs: number): void {
    this.#isLeaving = true;
    this.#stopFollowing();
    for (const it of this.#all) {
      if (it.isReady) it.leave(graceMs, leaveMs);
      else it.process.kill('SIGKILL');
    }
  }

  async ended(graceMs: number): Promise<void> {
    const stop = this.#deps.timers.after(graceMs + LAST_MS, () => {
      for (const it of this.#all) it.process.kill('SIGKILL');
    });
    await Promise.all([...this.#all].map((it) => it.ended));
    stop();
  }
}
