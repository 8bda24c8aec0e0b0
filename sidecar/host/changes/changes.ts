import type * as z from 'zod';
import type { Hunk } from '../../lines/hunks.ts';
import type { ChangesetFile } from '../../protocol/channels/changeset/schema.ts';
import type { InvokeChangesetOperationParams, InvokeChangesetOperationResult } from '../../protocol/commands.ts';
import type { ContentRef, FileEdit } from '../../protocol/shared.ts';
import type { Worktree } from './git/worktrees.ts';
import type { Outcome } from './operations/outcome.ts';
import type { RestoredTurn } from './operations/restoreTurns.ts';

/**
 * What changed on disk while an agent worked: the disk counts, and not what an agent reports. One instance serves all
 * sessions; everything it learns is committed to the session's changesets, and bytes go to the content store.
 */
export interface Changes {
  /**
   * Takes the turn's baseline and creates the turn's changeset. `folders` are absolute real paths. Never throws for a
   * folder it cannot read: {@link TurnChanges.notices} say so.
   */
  beginTurn(turn: {
    readonly session: string;
    readonly turnId: string;
    readonly folders: readonly string[];
  }): Promise<TurnChanges>;
  /**
   * Runs `keep`, `undo`, `undo-overwrite`, `redo`, or one of git: `stage`, `commit`, `patch`. Effects arrive as actions of
   * the changeset.
   * @throws {Fault} `not_found`, `invalid_params` (data.field names it), `turn_in_progress`, `forbidden`, `not_trusted`,
   *   `unavailable` (bytes were not kept, git did not do it), `conflict` (data.conflicts: `{ uri, name }[]`, files that hold
   *   something else now)
   */
  invoke(
    operation: z.infer<typeof InvokeChangesetOperationParams>,
    by: { readonly isTrusted: boolean },
  ): Promise<InvokeChangesetOperationResult>;
  /** What turns changed, each file once: from before the first of them to after the last. @param turns in their order */
  changedByTurns(session: string, turns: readonly string[]): Promise<readonly ChangesetFile[]>;
  /**
   * Puts files back to what they held before the first of the turns. What holds something else by now is left, with the reason.
   * @param turns in their order
   * @param taken told, before anything is written, what {@link redoTurns} needs to take it back; settles when that is kept
   * @throws {Fault} `turn_in_progress`
   */
  restoreTurns(
    session: string,
    turns: readonly string[],
    taken: (restored: readonly RestoredTurn[]) => Promise<void>,
  ): Promise<Outcome>;
  /** Takes {@link restoreTurns} back, as far as it came. @throws {Fault} `turn_in_progress` */
  redoTurns(session: string, restored: readonly RestoredTurn[]): Promise<Outcome>;
  /** Makes the view that `channel` names (what git has not, two turns compared), where there can be one. */
  ensureChannel(channel: string): Promise<void>;
  /** Somebody looks at a changeset, which is offered what can be done with it now, or at a view: that is followed until {@link sweep} finds nobody. */
  look(channel: string, isTrusted: boolean): Promise<void>;
  sweep(): void;
  /** A working tree of its own for a session in `folder` (absolute, real). @see addWorktree */
  /** @param meta of the session. @throws {Fault} `invalid_params`, `unavailable` */
  mergeWorktree(meta: unknown): Promise<{ readonly branch: string; readonly into: string; readonly commits: number }>;
  addWorktree(
    folder: string,
    name: string,
    links: readonly string[],
  ): Promise<{ readonly folder: string; readonly worktree: Worktree }>;
  /** @returns the URI of a tree that was kept, because it holds what is not committed @see removeWorktree */
  removeWorktree(meta: unknown): Promise<string | undefined>;
  /** Ends what follows the disk. */
  close(): void;
  /**
   * The bytes behind a `host-content:` URI.
   * @throws {Fault} `content_not_found`
   */
  readContent(uri: string): Promise<Uint8Array>;
  /**
   * Where the lines of a file differ; `undefined` for one that came, went, or has no lines.
   * @throws {Fault} `content_not_found`
   */
  hunksOf(edit: FileEdit): Promise<readonly Hunk[] | undefined>;
  /**
   * Has the session refer to content that is kept for another one, or for it already.
   * @returns false when nobody keeps it
   */
  holdContent(session: string, uri: string): boolean;
  /** Keeps bytes for as long as the session lives: large tool outputs, attachments, previews. */
  keepContent(session: string, fileName: string, bytes: Uint8Array): Promise<ContentRef>;
  /** After a start: what a killed host left as computing or running is ready again. */
  recover(session: string): void;
  /** Once after a start: drops contents that no session refers to. */
  collect(): Promise<void>;
  /** When a session was deleted: its references go, and contents that nobody else refers to. */
  forget(session: string): Promise<void>;
}

export interface TurnChanges {
  /** Keeps the bytes of `paths` as they are now, before something may change them. Idempotent for a turn: the first bytes win. */
  capture(paths: readonly string[]): Promise<void>;
  /** Compares with the disk, updates the changesets, and answers the edits of `paths` (all of the turn when absent). */
  settle(paths?: readonly string[]): Promise<readonly FileEdit[]>;
  /** Captures what one tool call may change, and remembers the bytes as where that call begins; the last bytes win. */
  beginTool(toolCallId: string, paths: readonly string[]): Promise<void>;
  /**
   * The same as `settle` for the end of one tool call, but answers what this call did: `paths` since it began, and
   * whatever else moved since the last look. The changesets keep what the whole turn did.
   */
  settleTool(toolCallId: string, paths: readonly string[]): Promise<readonly FileEdit[]>;
  /** The turn's last look; ends the baseline. Until then undo is refused in the session. */
  end(): Promise<void>;
  /** Sentences for a person about what cannot be seen (too many files, a folder that cannot be read). */
  readonly notices: readonly string[];
}
