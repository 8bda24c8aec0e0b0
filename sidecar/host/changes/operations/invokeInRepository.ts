import { mkdir } from 'node:fs/promises';
import { Fault } from '../../../platform/faults.ts';
import type { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import type { ChangesetTarget, InvokeChangesetOperationResult } from '../../../protocol/commands.ts';
import type { ContentRef } from '../../../protocol/shared.ts';
import type { Git } from '../git/git.ts';
import { makePatch, patchName } from '../git/patch.ts';
import type { ChangesetLedger } from '../ledger/changesetLedger.ts';
import type { RepositoryOperation } from '../ledger/viewOperations.ts';
import { filePath, toPathChanges } from '../snapshots/pathChange.ts';
import { chooseFiles } from './chooseFiles.ts';
import { commitFiles, commitStaged, stage, uncommittedPatch } from './repositoryOperations.ts';

export interface RepositoryInvocation {
  readonly git: Git;
  readonly report: (thrown: unknown) => void;
  readonly read: (sha: string) => Promise<Uint8Array>;
  readonly keep: (fileName: string, bytes: Uint8Array) => Promise<ContentRef>;
  readonly temporary: string;
  readonly ledger: ChangesetLedger;
  /** Absent: all files of the changeset. */
  readonly target: ChangesetTarget | undefined;
  readonly isUncommitted: boolean;
  /** Absolute real paths. */
  readonly folders: readonly string[];
  /** The session's. */
  readonly title: string;
  readonly isSandboxed: boolean;
  /** Whoever asks trusts the folder: git runs hooks and filters that a repository names. */
  readonly isTrusted: boolean;
}

/** With the files that were chosen. */
interface ChosenFiles extends RepositoryInvocation {
  readonly files: readonly ChangesetFile[];
}

/** @throws {Fault} `not_found`, `not_trusted`, `unavailable` with a sentence for a person */
export async function invokeInRepository(
  invocation: RepositoryInvocation,
  operation: RepositoryOperation,
): Promise<InvokeChangesetOperationResult> {
  const by = { ...invocation, files: chooseFiles(invocation.ledger.state.files, invocation.target) };
  if (!by.isTrusted && (operation !== 'patch' || by.isUncommitted))
    throw new Fault('not_trusted', 'Trust this folder to run Git in it.');
  if (operation === 'patch') return patch(by);
  const paths = [...new Set(by.files.flatMap((it) => pathsOf(it)))];
  if (operation === 'stage') return { message: `Staged ${filesText(await stage(by, paths))}.` };
  const message = by.title.trim() || 'Changes made by an agent';
  const commits = by.isUncommitted
    ? await commitStaged(by, by.folders, message)
    : await commitFiles(by, paths, message);
  if (!by.isUncommitted) by.ledger.setReviewed(by.files.map((it) => it.id));
  return { message: `Committed as ${commits.join(', ')}.` };
}

async function patch(by: ChosenFiles): Promise<InvokeChangesetOperationResult> {
  await mkdir(by.temporary, { recursive: true, mode: 0o700 });
  const made = by.isUncommitted
    ? {
        bytes: await uncommittedPatch(by, by.folders, by.target ? by.files.flatMap((it) => pathsOf(it)) : []),
        files: by.files.length,
        leftOut: 0,
      }
    : await makePatch(by, by.files.flatMap(toPathChanges), by.folders);
  if (made.bytes.length === 0) throw new Fault('unavailable', 'There are no changes to include in a patch.');
  const content = await by.keep(patchName(by.title), made.bytes);
  const without = made.leftOut > 0 ? `, excluding ${filesText(made.leftOut)} whose content was not saved` : '';
  return {
    message: `Created a patch for ${filesText(made.files)}${without}.`,
    followUp: { content: { ...content, contentType: 'text/x-diff' } },
  };
}

function pathsOf({ edit }: ChangesetFile): string[] {
  return [edit.before?.uri, edit.after?.uri].flatMap((it) => (it === undefined ? [] : (filePath(it) ?? [])));
}

function filesText(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}
