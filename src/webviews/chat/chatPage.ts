import type { ChatToPage, ModelMessage } from '../contract/chat.ts';
import type { ChatModel } from '../contract/chatModel.ts';
import { lastTurns, toPatch } from './chatPatch.ts';

export interface ChatPageDeps {
  /** Gives the page to the editor, with its first model if that is known. */
  readonly show: (first: ModelMessage | undefined) => void;
  readonly post: (message: ChatToPage) => void;
  readonly model: () => ChatModel;
  /** What the page is for is known: what it draws now stays, and is not soon replaced. */
  readonly isThere: () => boolean;
  /** A hidden page gets nothing: it would be lost, and drawn for nobody. */
  readonly isVisible: () => boolean;
  readonly strings: Readonly<Record<string, string>> | undefined;
  /** Runs `work` once after `delayMs`. */
  readonly schedule: (work: () => void, delayMs: number) => { dispose(): void };
}

const frameMs = 16;
/** The editor takes longer than this to create the place for a page, so waiting for the first model delays nothing. */
const patienceMs = 50;

/**
 * Keeps one page up to date. The page first gets only the turns that it shows, even before it asks. When it asks, it gets the earlier
 * turns, and after that each change, at most once per frame. A page that has no model when it asks gets the whole model.
 */
export class ChatPage {
  readonly #deps: ChatPageDeps;
  #seq = 0;
  /** What the page holds; `undefined` before its first model. */
  #sent: ChatModel | undefined;
  #timer: { dispose(): void } | undefined;
  /**
   * `waiting`: the editor does not have the page yet. `due`: it gets the page in the next task. `loading`: the editor keeps messages until the page can receive them.
   * `early`: the page got a model before it asked for one.
   */
  #state: 'closed' | 'waiting' | 'due' | 'loading' | 'early' | 'asked' = 'closed';

  constructor(deps: ChatPageDeps) {
    this.#deps = deps;
  }

  /**
   * Shows the page with its first model, so that the page draws the chat at once. A model that takes longer is posted as soon as
   * it is available, without waiting for the page to ask.
   * @param canWait whether its place is still empty
   */
  begin(canWait: boolean): void {
    if (!canWait) return this.#show();
    this.#state = 'waiting';
    if (this.#deps.isThere()) this.#showSoon();
    else this.#showAfter(patienceMs);
  }

  /** Never immediately: the editor gets the place for the page first, because the page is large. */
  #showSoon(): void {
    this.#state = 'due';
    this.#showAfter(0);
  }

  #showAfter(delayMs: number): void {
    this.#timer?.dispose();
    this.#timer = this.#deps.schedule(() => {
      this.#timer = undefined;
      this.#show();
    }, delayMs);
  }

  #show(): void {
    const hasModel = this.#deps.isThere() && this.#deps.isVisible();
    this.#state = hasModel ? 'early' : 'loading';
    this.#deps.show(hasModel ? this.#next(lastTurns) : undefined);
  }

  /** The page is new, or missed something. */
  ready(): void {
    const hasModel = this.#state === 'early';
    this.#state = 'asked';
    if (hasModel) this.changed();
    else this.#deps.post(this.#next());
  }

  /** @param partOf selects the part of the model that the page gets */
  #next(partOf = (whole: ChatModel) => whole): ModelMessage {
    const model = partOf(this.#deps.model());
    const { strings } = this.#deps;
    this.#seq++;
    this.#sent = model;
    return { type: 'model', seq: this.#seq, model, ...(strings && { strings }) };
  }

  /** Something that the model is made of changed. Also called when the page becomes visible again. */
  changed(): void {
    if (this.#state === 'waiting' && this.#deps.isThere()) this.#showSoon();
    if (this.#state === 'waiting' || this.#state === 'due') return;
    if (this.#state === 'loading' || this.#state === 'early') this.#changedEarly();
    if (!this.#sent || this.#timer || !this.#deps.isVisible()) return;
    this.#timer = this.#deps.schedule(() => {
      this.#timer = undefined;
      this.#flush();
    }, frameMs);
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#sent = undefined;
  }

  #changedEarly(): void {
    if (!this.#deps.isVisible()) {
      // Messages to it may be lost, and the model in it becomes outdated. When the page is shown again, it is empty and asks.
      if (this.#state === 'early') this.#deps.show(undefined);
      this.#state = 'asked';
      this.#sent = undefined;
    } else if (this.#state === 'loading' && this.#deps.isThere()) {
      this.#state = 'early';
      this.#deps.post(this.#next(lastTurns));
    }
  }

  #flush(): void {
    if (!this.#sent || !this.#deps.isVisible()) return;
    const whole = this.#deps.model();
    const model = this.#state === 'asked' ? whole : lastTurns(whole);
    // Rows of two chats may have the same ids: one is a copy of the other.
    const [before, now] = [this.#sent.head.chat, model.head.chat];
    if (before !== undefined && now !== undefined && before !== now) return this.#deps.post(this.#next());
    const patch = toPatch(this.#sent, model);
    this.#sent = model;
    if (!patch) return;
    this.#seq++;
    this.#deps.post({ type: 'patch', seq: this.#seq, ...patch });
  }
}
