/** Within this many pixels of the end the transcript follows what is written. */
const stickyPixels = 24;
/** Older turns are asked for this far before the top is reached. */
const olderPixels = 400;

/** Keeps the reader's place: at the end while following, otherwise on the words under the eyes. */
export class Scroller {
  readonly #log: HTMLElement;
  readonly #toEnd = document.querySelector<HTMLElement>('#to-end')!;
  readonly #askOlder: () => void;
  #isSticky = true;
  #hasAsked = false;

  constructor(log: HTMLElement, askOlder: () => void) {
    this.#log = log;
    this.#askOlder = askOlder;
    log.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    this.#toEnd.addEventListener('click', () => this.stick());
    const grown = new ResizeObserver(() => this.#follow());
    grown.observe(log);
    for (const child of log.children) grown.observe(child);
  }

  stick(): void {
    this.#isSticky = true;
    this.#follow();
  }

  /** @returns what to call after the change was drawn */
  beforeChange(): () => void {
    const { scrollHeight, scrollTop } = this.#log;
    const first = this.#log.querySelector('.turn');
    return () => {
      const isPrepended = first?.isConnected === true && this.#log.querySelector('.turn') !== first;
      if (this.#isSticky) return this.#follow();
      if (!isPrepended) return;
      this.#hasAsked = false;
      requestAnimationFrame(() => {
        this.#log.scrollTop = scrollTop + (this.#log.scrollHeight - scrollHeight);
      });
    };
  }

  #follow(): void {
    if (this.#isSticky) this.#log.scrollTop = this.#log.scrollHeight;
  }

  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#log;
    this.#isSticky = scrollHeight - scrollTop - clientHeight <= stickyPixels;
    this.#toEnd.hidden = this.#isSticky;
    if (scrollTop > olderPixels) this.#hasAsked = false;
    else if (!this.#hasAsked && !this.#isSticky) {
      this.#hasAsked = true;
      this.#askOlder();
    }
  }
}
