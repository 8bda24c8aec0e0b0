import * as vscode from 'vscode';
import type { PendingRequest } from '../client/attention.ts';
import { showQuestion } from './questionToast.ts';
import { toastTitle } from './toastText.ts';

export interface ToastsDeps {
  readonly pending: () => readonly PendingRequest[];
  readonly onDidChangePending: (listener: () => void) => { dispose(): void };
  /** Whether a person can see it now: its card in its chat, or the preview of what it would do. */
  readonly isVisible: (pending: PendingRequest) => boolean;
  readonly onDidChangeVisible: (listener: () => void) => { dispose(): void };
  /** The one-time id of an answer to the request of that key. */
  readonly idOf: (key: string) => string;
  readonly when: () => 'never' | 'whenChatHidden' | 'always';
}

/** Requests that come together are one notification. */
const SETTLE_MS = 250;

/** The one notification for what waits out of sight. It is closed as soon as the request is answered anywhere. */
export class Toasts implements vscode.Disposable {
  readonly #deps: ToastsDeps;
  readonly #stop: vscode.Disposable;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shown: { readonly title: string; readonly keys: ReadonlySet<string>; readonly close: () => void } | undefined;
  /** What the person put off: it is in the Inbox, and no second notification comes for it. */
  readonly #putOff = new Set<string>();

  constructor(deps: ToastsDeps) {
    this.#deps = deps;
    this.#stop = vscode.Disposable.from(
      deps.onDidChangePending(() => this.#look()),
      deps.onDidChangeVisible(() => this.#look()),
    );
    this.#look();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#stop.dispose();
    this.#shown?.close();
  }

  /** What is answered leaves at once; what is new waits a moment for company. */
  #look(): void {
    const hidden = this.#hidden();
    const keys = new Set(hidden.map((it) => it.key));
    if (this.#shown && [...this.#shown.keys].some((it) => !keys.has(it))) this.#close();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#show(), SETTLE_MS);
  }

  #show(): void {
    const hidden = this.#hidden();
    const title = toastTitle(vscode.l10n, hidden, this.#deps.idOf);
    if (title === (this.#shown?.title ?? '')) return;
    this.#close();
    if (title === '') return;
    const keys = new Set(hidden.map((it) => it.key));
    const close = showQuestion(title, () => {
      for (const it of keys) this.#putOff.add(it);
      if (this.#shown?.keys === keys) this.#shown = undefined;
    });
    this.#shown = { title, keys, close };
  }

  #close(): void {
    this.#shown?.close();
    this.#shown = undefined;
  }

  #hidden(): readonly PendingRequest[] {
    const when = this.#deps.when();
    if (when === 'never') return [];
    return this.#deps
      .pending()
      .filter((it) => !this.#putOff.has(it.key) && (when === 'always' || !this.#deps.isVisible(it)));
  }
}
