import { channelOf } from '../../protocol/channels/index.ts';
import type { HostStorage } from '../storage/hostStorage.ts';
import type { ChannelMetadata, Loaded, Persistence } from './persistence.ts';

export interface LoadedChannel extends Loaded {
  state: unknown;
  metadata: ChannelMetadata;
  /** Counts uses, for which of them to let go. */
  usedAt: number;
}
export interface LoadedChannelsDeps {
  readonly storage: HostStorage;
  readonly persistence: Readonly<Record<string, Persistence>>;
  /** Channels that somebody looks at stay in memory. */
  readonly isPinned: (channel: string) => boolean;
}

const MAX_LOADED = 256;

/** The channels that are in memory: read when they are asked for, let go when they were not for long. */
export class LoadedChannels {
  readonly #deps: LoadedChannelsDeps;
  readonly #channels = new Map<string, LoadedChannel>();
  #uses = 0;

  constructor(deps: LoadedChannelsDeps) {
    this.#deps = deps;
  }

  /** As it is in memory; counts as a use. */
  get(channel: string): LoadedChannel | undefined {
    const known = this.#channels.get(channel);
    if (known) known.usedAt = ++this.#uses;
    return known;
  }
  /** In memory or from the disk. */
  load(channel: string): LoadedChannel | undefined {
    const known = this.get(channel);
    if (known) return known;
    const definition = channelOf(channel);
    const persistence = definition && this.#deps.persistence[definition.kind];
    const loaded =
      persistence?.load(this.#deps.storage, channel) ??
      (definition?.initial && { state: definition.initial(), metadata: {} });
    return loaded && this.put(channel, loaded);
  }
  /** Without counting as a use: what is being written. */
  peek(channel: string): LoadedChannel | undefined {
    return this.#channels.get(channel);
  }
  put(channel: string, { state, metadata }: Loaded): LoadedChannel {
    const entry = { state, metadata, usedAt: ++this.#uses };
    this.#channels.set(channel, entry);
    return entry;
  }
  drop(channel: string): void {
    this.#channels.delete(channel);
  }
  clear(): void {
    this.#channels.clear();
  }

  /** Lets go of channels that were not used for long, an eighth of them at a time. */
  evict(): void {
    if (this.#channels.size <= MAX_LOADED) return;
    const oldest = [...this.#channels].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [channel] of oldest) {
      if (this.#channels.size <= (MAX_LOADED * 7) / 8) return;
      const isOnDisk = this.#deps.persistence[channelOf(channel)?.kind ?? ''] !== undefined;
      if (isOnDisk && !this.#deps.isPinned(channel)) this.#channels.delete(channel);
    }
  }
}
