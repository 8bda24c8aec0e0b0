import { Fault } from '../../../platform/faults.ts';
import type { InvokeChangesetOperationResult, LeftFiles } from '../../../protocol/commands.ts';
import { codeOfLeft, type LeftFile, nameOf } from '../snapshots/leftFile.ts';
import { fileUri } from '../snapshots/pathChange.ts';

export interface Outcome {
  /** How many files of the changeset were written, a rename counting as one. */
  readonly files: number;
  readonly left: readonly LeftFile[];
}

/** Most files that a sentence names; all of them are in the data. */
const MAX_NAMED = 5;

/**
 * The answer to an operation that writes. One that left some files is an answer that lists them.
 * @throws {Fault} when nothing was done: the code says why of the first file that was left
 */
export function toAnswer(operation: 'undo' | 'redo', { files, left }: Outcome): InvokeChangesetOperationResult {
  const [first] = left;
  if (!first) return {};
  const all = listed(left);
  const done = operation === 'undo' ? 'undone' : 'redone';
  if (files > 0) {
    return { message: inPart(done, { files, left }), _meta: { left: all } };
  }
  const conflicts = all.filter((it) => it.reason === 'conflict').map(({ uri, name }) => ({ uri, name }));
  throw new Fault(codeOfLeft(first), `Nothing was ${done}. Left unchanged: ${sentence(left)}.`, {
    data: { ...(conflicts.length > 0 && { conflicts }), left: all },
  });
}

/** What a person is told of a restore, or of taking one back: how many files, and which were left as they are. */
export function toReport(done: 'restored' | 'redone', { files, left }: Outcome): InvokeChangesetOperationResult {
  if (left.length === 0) return {};
  return { message: inPart(done, { files, left }), _meta: { left: listed(left) } };
}

function inPart(done: 'undone' | 'redone' | 'restored', { files, left }: Outcome): string {
  return `${files === 1 ? '1 file was' : `${files} files were`} ${done}. Left unchanged: ${sentence(left)}.`;
}

function listed(left: readonly LeftFile[]): LeftFiles['left'] {
  return left.map(({ path, reason, message }) => ({ uri: fileUri(path), name: nameOf(path), reason, message }));
}

function sentence(left: readonly LeftFile[]): string {
  const named = left.slice(0, MAX_NAMED).map(({ path, message }) => `${nameOf(path)} (${message})`);
  const more = left.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
