import { realpath } from 'node:fs/promises';
import { URI } from 'vscode-uri';
import type { CustomAgent } from '../../agents/provider.ts';
import type { ClientPluginCustomization, Customization } from '../../protocol/channels/session/customizations.ts';
import type { SessionAction, SessionState } from '../../protocol/channels/session/schema.ts';
import { sameJson, without } from '../../protocol/collections.ts';
import type { Store } from '../state/store.ts';
import { type AskClient, clientFiles } from './clientFiles.ts';
import { type CustomizationFiles, childUri, diskFiles } from './files.ts';
import { followFolder } from './followFolder.ts';
import { parseFrontMatter } from './frontMatter.ts';
import { idOf } from './jsonChildren.ts';
import { places } from './places.ts';
import { expandPlugin } from './plugins.ts';
import { directoryAt, fillDirectory, scanFolder } from './scanFolder.ts';
import { togglesIn, withToggles } from './toggles.ts';

export interface CustomizationDeps {
  readonly store: Store;
  readonly schedule: (work: () => void, delayMs: number) => () => void;
  readonly isWatched: (channel: string) => boolean;
  readonly report: (thrown: unknown) => void;
  readonly askClient: (clientId: string) => AskClient;
}

interface Followed {
  /** By URI of a folder, what is in it; in the order in which they are shown. */
  readonly found: Map<string, readonly Customization[]>;
  readonly toggles: Map<string, boolean>;
  readonly stops: (() => void)[];
  /** By minted id of a client's plugin: which version of it was expanded last. */
  readonly expanded: Map<string, string>;
}

/** Finds what customizes the sessions that somebody looks at, and keeps their states in step with it. */
export class SessionCustomizations {
  readonly #deps: CustomizationDeps;
  readonly #sessions = new Map<string, Followed>();
  #marks = 0;

  constructor(deps: CustomizationDeps) {
    this.#deps = deps;
  }

  /** Publishes what is there and follows it, until nobody looks. */
  look(session: string): void {
    const state = this.#state(session);
    if (!state || this.#sessions.has(session)) return;
    const entries = state.customizations ?? [];
    const toggles = togglesIn(entries);
    const followed: Followed = { found: new Map(), toggles, stops: [], expanded: new Map() };
    this.#sessions.set(session, followed);
    const shipped = entries.flatMap((it) => (it.type === 'directory' && it._meta?.['shipped'] === true ? [it] : []));
    for (const it of shipped) followed.found.set(it.uri, [loading(it)]);
    const folders = (state.workingDirectories ?? []).filter((it) => URI.parse(it).scheme === 'file');
    for (const folder of folders) {
      const offered = places.filter((it) => it.isOffered);
      const known = offered.map((it) => directoryAt(childUri(folder, ...it.folder.split('/')), it));
      followed.found.set(folder, known.map(loading));
    }
    const clients = entries.filter((it) => 'clientId' in it && it.clientId !== undefined);
    const customizations = [...this.#wanted(followed), ...clients];
    if (customizations.length > 0 || entries.length > 0)
      this.#commit(session, { type: 'session/customizationsChanged', customizations });
    for (const it of shipped) {
      const place = { contents: it.contents as 'prompt' };
      this.#follow(session, it.uri, async (files) => [await fillDirectory(files, without(it, 'load'), place)]);
    }
    for (const folder of folders) this.#follow(session, folder, (files) => scanFolder(files, folder));
    for (const { clientId } of state.activeClients) this.published(session, clientId);
  }

  /** The working directories of a session are others now. */
  directoriesChanged(session: string): void {
    if (!this.#sessions.has(session)) return;
    this.#end(session);
    this.look(session);
  }

  /** Lets go of the sessions at which nobody looks. */
  sweep(): void {
    for (const session of this.#sessions.keys()) if (!this.#deps.isWatched(session)) this.#end(session);
  }
  close(): void {
    for (const session of this.#sessions.keys()) this.#end(session);
  }

  toggled(session: string, id: string, enabled: boolean): void {
    this.#sessions.get(session)?.toggles.set(id, enabled);
  }

  /** A client said what it offers: its plugins are expanded, those that it offers no more go. */
  published(session: string, clientId: string): void {
    const state = this.#state(session);
    const plugins = state?.activeClients.find((it) => it.clientId === clientId)?.customizations ?? [];
    const minted = plugins.map((it) => ({ plugin: it, id: idOf(clientId, it.id) }));
    for (const it of state?.customizations ?? []) {
      const isOurs = 'clientId' in it && it.clientId === clientId;
      if (!isOurs || minted.some(({ id }) => id === it.id)) continue;
      this.#sessions.get(session)?.expanded.delete(it.id);
      this.#commit(session, { type: 'session/customizationRemoved', id: it.id });
    }
    for (const { plugin, id } of minted) this.#expand(session, clientId, id, plugin);
  }

  /** What a custom agent says. @throws when it cannot be read */
  async agent(session: string, uri: string): Promise<CustomAgent | undefined> {
    for (const holder of this.#state(session)?.customizations ?? []) {
      if (!('children' in holder) || !holder.children) continue;
      const child = holder.children.find((it) => it.type === 'agent' && it.uri === uri);
      if (child?.type !== 'agent') continue;
      const source = await (await this.#filesOf(session, holder))?.read(uri);
      if (source === undefined) return undefined;
      const { name, model, tools } = child;
      return {
        name,
        instructions: parseFrontMatter(source).body.trim(),
        ...(model !== undefined && { model }),
        ...(tools && tools.length > 0 && { tools }),
      };
    }
    return undefined;
  }

  #follow(
    session: string,
    folder: string,
    scan: (files: CustomizationFiles) => Promise<readonly Customization[]>,
  ): void {
    const followed = this.#sessions.get(session);
    const open = async () => {
      const root = await realpath(URI.parse(folder).fsPath).catch(() => undefined); // not there: nothing to follow
      if (this.#sessions.get(session) !== followed || !followed) return;
      const onScanned = (found: readonly Customization[]) => {
        followed.found.set(folder, found);
        this.#publish(session, followed);
      };
      if (root === undefined) return onScanned((followed.found.get(folder) ?? []).map(empty));
      const { schedule, report: onTrouble } = this.#deps;
      followed.stops.push(followFolder({ root, scan, onScanned, onTrouble, schedule }));
    };
    open().catch(this.#deps.report);
  }

  /** Says what is different from the session's state. What clients published is theirs. */
  #publish(session: string, followed: Followed): void {
    const before = (this.#state(session)?.customizations ?? []).filter(
      (it) => !('clientId' in it && it.clientId !== undefined),
    );
    const wanted = this.#wanted(followed);
    for (const { id } of before) {
      if (!wanted.some((it) => it.id === id)) this.#commit(session, { type: 'session/customizationRemoved', id });
    }
    for (const customization of wanted) {
      const known = before.find((it) => it.id === customization.id);
      if (!sameJson(known, customization))
        this.#commit(session, { type: 'session/customizationUpdated', customization });
    }
  }

  #wanted({ found, toggles }: Followed): Customization[] {
    return [...found.values()].flat().map((it) => withToggles(it, toggles));
  }

  #expand(session: string, clientId: string, id: string, published: ClientPluginCustomization): void {
    const followed = this.#sessions.get(session);
    const version = published.nonce === undefined ? undefined : JSON.stringify([published.uri, published.nonce]);
    const isKnown = this.#state(session)?.customizations?.some((it) => it.id === id);
    if (!followed || (isKnown && version !== undefined && followed.expanded.get(id) === version)) return;
    const mark = version ?? `without nonce ${(this.#marks += 1)}`;
    followed.expanded.set(id, mark);
    const plugin = { ...without(without(published, 'nonce'), 'children'), id, clientId };
    const put = (customization: Customization) => {
      const isCurrent = this.#sessions.get(session) === followed && followed.expanded.get(id) === mark;
      const isHere = this.#state(session)?.activeClients.some((it) => it.clientId === clientId);
      if (isCurrent && isHere)
        this.#commit(session, {
          type: 'session/customizationUpdated',
          customization: withToggles(customization, followed.toggles),
        });
    };
    if (published.children) return put({ ...plugin, children: published.children, load: { kind: 'loaded' } });
    put(loading(plugin));
    this.#filesOf(session, plugin)
      .then((files) => (files ? expandPlugin(files, plugin) : unreadable(plugin)))
      .then(put)
      .catch(this.#deps.report);
  }

  /** Who has the files of a container. Of what a client published, only what lies in a folder of the session is on disk. */
  async #filesOf(
    session: string,
    { uri, clientId }: { uri: string; clientId?: string },
  ): Promise<CustomizationFiles | undefined> {
    const { scheme } = URI.parse(uri);
    if (clientId === undefined) return this.#disk(uri);
    if (scheme !== 'file') return reserved.test(scheme) ? undefined : clientFiles(this.#deps.askClient(clientId));
    const holder = this.#state(session)?.workingDirectories?.find((it) => uri === it || uri.startsWith(`${it}/`));
    return holder === undefined ? undefined : this.#disk(holder);
  }

  async #disk(folder: string): Promise<CustomizationFiles | undefined> {
    const root = await realpath(URI.parse(folder).fsPath).catch(() => undefined); // gone: nothing can be read
    return root === undefined ? undefined : diskFiles(root);
  }

  #state(session: string): SessionState | undefined {
    return this.#deps.store.state(session) as SessionState | undefined;
  }
  #commit(session: string, action: SessionAction): void {
    if (this.#deps.store.has(session)) this.#deps.store.commit(session, action);
  }

  #end(session: string): void {
    for (const stop of this.#sessions.get(session)?.stops ?? []) stop();
    this.#sessions.delete(session);
  }
}

const loading = <C extends Customization>(it: C): C => ({ ...it, load: { kind: 'loading' } });
const unreadable = <C extends Customization>(it: C): C => ({
  ...it,
  load: { kind: 'error', message: 'It lies neither with its client nor in a folder of this session.' },
  children: [],
});
/** Ours and the web's: no client holds files under these. */
const reserved = /^(?:https?|data|host-[a-z-]*|x-switchboard.*)$/i;
const empty = <C extends Customization>(it: C): C => ({ ...it, load: { kind: 'loaded' }, children: [] });
