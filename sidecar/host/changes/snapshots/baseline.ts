import type { FileState } from './fileState.ts';

/** How one folder was when a turn began. Read only while the turn runs. */
export interface Baseline {
  /**
   * What was at each path that differs now, as far as this baseline looks; bytes are in the content store. A path may
   * be listed although only its time changed.
   */
  changes(): Promise<ReadonlyMap<string, FileState>>;
  /** Sentences for a person about what this baseline cannot see. */
  readonly notices: readonly string[];
}
