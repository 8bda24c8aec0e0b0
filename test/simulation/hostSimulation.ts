import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import { sameJson } from '../../sidecar/protocol/collections.ts';
import { ROOT, sessionUri } from '../../sidecar/protocol/uris.ts';
import { Random } from '../fuzz/random.ts';
import { SimAgents } from './agents.ts';
import { actOf } from './clientActs.ts';
import type { Fault } from './fault.ts';
import { Reference } from './reference.ts';
import { ReturningClient } from './returningClient.ts';
import type { SimClient } from './simClient.ts';
import { SimHost, uuid } from './simHost.ts';
import { type Choice, Steps } from './steps.ts';
import { quiet, SimTime, SimTimers } from './time.ts';
import { Violation } from './violation.ts';
import { WindowClient } from './windowClient.ts';

/** Files that cost no disk, where the system has them. */
const MEMORY = '/dev/shm';
/** So many turns a session gets, and then it is disposed of: what it costs stays the same. */
const MOST_TURNS = 12;
const MOST_SESSIONS = 3;
/** Steps between two comparisons of everything. */
const WHOLE_EVERY = 200;

interface Said {
  readonly type: string;
  readonly id?: string;
  readonly title?: string;
  readonly message?: { readonly text: string };
}

/** One host, three clients and two agents. Which step comes next the seed decides. */
export class HostSimulation {
  readonly #random: Random;
  readonly #fault: Fault;
  readonly #time = new SimTime();
  readonly #steps: Steps;
  readonly #folder: string;
  readonly #agents: SimAgents;
  readonly #clients: readonly SimClient[];
  readonly #reference: Reference;
  /** Titles that somebody sent. */
  readonly #titles = new Set<string>();
  readonly #sessions: string[] = [];
  #unmade: readonly string[] = [];
  /** States of mirrors, with the last that each was compared with: neither ever changes. */
  readonly #compared = new WeakMap<object, unknown>();
  #host!: SimHost;
  #step = 0;
  #wrong: string | undefined;

  private constructor(seed: number, fault: Fault) {
    this.#random = new Random(seed);
    this.#steps = new Steps(this.#random);
    this.#fault = fault;
    this.#folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'switchboard-simulation-'));
    this.#agents = new SimAgents(new Random(seed + 1));
    this.#reference = new Reference((what) => this.#violated(what));
    const window = (n: number) => {
      const clock = this.#time.clock(this.#random.below(7_200_000) - 3_600_000);
      const timers = new SimTimers(this.#time);
      return new WindowClient({
        clientId: `window-${n}`,
        timers,
        clock: fault.clientClock?.(clock, this.#random) ?? clock,
      });
    };
    this.#clients = [window(1), window(2), new ReturningClient('returning', new SimTimers(this.#time))];
  }

  static async open(seed: number, fault: Fault = { name: 'nothing goes wrong' }): Promise<HostSimulation> {
    const simulation = new HostSimulation(seed, fault);
    await simulation.#open(join(simulation.#folder, 'first'));
    return simulation;
  }

  get trace(): string {
    return this.#steps.trace;
  }

  /** How often each kind of step was made, and what came of them. */
  get counts(): Readonly<Record<string, number>> {
    return { ...this.#steps.counts, turns: this.#reference.turns };
  }

  /** @throws {Violation} */
  async run(steps: number): Promise<void> {
    for (let n = 0; n < steps; n += 1) await this.step();
    this.#compareAll();
    this.#throwWrong();
  }

  /** @throws {Violation} */
  async step(): Promise<void> {
    this.#step += 1;
    this.#steps.make(this.#step, this.#choices());
    await quiet();
    if (this.#host.isDead) await this.#restart();
    this.#look();
    if (this.#step % WHOLE_EVERY === 0) {
      this.#compareAll();
      this.#dropUnmade();
    }
    this.#throwWrong();
  }

  async close(): Promise<void> {
    for (const it of this.#clients) it.wire?.cut();
    this.#host.crash();
    await quiet();
    await this.#host.leave();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #choices(): Choice[] {
    const time = this.#time;
    const random = this.#random;
    const choices: Choice[] = [
      { name: 'time', weight: 2, run: () => this.#pass() },
      { name: 'crash', weight: 0.02, run: () => this.#host.crash() },
      { name: 'plan a crash', weight: 0.04, run: () => (this.#host.crashAfter ??= 1 + random.below(12)) },
      { name: 'set the clock', weight: 0.01, run: () => (time.setMs += random.below(20_000) - 10_000) },
      this.#host.isDiskFull
        ? { name: 'disk free', weight: 0.3, run: () => (this.#host.isDiskFull = false) }
        : { name: 'disk full', weight: 0.02, run: () => (this.#host.isDiskFull = true) },
    ];
    if (time.hasSoon) choices.push({ name: 'soon', weight: 12, run: () => time.runSoon() });
    if (time.isDue) choices.push({ name: 'timer', weight: 8, run: () => time.runDue() });
    if (this.#agents.waiting > 0) choices.push({ name: 'agent', weight: 5, run: () => this.#agents.letOne() });
    if (this.#sessions.length < MOST_SESSIONS) choices.push({ name: 'session', weight: 0.3, run: () => this.#begin() });
    for (const it of this.#clients) choices.push(...this.#choicesOf(it));
    return choices;
  }

  #choicesOf(client: SimClient): Choice[] {
    const { wire } = client;
    const choices: Choice[] = [];
    const random = this.#random;
    for (const from of ['left', 'right'] as const) {
      if (!wire?.hasFrom(from)) continue;
      const bytes = () => (random.chance(0.1) ? 1 + random.below(400) : Number.POSITIVE_INFINITY);
      choices.push({ name: `deliver ${from}`, weight: 6, run: () => wire.deliver(from, bytes()) });
    }
    if (!wire) choices.push({ name: 'connect', weight: 1, run: () => client.connect(this.#host.connect()) });
    else choices.push({ name: 'cut', weight: 0.02, run: () => wire.cut() });
    choices.push({ name: 'act', weight: 1, run: () => this.#act(client) });
    choices.push({ name: 'look', weight: 0.5, run: () => this.#lookAt(client) });
    return choices;
  }

  /** Most often as long as until something is due. */
  #pass(): number {
    const { untilDueMs } = this.#time;
    const most = this.#random.chance(0.7) ? untilDueMs : Math.min(untilDueMs, 20);
    return (this.#time.passedMs += most);
  }

  #begin(): string {
    const client = this.#random.pick(this.#clients);
    if (!client.isConnected) return 'nobody';
    const channel = sessionUri(uuid(this.#random));
    client.request('createSession', { channel, provider: this.#random.pick(['amber', 'birch']) });
    this.#sessions.push(channel);
    return channel;
  }

  #lookAt(client: SimClient): string {
    if (this.#sessions.length === 0) return 'nothing';
    const session = this.#random.pick(this.#sessions);
    const chat = this.#chatOf(session);
    const channel = chat && this.#random.chance(0.6) ? chat : session;
    if (client.looksAt.includes(channel) && this.#random.chance(0.15)) client.lookAway(channel);
    else client.look(channel);
    return channel;
  }

  #act(client: SimClient): string {
    if (this.#sessions.length === 0) return 'nothing';
    const session = this.#random.pick(this.#sessions);
    const chat = this.#chatOf(session);
    if (chat === undefined) return 'no chat';
    const act = actOf(this.#random, client.shown(chat), chat, session, client.clientId);
    const { title, id, type, message } = act.action as Said;
    if (title !== undefined) this.#titles.add(title);
    if (message) this.#titles.add(message.text); // the first one names its session
    if (type === 'chat/pendingMessageRemoved' && id !== undefined) this.#reference.taken.add(id);
    client.dispatch(act.channel, act.action);
    return `${client.clientId} ${JSON.stringify(act)}`;
  }

  #chatOf(session: string): string | undefined {
    return (this.#host.store.written(session)?.state as SessionState | undefined)?.defaultChat;
  }

  async #open(dataDir: string): Promise<void> {
    this.#host = await SimHost.open(
      {
        folder: this.#folder,
        time: this.#time,
        random: this.#random,
        agents: this.#agents.providers,
        fault: this.#fault,
        clock: this.#time.clock(),
        violation: (what) => this.#violated(what),
        onStore: (store) => {
          store.onWritten((written) => {
            // A host that has crashed says nothing any more, though what it was at runs to its end.
            if (this.#host?.store !== store || !this.#host.isDead) this.#reference.heard(written);
          });
        },
        onRefused: () => (this.#reference.mayLeaveOut = true),
      },
      dataDir,
    );
    await quiet();
  }
  async #restart(): Promise<void> {
    this.#agents.forget();
    const image = await this.#host.leave();
    const said = this.#reference.open();
    await this.#open(image);
    this.#reference.begin(said, this.#host.store, this.#titles);
    this.#steps.count('crashes');
  }

  /** Whoever heard everything up to a number has what the host had then. */
  #look(): void {
    for (const client of this.#clients) {
      for (const channel of client.looksAt) {
        const mirror = client.mirror(channel);
        const expected = mirror && this.#reference.at(channel, mirror.seq);
        if (!mirror || expected === undefined || this.#compared.get(mirror.state as object) === expected) continue;
        this.#compared.set(mirror.state as object, expected);
        this.#steps.count('compared');
        if (!sameJson(mirror.state, expected))
          this.#violated(`${client.clientId} has another ${channel} than the host`);
      }
    }
    for (const session of [...this.#sessions]) this.#retire(session);
  }

  /** A session that has had its turns goes. */
  #retire(session: string): void {
    const chat = this.#chatOf(session);
    const { turns } = ((chat ? this.#reference.latest(chat) : undefined) as { turns: unknown[] } | { turns: [] }) ?? {
      turns: [],
    };
    if (turns.length < MOST_TURNS) return;
    const client = this.#clients.find((it) => it.isConnected);
    if (!client) return;
    client.request('disposeSession', { channel: session });
    for (const it of [session, chat!]) this.#reference.disposed.add(it);
  }

  #compareAll(): void {
    const { store } = this.#host;
    for (const channel of this.#reference.channels) {
      if (channel === ROOT) continue;
      const now = store.written(channel)?.state;
      if (now === undefined) this.#forget(channel);
      else if (!sameJson(now, this.#reference.latest(channel)))
        this.#violated(`the host has another ${channel} than it said`);
    }
  }
  /** Those that nobody made after all, because the request was lost or refused. */
  #dropUnmade(): void {
    const unmade = this.#sessions.filter((it) => this.#host.store.written(it) === undefined);
    for (const it of unmade) if (this.#unmade.includes(it)) this.#forget(it);
    this.#unmade = unmade;
  }
  #forget(channel: string): void {
    this.#reference.forget(channel);
    for (const it of this.#clients) it.lookAway(channel);
    const at = this.#sessions.indexOf(channel);
    if (at >= 0) this.#sessions.splice(at, 1);
  }

  #violated(what: string): void {
    this.#wrong ??= what;
  }
  #throwWrong(): void {
    if (this.#wrong !== undefined) throw new Violation(this.#wrong, this.#step);
  }
}
