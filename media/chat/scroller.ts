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
  #last = { scrollTop: 0, scrollHeight: 0, clientHeight: 0 };

  constructor(log: HTMLElement, askOlder: () => void) {
    this.#log = log;
    this.#askOlder = askOlder;
    log.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    this.#toEnd.addEventListener('click', () => this.stick());
    this.#setSticky(true);
    const grown = new ResizeObserver(() => this.#follow());
    grown.observe(log);
    for (const child of log.children) grown.observe(child);
  }

  stick(): void {
    this.#setSticky(true);
    this.#follow();
  }

  /** @returns what to call after the change was drawn */
  beforeChange(isOrder: boolean): () => void {
    const anchor = this.#isSticky || !isOrder ? undefined : this.#anchor();
    return () => {
      if (this.#isSticky) return this.#follow();
      if (!anchor) return;
      this.#hasAsked = false;
      // The browser's own anchoring does nothing at the very top; it takes over when estimated heights become real.
      this.#restore(anchor);
    };
  }

  /** The turn at the top edge, and where it is. */
  #anchor(): Anchor | undefined {
    const top = this.#log.getBoundingClientRect().top;
    for (const element of this.#log.querySelectorAll('.turn')) {
      const box = element.getBoundingClientRect();
      if (box.bottom > top) return { element, top: box.top };
    }
    return undefined;
  }

  #restore({ element, top }: Anchor): void {
    if (element.isConnected) this.#log.scrollTop += element.getBoundingClientRect().top - top;
  }

  #follow(): void {
    if (this.#isSticky) this.#log.scrollTop = this.#log.scrollHeight;
  }

  #setSticky(isSticky: boolean): void {
    this.#isSticky = isSticky;
    this.#toEnd.hidden = isSticky;
    this.#log.classList.toggle('is-following', isSticky);
  }

  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#log;
    const last = this.#last;
    this.#last = { scrollTop, scrollHeight, clientHeight };
    // Only a person goes up. Where the text shrank or the field below it did, the browser moved it; where it grew, the
    // end moved away without anyone wanting to stay behind.
    const isMoved = scrollHeight < last.scrollHeight || clientHeight > last.clientHeight;
    if (scrollHeight - scrollTop - clientHeight <= stickyPixels) this.#setSticky(true);
    else if (scrollTop < last.scrollTop && !isMoved) this.#setSticky(false);
    if (scrollTop > olderPixels) this.#hasAsked = false;
    else if (!this.#hasAsked && !this.#isSticky) {
      this.#hasAsked = true;
      this.#askOlder();
    }
  }
}

interface Anchor {
  readonly element: Element;
  readonly top: number;
}
