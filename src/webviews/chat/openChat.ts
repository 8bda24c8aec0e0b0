import type { ChatState } from '../../../sidecar/protocol/channels/chat/schema.ts';
import type { RootState } from '../../../sidecar/protocol/channels/root/schema.ts';
import { dialOf, PERMISSION_DIAL, withoutDial } from '../../../sidecar/protocol/channels/session/permissionDial.ts';
import type { SessionState } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { SessionConfigState } from '../../../sidecar/protocol/configSchemas.ts';
import { ROOT } from '../../../sidecar/protocol/uris.ts';
import { FolderAgents } from '../../client/folderAgents.ts';
import { Listeners } from '../../client/listeners.ts';
import type { ChannelView, Disposable } from '../../client/port.ts';
import { whyOf } from '../../platform/whyOf.ts';
import type { Banner, ChatModel, RestoreState } from '../contract/chatModel.ts';
import { Composed } from './attach/composed.ts';
import type { ChatDeps, EditorFacts } from './chatDeps.ts';
import { type StartingTurn, toModel } from './chatModel.ts';
import { allFolders } from './chatPickers.ts';
import { RowBuilder } from './chatRows.ts';
import { LeftChats } from './chats/leftChats.ts';
import { chatToShow, ShownChat } from './chats/shownChat.ts';
import { SubAgentRows } from './chats/subAgentRows.ts';
import { withLastAgent, withLastModel } from './chats/usedLast.ts';
import { ChatTerminals } from './chatTerminals.ts';
import { LastTurnChanges } from './lastTurnChanges.ts';

/** Turns shown at first, and added each time the reader comes near the top. */
const pageOfTurns = 30;

export interface OpenChatDeps
  extends Pick<ChatDeps, 'port' | 'catalogue' | 'ensureSignedIn' | 'isHostStopped' | 'lastUsed' | 'warn'> {
  readonly editor: () => EditorFacts;
  readonly newId: () => string;
  readonly now: () => string;
  /** How people call the host, where it is not the one of this machine. */
  readonly hostName?: string;
}

/**
 * One chat that a page shows: the channels it looks at, and what only this window knows of it (choices, attachments, a
 * prompt on its way). Opens no channel in a window that is not trusted, so that nothing is started.
 */
export class OpenChat implements Disposable {
  readonly deps: OpenChatDeps;
  readonly #changed = new Listeners<void>();
  readonly #stops: Disposable[] = [];
  #root: ChannelView<RootState> | undefined;
  #session: ChannelView<SessionState> | undefined;
  readonly #shown: ShownChat;
  readonly #left = new LeftChats();
  readonly #changes: LastTurnChanges;
  readonly #terminals: ChatTerminals;
  readonly #subAgents = new SubAgentRows();
  readonly folderAgents: FolderAgents;
  #builder = new RowBuilder([]);
  #builderFolders = '';
  /** The host answered for the session: from then on, no state means that it was deleted. */
  #hasAnswered = false;
  #parts: Disposable[] = [];
  #chosen: RestoreState;
  #shownTurns = pageOfTurns;
  /** A turn that a person looks for, and the page of older turns that was asked for because of it. */
  #wanted: { readonly turnId: string; askedFor?: string } | undefined;
  #ownBanners: readonly Banner[] = [];
  readonly #dismissed = new Set<string>();
  readonly composed: Composed;
  starting: StartingTurn | undefined;
  /** What the agent offers, asked for before there is a session. */
  offered: SessionConfigState | undefined;
  #offeredBy: string | undefined;

  constructor(deps: OpenChatDeps, restore: RestoreState) {
    this.deps = deps;
    const { attachments = [], ...chosen } = restore;
    // A page that comes back sets no dial: that is done by a click.
    this.#chosen = chosen.config ? { ...chosen, config: withoutDial(chosen.config) } : chosen;
    this.composed = new Composed(this, attachments);
    this.#shown = new ShownChat(deps.port, pageOfTurns, () => this.changed());
    this.#changes = new LastTurnChanges(deps.port, () => this.changed());
    this.#terminals = new ChatTerminals(deps.port, () => this.changed());
    this.folderAgents = new FolderAgents(deps, () => this.changed());
    this.#stops.push(
      deps.port.onDidConnect(() => this.removeBanner('offline')),
      deps.port.onDidDisconnect(() => this.offline()),
      deps.port.onDidReject(({ channel, reason }) => {
        if (channel === this.chatUri || channel === this.#chosen.session) {
          this.addBanner({ id: 'refused', kind: 'refused', detail: reason, canDismiss: true });
        }
      }),
    );
    this.connect();
  }

  readonly onDidChange = (listener: () => void): Disposable => this.#changed.add(listener);

  /** Opens what can be opened now: again when the window became trusted, or a session was created. */
  connect(): void {
    if (!this.deps.editor().isTrusted) return;
    this.#root ??= this.#follow<RootState>(ROOT, this.#stops);
    const { session } = this.#chosen;
    if (session !== undefined && !this.#session) {
      this.#session = this.#follow<SessionState>(session, this.#parts);
      this.#shown.expect(this.#chosen.chat ?? this.deps.catalogue.get(session)?.defaultChat);
      this.#session.onDidChange(() => {
        this.#hasAnswered = true;
      });
    }
    this.changed();
  }

  changed(): void {
    this.#openChat();
    if (this.chat) this.composed.take();
    this.#changes.follow(this.session, this.chat);
    this.#chosen = withLastAgent(this.#chosen, this.root, this.#lastUsed);
    this.#reachWanted();
    this.#askOffer();
    this.#chosen = withLastModel(this.#chosen, this.root, this.#lastUsed);
    const folder = this.#chosen.folder ?? this.deps.editor().folder;
    if (this.#root && this.#chosen.session === undefined)
      this.folderAgents.read(folder === allFolders ? undefined : folder);
    if (this.starting && this.chat) this.#settleStarting(this.starting.id, this.chat);
    this.#changed.fire();
  }

  get chosen(): RestoreState {
    return this.#chosen;
  }
  choose(chosen: Partial<RestoreState>): void {
    this.#chosen = { ...this.#chosen, ...chosen };
    this.changed();
  }
  /** Options of one model mean nothing to another. */
  chooseModel(model: string): void {
    const { modelConfig: _ofAnother, ...rest } = this.#chosen;
    this.#chosen = { ...(model === this.#chosen.model ? this.#chosen : rest), model };
    this.changed();
  }
  /** Sends the agent what was chosen before there is a session, and takes what it offers then. */
  async resolve(config: Readonly<Record<string, unknown>>): Promise<void> {
    const offered = await this.deps.port.request('resolveSessionConfig', this.offerParams(config));
    this.offered = offered;
    this.choose({ config: { ...offered.values, [PERMISSION_DIAL]: dialOf(config) } });
  }
  /** What the agent is asked about before there is a session. */
  offerParams(config = this.#chosen.config) {
    const { provider } = this.#chosen;
    const workingDirectory = this.#chosen.folder ?? this.deps.editor().folder;
    return {
      channel: ROOT,
      ...(provider !== undefined && { provider }),
      ...(config && { config: { ...config } }),
      ...(workingDirectory !== undefined && { workingDirectory }),
    };
  }
  /** The session was not created after all. */
  forgetSession(session: string): void {
    if (this.#chosen.session !== session) return;
    const { session: _session, ...rest } = this.#chosen;
    this.#chosen = rest;
    this.changed();
  }
  /** Lets go of the session and begins anew with other choices. A session that nobody wrote to is deleted. */
  restart(chosen: RestoreState): void {
    // It holds what is attached, until the next one does.
    this.#leave(this.composed.attachments.length > 0);
    this.composed.moved();
    this.offered = undefined;
    this.#offeredBy = undefined;
    const { host } = this.#chosen;
    this.#chosen = host === undefined ? chosen : { ...chosen, host };
    this.connect();
  }
  /** After a creation that failed: the same choices, a new session. */
  startOver(): void {
    const { session: _session, ...rest } = this.#chosen;
    this.removeBanner('creationFailed');
    this.restart(rest);
  }
  get root(): RootState | undefined {
    return this.#root?.shown;
  }
  get session(): SessionState | undefined {
    return this.#session?.shown;
  }
  get chat(): ChatState | undefined {
    return this.#shown.state;
  }
  get chatUri(): string | undefined {
    return this.#shown.uri;
  }
  get isGone(): boolean {
    return this.#hasAnswered && this.session === undefined;
  }
  /** Nothing was sent yet: agent, folder and every option can still be chosen. */
  get isUntouched(): boolean {
    if (this.starting) return false;
    if (this.#chosen.session === undefined) return true;
    const { chat, session } = this;
    // A session with a name or a second chat was used, whatever this chat holds now.
    if (session?.title !== '' || session.chats.length > 1) return false;
    if (this.deps.catalogue.get(this.#chosen.session)) return false;
    return chat !== undefined && chat.turns.length === 0 && !chat.activeTurn && chat.turnsNextCursor === undefined;
  }
  get folders(): readonly string[] {
    return this.session?.workingDirectories ?? this.deps.editor().folders.map((it) => it.uri);
  }

  /** Shows another chat of the session. */
  showChat(uri: string): void {
    if (this.session?.chats.some((it) => it.resource === uri)) this.choose({ chat: uri });
  }

  addBanner(banner: Banner): void {
    this.#ownBanners = [...this.#ownBanners.filter((it) => it.id !== banner.id), banner];
    this.changed();
  }
  offline(): void {
    const { hostName } = this.deps;
    if (hostName !== undefined) this.addBanner({ id: 'offline', kind: 'offline', subject: hostName });
    else this.addBanner({ id: 'offline', kind: this.deps.isHostStopped() ? 'stopped' : 'offline' });
  }
  removeBanner(...ids: readonly string[]): void {
    if (!this.#ownBanners.some((it) => ids.includes(it.id))) return;
    this.#ownBanners = this.#ownBanners.filter((it) => !ids.includes(it.id));
    this.changed();
  }
  dismiss(id: string): void {
    this.removeBanner(id);
    this.#dismissed.add(id);
    this.changed();
  }

  showOlder(): void {
    const { chat, chatUri } = this;
    if (!chat || chatUri === undefined) return;
    this.#shownTurns += pageOfTurns;
    const cursor = chat.turnsNextCursor;
    if (chat.turns.length < this.#shownTurns && cursor !== undefined) {
      this.deps.port.request('fetchTurns', { channel: chatUri, cursor }).catch((error: unknown) => {
        this.deps.warn(`older turns were not read: ${whyOf(error)}`);
      });
    }
    this.changed();
  }

  /** Shows a turn, however old it is. */
  findTurn(turnId: string): void {
    this.#wanted = { turnId };
    this.changed();
  }
  /** The page shows it. */
  foundTurn(turnId: string): void {
    if (this.#wanted?.turnId !== turnId) return;
    this.#wanted = undefined;
    this.changed();
  }
  #reachWanted(): void {
    const { chat } = this;
    const wanted = this.#wanted;
    if (!wanted || !chat) return;
    const at = chat.turns.findIndex((it) => it.id === wanted.turnId);
    const cursor = chat.turnsNextCursor;
    if (at >= 0) this.#shownTurns = Math.max(this.#shownTurns, chat.turns.length - at);
    else if (cursor === undefined) this.#wanted = undefined;
    else if (wanted.askedFor !== cursor) {
      wanted.askedFor = cursor;
      this.#shownTurns = Math.max(this.#shownTurns, chat.turns.length);
      this.showOlder();
    }
  }

  model(): ChatModel {
    const folders = this.folders;
    if (this.#builderFolders !== folders.join('\n')) {
      this.#builderFolders = folders.join('\n');
      this.#builder = new RowBuilder(folders);
    }
    const model = toModel(
      {
        root: this.root,
        session: this.session,
        chat: this.chat,
        meta: this.deps.catalogue.get(this.#chosen.session ?? '')?._meta,
        isGone: this.isGone,
        editor: this.deps.editor(),
        chosen: this.#chosen,
        config: this.offered,
        folderAgents: this.folderAgents.items,
        favorites: this.deps.lastUsed.favorites(this.#chosen.provider),
        isNew: this.isUntouched,
        attachments: this.composed.attachments,
        starting: this.starting,
        ownBanners: this.#ownBanners,
        dismissed: this.#dismissed,
        shownTurns: this.#shownTurns,
        wanted: this.#wanted?.turnId,
        changesOf: (turn) => this.#changes.of(turn),
      },
      this.#builder,
    );
    const rows = this.#subAgents.rows(model.rows, this.session, this.chatUri);
    return { ...model, rows: this.#terminals.rows(rows, this.root?.terminals ?? []) };
  }

  /** @param comesBack the window closes: a draft is looked for when it is opened again */
  dispose(comesBack = false): void {
    for (const it of this.#stops) it.dispose();
    this.#leave(comesBack && this.chat?.draft !== undefined);
  }

  #leave(isKept: boolean): void {
    const { session } = this.#chosen;
    if (session !== undefined && this.isUntouched && !this.isGone && !isKept) {
      this.deps.port.request('disposeSession', { channel: session }).catch((error: unknown) => {
        this.deps.warn(`an unused session was not deleted: ${whyOf(error)}`);
      });
    }
    for (const it of [this.#shown, this.#left, this.#changes, this.#terminals, ...this.#parts]) it.dispose();
    this.#parts = [];
    this.#session = undefined;
    this.#hasAnswered = false;
  }

  #follow<S>(uri: string, parts: Disposable[]): ChannelView<S> {
    const view = this.deps.port.open<S>(uri);
    parts.push(
      view.onDidChange(() => this.changed()),
      view,
    );
    return view;
  }

  #openChat(): void {
    const session = this.session;
    if (this.#session?.isRefused) this.#shown.expect();
    if (!session) return;
    if (this.#chosen.provider !== session.provider) this.#chosen = { ...this.#chosen, provider: session.provider };
    this.#shown.follow(chatToShow(session, this.#chosen.chat));
    if (this.chatUri !== undefined) this.#enter(this.chatUri);
  }

  #enter(uri: string): void {
    const now = { attachments: this.composed.attachments, shownTurns: this.#shownTurns, chosen: this.#chosen };
    const known = this.#left.enter(uri, now, { attachments: [], shownTurns: pageOfTurns });
    if (!known) return;
    this.#chosen = known.chosen;
    this.composed.enter(known.attachments);
    this.#shownTurns = known.shownTurns;
    this.#builder = new RowBuilder(this.folders);
    this.removeBanner('refused', 'notAttached');
  }

  /** What the agent offers, whoever chose it: the host starts one that it does not know yet. */
  #askOffer(): void {
    const { provider, session } = this.#chosen;
    if (provider === undefined || session !== undefined || provider === this.#offeredBy) return;
    this.#offeredBy = provider;
    this.deps.port.request('resolveSessionConfig', this.offerParams()).then(
      (offered) => {
        if (this.#offeredBy !== provider) return;
        this.offered = offered;
        this.changed();
      },
      (error: unknown) => this.deps.warn(`the options of an agent were not read: ${String(error)}`),
    );
  }

  /** What is used on a host elsewhere says nothing about this machine. */
  get #lastUsed(): OpenChatDeps['lastUsed'] | undefined {
    return this.#chosen.host === undefined ? this.deps.lastUsed : undefined;
  }

  /** A person sent a message with what is chosen now. */
  async used(): Promise<void> {
    const { provider, model, folder } = this.#chosen;
    await this.#lastUsed?.remember({
      ...(provider !== undefined && { provider }),
      ...(model !== undefined && { model }),
      ...(folder !== undefined && { folder }),
    });
  }

  #settleStarting(turnId: string, chat: ChatState): void {
    if (chat.activeTurn?.id === turnId || chat.turns.some((it) => it.id === turnId)) this.starting = undefined;
  }
}
