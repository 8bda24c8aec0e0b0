import { channelOf } from '../../protocol/channels/index.ts';
import type { HostStorage } from '../storage/hostStorage.ts';
import type { Chain } from '../storage/journalChain.ts';
import type { ChannelMetadata, Envelope, Loaded, Persistence, Step } from './persistence.ts';

/** One thing that happened in a tick. All of a tick are written in one transaction, or taken back together. */
export type Pending =
  | {
      readonly kind: 'action';
      readonly envelope: Envelope;
      readonly before: unknown;
      readonly after: unknown;
      /** Tried again when the tick is taken back: what clients sent is not, and what was derived is derived again. */
      readonly held: boolean;
      /** Nothing else changed with it, and it was not derived itself. */
      isPlain: boolean;
      /** Its channel is stored on disk. */
      readonly isKept: boolean;
      /** As it goes to disk and over the wire; made when the tick is written. */
      text: string;
    }
  | { readonly kind: 'private'; readonly envelope: Envelope; readonly only: object; text: string }
  | { readonly kind: 'create'; readonly channel: string; readonly loaded: Loaded; readonly held: boolean }
  | { readonly kind: 'remove'; readonly channel: string; readonly held: boolean }
  | { readonly kind: 'state'; readonly change: ErasedReplacement }
  | { readonly kind: 'metadata'; readonly channel: string; readonly change: ChannelMetadata }
  | { readonly kind: 'rows'; readonly write: () => void };

/** A {@link StateReplacement} of whatever kind. */
export interface ErasedReplacement {
  readonly channel: string;
  replaceState(state: unknown): unknown;
}

export interface TickWriting {
  readonly storage: HostStorage;
  readonly persistence: Readonly<Record<string, Persistence>>;
  readonly tick: readonly Pending[];
  /** The channels that the tick touched, as they are on disk. */
  readonly onDisk: ReadonlyMap<string, Loaded | undefined>;
  /** A touched channel as it is now; `undefined` when it was taken away. */
  readonly now: (channel: string) => Loaded | undefined;
  /** The numbers up to this one are reserved in the same transaction. */
  readonly reserve: number | undefined;
  /** The lines of the journal up to this number are in rows with this transaction. */
  readonly journaled: number | undefined;
  /** The chain after this transaction. */
  readonly chain: Chain;
}

/** One transaction for everything. */
export function writeTick({ storage, persistence, tick, onDisk, now, reserve, journaled, chain }: TickWriting): void {
  storage.transaction(() => {
    storage.small.putNumber('chain', chain);
    if (journaled !== undefined) storage.small.putNumber('journaled', journaled);
    if (reserve !== undefined) storage.small.putNumber('serverSeq', reserve);
    for (const [channel, base] of onDisk) {
      const rows = persistence[channelOf(channel)?.kind ?? ''];
      const loaded = now(channel);
      if (!rows) continue;
      if (loaded) rows.write(storage, channel, base, loaded, stepsOf(tick, channel));
      else if (base) rows.remove(storage, channel);
    }
    let isRemembering = false;
    for (const it of tick) {
      if (it.kind === 'rows') it.write();
      if (it.kind === 'action' && it.envelope.origin && it.envelope.origin.clientSeq > 0) {
        storage.dispatches.remember(it.envelope.origin.clientId, it.envelope.origin.clientSeq, it.envelope.serverSeq);
        isRemembering = true;
      }
    }
    if (isRemembering) storage.dispatches.trim();
  });
}

function stepsOf(tick: readonly Pending[], channel: string): Step[] {
  const steps: Step[] = [];
  for (const it of tick) if (it.kind === 'action' && it.envelope.channel === channel) steps.push(it);
  return steps;
}
