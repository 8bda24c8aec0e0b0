import { isUtf8 } from 'node:buffer';
import { type PatchSide, unifiedPatch } from '../../../lines/patch.ts';
import type { Redactor } from '../../../platform/redact.ts';
import type { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import type { Turn } from '../../../protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../protocol/channels/session/schema.ts';
import {
  ImportedMeta,
  SESSION_FORMAT,
  type SessionHead,
  SessionRecord,
} from '../../../protocol/channels/session/sessionFile.ts';
import type { FileEdit } from '../../../protocol/shared.ts';
import {
  annotationsUri,
  chatUri,
  parseChangesetUri,
  parseSessionUri,
  schemes,
  sessionUri,
} from '../../../protocol/uris.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';
import { isAtOrBelow, pathOf } from '../../context/paths.ts';
import { Portable, readPortable } from './portable.ts';

export interface ExportDeps extends Pick<EffectDeps, 'store' | 'storage' | 'changes'> {
  readonly redactor: Pick<Redactor, 'text'>;
}

/** Turns that are read from disk at once. */
const TURNS = 20;
const NOTICE =
  'Keys, tokens and passwords that Switchboard knows or recognizes were replaced with [hidden]. Contents larger than 1 MB and turns that were still running were left out.';

export function headOf({ store, redactor }: ExportDeps, session: string, state: SessionState): SessionHead {
  return {
    format: SESSION_FORMAT,
    version: 1,
    notice: NOTICE,
    session: {
      title: redactor.text(state.title),
      provider: state.provider,
      createdAt: store.metadata(session)?.createdAt ?? '1970-01-01T00:00:00.000Z',
      folders: foldersOf(state).map((it) => redactor.text(it)),
    },
  };
}

/** Where the session worked, here or where it comes from. */
function foldersOf(state: SessionState): readonly string[] {
  return ImportedMeta.safeParse(state._meta?.['imported']).data?.folders ?? state.workingDirectories ?? [];
}

/** All that is kept of a session, in the order of the file. Reads a little at a time: nobody waits for a long session. */
export async function* recordsOf(
  deps: ExportDeps,
  session: string,
  state: SessionState,
): AsyncGenerator<SessionRecord> {
  const { store, changes } = deps;
  const addresses = addressesOf(session, state);
  const portable = new Portable({ ...deps, readContent: (uri) => changes.readContent(uri) }, addresses);
  for (const { resource } of state.chats) {
    const chat = store.state('chat', resource);
    if (!chat) continue; // it was disposed of meanwhile
    const { title, modifiedAt, origin } = chat;
    const isDefault = state.defaultChat === resource;
    const about = { kind: 'chat', chat: resource, title, modifiedAt, ...(origin && { origin }), isDefault };
    yield SessionRecord.parse(portable.convert(about));
    for await (const turn of turnsOf(deps, resource)) {
      yield* portable.contentsOf(turn);
      yield SessionRecord.parse(portable.convert({ kind: 'turn', chat: resource, turn }));
    }
  }
  yield* changesOfSession(deps, session, portable, foldersOf(state));
  for (const comment of store.state('annotations', annotationsUri(session))?.annotations ?? [])
    yield SessionRecord.parse(portable.convert({ kind: 'comment', comment }));
}

/** What the session and its chats are called in the file. */
function addressesOf(session: string, state: SessionState): Map<string, string> {
  const uuid = parseSessionUri(session) ?? '';
  return new Map([
    [session, sessionUri('0')],
    [`${schemes.changeset}:/${uuid}`, `${schemes.changeset}:/0`],
    ...state.chats.map(({ resource }, at) => [resource, chatUri(`${at + 1}`)] as const),
  ]);
}

async function* turnsOf({ store, storage }: ExportDeps, chat: string): AsyncGenerator<Turn> {
  for (let n = 0; ; ) {
    const first = store.metadata(chat)?.firstTurn ?? 0;
    const turns =
      n < first
        ? storage.chats
            .turnsBefore(chat, Math.min(n + TURNS, first), Math.min(TURNS, first - n))
            .map((it) => JSON.parse(it.body) as Turn)
        : (store.state('chat', chat)?.turns ?? []).slice(n - first, n - first + TURNS);
    if (turns.length === 0) return;
    yield* turns;
    n += turns.length;
  }
}

async function* changesOfSession(
  deps: ExportDeps,
  session: string,
  portable: Portable,
  folders: readonly string[],
): AsyncGenerator<SessionRecord> {
  const { store, storage } = deps;
  const uris = storage.changesets.ofSession(session).filter((it) => parseChangesetUri(it) !== undefined);
  for (const uri of uris.toSorted()) {
    const turn = parseChangesetUri(uri)?.turnId;
    for (const file of store.state('changeset', uri)?.files ?? []) {
      const { left: _left, ...meta } = file._meta ?? {};
      const shown = { ...file, ...(file._meta && { _meta: meta }) };
      yield* portable.contentsOf(shown);
      const patch = await patchOf(deps, shown, folders);
      const record = { kind: 'change', ...(turn !== undefined && { turn }), file: shown, ...(patch && { patch }) };
      yield SessionRecord.parse(portable.convert(record));
    }
  }
}

/** Of texts that are in the file; `undefined` where there is none to show. */
async function patchOf(deps: ExportDeps, { edit }: ChangesetFile, folders: readonly string[]) {
  const before = await sideOf(deps, edit.before, 'a', folders);
  const after = await sideOf(deps, edit.after, 'b', folders);
  if (before === undefined || after === undefined) return undefined;
  return unifiedPatch(before ?? undefined, after ?? undefined) || undefined;
}

/** `null` where there is no file on this side, `undefined` where its text is not in the export. */
async function sideOf(
  { changes, redactor }: ExportDeps,
  side: FileEdit['before'],
  mark: string,
  folders: readonly string[],
): Promise<PatchSide | null | undefined> {
  if (!side) return null;
  const bytes = await readPortable((uri) => changes.readContent(uri), side.content.uri);
  if (!bytes || bytes.includes(0) || !isUtf8(bytes)) return undefined;
  const path = pathOf(side.uri) ?? side.uri;
  const folder = folders.map((it) => pathOf(it) ?? it).find((it) => isAtOrBelow(path, it));
  const name = path
    .slice(folder?.length ?? 0)
    .replaceAll('\\', '/')
    .replace(/^\/+/, '');
  return { name: `${mark}/${name}`, text: redactor.text(Buffer.from(bytes).toString('utf8')) };
}
