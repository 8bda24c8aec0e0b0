import type * as vscode from 'vscode';
import type { ChangesetFile } from '../../../sidecar/protocol/channels/changeset/schema.ts';
import type { TextRange } from '../../../sidecar/protocol/shared.ts';
import type { PendingRequest, Waiting } from '../../client/attention.ts';
import type { Sessions } from '../../client/catalogue.ts';
import type { Changesets } from '../../client/changesets.ts';
import type { HostPort } from '../../client/port.ts';
import { commandIds } from '../../manifest/manifest.ts';
import type { OperationsDeps } from '../operations.ts';
import type { ReviewedChanges, ReviewedChangesDeps } from './reviewedChanges.ts';

/** What only `dist/review.cjs` runs. */
export const reviewCommands = [
  commandIds.keepReviewedFile,
  commandIds.undoReviewedFile,
  commandIds.nextFile,
  commandIds.previousFile,
  commandIds.keepHunk,
  commandIds.undoHunk,
  commandIds.nextHunk,
  commandIds.previousHunk,
  commandIds.allowEdit,
  commandIds.denyEdit,
  commandIds.addComment,
  commandIds.resolveComment,
  commandIds.reopenComment,
  commandIds.sendComment,
  commandIds.deleteComment,
  commandIds.sendReview,
  commandIds.showLineAuthor,
  commandIds.toggleAuthors,
  commandIds.noteAuthors,
] as const;
export type ReviewCommand = (typeof reviewCommands)[number];

export interface ReviewDeps {
  readonly catalogue: Sessions;
  readonly changesets: Changesets;
  readonly attention: Waiting;
  /** Each session's own host. */
  readonly port: HostPort;
  /** Empty for this machine, otherwise the address of the host. */
  readonly hostOf: (uri: string) => string;
  /** Answers whether the host did it. */
  readonly operate: (
    changeset: string,
    operation: 'keep' | 'undo',
    file: ChangesetFile,
    range?: TextRange,
  ) => Promise<boolean>;
  /** What was before, and the file. */
  readonly openFile: (file: ChangesetFile, host: string, options?: vscode.TextDocumentShowOptions) => Promise<void>;
}

export interface OpenedReview extends vscode.Disposable {
  readonly commands: Readonly<Record<ReviewCommand, (...args: readonly unknown[]) => unknown>>;
  /** Whether a person sees one of its edits now. */
  isPreviewed(pending: PendingRequest): boolean;
}

/** What `dist/review.cjs` gives. */
export interface ReviewModule {
  openReview(deps: ReviewDeps): OpenedReview;
  /** Files as they were at the end of one turn, against those at the end of a later one, in one editor. */
  compareTurns(deps: Pick<OperationsDeps, 'hostOf' | 'changesets'>, session: string): Promise<void>;
  openReviewedChanges(deps: ReviewedChangesDeps): ReviewedChanges;
}
