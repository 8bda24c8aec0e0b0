import { isUtf8 } from 'node:buffer';
import { LineTrace } from '../../../lines/lineTrace.ts';
import { Fault } from '../../../platform/faults.ts';
import type { LineAuthor, LineAuthorsResult } from '../../../protocol/channels/changeset/lineAuthors.ts';
import { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import type { ActiveTurn, Turn } from '../../../protocol/channels/chat/schema.ts';
import type { ToolCallState } from '../../../protocol/channels/chat/toolCalls.ts';
import type { Params } from '../../../protocol/methods.ts';
import type { FileEdit } from '../../../protocol/shared.ts';
import { parseChangesetUri, sessionUri } from '../../../protocol/uris.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';

export type AuthorsDeps = Pick<EffectDeps, 'store' | 'storage' | 'changes'>;

/** A turn that changed the file. */
interface TurnEdit {
  readonly session: string;
  readonly chat: string;
  readonly turn: Turn | ActiveTurn;
  readonly at: string;
  /** Of the turn in its chat. */
  readonly n: number;
  readonly edit: FileEdit;
}

const PROMPT = 500;

/**
 * Whose the lines of a file are, as far as turns of sessions here wrote them: what a person or another program changed
 * since is nobody's. Looks only at turns that changed this file (host.authors.by-file).
 */
export async function lineAuthors(
  deps: AuthorsDeps,
  { uri, text, line }: Pick<Params<'x-switchboard/lineAuthors'>, 'uri' | 'text' | 'line'>,
): Promise<LineAuthorsResult> {
  const lines = toLines(text);
  const found = await traceAuthors(deps, uri, new LineTrace(lines, line === undefined ? undefined : [line]));
  const authors: LineAuthor[] = [];
  const numbers = new Map<string, number>();
  const ranges: { start: number; end: number; author: number }[] = [];
  for (const at of [...found.keys()].toSorted((a, b) => a - b)) {
    const author = found.get(at)!;
    const key = JSON.stringify(author);
    const number = numbers.get(key) ?? authors.push(author) - 1;
    numbers.set(key, number);
    const last = ranges.at(-1);
    if (last?.end === at && last.author === number) last.end = at + 1;
    else ranges.push({ start: at, end: at + 1, author: number });
  }
  return { ranges, authors };
}

/** @param trace of the lines of what the file at `uri` holds */
export async function traceAuthors(
  deps: AuthorsDeps,
  uri: string,
  trace: LineTrace<LineAuthor>,
): Promise<ReadonlyMap<number, LineAuthor>> {
  let [path, before] = [uri, '9'];
  for (let edits = turnsOf(deps, path, before); !trace.isDone; ) {
    const next = edits.shift();
    if (!next) break;
    const after = await linesOf(deps, next.edit.after);
    const earlier = await linesOf(deps, next.edit.before);
    if (!after || !earlier) break; // the bytes were not kept: nothing before can be told
    trace.back(after);
    const own = trace.back(earlier, authorOf(deps, next));
    await nameTools(deps, next, after, own, trace);
    const from = next.edit.before?.uri;
    if (from === undefined || from === path) continue;
    [path, before] = [from, next.at];
    edits = turnsOf(deps, path, before);
  }
  trace.end();
  return trace.authors;
}

/** Of the lines that a turn wrote, those that one of its calls wrote say so. */
async function nameTools(
  deps: AuthorsDeps,
  { turn, edit, ...rest }: TurnEdit,
  after: readonly string[],
  own: ReadonlyMap<number, number>,
  trace: LineTrace<LineAuthor>,
): Promise<void> {
  if (own.size === 0) return;
  const steps = turn.responseParts.flatMap((part) => {
    if (part.kind !== 'toolCall' || !('content' in part.toolCall)) return [];
    const call = part.toolCall;
    return (part.toolCall.content ?? []).flatMap((it) =>
      it.type === 'fileEdit' && it.after?.uri === edit.after?.uri ? [{ call, edit: it }] : [],
    );
  });
  const calls = new LineTrace<LineAuthor>(after, own.values());
  for (const step of steps.toReversed()) {
    const [was, is] = [await linesOf(deps, step.edit.before), await linesOf(deps, step.edit.after)];
    if (!was || !is) break;
    calls.back(is);
    calls.back(was, authorOf(deps, { turn, edit, ...rest }, step.call));
  }
  for (const [line, at] of own) {
    const named = calls.authors.get(at);
    if (named) trace.authors.set(line, named);
  }
}

function authorOf({ store }: AuthorsDeps, { session, chat, turn, at }: TurnEdit, call?: ToolCallState): LineAuthor {
  const { provider = '', title = '' } = store.state('session', session) ?? {};
  const model = turn.usage?.model ?? turn.message.model?.id;
  const answer = call && 'selectedOption' in call ? call.selectedOption?.label : undefined;
  return {
    session,
    title,
    provider,
    chat,
    turnId: turn.id,
    at,
    ...(model !== undefined && { model }),
    prompt: turn.message.text.slice(0, PROMPT),
    ...(call && {
      tool: {
        name: call.displayName,
        ...('confirmed' in call && { confirmed: call.confirmed }),
        ...(answer !== undefined && { answer }),
      },
    }),
  };
}

/** The turns that changed the file under this name before a time, newest first. */
function turnsOf(deps: AuthorsDeps, uri: string, before: string): TurnEdit[] {
  return deps.storage.changesets
    .ofFile(uri)
    .flatMap(({ changeset, body }) => {
      const parsed = parseChangesetUri(changeset);
      if (parsed?.turnId === undefined) return [];
      const session = sessionUri(parsed.sessionUuid);
      // What a file tells of a session elsewhere says nothing about files here.
      if (deps.store.state('session', session)?._meta?.['imported'] !== undefined) return [];
      const found = findTurn(deps, session, parsed.turnId);
      const { edit } = ChangesetFile.parse(JSON.parse(body));
      return found ? [{ session, ...found, at: found.turn.startedAt ?? '', edit }] : [];
    })
    .filter((it) => it.at < before)
    .toSorted((a, b) => (a.at === b.at ? b.n - a.n : a.at < b.at ? 1 : -1));
}

function findTurn({ store, storage }: AuthorsDeps, session: string, turnId: string) {
  for (const chat of storage.chats.ofSession(session)) {
    const n = storage.chats.numberOfTurn(chat, turnId);
    const [row] = n === undefined ? [] : storage.chats.turnsBefore(chat, n + 1, 1);
    if (row) return { chat, n: row.n, turn: JSON.parse(row.body) as Turn };
    const active = store.state('chat', chat)?.activeTurn;
    if (active?.id === turnId) return { chat, n: Number.MAX_SAFE_INTEGER, turn: active };
  }
  return undefined;
}

/** None for a side where there is no file, `undefined` where it is not known or no text. */
async function linesOf({ changes }: AuthorsDeps, side: FileEdit['before']): Promise<readonly string[] | undefined> {
  if (!side) return [];
  const bytes = await changes.readContent(side.content.uri).catch((thrown: unknown) => {
    if (thrown instanceof Fault && thrown.code === 'content_not_found') return undefined;
    throw thrown;
  });
  return bytes && isUtf8(bytes) && !bytes.includes(0) ? toLines(Buffer.from(bytes).toString('utf8')) : undefined;
}

/** As an editor counts them: without what ends them, and without a byte order mark. */
export function toLines(text: string): string[] {
  return text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
}
