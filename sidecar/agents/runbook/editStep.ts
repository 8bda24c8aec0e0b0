import { Fault } from '../../platform/faults.ts';
import type { FilePreview, TurnEvent } from '../provider.ts';
import { toolNames } from '../toolNames.ts';
import { applyPatch } from './applyPatch.ts';
import { insideFolders, readTextOrNothing, writeText } from './files.ts';
import { parsePatch } from './patch.ts';
import { denied, done, type Progress, type RunDeps, type StepEnd } from './progress.ts';

/** What a `write` or `diff` step is about to do: all of its files, or none. */
export interface Edit {
  readonly label: string;
  readonly files: readonly FilePreview[];
}

/** @throws {Fault} when the path is outside the session's folders or the file is no text */
export async function editOfWrite(path: string, content: string, deps: RunDeps): Promise<Edit> {
  const real = await insideFolders(path, deps.context.folders);
  const before = await readTextOrNothing(real);
  return { label: path, files: [preview(real, before, content)] };
}

/** @throws {Fault} as above; a diff that does not fit answers what does not */
export async function editOfPatch(patch: string, deps: RunDeps): Promise<Edit | string> {
  const parsed = parsePatch(patch);
  if (!parsed.ok) return parsed.message;
  const files: FilePreview[] = [];
  for (const file of parsed.files) {
    const source = await insideFolders(file.from ?? file.to ?? '', deps.context.folders);
    const target = await insideFolders(file.to ?? file.from ?? '', deps.context.folders);
    if (source !== target) return 'a diff cannot rename a file; use an `sh` block instead.';
    if (files.some((it) => it.path === target))
      return `${file.to ?? file.from} appears more than once in the diff; combine its hunks.`;
    const before = await readTextOrNothing(target);
    const applied = applyPatch(before, file);
    if (!applied.ok) return applied.message;
    files.push(preview(target, before, applied.after));
  }
  return { label: parsed.files.map((it) => it.to ?? it.from).join(', '), files };
}

/** One edit tool call: asks with a preview, then writes if the files are still what the preview showed. */
export async function* runEdit(
  id: string,
  edit: Edit | string,
  progress: Progress,
  deps: RunDeps,
): AsyncGenerator<TurnEvent, StepEnd> {
  if (typeof edit === 'string') return { kind: 'failed', why: `The diff does not apply: ${edit}` };
  const paths = edit.files.map((it) => it.path);
  const words = wordsFor(edit);
  const kind = edit.files.every((it) => it.after === undefined) ? 'delete' : 'edit';
  yield { kind: 'toolStarted', toolCallId: id, toolName: 'edit', displayName: toolNames[kind] };
  const decision = await deps.host.confirm({
    toolCallId: id,
    kind,
    invocationMessage: `${words.now} ${edit.label}`,
    toolInput: JSON.stringify({ files: paths }),
    paths,
    preview: edit.files,
  });
  if (!decision.allow) return yield* denied(id, decision, progress, deps);
  const problem = await write(edit.files, deps.context.folders);
  yield {
    kind: 'toolEnded',
    toolCallId: id,
    success: problem === undefined,
    pastTenseMessage: problem === undefined ? `${words.past} ${edit.label}` : `Did not change ${edit.label}`,
    content: [],
    paths,
    ...(problem !== undefined && { error: problem }),
  };
  return problem === undefined ? done : { kind: 'failed', why: problem };
}

/**
 * All files, or none. A folder on the way that is another one now, or a link, leads elsewhere than what the preview showed.
 */
async function write(files: readonly FilePreview[], folders: readonly string[]): Promise<string | undefined> {
  const written: FilePreview[] = [];
  try {
    for (const { path, before } of files) {
      if ((await insideFolders(path, folders)) !== path || (await readTextOrNothing(path)) !== before)
        return 'The file changed while I was waiting for your answer, so I did not modify it.';
    }
    for (const it of files) {
      await writeText(it.path, it.after);
      written.unshift(it);
    }
    return undefined;
  } catch (thrown) {
    // What cannot be put back shows among the changes of the turn; the others still are.
    for (const { path, before } of written) await writeText(path, before).catch(() => undefined);
    if (thrown instanceof Fault) return thrown.message;
    throw thrown;
  }
}

function preview(path: string, before: string | undefined, after: string | undefined): FilePreview {
  return { path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}

function wordsFor(edit: Edit): { readonly now: string; readonly past: string } {
  if (edit.files.every((it) => it.before === undefined)) return { now: 'Create', past: 'Created' };
  if (edit.files.every((it) => it.after === undefined)) return { now: 'Delete', past: 'Deleted' };
  return { now: 'Edit', past: 'Edited' };
}
