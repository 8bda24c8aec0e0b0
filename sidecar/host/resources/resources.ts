import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import type { CompletionItem, ResourceReadResult } from '../../protocol/commands.ts';
import type { Params, Result } from '../../protocol/methods.ts';
import type { AccessQuestion } from '../../protocol/resources.ts';
import type { ContentRef } from '../../protocol/shared.ts';
import { parseContentUri } from '../../protocol/uris.ts';
import { plainWindow, type Requester } from '../context/effectDeps.ts';
import { realFolders, toFileUri } from '../context/paths.ts';
import type { ResourceRequester } from './access.ts';
import { encodeBytes } from './encodeBytes.ts';
import type { FileResources, FileResourcesDeps } from './fileResources.ts';

/** A list for `@` is quick, not complete. */
const MAX_FILES = 50;
const MAX_VISITED = 5_000;
const neverOffered = new Set(['.git', 'node_modules', '.vscode-test', 'dist', 'out', 'target', '.venv']);

/** What clients reach through the host: stored content, files, changes, and what completes a text. */
export class Resources {
  readonly #deps: FileResourcesDeps;
  #files: Promise<FileResources> | undefined;
  #loaded: FileResources | undefined;

  constructor(deps: FileResourcesDeps) {
    this.#deps = deps;
  }

  /** Keep, undo and the like. @throws {Fault} what the changeset says */
  invoke(
    params: Params<'invokeChangesetOperation'>,
    requester: Requester,
  ): Promise<Result<'invokeChangesetOperation'>> {
    return this.#deps.effects.changes.invoke(params, { isTrusted: (requester.window ?? plainWindow).trusted });
  }

  /** @throws {Fault} `content_not_found`, and what files say */
  async read(params: Params<'resourceRead'>, requester: ResourceRequester): Promise<ResourceReadResult> {
    const { uri, encoding } = params;
    if (parseContentUri(uri)) return encodeBytes(await this.#deps.effects.changes.readContent(uri), encoding);
    return (await this.files()).read(params, requester);
  }

  /** What a client attaches to a message, or will. @throws {Fault} `session_not_found` */
  async keep({ channel, name, data }: Params<'x-switchboard/keepContent'>): Promise<ContentRef> {
    const { store, changes } = this.#deps.effects;
    const session = store.metadata(channel)?.session ?? channel;
    if (!store.state('session', session)) throw new Fault('session_not_found', 'session not found');
    const kept = await changes.keepContent(session, name, Buffer.from(data, 'base64'));
    await store.settled();
    return kept;
  }

  /** The rest of the family, loaded when somebody asks for it. */
  files(): Promise<FileResources> {
    this.#files ??= import('./fileResources.ts').then(({ FileResources }) => {
      this.#loaded = new FileResources(this.#deps);
      return this.#loaded;
    });
    return this.#files;
  }

  /** What persons are asked now. */
  get questions(): readonly AccessQuestion[] {
    return this.#loaded?.questions.all ?? [];
  }
  /** @throws {Fault} `not_found` when it was answered, or nobody waits for it any more */
  answer(id: string, allow: boolean): void {
    if (!this.#loaded?.questions.answer(id, allow)) throw new Fault('not_found', 'this question was already answered');
  }

  /** A client does not look at a channel any more. */
  unsubscribed(channel: string): void {
    this.#loaded?.watches.releaseUnused(channel);
  }
  clientGone(clientId: string): void {
    this.#loaded?.watches.clientGone(clientId);
    if (!this.#deps.hasWindow()) this.#loaded?.questions.refuseAll();
  }
  /** A grant was taken back. */
  async grantsChanged(): Promise<void> {
    await this.#loaded?.watches.recheck();
  }
  close(): void {
    this.#loaded?.watches.close();
  }

  /** Suggestions of the agent, and files of the folders after `@`. */
  async complete({ channel, text, offset }: Params<'completions'>, requester: Requester): Promise<CompletionItem[]> {
    const { store, providers } = this.#deps.effects;
    const window = requester.window ?? plainWindow;
    const session = store.metadata(channel)?.session;
    const state = session === undefined ? undefined : store.state('session', session);
    if (!state) throw new Fault('session_not_found', 'chat not found');
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
      const isFolder = it.isDirectory() && !neverOffered.has(it.name);
      if (isFolder) waiting.push({ root, folder: path });
      if (!(isFolder || it.isFile()) || !name.toLowerCase().includes(wanted) || found.length >= MAX_FILES) continue;
      const shown = isFolder ? `${name}/` : name;
      const displayKind = isFolder ? 'directory' : 'document';
      const attachment = { type: 'resource', label: shown, uri: toFileUri(path), displayKind } as const;
      found.push({ insertText: `@${shown} `, rangeStart: offset - typed.length - 1, rangeEnd: offset, attachment });
    }
  }
  return found;
}
