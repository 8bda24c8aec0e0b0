import { Fault } from '../../platform/faults.ts';
import type { FilePreview, ToolKind } from '../provider.ts';
import { applyPatch } from './applyPatch.ts';
import { insideFolders, readTextOrNothing, writeText } from './files.ts';
import { parsePatch } from './patch.ts';

/** A change of one or more files, which is made completely or not at all. */
export interface Edit {
  readonly label: string;
  readonly files: readonly FilePreview[];
}

/** @throws {Fault} if the path is outside the session's folders or the file is not text */
export async function editOfWrite(path: string, content: string, folders: readonly string[]): Promise<Edit> {
  const real = await insideFolders(path, folders);
  const before = await readTextOrNothing(real);
  return { label: path, files: [preview(real, before, content)] };
}

/** @returns why the diff does not apply, if it does not. @throws {Fault} as above */
export async function editOfPatch(patch: string, folders: readonly string[]): Promise<Edit | string> {
  const parsed = parsePatch(patch);
  if (!parsed.ok) return parsed.message;
  const files: FilePreview[] = [];
  for (const file of parsed.files) {
    const source = await insideFolders(file.from ?? file.to ?? '', folders);
    const target = await insideFolders(file.to ?? file.from ?? '', folders);
    if (source !== target) return 'a diff cannot rename a file; use a command instead.';
    if (files.some((it) => it.path === target))
      return `${file.to ?? file.from} appears more than once in the diff; combine its hunks.`;
    const before = await readTextOrNothing(target);
    const applied = applyPatch(before, file);
    if (!applied.ok) return applied.message;
    files.push(preview(target, before, applied.after));
  }
  return { label: parsed.files.map((it) => it.to ?? it.from).join(', '), files };
}

/**
 * Writes all files, or none. Paths are checked again, because a folder may have been replaced by a link since the preview.
 * @returns why nothing was written, for the user
 */
export async function writeEdit({ files }: Edit, folders: readonly string[]): Promise<string | undefined> {
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
    // A file that cannot be restored is among the changes of the turn. The other files are still restored.
    for (const { path, before } of written) await writeText(path, before).catch(() => undefined);
    if (thrown instanceof Fault) return thrown.message;
    throw thrown;
  }
}

function preview(path: string, before: string | undefined, after: string | undefined): FilePreview {
  return { path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}

export function wordsFor(edit: Edit, label: string): { readonly invocationMessage: string; readonly past: string } {
  if (edit.files.every((it) => it.before === undefined))
    return { invocationMessage: `Create ${label}`, past: `Created ${label}` };
  if (edit.files.every((it) => it.after === undefined))
    return { invocationMessage: `Delete ${label}`, past: `Deleted ${label}` };
  return { invocationMessage: `Edit ${label}`, past: `Edited ${label}` };
}

export const kindOfEdit = ({ files }: Edit): ToolKind =>
  files.every((it) => it.after === undefined) ? 'delete' : 'edit';
