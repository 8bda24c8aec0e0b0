import * as vscode from 'vscode';
import type { ChatAction } from '../../../sidecar/protocol/channels/chat/actions.ts';
import type { SessionAction } from '../../../sidecar/protocol/channels/session/schema.ts';
import { hasFlag, status } from '../../../sidecar/protocol/status.ts';
import { transcriptOf } from '../../../sidecar/protocol/transcript.ts';
import type { Host } from '../../client/hosts.ts';
import { afterDelay } from '../../client/requests.ts';
import { openForm } from '../../forms/openForm.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { now } from '../../platform/clock.ts';
import { whyOf } from '../../platform/whyOf.ts';
import { ChatFromPage, type ChatToPage, type FirstModel, type ModelMessage } from '../contract/chat.ts';
import type { RestoreState } from '../contract/chatModel.ts';
import { noticeParts, type PageParts, type PartsElsewhere } from '../pageDocument.ts';
import { pageHtml, pageStrings } from '../pageHtml.ts';
import type { Addition, Attaching } from './attach/attachModule.ts';
import { commandActions, farActions } from './chatActions.ts';
import type { ChatDeps } from './chatDeps.ts';
import { ChatMessages, type PageWindow } from './chatMessages.ts';
import { optionSections } from './chatOptions.ts';
import { ChatPage } from './chatPage.ts';
import { attachTranscript, ensureSession, sendPrompt } from './chatPrompts.ts';
import { agentOf } from './chats/chatTabs.ts';
import { editorFacts, farFacts, saveAll } from './editorFacts.ts';
import { OpenChat } from './openChat.ts';
import type { OutputDocuments } from './outputDocuments.ts';
import type { PackedParts } from './packedParts.ts';
import type { ChatTurns } from './turns/chatTurnsModule.ts';

/** In characters. The editor keeps the text of a page while it is open, so a larger first model is posted instead. */
const mostInPage = 500_000;

/** The place a page lives in: an editor panel, or the view in the side bar. */
export interface ChatPlace {
  readonly webview: vscode.Webview;
  /** For the page's own style. */
  readonly bodyClass?: string;
  /** The column in which to open files so that the chat stays visible. */
  readonly columnOfFiles: vscode.ViewColumn;
  /** No page has been shown in it yet. */
  readonly isEmpty: boolean;
  isVisible(): boolean;
  /** @param about what else there is to say where there is room: who answers, and in which chat of several */
  setTitle(title: string, about: string): void;
}
export interface ChatViewDeps extends ChatDeps {
  readonly extensionUri: vscode.Uri;
  readonly parts: PackedParts;
  readonly outputs: OutputDocuments;
  readonly newChat: () => void;
  /** The text editor that was active last, also while something covers it. */
  readonly lastEditor: () => vscode.TextEditor | undefined;
  readonly proposeCode: (code: string) => Promise<void>;
  /** @param host the address of the host whose session it is; empty: this machine */
  readonly openChat: (session: string, host: string) => void;
  /** Facts of the editor changed: unsaved files, selection, folders, trust. */
  readonly onDidChangeEditor: vscode.Event<void>;
}

/** One chat in one page. */
export class ChatView implements vscode.Disposable {
  readonly chat: OpenChat;
  readonly #deps: ChatViewDeps;
  readonly #place: ChatPlace;
  readonly #page: ChatPage;
  readonly #messages: ChatMessages;
  readonly #stops: { dispose(): unknown }[];
  /** Whose session it is, where that is not this machine's. */
  readonly #far: Host | undefined;
  /** Messages that were posted before the editor got the page. */
  readonly #early: ChatToPage[] = [];
  #isShown = false;
  #isDisposed = false;
  #turns: ChatTurns | undefined;
  #attaching: Attaching | undefined;

  constructor(place: ChatPlace, restore: RestoreState, ofWindow: ChatViewDeps) {
    this.#place = place;
    const far = restore.host === undefined ? undefined : ofWindow.elsewhere(restore.host);
    this.#far = far;
    const deps = far ? { ...ofWindow, port: far.client, catalogue: far.catalogue } : ofWindow;
    this.#deps = deps;
    this.chat = new OpenChat(
      {
        ...deps,
        editor: () => (far ? farFacts(restore.folder) : editorFacts(deps.folder())),
        newId: () => crypto.randomUUID(),
        now,
        ...(far && { hostName: far.name }),
      },
      restore,
    );
    this.#page = new ChatPage({
      show: (first) => this.#show(first),
      post: (message) => this.#post(message),
      model: () => this.chat.model(),
      isThere: () => {
        const { chosen, root, chat } = this.chat;
        return chosen.session === undefined ? root !== undefined : chat !== undefined;
      },
      isVisible: () => place.isVisible(),
      strings: pageStrings(),
      schedule: afterDelay,
    });
    this.#messages = new ChatMessages(this.chat, this.#window(), far ? farActions(far) : commandActions);
    this.#stops = [
      this.chat.onDidChange(() => this.refresh()),
      deps.port.onDidReject(({ channel, action }) => {
        if (channel === this.chat.chatUri) this.#messages.giveBack(action);
      }),
      deps.catalogue.onDidChange(() => this.refresh()),
      deps.onDidChangeEditor(() => this.chat.connect()),
      place.webview.onDidReceiveMessage((raw: unknown) => this.#received(raw)),
    ];
    if (far && !far.client.handshake) this.chat.offline();
    this.#page.begin(place.isEmpty);
    this.refresh();
  }

  /** Draws what changed, or everything that changed while the page was hidden. */
  refresh(): void {
    this.#page.changed();
    const title =
      this.chat.session?.title || this.#promptTitle() || this.#listedTitle() || vscode.l10n.t('New session');
    this.#place.setTitle(this.#far ? `${title} · ${this.#far.name}` : title, this.#about());
    this.#markRead();
  }

  /** Writes into the composer, for instance the command of the tour. */
  compose(text: string | undefined, isSent: boolean): void {
    if (text !== undefined && isSent) void this.#messages.sendFor(text);
    else this.#post({ type: 'compose', focus: true, ...(text !== undefined && { text }) });
  }

  /** Attaches what a command or a drop elsewhere in the window is about. */
  add(addition: Addition): void {
    this.#doing('attach', this.attaching.add(addition));
  }

  attachTranscript(): void {
    attachTranscript(this.chat);
  }

  /** @param comesBack the window closes, and restores its pages when it is opened again */
  dispose(comesBack = false): void {
    for (const it of this.#stops) it.dispose();
    this.#isDisposed = true;
    this.#page.dispose();
    this.chat.dispose(comesBack);
  }

  #received(raw: unknown): void {
    const message = ChatFromPage.safeParse(raw);
    if (!message.success) return this.#deps.warn(`the chat page sent nonsense: ${message.error.message}`);
    switch (message.data.type) {
      case 'ready':
        return this.#page.ready();
      case 'kept':
        return this.#kept(message.data.isKept);
      case 'wrongParts':
        this.#deps.parts.forget();
        return this.#cannotShow('it refused its parts, which are damaged or of another build');
      case 'reload':
        return void vscode.commands.executeCommand(commandIds.reloadWindow);
      default:
        return this.ask(message.data);
    }
  }

  #kept(areKept: boolean): void {
    this.#deps.parts.areKept = areKept;
    if (!areKept) this.#sendParts().catch((error: unknown) => this.#cannotShow(String(error)));
  }

  /** A page that is not there yet gets them as soon as it has loaded. */
  async #sendParts(): Promise<void> {
    this.#post({ type: 'parts', parts: await this.#deps.parts.read() });
  }

  /** Shows, in place of the page, why the chat cannot be shown. */
  #cannotShow(why: string): void {
    if (this.#isDisposed) return;
    this.#deps.warn(`the chat page cannot be shown: ${why}`);
    const { t } = vscode.l10n;
    const text = t(
      'The chat cannot be shown because a file of Switchboard is missing or is from another version. Reload the window. If this message appears again, reinstall Switchboard.',
    );
    const reload: ChatFromPage = { type: 'reload' };
    this.#give(noticeParts(text, t('Reload Window'), reload));
  }

  /** What the page or a command asks for. What went wrong stands in the chat. */
  ask(message: Parameters<ChatMessages['handle']>[0]): void {
    this.#doing(message.type, this.#messages.handle(message));
  }

  #doing(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      const why = whyOf(error);
      this.#deps.warn(`${what} of the chat page failed: ${why}`);
      this.chat.addBanner({ id: 'refused', kind: 'refused', detail: why, canDismiss: true });
    });
  }

  #show(message: ModelMessage | undefined): void {
    const first = message && JSON.stringify({ id: crypto.randomUUID(), message } satisfies FirstModel);
    const fits = first !== undefined && first.length <= mostInPage;
    const { parts } = this.#deps;
    this.#give({ digests: parts.digests, areComing: !parts.areKept }, fits ? first : undefined);
    this.#isShown = true;
    // If the file cannot be read, the page says whether it needs it: the browser may keep the parts since an earlier window.
    if (!parts.areKept) this.#sendParts().catch(() => undefined);
    if (message && !fits) this.#post(message);
    for (const it of this.#early.splice(0)) this.#post(it);
  }

  /** Gives the editor the text of the page. */
  #give(parts: PageParts | PartsElsewhere, first?: string): void {
    const { webview, bodyClass = '' } = this.#place;
    const title = vscode.l10n.t('Chat');
    const page = { page: 'chat', title, bodyClass, parts, ...(first !== undefined && { first }) };
    webview.html = pageHtml(webview, this.#deps.extensionUri, page);
  }

  #post(message: ChatToPage): void {
    if (this.#isShown) void this.#place.webview.postMessage(message);
    else this.#early.push(message);
  }

  #promptTitle(): string {
    return this.chat.starting ? this.chat.model().head.title : '';
  }

  /** The title until the host has sent the session, so that the tab does not change visibly. */
  #listedTitle(): string {
    const { session } = this.chat.chosen;
    return (session !== undefined && this.#deps.catalogue.get(session)?.title) || '';
  }

  #about(): string {
    const { session, chatUri } = this.chat;
    const chat = session?.chats.find((it) => it.resource === chatUri);
    const ofSeveral = session && session.chats.length > 1 && chatUri !== session.defaultChat ? (chat?.title ?? '') : '';
    return [agentOf(this.chat)?.displayName ?? '', ofSeveral].filter((it) => it !== '').join(' · ');
  }

  /** What is on the screen has been read. */
  #markRead(): void {
    const { chat } = this;
    const { session } = chat;
    this.#markChatRead();
    if (!session || chat.isUntouched || hasFlag(session.status, status.IsRead) || !this.#place.isVisible()) return;
    const uri = chat.chosen.session;
    if (uri === undefined) return;
    const read: SessionAction = { type: 'session/isReadChanged', isRead: true };
    this.#deps.port.dispatch(uri, read);
  }

  /** Its turn marks a chat as unread when it begins: whoever saw the end of it has read it. */
  #markChatRead(): void {
    const { chat, chatUri } = this.chat;
    if (!chat || chatUri === undefined || chat.activeTurn || chat.turns.length === 0) return;
    if (hasFlag(chat.status, status.IsRead) || !this.#place.isVisible()) return;
    const read: ChatAction = { type: 'chat/isReadChanged', isRead: true };
    this.#deps.port.dispatch(chatUri, read);
  }

  #window(): PageWindow {
    return {
      post: (message) => this.#post(message),
      saveAll,
      openOptions: async () => {
        const title = vscode.l10n.t('Options');
        await openForm({ title, read: () => optionSections(vscode.l10n, this.chat) });
      },
      copy: (text) => void vscode.env.clipboard.writeText(text),
      previewEdit: (edit) => this.#deps.previewEdit(edit, this.#far?.id ?? ''),
      openOutput: (title, text) => void this.#deps.outputs.open(title, text),
      openTerminal: (id) => void vscode.commands.executeCommand(commandIds.openTerminal, { kind: 'terminal', id }),
      manageTrust: () => void vscode.commands.executeCommand(commandIds.manageTrust),
      newChat: () => this.#deps.newChat(),
      turns: () => (this.#turns ??= this.#openTurns()),
      attaching: () => this.attaching,
    };
  }

  /** What goes with the next message, loaded when something is first attached. */
  get attaching(): Attaching {
    this.#attaching ??= this.#deps.attach().openAttaching({
      chat: this.chat,
      catalogue: this.#deps.catalogue,
      hostName: this.#far?.name,
      lastEditor: this.#deps.lastEditor,
      ensureSession: () => ensureSession(this.chat),
      transcriptOf,
      post: (message) => this.#post(message),
    });
    return this.#attaching;
  }

  #openTurns(): ChatTurns {
    const host = this.#far?.id ?? '';
    return this.#deps.turns().openChatTurns({
      chat: this.chat,
      host,
      proposeCode: this.#deps.proposeCode,
      lastEditor: this.#deps.lastEditor,
      columnOfFiles: this.#place.columnOfFiles,
      previewEdit: (edit) => this.#deps.previewEdit(edit, host),
      compareFiles: (title, files) => this.#deps.compareFiles(title, files, host),
      post: (message) => this.#post(message),
      saveAll,
      send: (text) => sendPrompt(this.chat, text, 'send'),
      openChat: (session) => this.#deps.openChat(session, host),
    });
  }
}
