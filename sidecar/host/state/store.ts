import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults.ts';
import { type ChannelKind, type ChannelState, channelOf } from '../../protocol/channels/index.ts';
import type { AnyAction, Origin } from '../../protocol/envelope.ts';
import { ROOT } from '../../protocol/uris.ts';
import type { HostStorage } from '../storage/hostStorage.ts';
import { type StorageFault, toStorageFault } from '../storage/storageFault.ts';
import { ChannelStates } from './channelStates.ts';
import { Dispatched } from './dispatched.ts';
import type { ChannelMetadata, Envelope, Loaded, Persistence } from './persistence.ts';
import { StorageHealth } from './storageHealth.ts';
import { SyncSchedule } from './syncSchedule.ts';
import type { ErasedReplacement, Pending } from './tick.ts';
import { type Change, type Derived, isOfKind, type StateReplacement } from './typedChannels.ts';

/** An envelope that left for good, and its text. `only` names the connection it is for, when not for all. */
export interface Written {
  readonly envelope: Envelope;
  readonly text: string;
  readonly only?: object;
  /** The state of the channel as this action left it: others of its tick may have come after it. */
  readonly after?: unknown;
}

export interface StoreDeps {
  readonly storage: HostStorage;
  readonly clock: Pick<Clock, 'now'>;
  /** By kind of channel; a kind without a row here lives in memory only. */
  readonly persistence: Readonly<Record<string, Persistence>>;
  /** What else changes in the same breath, as a chat's summary in its session. Pure. */
  readonly derive: (change: Change) => readonly Derived[];
  /** Runs `work` after `delayMs`; 0 is the end of this tick (`setImmediate`, except in tests). */
  readonly schedule: (work: () => void, delayMs: number) => void;
  /** Called with the fault when a tick could not be written, and with `undefined` when one could again. */
  readonly onTrouble: (fault: StorageFault | undefined) => void;
  /** Channels that somebody looks at stay in memory. */
  readonly isPinned: (channel: string) => boolean;
}

/** How long what is in the journal waits for its rows, to share a transaction with what comes. */
const ROWS_AFTER_MS = 50;

/** The one place where state changes: in memory at once, for others to see only when it is on disk. */
export class Store {
  readonly #deps: StoreDeps;
  readonly #channels: ChannelStates;
  readonly #trouble: StorageHealth;
  readonly #listeners = new Set<(written: Written) => void>();
  readonly #dispatched: Dispatched;
  readonly #sync: SyncSchedule;
  #waiters: ((isWritten: boolean) => void)[] = [];
  #tick: Pending[] = [];
  #serverSeq: number;
  #now: string | undefined;
  #isScheduled = false;
  #isCatchingUp = false;
  #isClosed = false;

  constructor(deps: StoreDeps) {
    this.#deps = deps;
    this.#channels = new ChannelStates(deps);
    this.#trouble = new StorageHealth(deps.onTrouble);
    this.#sync = new SyncSchedule(deps, this.#channels, () => this.isStalled);
    this.#serverSeq = this.#channels.seqOnDisk;
    deps.storage.onUse(() => void (this.isStalled || this.#catchUp()));
    this.#dispatched = new Dispatched(deps.storage.dispatches);
  }

  get serverSeq(): number {
    return this.#channels.seqOnDisk;
  }
  /** True while a tick could not be written: no provider is asked for more meanwhile. */
  get isStalled(): boolean {
    return this.#trouble.isThere;
  }

  /** Why the last tick that was taken back could not be written, for people. */
  get failureReason(): string {
    return this.#trouble.failureReason;
  }

  /**
   * Reduces and numbers one action. Synchronous on purpose: no other action can slip in between,
   * so `serverSeq` order is the order in which states were made.
   * @param held whether it is tried again when the disk is full, as what the host makes itself is; see {@link create}
   * @throws {Fault} `not_found` when there is no such channel
   */
  commit(channel: string, action: AnyAction, origin?: Origin, held = origin === undefined): Envelope {
    return this.#commit(channel, action, origin, { derived: false, held });
  }

  /** A refusal takes a number too, changes nothing, and is for its sender alone (host.command.dispatchAction). */
  reject(channel: string, action: AnyAction, origin: Origin, rejectionReason: string, only: object): Envelope {
    const envelope = { ...this.#number(channel, action), origin, rejectionReason };
    this.#enqueue({ kind: 'private', envelope, only, text: '' });
    return envelope;
  }

  /** Numbered, sent to one connection and kept nowhere: a page of older turns. */
  sendTo(only: object, channel: string, action: AnyAction): void {
    this.#enqueue({ kind: 'private', envelope: this.#number(channel, action), only, text: '' });
  }

  /**
   * Adds a channel. `held` is for what the host makes itself: tried again when the disk is full; what a command asked
   * for is taken back instead.
   * @throws {Fault} `already_exists`
   */
  create<K extends ChannelKind>(
    kind: K,
    channel: string,
    state: ChannelState<K>,
    metadata: ChannelMetadata = {},
    held = false,
  ): void {
    if (channelOf(channel)?.kind !== kind) throw new Error(`not the URI of a ${kind}`);
    this.#create(channel, { state, metadata }, held);
  }
  #create(channel: string, loaded: Loaded, held: boolean): void {
    if (this.has(channel)) throw new Fault('already_exists', 'the channel already exists');
    this.#channels.put(channel, loaded);
    this.#enqueue({ kind: 'create', channel, loaded, held });
  }

  /** Takes a channel away, with its rows. Unknown channels are left alone. */
  remove(channel: string, held = true): void {
    if (!this.has(channel)) return;
    this.#channels.drop(channel);
    this.#enqueue({ kind: 'remove', channel, held });
  }

  /**
   * Changes what no action carries (a config schema that came late). Mirrors learn of it when they subscribe again:
   * commit what makes them do so right after it.
   */
  replaceState<K extends ChannelKind>(kind: K, channel: string, change: StateReplacement<K>['replaceState']): void {
    if (isOfKind(kind, channel, this.#channels.get(channel))) this.#replaceState({ channel, replaceState: change });
  }
  #replaceState(change: ErasedReplacement): void {
    const { channel } = change;
    const entry = this.#channels.get(channel);
    if (!entry) return;
    this.#channels.touch(channel);
    entry.state = change.replaceState(entry.state);
    this.#enqueue({ kind: 'state', change });
  }

  /** Changes what is kept beside a channel's state. */
  updateMetadata(channel: string, change: ChannelMetadata): void {
    if (!this.has(channel)) return;
    this.#putMetadata(channel, change);
    this.#enqueue({ kind: 'metadata', channel, change });
  }

  /** Rows that belong to no channel (rules, resume ids), written in the transaction of this tick. */
  writeRows(write: () => void): void {
    this.#enqueue({ kind: 'rows', write });
  }

  has(channel: string): boolean {
    return this.#channels.get(channel) !== undefined;
  }
  /** As the last commit left it, perhaps not yet on disk. `undefined` when there is no such channel of this kind. */
  state<K extends ChannelKind>(kind: K, channel: string): ChannelState<K> | undefined {
    const entry = this.#channels.get(channel);
    return isOfKind(kind, channel, entry) ? entry.state : undefined;
  }
  /** The state of the root, which is always there. */
  get root(): ChannelState<'root'> {
    return this.state('root', ROOT) ?? { agents: [] };
  }
  metadata(channel: string): ChannelMetadata | undefined {
    return this.#channels.get(channel)?.metadata;
  }
  /** What is on disk, and the number from which envelopes go on. */
  written(channel: string): (Loaded & { readonly fromSeq: number }) | undefined {
    const loaded = this.#channels.written(channel);
    return loaded && { state: loaded.state, metadata: loaded.metadata, fromSeq: this.serverSeq };
  }

  /** The number that an accepted dispatch got, for the last 1,000 at least; `clientSeq` 0 is never remembered. */
  dispatched(origin: Origin): number | undefined {
    return this.#dispatched.number(origin);
  }

  /** Once, before anything else happens: what an earlier host had acknowledged and not written as rows. */
  replay(): void {
    const replayed = new Set<string>();
    for (const { channel, action, origin, _meta } of this.#channels.unwritten()) {
      if (!this.has(channel)) continue;
      this.#now = _meta.at;
      this.#commit(channel, action, origin, { derived: false, held: false });
      replayed.add(channel);
    }
    this.#now = undefined;
    for (const channel of replayed) this.#inherit(channel);
    this.#sync.schedule();
    const tick = this.#tick.splice(0);
    if (tick.length === 0) return;
    for (const it of tick) if ('envelope' in it) it.text = JSON.stringify(it.envelope);
    this.#channels.adopt(tick, this.#serverSeq);
    this.#scheduleRows(0);
  }

  #inherit(channel: string): void {
    const entry = this.#channels.get(channel);
    const inherit = this.#deps.persistence[channelOf(channel)?.kind ?? '']?.inherit;
    if (entry && inherit) entry.state = inherit(entry.state);
  }

  /** Hears every envelope, in order, after its tick was written. */
  onWritten(listener: (written: Written) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Settles when all that was committed so far is decided: true when it is on disk, false when it was taken back. */
  settled(): Promise<boolean> {
    if (this.#tick.length === 0) return Promise.resolve(true);
    return new Promise((resolve) => void this.#waiters.push(resolve));
  }
  /** Settles when the disk takes what the host makes: at once, except after a failed write. */
  whenWritable(): Promise<void> {
    return this.#trouble.whenOver();
  }
  /** What `work` does is one tick, which is written at its end. */
  batch(work: () => void): void {
    if (this.isStalled) return work();
    this.#isScheduled = true;
    try {
      work();
    } finally {
      this.#flush();
    }
  }
  /** Writes what is pending now. */
  flush(): void {
    this.#flush();
  }
  /** Writes what is pending. Afterwards there is no channel any more, for whoever comes late. */
  close(): void {
    this.#flush();
    this.#catchUp();
    this.#isClosed = true;
    this.#sync.close();
    this.#channels.close();
  }

  #commit(
    channel: string,
    action: AnyAction,
    origin: Origin | undefined,
    { derived, held }: { readonly derived: boolean; readonly held: boolean },
  ): Envelope {
    const definition = channelOf(channel);
    const entry = this.#channels.get(channel);
    if (!definition || !entry) throw new Fault('not_found', 'channel not found');
    this.#channels.touch(channel);
    const envelope: Envelope = { ...this.#number(channel, action), ...(origin && { origin }) };
    const rows = this.#deps.persistence[definition.kind];
    const wider = rows?.prepare?.(this.#deps.storage, channel, entry, action);
    if (wider) Object.assign(entry, wider);
    const before = entry.state;
    const reduced: unknown = definition.reduce(before, action, { now: envelope._meta.at });
    const after: unknown = definition.settle ? definition.settle(reduced) : reduced;
    entry.state = after;
    if (origin) this.#dispatched.remember(origin, envelope.serverSeq);
    const change = { channel, kind: definition.kind, before, after, action, metadata: entry.metadata };
    const follows = this.#deps.derive(change as Change); // the table pairs kind, states and action
    const isPlain = follows.length === 0 && !derived;
    this.#enqueue({ kind: 'action', envelope, before, after, held, isPlain, isKept: rows !== undefined, text: '' });
    for (const it of follows) {
      if (!this.has(it.channel)) continue;
      if ('metadata' in it) this.#putMetadata(it.channel, it.metadata);
      else if ('replaceState' in it) this.#replaceState(it);
      else this.#commit(it.channel, it.action, undefined, { derived: true, held: false });
    }
    return envelope;
  }

  #putMetadata(channel: string, change: ChannelMetadata): void {
    const entry = this.#channels.get(channel);
    if (!entry) return;
    this.#channels.touch(channel);
    entry.metadata = { ...entry.metadata, ...change };
  }

  #number(channel: string, action: AnyAction): Envelope {
    this.#serverSeq += 1;
    // One moment for all of a tick: what happens together is read from the clock once.
    this.#now ??= this.#deps.clock.now();
    return { channel, action, serverSeq: this.#serverSeq, _meta: { at: this.#now } };
  }

  #enqueue(pending: Pending): void {
    this.#tick.push(pending);
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    this.#deps.schedule(() => this.#flush(), this.#trouble.delayMs);
  }

  #flush(): void {
    this.#isScheduled = false;
    this.#now = undefined;
    const tick = this.#tick;
    if (tick.length === 0 || this.#isClosed) return;
    this.#tick = [];
    for (const it of tick) if ('envelope' in it) it.text = JSON.stringify(it.envelope);
    try {
      this.#channels.write(tick, this.#serverSeq, !this.isStalled);
    } catch (thrown) {
      return this.#takeBack(tick, toStorageFault(thrown));
    }
    this.#trouble.end();
    this.#dispatched.trim();
    if (this.#channels.isBehind) this.#scheduleRows(ROWS_AFTER_MS);
    this.#sync.schedule();
    for (const it of tick) {
      if (it.kind === 'action') this.#publish({ envelope: it.envelope, text: it.text, after: it.after });
      else if (it.kind === 'private') this.#publish({ envelope: it.envelope, text: it.text, only: it.only });
    }
    this.#release(true);
  }

  #scheduleRows(delayMs: number): void {
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    this.#deps.schedule(() => {
      this.#isCatchingUp = false;
      if (this.#isClosed || this.#catchUp()) return;
      this.#scheduleRows(this.#trouble.delayMs);
    }, delayMs);
  }

  /** Makes rows of what is in the journal. @returns false when the disk did not take it, which is reported */
  #catchUp(): boolean {
    if (!this.#channels.isBehind) return true;
    try {
      this.#channels.catchUp();
    } catch (thrown) {
      this.#trouble.begin(toStorageFault(thrown));
      return false;
    }
    if (this.#tick.length === 0) this.#trouble.end();
    this.#sync.schedule();
    return true;
  }

  /**
   * Nobody has seen this tick yet: what clients sent is refused, what the host made itself is numbered anew and tried
   * again. What was derived from either is derived again.
   */
  #takeBack(tick: readonly Pending[], fault: StorageFault): void {
    this.#channels.takeBack();
    this.#trouble.begin(fault);
    for (const it of tick) {
      if (it.kind === 'private')
        this.#publish({ envelope: it.envelope, text: JSON.stringify(it.envelope), only: it.only });
      if (it.kind !== 'action' || !it.envelope.origin) continue;
      this.#dispatched.forget(it.envelope.origin);
      const envelope = { ...it.envelope, rejectionReason: this.failureReason };
      this.#publish({ envelope, text: JSON.stringify(envelope) });
    }
    this.#release(false);
    for (const it of tick) this.#again(it);
    // Also when nothing is held the disk is tried again, so that people learn when it takes something.
    if (this.#tick.length === 0) this.#enqueue({ kind: 'rows', write: () => this.#tryDisk() });
  }

  /** Another value each time: SQLite writes nothing for one that is there already. */
  #tryDisk(): void {
    const { small } = this.#deps.storage;
    small.putNumber('diskTried', small.number('diskTried') + 1);
  }

  #again(it: Pending): void {
    if (it.kind === 'rows') this.#enqueue(it);
    else if (it.kind === 'state') this.#replaceState(it.change);
    else if (it.kind === 'metadata') this.updateMetadata(it.channel, it.change);
    else if (it.kind === 'create' && it.held) {
      if (!this.has(it.channel)) this.#create(it.channel, it.loaded, true);
    } else if (it.kind === 'remove' && it.held) this.remove(it.channel);
    else if (it.kind === 'action' && it.held && this.has(it.envelope.channel)) {
      this.commit(it.envelope.channel, it.envelope.action);
    }
  }

  #publish(written: Written): void {
    for (const listener of this.#listeners) listener(written);
  }
  #release(isWritten: boolean): void {
    if (this.#waiters.length === 0) return;
    for (const resolve of this.#waiters.splice(0)) resolve(isWritten);
  }
}
