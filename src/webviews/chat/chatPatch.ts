import type { ChatPatch } from '../contract/chat.ts';
import type { ChatModel, Row, TextRow } from '../contract/chatModel.ts';

/** More than fits in a window: 100 lines of 120 characters. */
const charactersInSight = 12_000;
/** A row without text counts as one line. */
const charactersOfRow = 120;

/** The newest turns that fill a window, each of them complete. A page that looks for a certain turn gets all turns. */
export function lastTurns(model: ChatModel): ChatModel {
  const { head, rows } = model;
  if (head.wanted !== undefined) return model;
  let characters = 0;
  for (let at = rows.length - 1; at > 0; at--) {
    const row = rows[at]!;
    characters += 'text' in row ? Math.max(row.text.length, charactersOfRow) : charactersOfRow;
    if (characters >= charactersInSight && rows[at - 1]!.turnId !== row.turnId) return { head, rows: rows.slice(at) };
  }
  return model;
}

/**
 * What the page needs to come from `before` to `after`. Rows are compared by reference, because their builder hands the
 * same object out until something changed; text that only grew travels as what it gained.
 * @returns `undefined` when nothing differs
 */
export function toPatch(before: ChatModel, after: ChatModel): ChatPatch | undefined {
  const known = new Map(before.rows.map((it) => [it.id, it]));
  const splice = toSplice(before.rows, after.rows);
  // A row that was taken out and put in again elsewhere is new to the page.
  const removed = new Set(splice ? before.rows.slice(splice.at, splice.at + splice.remove).map((it) => it.id) : []);
  const rows: Row[] = [];
  const texts: { partId: string; offset: number; text: string }[] = [];
  for (const row of after.rows) {
    const old = removed.has(row.id) ? undefined : known.get(row.id);
    if (old === row) continue;
    const grown = old && grownText(old, row);
    if (grown) texts.push(grown);
    else rows.push(row);
  }
  const isSameHead = before.head === after.head || JSON.stringify(before.head) === JSON.stringify(after.head);
  if (!splice && rows.length === 0 && texts.length === 0 && isSameHead) return undefined;
  return {
    ...(splice && { splice }),
    ...(rows.length > 0 && { rows }),
    ...(texts.length > 0 && { texts }),
    ...(!isSameHead && { head: after.head }),
  };
}

/** One contiguous change of the order: what lies between the common beginning and the common end. */
function toSplice(before: readonly Row[], after: readonly Row[]): ChatPatch['splice'] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start]!.id === after[start]!.id) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end]!.id === after[after.length - 1 - end]!.id) end++;
  const remove = before.length - start - end;
  const insert = after.slice(start, after.length - end).map((it) => it.id);
  return remove === 0 && insert.length === 0 ? undefined : { at: start, remove, insert };
}

function grownText(old: Row, row: Row): { partId: string; offset: number; text: string } | undefined {
  if (!isText(old) || !isText(row) || old.kind !== row.kind || old.turnId !== row.turnId) return undefined;
  if (old.durationMs !== row.durationMs) return undefined;
  if (row.text.length <= old.text.length || !row.text.startsWith(old.text)) return undefined;
  return { partId: row.id, offset: old.text.length, text: row.text.slice(old.text.length) };
}

function isText(row: Row): row is TextRow {
  return row.kind === 'markdown' || row.kind === 'reasoning';
}
