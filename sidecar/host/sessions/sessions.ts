import { Fault, toFault } from '../../platform/faults.ts';
import { annotationsSummary } from '../../protocol/channels/annotations/summary.ts';
import { USUAL_DIAL, withDial } from '../../protocol/channels/session/permissionDial.ts';
import { isSandboxed, SANDBOX, withoutOwnChoices, withSandbox } from '../../protocol/channels/session/sandboxChoice.ts';
import type { SessionState } from '../../protocol/channels/session/schema.ts';
import type { ConfigValues, SessionConfigState } from '../../protocol/configSchemas.ts';
import { propertyOf } from '../../protocol/configValues.ts';
import type { Params } from '../../protocol/methods.ts';
import { status } from '../../protocol/status.ts';
import { annotationsUri, chatUri, parseSessionUri } from '../../protocol/uris.ts';
import type { AgentRuntimes } from '../agents/agentRuntimes.ts';
import { capabilitiesOf, chooseFolders, inOrder, requireMoreChats } from '../agents/capabilities.ts';
import type { KnownAgents } from '../agents/knownAgents.ts';
import { listed, refuseConfig, suggestionsFrom, toConfig, WORKTREE, withWorktree } from '../agents/sessionConfig.ts';
import { projectOf, repositoryAround } from '../changes/git/project.ts';
import { viewsOf } from '../changes/ledger/catalogue.ts';
import { commitChat, commitSession } from '../context/chatAccess.ts';
import type { Delegate } from '../context/delegating.ts';
import { type EffectDeps, plainWindow, type Requester } from '../context/effectDeps.ts';
import { elapsed } from '../context/elapsed.ts';
import { requireFolderUris } from '../context/folders/workingFolders.ts';
import { realFolders } from '../context/paths.ts';
import { checkActiveClient } from '../tools/activeClients.ts';
import type { Customizations } from '../turns/customizations.ts';
import { toErrorInfo } from '../turns/errorInfo.ts';
import { forgetSessionRules } from '../turns/grantedRules.ts';
import type { Turns } from '../turns/turns.ts';
import type { BegunElsewhere } from './elsewhere/begunElsewhere.ts';
import { NewChats, notSaved } from './newChats.ts';
import { Progress } from './progress.ts';
import { Restores } from './restores.ts';
import type { SummaryNotices } from './summaryNotices.ts';

/** Sessions and chats: made and disposed of by commands. */
export class Sessions {
  readonly #deps: EffectDeps;
  readonly #runtimes: AgentRuntimes;
  readonly #turns: Turns;
  readonly #agents: KnownAgents;
  readonly #chats: NewChats;
  /** Plays a sub-agent. Its code is loaded with the first one. */
  readonly delegate: Delegate;
  readonly restores: Restores;
  readonly #notices: Pick<SummaryNotices, 'removed'>;
  readonly #customizations: Pick<Customizations, 'disposed'>;
  /** Sessions and chats on their way out: nothing begins in them any more. */
  readonly #leaving = new Set<string>();

  constructor(
    deps: EffectDeps,
    runtimes: AgentRuntimes,
    turns: Turns,
    agents: KnownAgents,
    notices: Pick<SummaryNotices, 'removed'>,
    customizations: Pick<Customizations, 'disposed'>,
  ) {
    this.#customizations = customizations;
    this.#deps = deps;
    this.#notices = notices;
    this.#chats = new NewChats(deps, runtimes, agents, (it) => this.#leaving.has(it));
    this.delegate = async (task) => {
      const { SubAgentChats } = await import('./subAgentChats.ts');
      return new SubAgentChats(deps, runtimes, this.#chats).play(task);
    };
    this.#runtimes = runtimes;
    this.#turns = turns;
    this.restores = new Restores(deps, turns);
    this.#agents = agents;
  }

  /**
   * Makes a session with its default chat, empty or with the turns of another session's or of an agent's own conversation. It is ready at once when its agent
   * is known from before; otherwise it stays `creating` until the agent declared what it offers.
   * @throws {Fault} `session_exists`, `session_not_found`, `provider_not_found`, `auth_required`, `invalid_params`,
   *   `unavailable`
   */
  async create(params: Params<'createSession'>, requester: Requester, begun?: BegunElsewhere): Promise<void> {
    const { store, storage, newId, clock } = this.#deps;
    const { channel, activeClient } = params;
    const uuid = parseSessionUri(channel);
    if (uuid === undefined) throw new Fault('invalid_params', 'channel: not a session URI');
    if (store.has(channel) || this.#leaving.has(channel))
      throw new Fault('session_exists', 'the session already exists');
    const wrong = activeClient && checkActiveClient(activeClient, requester.clientId);
    if (wrong !== undefined) throw new Fault('invalid_params', wrong);
    requireFolderUris(params.workingDirectories ?? [], (it) => `workingDirectories.${it}`);
    const fork =
      params.fork && (await import('./forkedSession.ts')).forkedSession(this.#deps, params.fork, params.provider);
    const provider = this.#agents.find(requester, fork?.provider ?? params.provider);
    this.#agents.requireTokens(provider, requester);
    const can = capabilitiesOf(this.#deps, provider);
    if (fork && !fork.isImported) requireMoreChats(can, fork.origin, 'fork');
    const { primaryWorkingDirectory, ...folders } =
      fork && !fork.isImported ? fork.folders : chooseFolders(can, params);
    const [start] = inOrder({ ...folders, primaryWorkingDirectory });
    const [folder] = start === undefined ? [] : await realFolders([start]);
    const project = folder === undefined ? undefined : await projectOf(folder);
    const isRemote = this.#agents.isRemote(provider);
    const wants = !fork && !isRemote && params.config?.[WORKTREE] === true;
    const own = wants ? await (await ownTrees()).makeOwnTree(this.#deps, channel, folder, requester) : undefined;
    if (store.has(channel)) {
      await this.#deps.changes.removeWorktree(own?.worktree);
      throw new Fault('session_exists', 'the session already exists');
    }
    const inTree = (it: string) => (own && it === start ? own.folder : it);
    const known = this.#agents.options(provider);
    const { [WORKTREE]: _tree, ...values } = params.config ?? fork?.config ?? {};
    // The dial is chosen by a click in a session that is there (`host.dial.not-inherited`), the sandbox for each new one.
    const chosen = withoutOwnChoices(values);
    const customizations = this.#agents.customizations(provider);
    const chat = chatUri(newId());
    const state: SessionState = {
      provider,
      title: fork?.title ?? begun?.title ?? '',
      status: status.Idle | status.IsRead,
      lifecycle: 'creating',
      ...(project && { project }),
      workingDirectories: folders.workingDirectories.map(inTree),
      ...((own || begun?.meta) && { _meta: { ...(own && { git: own.worktree }), ...begun?.meta } }),
      annotations: annotationsSummary(channel),
      serverTools: [],
      activeClients: [],
      chats: [],
      changesets: viewsOf(uuid),
      ...(customizations && { customizations }),
      config: withOwnChoices(
        known ? toConfig(known, chosen) : { schema: { type: 'object', properties: {} }, values: chosen },
        isRemote ? undefined : { chosen: params.config, requester },
      ),
    };
    store.create('session', channel, state, { createdAt: clock.now() });
    this.#runtimes.setRequester(channel, requester);
    this.#chats.add(channel, chat, {
      ...(primaryWorkingDirectory !== undefined && { primaryWorkingDirectory: inTree(primaryWorkingDirectory) }),
      ...fork?.chat,
      ...(begun && { turns: [...begun.turns] }),
    });
    commitSession(store, channel, { type: 'session/defaultChatChanged', defaultChat: chat });
    if (activeClient) commitSession(store, channel, { type: 'session/activeClientSet', activeClient });
    if (begun) store.writeRows(() => void (store.has(chat) && storage.small.putResumeId(chat, begun.resumeId)));
    if (fork) store.writeRows(() => void (store.has(channel) && fork.keepContents(channel)));
    if (!(await store.settled())) {
      await this.#deps.changes.removeWorktree(own?.worktree);
      throw notSaved(store);
    }
    const { setUpCommand, env } = requester.window ?? plainWindow;
    if (own && setUpCommand !== undefined) await this.#deps.setUps.begin(channel, setUpCommand, env);
    if (fork || begun) store.updateMetadata(channel, { listed: true }); // it has turns: with its next action it enters the list
    const progress = new Progress(this.#deps, params.progressToken);
    void this.#makeReady(channel, chat, known !== undefined || requester.window?.trusted === false, progress);
  }

  /** Opens the agent of a session that is not ready yet, and reports the outcome. */
  async #makeReady(session: string, chat: string, isKnown: boolean, progress: Progress): Promise<void> {
    const { store } = this.#deps;
    try {
      await this.#runtimes.folders(chat);
      // Where its sandbox cannot start, the first turn asks about that.
      if (!isKnown && (await this.#runtimes.canStart(session))) {
        progress.report(0, 'Starting the agent');
        await this.#runtimes.use(chat);
        this.#runtimes.leaveUnused(chat);
      }
      if (store.has(session) && store.state('session', session)?.lifecycle !== 'ready')
        commitSession(store, session, { type: 'session/ready' });
    } catch (thrown) {
      const fault = toFault(thrown, this.#deps.report);
      this.#runtimes.refused(session, fault);
      if (store.has(session))
        commitSession(store, session, { type: 'session/creationFailed', error: toErrorInfo(fault) });
    }
    await store.settled();
    progress.report(1);
  }

  /** True while a chat, or the session that it belongs to, is being disposed of. */
  isLeaving(chat: string): boolean {
    if (this.#leaving.size === 0) return false;
    return this.#leaving.has(chat) || this.#leaving.has(this.#deps.store.metadata(chat)?.session ?? '');
  }

  /**
   * Disposes of a session. Turns end first, then terminals, then the channels go, then `root/sessionRemoved` is sent
   * (host.command.disposeSession).
   * @param endTerminals of the session
   * @throws {Fault} `session_not_found`
   */
  async dispose(session: string, endTerminals: () => Promise<void>): Promise<void> {
    const state = this.#deps.store.state('session', session);
    if (!state || this.#leaving.has(session)) throw new Fault('session_not_found', 'session not found');
    this.#leaving.add(session);
    try {
      await this.#dispose(session, state, endTerminals);
    } finally {
      this.#leaving.delete(session);
    }
  }

  async #dispose(session: string, state: SessionState, endTerminals: () => Promise<void>): Promise<void> {
    const { store, storage } = this.#deps;
    for (const { resource } of state.chats) await this.#endChat(resource);
    await endTerminals();
    await this.#deps.setUps.stop(session); // its terminal may have been about to open
    const changesets = storage.changesets.ofSession(session);
    for (const changeset of changesets) {
      store.commit(changeset, { type: 'changeset/cleared' });
      store.remove(changeset);
    }
    const annotations = annotationsUri(session);
    store.remove(annotations);
    for (const chat of state.chats) store.remove(chat.resource);
    forgetSessionRules(this.#deps, session);
    store.remove(session);
    await store.settled();
    for (const channel of [...changesets, annotations, ...state.chats.map((it) => it.resource), session])
      this.#deps.dropChannel(channel);
    this.#runtimes.forgetSession(session);
    await this.#customizations.disposed(session);
    await this.#deps.sandboxes.close(session);
    await this.#deps.sessionTools.close(session);
    this.#deps.budgets.closed(session);
    await this.#deps.changes.forget(session);
    this.#agents.countSessions();
    await store.settled(); // `root/activeSessionsChanged` goes out before `root/sessionRemoved`
    this.#notices.removed(session, await (await ownTrees()).removeOwnTree(this.#deps, state._meta));
  }

  /** @throws {Fault} `session_not_found`, `invalid_params` for the default chat */
  async disposeChat(chat: string): Promise<void> {
    const { store } = this.#deps;
    const session = store.metadata(chat)?.session;
    const state = session === undefined ? undefined : store.state('session', session);
    if (session === undefined || !state || this.isLeaving(chat)) throw new Fault('session_not_found', 'chat not found');
    if (state.defaultChat === chat)
      throw new Fault(
        'invalid_params',
        'channel: the default chat cannot be disposed of; dispose of its session instead',
      );
    this.#leaving.add(chat);
    try {
      await this.#endChat(chat);
      if (!store.has(chat)) return; // its session went meanwhile, and took it along
      commitSession(store, session, { type: 'session/chatRemoved', chat });
      store.remove(chat);
      await store.settled();
      this.#deps.dropChannel(chat);
    } finally {
      this.#leaving.delete(chat);
    }
    for (const { resource, origin } of state.chats)
      if (origin?.kind === 'tool' && origin.chat === chat && store.has(resource)) await this.disposeChat(resource);
  }

  /** @see NewChats.create */
  createChat(params: Params<'createChat'>, requester: Requester): Promise<void> {
    return this.#chats.create(params, requester);
  }

  /** @throws {Fault} `session_not_found`, `unavailable` */
  async renameChat(chat: string, title: string): Promise<void> {
    const { store } = this.#deps;
    const session = store.metadata(chat)?.session;
    if (session === undefined || !store.has(chat) || this.isLeaving(chat))
      throw new Fault('session_not_found', 'chat not found');
    store.replaceState('chat', chat, (it) => ({ ...it, title }));
    commitSession(store, session, { type: 'session/chatUpdated', chat, changes: { title } }, false);
    if (!(await store.settled())) throw notSaved(store);
  }

  /** Ends the turns of a session, and releases its agents. */
  async endTurns(session: string): Promise<void> {
    for (const { resource } of this.#deps.store.state('session', session)?.chats ?? []) await this.#endChat(resource);
  }

  async mergeWorktree(session: string, requester: Requester) {
    return (await ownTrees()).mergeOwnTree(this.#deps, session, requester);
  }

  /** What an agent offers for a session that is not there yet: the agent is started for it when it is not known. */
  async resolveConfig(params: Params<'resolveSessionConfig'>, requester: Requester) {
    const provider = this.#agents.find(requester, params.provider);
    requireFolder(params);
    this.#agents.requireTokens(provider, requester);
    const options = await this.#agents.learn(provider, requester, params.workingDirectory);
    const chosen = params.config ?? {};
    const offered = toConfig(options, withoutOwnChoices(chosen));
    if (this.#agents.isRemote(provider)) return offered;
    const config = withOwnChoices(offered, { chosen, requester });
    const [folder] = params.workingDirectory === undefined ? [] : await realFolders([params.workingDirectory]);
    const isInGit = folder !== undefined && (await repositoryAround(folder)) !== undefined;
    return isInGit ? withWorktree(config, chosen) : config;
  }

  /** Values for a property with `enumDynamic`: the agent's own, or those of its choice that go with what was typed. */
  async completeConfig(params: Params<'sessionConfigCompletions'>, requester: Requester) {
    const { property, query = '', config = {}, workingDirectory } = params;
    const provider = this.#agents.find(requester, params.provider);
    requireFolder(params);
    this.#agents.requireTokens(provider, requester);
    const options = await this.#agents.learn(provider, requester, workingDirectory);
    const choice = options.properties.find((it) => it.id === property);
    if (choice) return suggestionsFrom(choice, query);
    const field = propertyOf(options.form ?? { properties: {} }, property);
    if (!field) throw new Fault('invalid_params', 'property: setting not found');
    if (field.enumDynamic !== true) return suggestionsFrom(listed(field), query);
    return this.#agents.complete(provider, requester, workingDirectory, { property, query, config });
  }

  /** Why the config of a session cannot be changed so, or `undefined`. */
  refuseConfig(
    session: string,
    config: ConfigValues,
    replace: boolean | undefined,
    isLetIn: boolean,
  ): string | undefined {
    const empty: SessionConfigState = { schema: { type: 'object', properties: {} }, values: {} };
    return refuseConfig(this.#deps.store.state('session', session)?.config ?? empty, config, replace, isLetIn);
  }

  async #endChat(chat: string): Promise<void> {
    const { store } = this.#deps;
    const turn = store.state('chat', chat)?.activeTurn;
    if (turn)
      commitChat(store, chat, {
        type: 'chat/turnCancelled',
        turnId: turn.id,
        duration: elapsed(this.#deps, turn.startedAt),
      });
    await this.#turns.stopped(chat);
    await this.#runtimes.close(chat);
  }
}

const ownTrees = () => import('./ownTrees.ts');

/**
 * The choices of the host as they are in a new session: the sandbox as it was chosen for it, or else as the setting says.
 *
 * @param by absent for an agent that works elsewhere: there is nothing to choose
 */
function withOwnChoices(
  config: SessionConfigState,
  by: { readonly chosen: ConfigValues | undefined; readonly requester: Requester } | undefined,
): SessionConfigState {
  if (!by) return config;
  const { chosen } = by;
  const { window } = by.requester;
  const isOn = chosen?.[SANDBOX] === undefined ? window?.sandbox === true : isSandboxed(chosen);
  return withSandbox(withDial(config, USUAL_DIAL), isOn);
}

function requireFolder({ workingDirectory }: { readonly workingDirectory?: string | undefined }): void {
  requireFolderUris(workingDirectory === undefined ? [] : [workingDirectory], () => 'workingDirectory');
}
