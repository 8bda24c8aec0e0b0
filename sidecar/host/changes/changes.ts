import type { FileEdit } from '../../protocol/shared.ts';

/**
 * What changed on disk while an agent worked (decisions.md: what changed is what the disk says). One instance serves
 * all sessions; everything it learns is committed to the session's changesets, and bytes go to the content store.
 */
export interface Changes {
  /** Takes the turn's baseline. `folders` are absolute real paths. Never throws for a folder it cannot read: it says so in the changeset. */
  beginTurn(turn: { readonly session: string; readonly turnId: string; readonly folders: readonly string[] }): Promise<TurnChanges>;
}
export interface TurnChanges {
  /** Keeps the bytes of `paths` as they are now, before something may change them. Idempotent for a turn: the first bytes win. */
  capture(paths: readonly string[]): Promise<void>;
  /** Compares with the disk, updates the changesets, and answers the edits of `paths` (all of the turn when absent). */
  settle(paths?: readonly string[]): Promise<readonly FileEdit[]>;
  /** The turn's last look; ends the baseline. */
  end(): Promise<void>;
}
