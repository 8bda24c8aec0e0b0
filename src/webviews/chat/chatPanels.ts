import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Pages } from '../../activation/pageStubs.ts';
import type { NewPlace } from '../../client/hosts.ts';
import { commandIds, contextKeys, viewIds } from '../../manifest/manifest.ts';
import { onCommand } from '../../platform/commandHandlers.ts';
import { ContextKey } from '../../platform/contextKey.ts';
import type { RestoreState } from '../contract/chatModel.ts';
import { parseSaved } from '../contract/saved.ts';
import type { PageParts } from '../pageDocument.ts';
import { pageOptions } from '../pageHtml.ts';
import { registerAttachCommands } from './attach/attachCommands.ts';
import type { Addition } from './attach/attachModule.ts';
import type { ChatDeps } from './chatDeps.ts';
import { agentOf, toChats } from './chats/chatTabs.ts';
import { ChatView, type ChatViewDeps } from './chatView.ts';
import { OutputDocuments } from './outputDocuments.ts';
import { PackedParts } from './packedParts.ts';
import type { ChatTexts, CodeProposals } from './turns/chatTurnsModule.ts';

export interface OpenOptions extends NewPlace {
  /** Written into the composer; sent at once with `send`. */
  readonly prompt?: string;
  readonly send?: boolean;
  /** The agent of a new session. */
  readonly provider?: string;
  readonly preserveFocus?: boolean;
  /** The chat of the session that is shown. */
  readonly chat?: string;
  /** Shown, and marked for a moment. */
  readonly turnId?: string;
  /** Asked once the chat is there, as if its page did. */
  readonly ask?: Parameters<ChatView['ask']>[0];
  /** Goes with the next message. */
  readonly add?: Addition;
}
export interface Chats extends vscode.Disposable {
  /** Shows a session's chat where it is already open, otherwise in a new place. Without a session: a new chat. */
  open(session: string | undefined, options?: OpenOptions): void;
  /** @param uri of a session or of its chat */
  isVisible(uri: string): boolean;
  /** Some place shows it, or would if somebody went there. */
  isOpen(uri: string): boolean;
  readonly onDidChangeVisible: vscode.Event<void>;
  /** Opens the chat with the earlier turns attached to the next message. */
  attachTranscript(session: string): void;
  /** Adds a chat to a session, or one beside the chat of it that is shown; without a session to the one used last. */
  begin(what: 'newChat' | 'askBeside', session?: string): void;
  /** Moves the chat of the side bar into the editor area. */
  openInEditor(): void;
  /** Shows the chat that was used last as a document. */
  openAsText(): Promise<void>;
  /** Attaches to the next message of the chat that was used last; of a new one where none is open. */
  add(addition: Addition): void;
  /** The session of the chat that was used last. */
  readonly active: string | undefined;
  /** Read-only documents for what is too long for a row. */
  readonly outputs: Pick<OutputDocuments, 'open'>;
  /** Draws the pages that VS Code restores, and the one in the side bar. */
  readonly pages: Pages;
}

/** Put in by esbuild.mjs. */
declare const __CHAT_DIGESTS__: PageParts;

/** One page, two registrations: a panel cannot be moved to the side bar. */
export function registerChat(context: vscode.ExtensionContext, deps: ChatDeps): Chats {
  const chats = new ChatRegistry(context.extensionUri, deps);
  context.subscriptions.push(
    chats,
    registerAttachCommands(chats),
    onCommand(commandIds.openChatAsText, () => chats.openAsText()),
    onCommand(commandIds.keepCode, (it: unknown) => chats.proposals.keep(it)),
    onCommand(commandIds.discardCode, (it: unknown) => chats.proposals.discard(it)),
  );
  return chats;
}

interface Shown {
  readonly view: ChatView;
  reveal(preserveFocus: boolean): void;
  isVisible(): boolean;
}

class ChatRegistry implements Chats {
  readonly #deps: ChatViewDeps;
  readonly #shown = new Set<Shown>();
  readonly #visible = new vscode.EventEmitter<void>();
  readonly #editor = new vscode.EventEmitter<void>();
  readonly outputs = new OutputDocuments();
  readonly #stops: vscode.Disposable[];
  #last: Shown | undefined;
  #side: vscode.WebviewView | undefined;
  #sideShown: Shown | undefined;
  /** What the view in the side bar shows once the editor made it. */
  #sideWants: { readonly restore: RestoreState; readonly options: OpenOptions } | undefined;
  #wasVisible = '';
  readonly #canAddChat = new ContextKey(contextKeys.canAddChat);
  readonly #canAskBeside = new ContextKey(contextKeys.canAskBeside);
  #lastEditor = vscode.window.activeTextEditor;
  #texts: ChatTexts | undefined;
  #proposals: CodeProposals | undefined;

  readonly onDidChangeVisible = this.#visible.event;
  readonly pages: Pages = {
    restorePanel: (panel, state) => void this.#show(panel, parseSaved(state)),
    resolveView: (view, state) => void this.#showSide(view, parseSaved(state)),
  };

  constructor(extensionUri: vscode.Uri, deps: ChatDeps) {
    this.#deps = {
      ...deps,
      extensionUri,
      parts: partsIn(extensionUri),
      outputs: this.outputs,
      onDidChangeEditor: this.#editor.event,
      newChat: () => this.open(undefined),
      lastEditor: () => this.#lastEditor,
      proposeCode: (code) => this.proposals.propose(code, this.#lastEditor),
      openChat: (session, host) => this.open(session, host === '' ? {} : { host }),
    };
    const changed = () => this.#editor.fire();
    this.#stops = [
      vscode.workspace.onDidGrantWorkspaceTrust(changed),
      vscode.workspace.onDidChangeWorkspaceFolders(changed),
      vscode.workspace.onDidSaveTextDocument(changed),
      vscode.workspace.onDidCloseTextDocument(changed),
      onDidChangeDirty(changed),
      onDidChangeHasSelection(changed),
      // An output or the box of a comment is a text editor too, and in no column.
      vscode.window.onDidChangeActiveTextEditor((it) => {
        if (it?.viewColumn !== undefined) this.#lastEditor = it;
      }),
      this.#visible,
      this.#editor,
      this.outputs,
    ];
  }

  open(session: string | undefined, options: OpenOptions = {}): void {
    const known = session === undefined ? this.#unused(options) : this.#find(session);
    const host = options.host ?? (session === undefined ? undefined : this.#deps.hostOf(session));
    const restore = {
      ...(session !== undefined && { session }),
      ...(options.chat !== undefined && { chat: options.chat }),
      ...(options.provider && { provider: options.provider }),
      ...(host !== undefined && { host }),
      ...(options.folder !== undefined && { folder: options.folder }),
    };
    const shown = known ?? this.#create(restore);
    if (known) known.reveal(options.preserveFocus ?? false);
    if (known && options.chat !== undefined) known.view.chat.showChat(options.chat);
    if (options.turnId !== undefined) shown?.view.chat.findTurn(options.turnId);
    if (shown && options.ask) shown.view.ask(options.ask);
    if (options.add) shown?.view.add(options.add);
    if (shown && (options.prompt !== undefined || known)) shown.view.compose(options.prompt, options.send ?? false);
    else if (!shown) this.#sideWants = { restore, options };
  }

  add(addition: Addition): void {
    const shown = this.#last;
    if (!shown) return this.open(undefined, { add: addition });
    shown.reveal(false);
    shown.view.add(addition);
    shown.view.compose(undefined, false);
  }

  isVisible(uri: string): boolean {
    return [...this.#shown].some((it) => it.isVisible() && shows(it.view, uri));
  }

  isOpen(uri: string): boolean {
    return [...this.#shown].some((it) => shows(it.view, uri));
  }

  attachTranscript(session: string): void {
    this.open(session);
    this.#find(session)?.view.attachTranscript();
  }

  openInEditor(): void {
    const side = this.#side;
    const chosen = this.#sideShown?.view.chat.chosen;
    if (!side || !chosen) return;
    const { isUntouched } = this.#sideShown?.view.chat ?? {};
    // A session that nobody wrote to goes with its page: the editor begins with the same choices.
    const { session: _unused, chat: _chat, ...choices } = chosen;
    this.#showSide(side, chosen.host === undefined ? {} : { host: chosen.host });
    this.#createPanel(isUntouched ? choices : chosen);
  }

  begin(what: 'newChat' | 'askBeside', session = this.active): void {
    if (session !== undefined) this.open(session, { ask: { type: what } });
  }

  /** Of all chats. */
  get proposals(): CodeProposals {
    this.#proposals ??= this.#deps.turns().openCodeProposals();
    return this.#proposals;
  }

  async openAsText(): Promise<void> {
    const chat = this.#last?.view.chat;
    if (!chat)
      return void vscode.window.showInformationMessage(vscode.l10n.t('No chat is open. Open a session first.'));
    this.#texts ??= this.#deps.texts().openChatTexts();
    await this.#texts.open(chat);
  }

  get active(): string | undefined {
    return this.#last?.view.chat.chosen.session;
  }

  dispose(): void {
    for (const it of [...this.#shown]) it.view.dispose(true);
    for (const it of this.#stops) it.dispose();
    this.#texts?.dispose();
    this.#proposals?.dispose();
  }

  #find(uri: string): Shown | undefined {
    return [...this.#shown].find((it) => shows(it.view, uri));
  }

  /** A new chat that nobody wrote to yet serves for the next new one. */
  #unused({ provider, host, folder }: OpenOptions): Shown | undefined {
    const isFor = ({ chosen, isUntouched }: ChatView['chat']) =>
      isUntouched && chosen.host === host && (host === undefined || chosen.folder === folder);
    const found = [...this.#shown].find((it) => isFor(it.view.chat));
    if (found && provider !== undefined && found.view.chat.chosen.provider !== provider) {
      found.view.chat.restart({ provider });
    }
    return found;
  }

  #create(restore: RestoreState): Shown | undefined {
    if (this.#deps.location() === 'sideBar') return this.#createSide(restore);
    return this.#createPanel(restore);
  }

  #createPanel(restore: RestoreState): Shown {
    const { session } = restore;
    const listed = session === undefined ? undefined : this.#deps.catalogue.get(session);
    const title = listed?.title || vscode.l10n.t('New session');
    const panel = vscode.window.createWebviewPanel(
      viewIds.chat,
      title,
      vscode.ViewColumn.Active,
      pageOptions(this.#deps.extensionUri),
    );
    return this.#show(panel, restore, true);
  }

  /** @param isNew it was made with the options of a page; the editor draws a page once more for options that it gets later */
  #show(panel: vscode.WebviewPanel, restore: RestoreState, isNew = false): Shown {
    if (!isNew) panel.webview.options = pageOptions(this.#deps.extensionUri);
    panel.iconPath = new vscode.ThemeIcon('comment-discussion');
    const view = new ChatView(
      {
        webview: panel.webview,
        columnOfFiles: vscode.ViewColumn.Beside,
        isEmpty: true,
        isVisible: () => panel.visible,
        setTitle: (title) => {
          if (panel.title !== title) panel.title = title;
        },
      },
      restore,
      this.#deps,
    );
    const shown: Shown = {
      view,
      isVisible: () => panel.visible,
      reveal: (preserveFocus) => panel.reveal(undefined, preserveFocus),
    };
    panel.onDidChangeViewState(() => this.#viewState(shown, panel.active));
    panel.onDidDispose(() => this.#close(shown));
    return this.#add(shown);
  }

  #createSide(restore: RestoreState): Shown | undefined {
    if (this.#side) return this.#showSide(this.#side, restore);
    void vscode.commands.executeCommand(`${viewIds.chat}.focus`);
    return undefined;
  }

  #showSide(side: vscode.WebviewView, saved: RestoreState): Shown {
    const wants = this.#sideWants;
    this.#sideWants = undefined;
    if (this.#sideShown) this.#close(this.#sideShown);
    if (this.#side !== side) side.webview.options = pageOptions(this.#deps.extensionUri);
    const view = new ChatView(
      {
        webview: side.webview,
        bodyClass: 'in-side-bar',
        columnOfFiles: vscode.ViewColumn.Active,
        isEmpty: this.#side !== side,
        isVisible: () => side.visible,
        setTitle: (title, about) => {
          if (side.title !== title) side.title = title;
          if (side.description !== about) side.description = about;
        },
      },
      wants?.restore ?? saved,
      this.#deps,
    );
    const shown: Shown = { view, isVisible: () => side.visible, reveal: (it) => side.show(it) };
    if (this.#side !== side) {
      side.onDidChangeVisibility(() => this.#sideShown && this.#viewState(this.#sideShown, side.visible));
      side.onDidDispose(() => {
        if (this.#side === side) this.#side = undefined;
        if (this.#sideShown) this.#close(this.#sideShown);
      });
    }
    this.#side = side;
    this.#sideShown = shown;
    if (wants?.options.turnId !== undefined) view.chat.findTurn(wants.options.turnId);
    if (wants?.options.ask) view.ask(wants.options.ask);
    if (wants?.options.add) view.add(wants.options.add);
    if (wants?.options.prompt !== undefined) view.compose(wants.options.prompt, wants.options.send ?? false);
    return this.#add(shown);
  }

  #add(shown: Shown): Shown {
    this.#shown.add(shown);
    this.#last = shown;
    shown.view.chat.onDidChange(() => this.#noteVisible());
    this.#noteVisible();
    return shown;
  }

  #close(shown: Shown): void {
    this.#shown.delete(shown);
    if (this.#last === shown) this.#last = [...this.#shown].at(-1);
    if (this.#sideShown === shown) this.#sideShown = undefined;
    this.#texts?.closed(shown.view.chat);
    shown.view.dispose();
    this.#noteVisible();
  }

  #viewState(shown: Shown, isActive: boolean): void {
    if (isActive) this.#last = shown;
    shown.view.refresh();
    this.#noteVisible();
  }

  /** What `when` clauses know of the chat that was used last. */
  #noteLast(): void {
    const chat = this.#last?.view.chat;
    const { canAddChat = false, canAskBeside = false } = chat ? toChats(chat.session, agentOf(chat), chat.chatUri) : {};
    this.#canAddChat.set(canAddChat);
    this.#canAskBeside.set(canAskBeside);
  }

  /** Fires only when another set of chats is in sight. */
  #noteVisible(): void {
    this.#noteLast();
    const now = [...this.#shown]
      .filter((it) => it.isVisible())
      .map((it) => `${it.view.chat.chosen.session} ${it.view.chat.chatUri}`)
      .join('\n');
    if (now === this.#wasVisible) return;
    this.#wasVisible = now;
    this.#visible.fire();
  }
}

/** Not a `Buffer`: the editor knows only the plain types of arrays, and copies the memory that they are part of. */
function partsIn(extensionUri: vscode.Uri): PackedParts {
  const { fsPath } = vscode.Uri.joinPath(extensionUri, 'dist', 'media', 'chat.parts');
  const parts = new PackedParts(__CHAT_DIGESTS__, async () => new Uint8Array(await readFile(fsPath)));
  parts.read().catch(() => undefined); // so that no chat waits for the disk; one that needs the file says what is wrong with it
  return parts;
}

function shows({ chat }: ChatView, uri: string): boolean {
  return chat.chosen.session === uri || chat.chatUri === uri;
}

/** Only the first edit after a save changes anything here. */
function onDidChangeDirty(listener: () => void): vscode.Disposable {
  let count = -1;
  return vscode.workspace.onDidChangeTextDocument(({ document }) => {
    if (document.uri.scheme !== 'file') return;
    const now = vscode.workspace.textDocuments.filter((it) => it.isDirty).length;
    if (now === count) return;
    count = now;
    listener();
  });
}

function onDidChangeHasSelection(listener: () => void): vscode.Disposable {
  let had = false;
  return vscode.window.onDidChangeTextEditorSelection(({ selections }) => {
    const has = selections.some((it) => !it.isEmpty);
    if (has === had) return;
    had = has;
    listener();
  });
}
