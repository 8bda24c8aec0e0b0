import { channelOf } from '../../protocol/channels/index.ts';
import { Durable } from './durable.ts';
import { type LoadedChannel, LoadedChannels, type LoadedChannelsDeps } from './loadedChannels.ts';
import type { Envelope, Loaded } from './persistence.ts';
import type { Pending } from './tick.ts';

/** The channels as the last commit left them, and as they are on disk: what was touched since goes there, or back. */
export class ChannelStates {
  readonly #deps: LoadedChannelsDeps;
  readonly #loaded: LoadedChannels;
  readonly #durable: Durable;
  /** What was touched since the last write, as it is on disk; `undefined` for what is not there. */
  readonly #onDisk = new Map<string, Loaded | undefined>();
  #seqOnDisk: number;
  #isClosed = false;

  constructor(deps: LoadedChannelsDeps) {
    this.#deps = deps;
    this.#loaded = new LoadedChannels(deps);
    this.#durable = new Durable(deps);
    this.#seqOnDisk = deps.storage.small.number('serverSeq');
  }

  /** Up to this number all is on disk. */
  get seqOnDisk(): number {
    return this.#seqOnDisk;
  }
  /** True while something is on disk, and not in rows. */
  get isBehind(): boolean {
    return this.#durable.isBehind;
  }

  /** As the last commit left it. Call {@link touch} before it is changed. */
  get(channel: string): LoadedChannel | undefined {
    const known = this.#loaded.get(channel);
    if (known) return known;
    // One that was touched and is not in memory was taken away since the last write.
    return this.#isClosed || this.#onDisk.has(channel) ? undefined : this.#loaded.load(channel);
  }
  written(channel: string): Loaded | undefined {
    return this.#onDisk.has(channel) ? this.#onDisk.get(channel) : this.get(channel);
  }

  touch(channel: string): void {
    if (this.#onDisk.has(channel)) return;
    const entry = this.#loaded.peek(channel);
    this.#onDisk.set(channel, entry && { state: entry.state, metadata: entry.metadata });
  }
  put(channel: string, loaded: Loaded): void {
    this.touch(channel);
    this.#loaded.put(channel, loaded);
  }
  drop(channel: string): void {
    this.touch(channel);
    this.#loaded.drop(channel);
  }

  /** Makes what was touched durable. @throws {StorageFault} and nothing of it is on disk */
  write(tick: readonly Pending[], serverSeq: number, mayWait: boolean): void {
    const now = (it: string) => this.#loaded.peek(it);
    this.#trim(this.#durable.write(tick, this.#onDisk, now, serverSeq, mayWait));
    this.#onDisk.clear();
    this.#seqOnDisk = serverSeq;
    if (!this.isBehind) this.#loaded.evict();
  }

  /**
   * Makes rows of what is durable, and of nothing else: what was numbered since may still go to the journal, and must be read
   * from there. @throws {StorageFault} and all is as before
   */
  catchUp(): void {
    const asDurable = (it: string) => (this.#onDisk.has(it) ? this.#onDisk.get(it) : this.#loaded.peek(it));
    const written = this.#durable.catchUp(asDurable, this.#seqOnDisk);
    this.#trim([...written].filter((it) => !this.#onDisk.has(it)));
  }

  /** @see Durable.synced */
  synced(wereRows: boolean): void {
    this.#durable.synced(wereRows);
  }

  /** What was touched is again as it is on disk. */
  takeBack(): void {
    for (const [channel, base] of this.#onDisk) {
      if (base) this.#loaded.put(channel, base);
      else this.#loaded.drop(channel);
    }
    this.#onDisk.clear();
  }

  /** @see Durable.unwritten */
  unwritten(): Envelope[] {
    return this.#durable.unwritten();
  }
  /** Takes what was touched as durable already. */
  adopt(tick: readonly Pending[], serverSeq: number): void {
    this.#durable.adopt(tick, this.#onDisk);
    this.#onDisk.clear();
    this.#seqOnDisk = serverSeq;
  }

  /** From now on there is no channel. */
  close(): void {
    this.#isClosed = true;
    this.#loaded.clear();
  }

  /** Lets go of what is in rows and need not stay in memory. */
  #trim(channels: Iterable<string>): void {
    for (const channel of channels) {
      const entry = this.#loaded.peek(channel);
      const trimmed = entry && this.#deps.persistence[channelOf(channel)?.kind ?? '']?.trim?.(entry);
      if (entry && trimmed) Object.assign(entry, trimmed);
    }
  }
}
