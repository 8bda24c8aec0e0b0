import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import type { CompletionItem, ResourceReadResult } from '../../protocol/commands.ts';
import type { Params, Result } from '../../protocol/methods.ts';
import { parseContentUri, ROOT } from '../../protocol/uris.ts';
import { realInside } from '../changes/insideFolders.ts';
import { sessionState } from './chatAccess.ts';
import { type Asker, type EffectDeps, plainWindow } from './effectDeps.ts';
import { pathOf, realFolders, toFileUri, toRealPath } from './paths.ts';

/** Larger files are not sent through the protocol. */
const MAX_BYTES = 20 * 1024 * 1024;
/** A list for `@` is quick, not complete. */
const MAX_FILES = 50;
const MAX_VISITED = 5_000;
const neverOffered = new Set(['.git', 'node_modules', '.vscode-test', 'dist', 'out', 'target', '.venv']);

export interface ResourceDeps {
  readonly effects: EffectDeps;
}

/** What a session's clients may read through the host: stored content, and files inside the folders of sessions. */
export class Resources {
  readonly #deps: ResourceDeps;

  constructor(deps: ResourceDeps) {
    this.#deps = deps;
  }

  /** Keep, undo and the like. @throws {Fault} what the changeset says */
  invoke(params: Params<'invokeChangesetOperation'>): Promise<Result<'invokeChangesetOperation'>> {
    return this.#deps.effects.changes.invoke(params);
  }

  /** @throws {Fault} `content_not_found`, `not_found`, `forbidden` with the request that names what is denied */
  async read({ uri, encoding }: Params<'resourceRead'>): Promise<ResourceReadResult> {
    const content = parseContentUri(uri);
    if (content) return encode(await this.#deps.effects.changes.readContent(uri), encoding);
    const path = pathOf(uri);
    const folders = await this.#sessionFolders();
    const real = path === undefined ? undefined : await realInside(await toRealPath(path), folders);
    if (real === undefined) {
      throw new Fault('forbidden', 'outside the folders of all sessions', {
        data: { request: { channel: ROOT, uri, read: true } },
      });
    }
    const found = await stat(real).catch(() => undefined); // gone is not there
    if (!found?.isFile()) throw new Fault('not_found', 'there is no such file');
    if (found.size > MAX_BYTES) throw new Fault('forbidden', `larger than ${MAX_BYTES} bytes`);
    return encode(await readFile(real), encoding);
  }

  /** Suggestions of the agent, and files of the folders after `@`. */
  async complete({ channel, text, offset }: Params<'completions'>, asker: Asker): Promise<CompletionItem[]> {
    const { store, providers } = this.#deps.effects;
    const window = asker.window ?? plainWindow;
    const session = store.aside(channel)?.session;
    const state = session === undefined ? undefined : sessionState(store, session);
    if (!state) throw new Fault('session_not_found', 'there is no such chat');
    if (!window.trusted) return [];
    const folders = await realFolders(state.workingDirectories ?? []);
    const provider = providers(window).find((it) => it.id === state.provider);
    const own = (await provider?.complete?.({ folders, text, offset })) ?? [];
    const items = own.map(({ insertText, label, rangeStart, rangeEnd, description }) => ({
      insertText,
      rangeStart,
      rangeEnd,
      attachment: { type: 'simple', label, ...(description !== undefined && { _meta: { description } }) } as const,
    }));
    return [...items, ...(await completeFiles(folders, text, offset))];
  }

  async #sessionFolders(): Promise<string[]> {
    const { store, storage } = this.#deps.effects;
    const uris = new Set<string>();
    for (const { uri } of storage.sessions.page(200)) {
      for (const folder of sessionState(store, uri)?.workingDirectories ?? []) uris.add(folder);
    }
    return realFolders([...uris]);
  }
}

function encode(bytes: Uint8Array, encoding: 'base64' | 'utf-8' | undefined): ResourceReadResult {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding === 'utf-8' && !buffer.includes(0)) {
    const data = buffer.toString('utf8');
    if (Buffer.from(data, 'utf8').equals(buffer)) return { data, encoding: 'utf-8' };
  }
  return { data: buffer.toString('base64'), encoding: 'base64' };
}

async function completeFiles(folders: readonly string[], text: string, offset: number): Promise<CompletionItem[]> {
  const typed = /(?:^|\s)@([^\s@]*)$/.exec(text.slice(0, offset))?.[1];
  if (typed === undefined) return [];
  const wanted = typed.toLowerCase();
  const found: CompletionItem[] = [];
  const waiting = folders.map((folder) => ({ root: folder, folder }));
  for (let visited = 0; waiting.length > 0 && found.length < MAX_FILES && visited < MAX_VISITED; visited += 1) {
    const { root, folder } = waiting.shift()!;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // unreadable folders offer nothing
    for (const it of entries) {
      const path = join(folder, it.name);
      const name = relative(root, path).replaceAll('\\', '/');
      if (it.isDirectory() && !neverOffered.has(it.name)) waiting.push({ root, folder: path });
      if (!it.isFile() || !name.toLowerCase().includes(wanted) || found.length >= MAX_FILES) continue;
      const attachment = { type: 'resource', label: name, uri: toFileUri(path), displayKind: 'document' } as const;
      found.push({ insertText: `@${name} `, rangeStart: offset - typed.length - 1, rangeEnd: offset, attachment });
    }
  }
  return found;
}
