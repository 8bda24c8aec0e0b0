import type { Clock } from '../../platform/clock.ts';
import type { Timers } from '../../platform/timers.ts';
import type { Store } from '../state/store.ts';
import type { ChangesTotal } from './ledger/catalogue.ts';
import type { ChangesetStore } from './ledger/changesetLedger.ts';
import type { WalkLimits } from './snapshots/walkBaseline.ts';

export interface ChangesDeps {
  /** Of the host; `content/` and `baselines/` in it are ours. */
  readonly dataDir: string;
  readonly store: ChangesetStore & Pick<Store, 'remove'>;
  /** The rows that say which session refers to which content. */
  readonly references: {
    readonly remember: (session: string, sha: string, size: number) => void;
    /** Drops a session's rows and answers what nobody refers to any more. */
    readonly forget: (session: string) => readonly string[];
    readonly isUsed: (sha: string) => boolean;
    /** Bytes; `undefined` where nobody refers to it. */
    readonly sizeOf: (sha: string) => number | undefined;
  };
  /** URIs of the changesets of a session that are on disk. */
  readonly changesetsOf: (session: string) => readonly string[];
  /** Absolute real paths. */
  readonly foldersOf: (session: string) => Promise<readonly string[]>;
  /** The numbers for the session's summary. */
  readonly onTotal: (session: string, total: ChangesTotal) => void;
  /** The host's environment: where git is, and the user's settings of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly report: (thrown: unknown) => void;
  /** Whether anybody subscribed to the channel. */
  readonly isWatched: (channel: string) => boolean;
  /** Runs `work` after `delayMs`; answers what stops it. */
  readonly timers: Pick<Timers, 'after' | 'soon'>;
  readonly limits?: WalkLimits;
  readonly maxKeptBytes?: number;
}
