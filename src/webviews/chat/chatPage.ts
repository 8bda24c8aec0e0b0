import type { ChatToPage } from '../contract/chat.ts';
import type { ChatModel } from '../contract/chatModel.ts';
import { toPatch } from './chatPatch.ts';

export interface ChatPageDeps {
  readonly post: (message: ChatToPage) => void;
  readonly model: () => ChatModel;
  /** A hidden page gets nothing: it would be lost, and drawn for nobody. */
  readonly isVisible: () => boolean;
  readonly strings: Readonly<Record<string, string>> | undefined;
  /** Runs `work` once after `delayMs`. */
  readonly schedule: (work: () => void, delayMs: number) => { dispose(): void };
}

const frameMs = 16;

/** Keeps one page right: the whole model when it asks, afterwards what changed, at most once a frame. */
export class ChatPage {
  readonly #deps: ChatPageDeps;
  #seq = 0;
  /** What the page holds; `undefined` until it asked. */
  #sent: ChatModel | undefined;
  #timer: { dispose(): void } | undefined;

  constructor(deps: ChatPageDeps) {
    this.#deps = deps;
  }

  /** The page is new, or missed something. */
  ready(): void {
    const model = this.#deps.model();
    const { strings } = this.#deps;
    this.#seq++;
    this.#sent = model;
    this.#deps.post({ type: 'model', seq: this.#seq, model, ...(strings && { strings }) });
  }

  /** Something that the model is made of changed. Also called when the page becomes visible again. */
  changed(): void {
    if (!this.#sent || this.#timer || !this.#deps.isVisible()) return;
    this.#timer = this.#deps.schedule(() => {
      this.#timer = undefined;
      this.#flush();
    }, frameMs);
  }

  /** The page was thrown away with its contents: nothing is sent until the next one asks. */
  forget(): void {
    this.#sent = undefined;
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#sent = undefined;
  }

  #flush(): void {
    if (!this.#sent || !this.#deps.isVisible()) return;
    const model = this.#deps.model();
    // Rows of two chats may have the same ids: one is a copy of the other.
    const [before, now] = [this.#sent.head.chat, model.head.chat];
    if (before !== undefined && now !== undefined && before !== now) return this.ready();
    const patch = toPatch(this.#sent, model);
    this.#sent = model;
    if (!patch) return;
    this.#seq++;
    this.#deps.post({ type: 'patch', seq: this.#seq, ...patch });
  }
}
