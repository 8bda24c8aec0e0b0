import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentProvider } from '../../sidecar/agents/provider.ts';
import { openHost } from '../../sidecar/host/host.ts';
import type { Store } from '../../sidecar/host/state/store.ts';
import type { HostStorage } from '../../sidecar/host/storage/hostStorage.ts';
import { TranscriptIndex } from '../../sidecar/host/storage/search/transcriptIndex.ts';
import { StorageFault } from '../../sidecar/host/storage/storageFault.ts';
import type { Host } from '../../sidecar/launch/host/hostContract.ts';
import type { Clock } from '../../sidecar/platform/clock.ts';
import type { Log } from '../../sidecar/platform/logger.ts';
import type { Random } from '../fuzz/random.ts';
import type { Fault } from './fault.ts';
import { type SimTime, SimTimers } from './time.ts';
import { SimWire } from './wire.ts';

/** The log comes before the database: what is in both is the same, wherever a checkpoint stands. */
const FILES = ['host.db-wal', 'host.journal', 'host.db'];

export interface SimHostDeps {
  readonly folder: string;
  readonly time: SimTime;
  readonly random: Random;
  readonly agents: readonly AgentProvider[];
  readonly fault: Fault;
  readonly clock: Clock;
  /** Receives the store before anything happens in it. */
  readonly onStore: (store: Store) => void;
  /** The disk did not take something. */
  readonly onRefused: () => void;
  /** Something that must not happen. */
  readonly violation: (what: string) => void;
}

/** One life of the product's host. It ends by a crash, which leaves the files that it had written by then. */
export class SimHost {
  readonly wires = new Set<SimWire>();
  readonly timers: SimTimers;
  store!: Store;
  isDiskFull = false;
  /** After so many more calls of the storage it crashes; none: it does not. */
  crashAfter: number | undefined;
  readonly #deps: SimHostDeps;
  readonly #dataDir: string;
  #host: Host | undefined;
  #storage!: HostStorage;
  #image: string | undefined;

  private constructor(deps: SimHostDeps, dataDir: string) {
    this.#deps = deps;
    this.#dataDir = dataDir;
    this.timers = new SimTimers(deps.time);
  }

  /** @param dataDir with the files of an earlier life, or empty */
  static async open(deps: SimHostDeps, dataDir: string): Promise<SimHost> {
    const life = new SimHost(deps, dataDir);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const { random, fault, clock, agents } = deps;
    life.#host = await openHost({
      dataDir,
      build: { version: '0.1.0', builtAtMs: 1 },
      runtime: {
        clock,
        timers: life.timers,
        newId: () => uuid(random),
        random: (bytes) => Uint8Array.from({ length: bytes }, () => random.below(256)),
        log: life.#log(),
      },
      onStopRequested: () => undefined,
      providers: () => agents,
      openSearch: (folder) => {
        const index = new TranscriptIndex(folder);
        return {
          isDead: false,
          step: async () => index.step(),
          search: async (request) => index.search(request),
          close: async () => index.close(),
        };
      },
      onStorage: (storage) => {
        life.#storage = storage;
        life.#wrap(storage);
        fault.storage?.(storage, random);
      },
      onStore: (store) => {
        life.store = store;
        deps.onStore(store);
      },
    });
    return life;
  }

  /** True from the crash on: nothing that it does is seen any more. */
  get isDead(): boolean {
    return this.#image !== undefined;
  }

  connect(): SimWire {
    const { fault, random } = this.#deps;
    const wire = new SimWire((from, chunk) => {
      const change = from === 'right' ? fault.fromHost : fault.fromClient;
      return change ? change(chunk, random) : [chunk];
    });
    this.wires.add(wire);
    wire.right.once('close', () => this.wires.delete(wire));
    this.#host?.attach(wire.right, { build: { version: '0.1.0', builtAtMs: 1 } });
    return wire;
  }

  /**
   * Like `kill -9`: what was written stays, and nothing else happens. Either messages that were sent still arrive, or the
   * connection breaks and they are lost.
   */
  crash(): void {
    if (this.isDead) return;
    const image = join(this.#deps.folder, uuid(this.#deps.random));
    mkdirSync(image, { mode: 0o700 });
    for (const it of FILES) {
      const file = join(this.#dataDir, it);
      if (existsSync(file)) copyFileSync(file, join(image, it));
    }
    this.#image = image;
    this.timers.die();
    for (const it of this.wires) {
      if (this.#deps.random.chance(0.5)) it.died('right');
      else it.cut();
    }
  }

  /** The folder with what a crash left; what remains of this life is gone. */
  async leave(): Promise<string> {
    if (this.#image === undefined) throw new Error('the host has not crashed');
    await this.#storage.close();
    for (const it of this.wires) it.right.destroy();
    rmSync(this.#dataDir, { recursive: true, force: true });
    this.#deps.fault.image?.(this.#image, this.#deps.random);
    return this.#image;
  }

  /** Counts the calls of the storage, crashes between them, and refuses them while the disk is full. */
  #wrap(storage: HostStorage): void {
    const rows = storage as { transaction: HostStorage['transaction']; tidy: () => void; sync: HostStorage['sync'] };
    const journal = storage.journal as { append: HostStorage['journal']['append'] };
    const { transaction } = rows;
    const { append } = journal;
    rows.transaction = (work) => {
      this.#count();
      const result = transaction(() => {
        const done = work();
        if (this.isDiskFull) this.#refuse();
        return done;
      });
      this.#count();
      return result;
    };
    journal.append = (...all) => {
      this.#count();
      if (this.isDiskFull) this.#refuse();
      const chain = append(...all);
      this.#count();
      return chain;
    };
    // Only a power cut would tell the difference, and it shrinks the log in another thread.
    rows.sync = async () => true;
    rows.tidy = () => undefined;
  }
  #refuse(): never {
    this.#deps.onRefused();
    throw new StorageFault('full');
  }
  #count(): void {
    if (this.crashAfter === undefined) return;
    this.crashAfter -= 1;
    if (this.crashAfter > 0) return;
    this.crashAfter = undefined;
    this.crash();
  }

  #log(): Log {
    const ignore = () => undefined;
    const wrong = (facts: object, message: string) => {
      const { thrown } = facts as { thrown?: unknown };
      if (this.isDead || message === 'changes could not be written') return;
      this.#deps.violation(`the host logged “${message}”: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
    };
    return {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: wrong,
      hide: ignore,
      report: (id, thrown) => wrong({ id, thrown }, 'internal error'),
    };
  }
}

/** As `randomUUID` makes them, and the same for the same seed. */
export function uuid(random: Random): string {
  const hex = (digits: number) => Array.from({ length: digits }, () => random.below(16).toString(16)).join('');
  return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
}
