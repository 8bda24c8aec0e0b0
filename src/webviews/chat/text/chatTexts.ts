import * as vscode from 'vscode';
import type { OpenChat } from '../openChat.ts';
import type { ChatTexts } from '../turns/chatTurnsModule.ts';
import { chatText } from './chatText.ts';

const scheme = 'switchboard-chat';
/** A streaming answer changes with every token; who listens to it needs it in pieces. */
const SETTLE_MS = 500;

interface Shown {
  readonly chat: OpenChat;
  readonly stop: { dispose(): void };
  timer?: ReturnType<typeof setTimeout>;
}

export function openChatTexts(): ChatTexts {
  return new ChatDocuments();
}

/** Chats as read-only documents that follow them. A document stays as it was last when its chat is closed. */
class ChatDocuments implements ChatTexts, vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #shown = new Map<string, Shown>();
  readonly #last = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #registered = vscode.Disposable.from(
    this.#changed,
    vscode.workspace.registerTextDocumentContentProvider(scheme, this),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme !== scheme) return;
      this.#leave(uri.toString());
      this.#last.delete(uri.toString());
    }),
  );
  #count = 0;

  async open(chat: OpenChat): Promise<void> {
    const uri = vscode.Uri.parse(this.#uriOf(chat) ?? this.#follow(chat));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: false });
  }

  /** The chat is about to go. */
  closed(chat: OpenChat): void {
    const uri = this.#uriOf(chat);
    if (uri === undefined) return;
    this.#last.set(uri, chatText(vscode.l10n, chat.model()));
    this.#leave(uri);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const chat = this.#shown.get(uri.toString())?.chat;
    return chat ? chatText(vscode.l10n, chat.model()) : (this.#last.get(uri.toString()) ?? '');
  }

  dispose(): void {
    for (const it of [...this.#shown.keys()]) this.#leave(it);
    this.#registered.dispose();
  }

  #uriOf(chat: OpenChat): string | undefined {
    return [...this.#shown].find(([, it]) => it.chat === chat)?.[0];
  }

  #follow(chat: OpenChat): string {
    this.#count++;
    const name =
      chat
        .model()
        .head.title.replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
        .trim() || 'chat';
    const uri = vscode.Uri.from({ scheme, path: `/${this.#count}/${name}.md` });
    const stop = chat.onDidChange(() => {
      const shown = this.#shown.get(uri.toString());
      if (shown && !shown.timer) {
        shown.timer = setTimeout(() => {
          delete shown.timer;
          this.#changed.fire(uri);
        }, SETTLE_MS);
      }
    });
    this.#shown.set(uri.toString(), { chat, stop });
    return uri.toString();
  }

  #leave(uri: string): void {
    const shown = this.#shown.get(uri);
    if (!shown) return;
    clearTimeout(shown.timer);
    shown.stop.dispose();
    this.#shown.delete(uri);
  }
}
