import type { Server } from 'node:http';
// A step does not wait for files, so what a gateway loads on use is loaded before it starts.
import '../../../sidecar/gateway/guardrails/openGuardrails.ts';
import '../../../sidecar/gateway/mcp/openMcp.ts';
import { openGateway } from '../../../sidecar/gateway/gateway.ts';
import type { Gateway } from '../../../sidecar/gateway/options.ts';
import type { GatewayStore } from '../../../sidecar/gateway/storage/store.ts';
import type { Children } from '../../../sidecar/platform/children/children.ts';
import type { Log } from '../../../sidecar/platform/logger.ts';
import type { Random } from '../../fuzz/random.ts';
import { uuid } from '../simHost.ts';
import { type SimTime, SimTimers } from '../time.ts';
import { SimWire } from '../wire.ts';
import type { DatabaseLink } from './databaseLink.ts';
import type { SimBackends } from './simBackends.ts';
import type { SimDatabase } from './simDatabase.ts';

export interface SimReplicaDeps {
  readonly database: SimDatabase;
  readonly backends: SimBackends;
  readonly time: SimTime;
  readonly random: Random;
  readonly adminKey: string;
  /** Changes the store before it is used. For faults. */
  readonly onStore?: ((store: GatewayStore, random: Random) => void) | undefined;
  /** Something that must not happen. */
  readonly violation: (what: string) => void;
}

const SECRET = Buffer.alloc(32, 7);

/** A real gateway, from one start until it stops or crashes. */
export class SimReplica {
  readonly name: string;
  readonly link: DatabaseLink;
  /** Connections from callers. */
  readonly wires = new Set<SimWire>();
  readonly backendWires = new Set<SimWire>();
  isDead = false;
  /** It was asked to stop, and finishes calls. */
  isLeaving = false;
  /** Since when it can reach the database and is expected to follow its changes. */
  reachesSinceMs: number;
  /** The last commit that it made. */
  ownCommit = 0;
  /** The last of its commits that it acknowledged. */
  answeredCommit = 0;
  /** The last commit before it started, which it has read. */
  bornCommit = 0;
  gateway: Gateway | undefined;
  readonly #deps: SimReplicaDeps;
  readonly #timers: SimTimers;
  #server: Server | undefined;

  constructor(name: string, deps: SimReplicaDeps) {
    this.name = name;
    this.#deps = deps;
    this.#timers = new SimTimers(deps.time);
    this.link = deps.database.link();
    this.reachesSinceMs = deps.time.passedMs;
  }

  /** Settles when it serves. This requires steps of the database. */
  async start(): Promise<void> {
    const { database, backends, time, random, adminKey, onStore } = this.#deps;
    this.gateway = await openGateway({
      database: { kind: 'postgres', url: 'simulated' },
      openDatabase: async () => database.openFor(this.link),
      connect: backends.connectFor(this.backendWires),
      secret: SECRET,
      adminKey,
      prepare: async (store) => onStore?.(store, random),
      listen: { host: '127.0.0.1', port: 4_000, onServer: (server) => void (this.#server = server) },
      publicUrl: 'http://gateway.test',
      defaultAccess: 'none',
      limits: { timeoutMs: 20_000, listTimeoutMs: 5_000, keepMs: 30_000 },
      stdio: { isTrusted: false, allowedCommands: [] },
      children: noChildren,
      env: {},
      runtime: {
        // The clocks of replicas differ slightly.
        clock: time.clock(random.below(4_000) - 2_000),
        timers: this.#timers,
        newId: () => uuid(random),
        random: (bytes) => Uint8Array.from({ length: bytes }, () => random.below(256)),
        log: this.#log(),
      },
      version: '1',
    });
  }

  get isUp(): boolean {
    return this.gateway !== undefined && !this.isDead && !this.isLeaving;
  }

  connect(): SimWire {
    const wire = new SimWire();
    // All callers have the same address.
    Object.assign(wire.right, { remoteAddress: '192.0.2.1' });
    this.wires.add(wire);
    wire.right.once('close', () => {
      this.wires.delete(wire);
      wire.died('right');
    });
    wire.left.once('close', () => wire.died('left'));
    this.#server?.emit('connection', wire.right);
    return wire;
  }

  /** Like SIGTERM. Settles when it has written everything that it can. */
  async leave(): Promise<void> {
    this.isLeaving = true;
    await this.gateway?.close(0);
    if (!this.isDead) this.crash();
  }

  /** Like `kill -9`. Messages that it sent may still arrive. */
  crash(): void {
    this.isDead = true;
    this.#timers.die();
    this.#deps.database.forget(this.link);
    for (const it of [...this.backendWires]) it.cut();
    for (const it of [...this.wires]) {
      if (this.#deps.random.chance(0.5)) it.died('right');
      else it.cut();
    }
  }

  #log(): Log {
    const ignore = () => undefined;
    const wrong = (thrown: unknown) => {
      if (this.isDead) return;
      this.#deps.violation(
        `${this.name} logged an internal error: ${thrown instanceof Error ? thrown.stack : String(thrown)}`,
      );
    };
    return {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: ignore,
      hide: ignore,
      report: (_id, thrown) => wrong(thrown),
    };
  }
}

const never = () => Promise.reject(new Error('the gateways of the simulation start no programs'));
const noChildren: Children = { spawn: never, openPty: never, list: () => [], stopAll: async () => undefined };
