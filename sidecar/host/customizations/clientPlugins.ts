import type {
  ClientPluginCustomization,
  Customization,
  PluginCustomization,
} from '../../protocol/channels/session/customizations.ts';
import type { SessionAction, SessionState } from '../../protocol/channels/session/schema.ts';
import { without } from '../../protocol/collections.ts';
import type { Holders } from './holders.ts';
import { idOf } from './jsonChildren.ts';
import { expandPlugin } from './plugins.ts';

export interface ClientPluginDeps {
  readonly state: (session: string) => SessionState | undefined;
  readonly commit: (session: string, action: SessionAction) => void;
  readonly holders: Holders;
  /** As the session shows it: with what a person turned off, and what runs. */
  readonly shown: <C extends Customization>(session: string, entry: C) => C;
  /** By minted id of a plugin: which version of it was expanded last. Absent for a session that nobody follows. */
  readonly expanded: (session: string) => Map<string, string> | undefined;
  /** The plugins of a session are others now. */
  readonly changed: (session: string) => void;
  /** A plugin of the session is being read. `work` never rejects. */
  readonly reading: (session: string, work: Promise<unknown>) => void;
  readonly report: (thrown: unknown) => void;
}

/** The plugins that clients publish, as customizations of their sessions. */
export class ClientPlugins {
  readonly #deps: ClientPluginDeps;
  #marks = 0;

  constructor(deps: ClientPluginDeps) {
    this.#deps = deps;
  }

  /** A client said what it offers: its plugins are expanded, those that it offers no more go. */
  published(session: string, clientId: string): void {
    const state = this.#deps.state(session);
    const plugins = state?.activeClients.find((it) => it.clientId === clientId)?.customizations ?? [];
    const minted = plugins.map((it) => ({ plugin: it, id: idOf(clientId, it.id) }));
    for (const it of state?.customizations ?? []) {
      const isOurs = 'clientId' in it && it.clientId === clientId;
      if (!isOurs || minted.some(({ id }) => id === it.id)) continue;
      this.#deps.expanded(session)?.delete(it.id);
      this.#deps.commit(session, { type: 'session/customizationRemoved', id: it.id });
    }
    for (const { plugin, id } of minted) this.#expand(session, clientId, id, plugin);
    this.#deps.changed(session);
  }

  #expand(session: string, clientId: string, id: string, published: ClientPluginCustomization): void {
    const { state, holders, shown, commit, changed, reading, report } = this.#deps;
    const expanded = this.#deps.expanded(session);
    const version = published.nonce === undefined ? undefined : JSON.stringify([published.uri, published.nonce]);
    const isKnown = state(session)?.customizations?.some((it) => it.id === id);
    if (!expanded || (isKnown && version !== undefined && expanded.get(id) === version)) return;
    const mark = version ?? `without nonce ${(this.#marks += 1)}`;
    expanded.set(id, mark);
    const plugin = { ...without(without(published, 'nonce'), 'children'), id, clientId };
    const put = (customization: Customization) => {
      const isCurrent = this.#deps.expanded(session) === expanded && expanded.get(id) === mark;
      const isHere = state(session)?.activeClients.some((it) => it.clientId === clientId);
      if (!isCurrent || !isHere) return;
      commit(session, { type: 'session/customizationUpdated', customization: shown(session, customization) });
      changed(session);
    };
    if (published.children)
      return put(refuseHooks({ ...plugin, children: published.children, load: { kind: 'loaded' } }));
    put({ ...plugin, load: { kind: 'loading' } });
    const work = holders
      .filesOf(session, plugin)
      .then((files) => (files ? expandPlugin(files, plugin) : unreadable(plugin)))
      .then((it) => put(refuseHooks(it)))
      .catch(report);
    reading(session, work);
  }
}

const HOOKS_REFUSED =
  "Its hooks do not run because clients cannot start programs on the host machine. Put the hooks in one of the session's folders.";

/** Hooks of what a client publishes are shown, with why they do not run (host.customization.client-hooks). */
function refuseHooks(plugin: PluginCustomization): PluginCustomization {
  const { children = [], load } = plugin;
  if (!children.some((it) => it.type === 'hook')) return plugin;
  const known = load && 'message' in load ? [load.message] : [];
  return {
    ...plugin,
    load: { kind: load?.kind === 'error' ? 'error' : 'degraded', message: [...known, HOOKS_REFUSED].join('\n') },
    children: children.map((it) =>
      it.type === 'hook' ? { ...it, _meta: { ...it._meta, refused: HOOKS_REFUSED } } : it,
    ),
  };
}

const unreadable = <C extends Customization>(it: C): C => ({
  ...it,
  load: {
    kind: 'error',
    message: "It is not published by its client, and it is not in any of this session's folders.",
  },
  children: [],
});
