import { basename } from 'node:path';
import { diffLines } from 'diff';
import type { FilePreview } from '../../agents/provider.ts';
import type { ContentRef, FileEdit } from '../../protocol/shared.ts';
import { toFileUri } from '../context/paths.ts';

/** A preview larger than this is shown without counts: counting would take too long for a card. */
const MAX_COUNTED_CHARACTERS = 512 * 1024;

/** Keeps the text for whoever opens it. */
export type KeepText = (fileName: string, text: string) => Promise<ContentRef>;

/** What an agent says that it is about to write, for the card only: what really changed is what the disk says. */
export async function previewEdits(previews: readonly FilePreview[], keep: KeepText): Promise<FileEdit[]> {
  return Promise.all(
    previews.map(async ({ path, before, after }) => {
      const uri = toFileUri(path);
      const side = async (text: string) => ({ uri, content: await keep(basename(path), text) });
      return {
        ...(before !== undefined && { before: await side(before) }),
        ...(after !== undefined && { after: await side(after) }),
        ...countLines(before ?? '', after ?? ''),
      };
    }),
  );
}

function countLines(before: string, after: string): { diff?: { added: number; removed: number } } {
  if (before.length + after.length > MAX_COUNTED_CHARACTERS) return {};
  let added = 0;
  let removed = 0;
  for (const it of diffLines(before, after)) {
    if (it.added) added += it.count;
    else if (it.removed) removed += it.count;
  }
  return { diff: { added, removed } };
}
