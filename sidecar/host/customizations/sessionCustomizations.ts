import { realpath } from 'node:fs/promises';
import { URI } from 'vscode-uri';
import type { Timers } from '../../platform/timers.ts';
import { customAgentsOf } from '../../protocol/channels/session/customAgents.ts';
import type { CustomAgentInfo, Customization, Enablement } from '../../protocol/channels/session/customizations.ts';
import type { SessionAction, SessionState } from '../../protocol/channels/session/schema.ts';
import { sameJson, without } from '../../protocol/collections.ts';
import type { Store } from '../state/store.ts';
import type { AskClient } from './clientFiles.ts';
import { ClientPlugins } from './clientPlugins.ts';
import { customizationLocations } from './customizationLocations.ts';
import { type CustomizationFiles, childUri, diskFiles } from './files.ts';
import { followFolder } from './followFolder.ts';
import { Holders } from './holders.ts';
import { directoryAt, fillDirectory, scanFolder } from './scanFolder.ts';
import { decisionsIn, togglesIn, withDecisions, withToggles } from './toggles.ts';

export interface CustomizationDeps {
  readonly store: Store;
  readonly timers: Pick<Timers, 'after'>;
  readonly isWatched: (channel: string) => boolean;
  readonly report: (thrown: unknown) => void;
  readonly askClient: (clientId: string) => AskClient;
  /** The entry with the states in which its servers are. */
  readonly withServers: <C extends Customization>(session: string, entry: C) => C;
  /** What customizes a session may be other than before; also called when only the files were read again. */
  readonly changed: (session: string) => void;
  /** Nobody follows it any more. */
  readonly ended: (session: string) => void;
}

interface Followed {
  /** By URI of a folder, what is in it; in the order in which they are shown. */
  readonly found: Map<string, readonly Customization[]>;
  readonly toggles: Map<string, boolean>;
  readonly decisions: Map<string, readonly Enablement[]>;
  readonly stops: (() => void)[];
  /** By minted id of a client's plugin: which version of it was expanded last. */
  readonly expanded: Map<string, string>;
  /** Settle when each folder, and each plugin of a client, was read once. */
  readonly firsts: Promise<unknown>[];
  /** How many of them have not settled. */
  unread: number;
}

/** Finds what customizes the sessions that somebody looks at, and keeps their states in step with it. */
export class SessionCustomizations {
  readonly #deps: CustomizationDeps;
  readonly #sessions = new Map<string, Followed>();
  readonly holders: Holders;
  readonly plugins: ClientPlugins;

  constructor(deps: CustomizationDeps) {
    this.#deps = deps;
    const state = (session: string) => this.#state(session);
    this.holders = new Holders({ state, askClient: deps.askClient });
    this.plugins = new ClientPlugins({
      state,
      commit: (session, action) => this.#commit(session, action),
      holders: this.holders,
      shown: (session, entry) => this.#shown(session, entry),
      expanded: (session) => this.#sessions.get(session)?.expanded,
      changed: deps.changed,
      reading: (session, work) => this.#reading(this.#sessions.get(session), work),
      report: deps.report,
    });
  }

  isFollowed(session: string): boolean {
    return this.#sessions.has(session);
  }
  /** Whether everything that customizes a session was read once. */
  isRead(session: string): boolean {
    return this.#sessions.get(session)?.unread === 0;
  }
  /** Settles when what lies on disk, and with clients, was read once. */
  async settled(session: string): Promise<void> {
    await Promise.all(this.#sessions.get(session)?.firsts ?? []);
  }

  /** The custom agents of a folder at which no session looks yet: none where it is not there. */
  async agentsIn(folder: string): Promise<readonly CustomAgentInfo[]> {
    const { scheme, fsPath } = URI.parse(folder);
    const root = scheme === 'file' ? await realpath(fsPath).catch(() => undefined) : undefined;
    if (root === undefined) return [];
    const found = customAgentsOf(await scanFolder(diskFiles(root), folder));
    return found.map(({ uri, name, description }) => ({
      uri,
      name,
      ...(description !== undefined && { description }),
    }));
  }

  /** Publishes what is there and follows it, until nobody looks. */
  look(session: string): void {
    const state = this.#state(session);
    if (!state || this.#sessions.has(session)) return;
    const entries = state.customizations ?? [];
    const toggles = togglesIn(entries);
    const decisions = decisionsIn(entries);
    const followed: Followed = {
      found: new Map(),
      toggles,
      decisions,
      stops: [],
      expanded: new Map(),
      firsts: [],
      unread: 0,
    };
    this.#sessions.set(session, followed);
    const shipped = entries.flatMap((it) => (it.type === 'directory' && it._meta?.['shipped'] === true ? [it] : []));
    for (const it of shipped) followed.found.set(it.uri, [loading(it)]);
    const folders = (state.workingDirectories ?? []).filter((it) => URI.parse(it).scheme === 'file');
    for (const folder of folders) {
      const offered = customizationLocations.filter((it) => it.isOffered);
      const known = offered.map((it) => directoryAt(childUri(folder, ...it.folder.split('/')), it));
      followed.found.set(folder, known.map(loading));
    }
    const clients = entries.filter((it) => 'clientId' in it && it.clientId !== undefined);
    const customizations = [...this.#wanted(session, followed), ...clients];
    if (customizations.length > 0 || entries.length > 0)
      this.#commit(session, { type: 'session/customizationsChanged', customizations });
    for (const it of shipped) {
      const location = { contents: it.contents as 'prompt' };
      this.#follow(session, it.uri, async (files) => [await fillDirectory(files, without(it, 'load'), location)]);
    }
    for (const folder of folders) this.#follow(session, folder, (files) => scanFolder(files, folder));
    for (const { clientId } of state.activeClients) this.plugins.published(session, clientId);
  }

  /** The working directories of a session are others now. */
  directoriesChanged(session: string): void {
    if (!this.#sessions.has(session)) return;
    this.#stop(session);
    this.look(session);
  }

  /** Lets go of the sessions at which nobody looks. */
  sweep(): void {
    for (const session of this.#sessions.keys()) if (!this.#deps.isWatched(session)) this.end(session);
  }
  end(session: string): void {
    this.#stop(session);
    this.#deps.ended(session);
  }
  close(): void {
    for (const session of this.#sessions.keys()) this.#stop(session);
  }

  toggled(session: string, id: string, enabled: boolean, enablement: readonly Enablement[] = []): void {
    const followed = this.#sessions.get(session);
    followed?.toggles.set(id, enabled);
    if (enablement.length > 0) followed?.decisions.set(id, enablement);
    else followed?.decisions.delete(id);
    this.#deps.changed(session);
  }

  #reading(followed: Followed | undefined, work: Promise<unknown>): void {
    if (!followed) return;
    followed.unread += 1;
    followed.firsts.push(work.then(() => (followed.unread -= 1)));
  }

  #follow(
    session: string,
    folder: string,
    scan: (files: CustomizationFiles) => Promise<readonly Customization[]>,
  ): void {
    const followed = this.#sessions.get(session);
    let read: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      read = resolve;
    });
    this.#reading(followed, first);
    const open = async () => {
      const root = await realpath(URI.parse(folder).fsPath).catch(() => undefined); // not there: nothing to follow
      if (this.#sessions.get(session) !== followed || !followed) return read();
      const onScanned = (found: readonly Customization[]) => {
        followed.found.set(folder, found);
        this.#publish(session, followed);
        read();
      };
      if (root === undefined) return onScanned((followed.found.get(folder) ?? []).map(empty));
      const { timers } = this.#deps;
      followed.stops.push(followFolder({ root, scan, onScanned, onTrouble, timers }));
    };
    const onTrouble = (thrown: unknown) => {
      this.#deps.report(thrown);
      read();
    };
    open().catch(onTrouble);
  }

  /** Says what is different from the session's state. What clients published is theirs. */
  #publish(session: string, followed: Followed): void {
    const before = (this.#state(session)?.customizations ?? []).filter(
      (it) => !('clientId' in it && it.clientId !== undefined),
    );
    const wanted = this.#wanted(session, followed);
    for (const { id } of before) {
      if (!wanted.some((it) => it.id === id)) this.#commit(session, { type: 'session/customizationRemoved', id });
    }
    for (const customization of wanted) {
      const known = before.find((it) => it.id === customization.id);
      if (!sameJson(known, customization))
        this.#commit(session, { type: 'session/customizationUpdated', customization });
    }
    this.#deps.changed(session);
  }

  #wanted(session: string, { found }: Followed): Customization[] {
    return [...found.values()].flat().map((it) => this.#shown(session, it));
  }
  #shown<C extends Customization>(session: string, entry: C): C {
    const followed = this.#sessions.get(session);
    if (!followed) return this.#deps.withServers(session, entry);
    const { toggles, decisions } = followed;
    return this.#deps.withServers(session, withDecisions(withToggles(entry, toggles), decisions));
  }

  #state(session: string): SessionState | undefined {
    return this.#deps.store.state('session', session);
  }
  #commit(session: string, action: SessionAction): void {
    if (this.#deps.store.has(session)) this.#deps.store.commit(session, action);
  }

  #stop(session: string): void {
    const followed = this.#sessions.get(session);
    for (const stop of followed?.stops ?? []) stop();
    this.#sessions.delete(session);
  }
}

const loading = <C extends Customization>(it: C): C => ({ ...it, load: { kind: 'loading' } });
const empty = <C extends Customization>(it: C): C => ({ ...it, load: { kind: 'loaded' }, children: [] });
