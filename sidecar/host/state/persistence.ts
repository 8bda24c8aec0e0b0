import type { ChangesSummary } from '../../protocol/channels/session/schema.ts';
import type { AnyAction, Origin } from '../../protocol/envelope.ts';
import type { SessionUsage } from '../../protocol/usageMeta.ts';
import type { HostStorage } from '../storage/hostStorage.ts';

/** What leaves as params of `action`, and is kept as a row while its turn runs. */
export interface Envelope {
  readonly channel: string;
  readonly action: AnyAction;
  readonly serverSeq: number;
  /** The time that the reducer was given: our client reduces with it too, so that its state equals the host's. */
  readonly _meta: { readonly at: string };
  readonly origin?: Origin;
  readonly rejectionReason?: string;
}

/** What the store keeps about a channel beside its state: never sent, written with it. Never changed in place. */
export interface ChannelMetadata {
  /** The session of a chat or a changeset. */
  readonly session?: string;
  /** The only client that may subscribe. */
  readonly client?: string;
  /** Number of the first turn that is in memory; those before it are on disk only. */
  readonly firstTurn?: number;
  /** RFC 3339, of a session. */
  readonly createdAt?: string;
  /** The session is in the list. */
  readonly listed?: boolean;
  /** Counts of the session's changes, for its summary. */
  readonly changes?: ChangesSummary;
  /** The usage of the session's turns, for its summary. */
  readonly usage?: SessionUsage;
}

export interface Loaded<S = unknown> {
  readonly state: S;
  readonly metadata: ChannelMetadata;
}

/** One accepted action of a tick, with its text: the same that goes to disk and over the wire. */
export interface Step<S = unknown> {
  readonly envelope: Envelope;
  readonly text: string;
  readonly before: S;
  readonly after: S;
}

/** How the state of one kind of channel becomes rows. Called inside the transaction of a tick. */
export interface Persistence<S = unknown> {
  load(storage: HostStorage, uri: string): Loaded<S> | undefined;
  /** @param base what is on disk, `undefined` for a new channel */
  write(
    storage: HostStorage,
    uri: string,
    base: Loaded<S> | undefined,
    now: Loaded<S>,
    steps: readonly Step<S>[],
  ): void;
  remove(storage: HostStorage, uri: string): void;
  /** A state that an earlier host had, without who and what went with that host. */
  inherit?(state: S): S;
  /** What an action needs in memory that is on disk only, before it is reduced. */
  prepare?(storage: HostStorage, uri: string, loaded: Loaded<S>, action: AnyAction): Loaded<S> | undefined;
  /** What of a written state has to stay in memory; the same object when all of it does. */
  trim?(now: Loaded<S>): Loaded<S>;
}
