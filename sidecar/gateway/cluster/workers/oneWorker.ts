import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Runtime } from '../../../platform/runtime.ts';
import type { Guardrail } from '../../../protocol/gateway/guardrail.ts';
import type { Accounting } from '../../activity/accounting.ts';
import type { LimitLevel } from '../../activity/limits/levels.ts';
import type { Permit } from '../../activity/limits/limits.ts';
import type { ProcessFigures } from '../../activity/telemetry/processFigures.ts';
import { LineKind } from '../../storage/activity/endedCall.ts';
import type { GatewayStore } from '../../storage/store.ts';
import { Channel } from './channel.ts';
import type { OwnerSide, WorkerSide, WorkerStart } from './contract.ts';
import { NumberedObjects } from './numbered.ts';
import { ServedDatabase } from './servedDatabase.ts';

export interface OneWorkerDeps extends Pick<Runtime, 'timers'> {
  readonly process: ChildProcess;
  readonly start: () => WorkerStart;
  readonly store: Pick<GatewayStore, 'database' | 'changes'>;
  readonly accounting: Pick<Accounting, 'activity' | 'limits'>;
  readonly line: (text: string) => void;
  readonly credentialRefused: () => void;
}

/** One worker, as its owner has it. */
export class OneWorker {
  readonly process: ChildProcess;
  /** When it serves. */
  readonly ready: Promise<void>;
  /** When it has ended, everything that it sent was read, and everything that it held was given back. */
  readonly ended: Promise<void>;
  isReady = false;
  #isHearing = false;
  readonly #channel: Channel<WorkerSide, OwnerSide>;

  constructor(deps: OneWorkerDeps) {
    const { process, store, accounting, timers } = deps;
    this.process = process;
    const permits = new Permits(accounting.limits);
    const database = new ServedDatabase(store.database);
    const kinds = new NumberedObjects<LineKind['of'], LineKind>((of) => new LineKind(of));
    let became = () => {};
    this.ready = new Promise((resolve) => void (became = resolve));
    const ours: OwnerSide = {
      begin: deps.start,
      ready: () => {
        this.isReady = true;
        became();
      },
      run: (name, statements) => database.run(name, statements),
      rollback: () => database.rollback(),
      changed: (kind, id) => {
        this.#isHearing = true;
        store.changes.emit(kind, id);
        this.#isHearing = false;
      },
      admit: (levels, call) => permits.admit(levels, call),
      settle: (permit, spend, tokens) => permits.take(permit)?.settle(spend, tokens),
      release: (permit) => permits.take(permit)?.release(),
      spent: (level) => accounting.limits.spent(level),
      ended: ({ facts, ...call }) => accounting.activity.ended({ ...call, facts: kinds.get(facts) }),
      refused: (endpoint) => accounting.activity.refused(endpoint),
      line: deps.line,
      credentialRefused: deps.credentialRefused,
      known: () => undefined,
    };
    this.#channel = new Channel<WorkerSide, OwnerSide>(process, ours, timers);
    const stopListening = store.changes.listen((kind, id) => {
      if (!this.#isHearing) this.#channel.tell('changed', kind, id);
    });
    process.on('error', () => undefined); // the channel closes
    this.ended = this.#channel.closed.then(() => {
      this.isReady = false;
      stopListening();
      permits.releaseAll();
      return database.close();
    });
  }

  give(socket: Socket): Promise<void> {
    return this.#channel.give(socket);
  }
  guardrails(now: readonly Guardrail[]): void {
    this.#channel.tell('guardrails', now);
  }
  /** `undefined` if it ends meanwhile. */
  figures(): Promise<ProcessFigures | undefined> {
    return this.#channel.ask('figures').catch(() => undefined);
  }
  leave(graceMs: number, leaveMs: number): void {
    this.#channel.tell('leave', graceMs, leaveMs);
  }
}

/** The calls of one worker that are under way. */
class Permits {
  readonly #limits: Accounting['limits'];
  readonly #held = new Map<number, Permit>();
  readonly #levels = new NumberedObjects<readonly LimitLevel[]>((it) => it);
  readonly #servers = new NumberedObjects<readonly string[]>((it) => it);
  #count = 0;
  #isOver = false;

  constructor(limits: Accounting['limits']) {
    this.#limits = limits;
  }

  readonly admit: OwnerSide['admit'] = async (sent, { cost, servers }) => {
    const levels = this.#levels.get(sent);
    const permit = await this.#limits.admit(levels, { cost, servers: this.#servers.get(servers) });
    this.#count += 1;
    if (this.#isOver) permit.release();
    else this.#held.set(this.#count, permit);
    const key = levels.find((it) => it.type === 'key');
    return { permit: this.#count, rates: permit.rates(), spent: key && this.#limits.spentSoFar(key) };
  };

  take(permit: number): Permit | undefined {
    const held = this.#held.get(permit);
    this.#held.delete(permit);
    return held;
  }

  /** Nobody knows what the calls of a killed worker cost. */
  releaseAll(): void {
    this.#isOver = true;
    for (const it of this.#held.values()) it.release();
    this.#held.clear();
  }
}
