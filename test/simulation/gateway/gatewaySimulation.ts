import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Random } from '../../fuzz/random.ts';
import { type Choice, Steps } from '../steps.ts';
import { quiet, SimTime } from '../time.ts';
import { Violation } from '../violation.ts';
import type { SimWire } from '../wire.ts';
import { Admin } from './admin.ts';
import { Books } from './books.ts';
import { CallerActs } from './callerActs.ts';
import { CallerChecks } from './callerChecks.ts';
import type { GatewayFault } from './gatewayFault.ts';
import { Rights } from './rights.ts';
import { SimBackends } from './simBackends.ts';
import { SimCaller } from './simCaller.ts';
import { SimDatabase } from './simDatabase.ts';
import { SimReplica } from './simReplica.ts';

/** A folder in memory, if the system has one. */
const MEMORY = '/dev/shm';
const ADMIN_KEY = 'sk-administrator-of-the-simulation';
/** Steps between two checks of the books. Before each check, everything comes to rest. */
const SETTLE_EVERY = 1_500;
/** After this time, everything that waited was retried and written. */
const SETTLE_MS = 25_000;
/** The steps that coming to rest may take. */
const MOST_SETTLING = 5_000;
const MOST_LINES = 8;
const MOST_CALLS = 6;
/** The HTTP client waits for a turn of the event loop before it reuses a connection. */
const TURNS = 4;

/** Two replicas of the gateway over one database, two callers, an administrator, and three MCP servers. */
export class GatewaySimulation {
  readonly #random: Random;
  readonly #fault: GatewayFault;
  readonly #time = new SimTime();
  readonly #steps: Steps;
  readonly #backends: SimBackends;
  readonly #callers: readonly SimCaller[];
  #replicas: SimReplica[] = [];
  #database!: SimDatabase;
  #rights!: Rights;
  #books!: Books;
  #checks!: CallerChecks;
  #acts!: CallerActs;
  #admin!: Admin;
  #step = 0;
  #lives = 0;
  #wrong: string | undefined;
  /** Since when everything has been coming to rest. */
  #settlesSinceMs: number | undefined;
  #settledAt = 0;

  private constructor(seed: number, fault: GatewayFault) {
    this.#random = new Random(seed);
    this.#steps = new Steps(this.#random);
    this.#fault = fault;
    this.#backends = new SimBackends(this.#random, (heard) => this.#checks.heard(heard));
    this.#callers = [new SimCaller('ada', this.#random), new SimCaller('bob', this.#random)];
  }

  static async open(seed: number, fault: GatewayFault = { name: 'nothing goes wrong' }): Promise<GatewaySimulation> {
    const simulation = new GatewaySimulation(seed, fault);
    await simulation.#open();
    return simulation;
  }

  get trace(): string {
    return this.#steps.trace;
  }
  /** How often each kind of step was made, and what they led to. */
  get counts(): Readonly<Record<string, number>> {
    return this.#steps.counts;
  }

  /** @throws {Violation} */
  async run(steps: number): Promise<void> {
    for (let n = 0; n < steps; n += 1) await this.step();
  }

  /** @throws {Violation} */
  async step(): Promise<void> {
    this.#step += 1;
    if (this.#settlesSinceMs === undefined && this.#step - this.#settledAt >= SETTLE_EVERY) this.#beginSettling();
    await this.#make(this.#settlesSinceMs === undefined ? [...this.#workings(), ...this.#actions()] : this.#workings());
    if (this.#isSettled()) {
      this.#books.check();
      this.#steps.count('settled');
      this.#settlesSinceMs = undefined;
      this.#settledAt = this.#step;
    }
    if (this.#settlesSinceMs !== undefined && this.#step - this.#settledAt > MOST_SETTLING)
      this.#wrong ??= 'nothing goes wrong any more, but the gateways do not come to rest';
    if (this.#wrong !== undefined) throw new Violation(this.#wrong, this.#step);
  }

  async close(): Promise<void> {
    for (const it of this.#replicas) if (!it.isDead) it.crash();
    for (const it of this.#callers) for (const { line } of it.opens) line.wire.cut();
    await quiet(TURNS);
    this.#database.close();
  }

  async #open(): Promise<void> {
    const { statement: change, result: answer } = this.#fault;
    this.#database = await SimDatabase.open({
      folder: existsSync(MEMORY) ? MEMORY : tmpdir(),
      random: this.#random,
      time: this.#time,
      onCommit: (by) => this.#committed(by),
      change,
      answer,
    });
    const violation = (what: string) => void (this.#wrong ??= what);
    const count = (what: string) => this.#steps.count(what);
    const upReplica = () => {
      const up = this.#replicas.filter((it) => it.isUp);
      return up.length > 0 ? this.#random.pick(up) : undefined;
    };
    this.#rights = new Rights(this.#database, this.#time);
    this.#books = new Books(this.#database, this.#time, this.#rights, violation);
    const all = { random: this.#random, time: this.#time, rights: this.#rights, books: this.#books, count, violation };
    const checks = new CallerChecks({ ...all, received: this.#fault.received });
    this.#checks = checks;
    this.#acts = new CallerActs({ ...all, checks, callers: this.#callers, upReplica });
    this.#admin = new Admin({ ...all, callers: this.#callers, upReplica, adminKey: ADMIN_KEY });
    await this.#until(this.#start('north'));
    await this.#until(this.#start('south'));
    await this.#until(this.#admin.setUp());
    this.#step = 0;
  }

  async #start(name: string): Promise<void> {
    this.#lives += 1;
    const replica: SimReplica = new SimReplica(name, {
      database: this.#database,
      backends: this.#backends,
      time: this.#time,
      random: this.#random,
      adminKey: ADMIN_KEY,
      onStore: this.#fault.store,
      violation: (what) => void (this.#wrong ??= what),
    });
    const bornCommit = this.#rights.newest;
    this.#replicas = [...this.#replicas.filter((it) => it.name !== name), replica];
    await replica.start();
    replica.bornCommit = bornCommit;
    replica.reachesSinceMs = this.#time.passedMs;
  }

  /** Makes steps until `work` has settled. @throws what `work` throws */
  async #until(work: Promise<void>): Promise<void> {
    let isOver = false;
    let failure: { readonly thrown: unknown } | undefined;
    work.then(
      () => (isOver = true),
      (thrown: unknown) => (failure = { thrown }),
    );
    await quiet(TURNS);
    while (!isOver && !failure) await this.#make(this.#workings());
    if (failure) throw failure.thrown;
  }

  async #make(choices: readonly Choice[]): Promise<void> {
    this.#steps.make(this.#step, choices);
    await quiet(TURNS);
  }

  /** Steps that happen by themselves. */
  #workings(): Choice[] {
    const [time, database] = [this.#time, this.#database];
    const choices: Choice[] = [{ name: 'time', weight: 0.8, run: () => this.#pass() }];
    if (time.hasSoon) choices.push({ name: 'soon', weight: 12, run: () => time.runSoon() });
    if (time.isDue) choices.push({ name: 'timer', weight: 8, run: () => time.runDue() });
    if (database.hasWork) choices.push({ name: 'database', weight: 10, run: () => this.#query() });
    if (this.#backends.waiting > 0) choices.push({ name: 'backend', weight: 5, run: () => this.#backends.letOne() });
    if (this.#settlesSinceMs !== undefined)
      for (const it of this.#replicas)
        if (it.isDead) choices.push({ name: 'restart', weight: 1, run: () => this.#restart(it.name) });
    for (const { link } of this.#replicas)
      if (link.hasNotice) choices.push({ name: 'notify', weight: 1, run: () => link.deliver() });
    for (const wire of this.#wires)
      for (const from of ['left', 'right'] as const)
        if (wire.hasFrom(from))
          choices.push({ name: `deliver ${from}`, weight: 6, run: () => this.#deliver(wire, from) });
    return choices;
  }

  /** What callers and the administrator do, and what goes wrong. */
  #actions(): Choice[] {
    const acts = this.#acts;
    const choices: Choice[] = [
      this.#database.isFull
        ? { name: 'disk free', weight: 0.1, run: () => this.#mend() }
        : { name: 'disk full', weight: 0.015, run: () => this.#fill() },
    ];
    if (!this.#admin.isBusy) choices.push({ name: 'manage', weight: 0.4, run: () => this.#admin.act() });
    for (const it of this.#callers) {
      choices.push(
        { name: 'begin', weight: it.sessions.length < 2 ? 0.3 : 0.03, run: () => acts.begin(it) },
        { name: 'list', weight: 0.5, run: () => acts.list(it) },
        { name: 'pry', weight: 0.05, run: () => acts.pry(it) },
        { name: 'cancel', weight: 0.1, run: () => acts.cancel(it) },
        { name: 'end', weight: 0.05, run: () => acts.end(it) },
        { name: 'cut', weight: it.opens.length > MOST_LINES ? 1 : 0.25, run: () => this.#cut(it) },
      );
      if (it.underWay.length < MOST_CALLS) choices.push({ name: 'call', weight: 2, run: () => acts.call(it) });
      if (it.broken.length > 0) choices.push({ name: 'resume', weight: 0.5, run: () => acts.resume(it) });
    }
    for (const it of this.#replicas) choices.push(...this.#troubles(it));
    return choices;
  }

  #troubles(replica: SimReplica): Choice[] {
    const { link, name } = replica;
    if (replica.isDead) return [{ name: 'restart', weight: 0.1, run: () => this.#restart(name) }];
    if (replica.isLeaving) return [{ name: 'crash', weight: 0.02, run: () => this.#crash(replica) }];
    if (!replica.isUp) return [];
    const choices: Choice[] = [
      { name: 'crash', weight: 0.02, run: () => this.#crash(replica) },
      { name: 'leave', weight: 0.01, run: () => this.#leave(replica) },
      { name: 'notices lost', weight: 0.02, run: () => link.breakListening() },
    ];
    choices.push(
      link.isCut
        ? { name: 'database back', weight: 0.05, run: () => this.#reach(replica) }
        : { name: 'database away', weight: 0.01, run: () => this.#database.cut(link) },
    );
    for (const it of replica.backendWires)
      choices.push({ name: 'cut a server off', weight: 0.02, run: () => it.cut() });
    return choices;
  }

  /** Usually until the next timer is due, but never longer than the database may take to respond. */
  #pass(): number {
    const { untilDueMs } = this.#time;
    const most = this.#random.chance(0.7) ? untilDueMs : Math.min(untilDueMs, 20);
    const passed = Math.min(most, this.#database.mostWaitMs);
    this.#time.passedMs += passed;
    if (this.#database.isFull || this.#replicas.some((it) => it.link.isCut))
      this.#books.troubleMs = this.#time.passedMs;
    return passed;
  }

  /** Runs several waiting statements. */
  #query(): string {
    const ran: string[] = [];
    for (let n = this.#random.below(4); n >= 0 && this.#database.hasWork; n -= 1) ran.push(this.#database.step());
    return ran.join('; ');
  }

  /** Usually delivers everything that waits. */
  #deliver(wire: SimWire, from: 'left' | 'right'): number {
    const random = this.#random;
    if (random.chance(0.1)) return wire.deliver(from, 1 + random.below(400)).length;
    let bytes = 0;
    while (wire.hasFrom(from)) bytes += wire.deliver(from).length;
    return bytes;
  }

  #cut(caller: SimCaller): string {
    const { opens } = caller;
    if (opens.length === 0) return 'nothing';
    const { line } = this.#random.pick(opens);
    if (this.#random.chance(0.5)) line.wire.left.destroy();
    else line.wire.cut();
    return caller.name;
  }

  #crash(replica: SimReplica): string {
    this.#books.crashing(replica);
    replica.crash();
    return replica.name;
  }
  #leave(replica: SimReplica): string {
    void replica.leave().then(() => this.#books.left(replica));
    return replica.name;
  }
  #restart(name: string): string {
    void this.#start(name).catch(() => {
      // The database could not be reached. Like a supervisor, a later step restarts the replica.
      const replica = this.#replicas.find((it) => it.name === name);
      if (replica && !replica.isDead) replica.crash();
    });
    return name;
  }
  #reach(replica: SimReplica): string {
    replica.link.isCut = false;
    replica.reachesSinceMs = this.#time.passedMs;
    return replica.name;
  }
  #fill(): string {
    this.#database.isFull = true;
    this.#books.troubleMs = this.#time.passedMs;
    return 'full';
  }
  #mend(): string {
    this.#database.isFull = false;
    return 'free';
  }

  #committed(by: SimReplica['link']): void {
    if (!this.#rights.note(by)) return;
    const replica = this.#replicas.find((it) => it.link === by);
    if (replica) replica.ownCommit = this.#rights.newest;
  }

  #beginSettling(): void {
    this.#mend();
    for (const it of this.#replicas) if (it.link.isCut) this.#reach(it);
    this.#settlesSinceMs = this.#time.passedMs;
    this.#settledAt = this.#step;
  }
  #isSettled(): boolean {
    if (this.#settlesSinceMs === undefined || this.#time.passedMs - this.#settlesSinceMs < SETTLE_MS) return false;
    const isBusy =
      this.#replicas.some((it) => !it.isUp) ||
      this.#database.hasWork ||
      this.#time.hasSoon ||
      this.#time.isDue ||
      this.#backends.waiting > 0;
    return !isBusy && !this.#replicas.some((it) => it.link.hasNotice) && !this.#wires.some((it) => hasSome(it));
  }

  get #wires(): readonly SimWire[] {
    return [...this.#backends.wires, ...this.#replicas.flatMap((it) => [...it.wires])];
  }
}

const hasSome = (wire: SimWire) => wire.hasFrom('left') || wire.hasFrom('right');
