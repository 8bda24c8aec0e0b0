/** Within this many pixels of the end the transcript follows what is written. */
const stickyPixels = 24;
/** Older turns are asked for this far before the top is reached. */
const olderPixels = 400;
/** A scroll this long after a key or a turn of the wheel is still its doing: browsers scroll smoothly. */
const inputMs = 500;
/** So many frames after it was drawn anew a transcript is as high as it stays. */
const settlingFrames = 12;
/** Keys that scroll, or move the focus and scroll with it. */
const scrollKeys: ReadonlySet<string> = new Set([
  'PageUp',
  'PageDown',
  'Home',
  'End',
  'ArrowUp',
  'ArrowDown',
  ' ',
  'Tab',
]);

/** Keeps the reader's place: at the end while following, otherwise on the words under the eyes. */
export class Scroller {
  readonly #log: HTMLElement;
  readonly #toEnd = document.querySelector<HTMLElement>('#to-end')!;
  readonly #askOlder: () => void;
  #isSticky = true;
  #hasAsked = false;
  #last = { scrollTop: 0, scrollHeight: 0, clientHeight: 0 };
  /** When a person last did what scrolls, on the clock of events; for as long as a pointer is down, it is now. */
  #inputAt = Number.NEGATIVE_INFINITY;
  #isHeld = false;
  /** Something was drawn since the last two frames. */
  #isDrawn = false;

  constructor(log: HTMLElement, askOlder: () => void) {
    this.#log = log;
    this.#askOlder = askOlder;
    log.addEventListener('scroll', (event) => this.#scrolled(event), { passive: true });
    this.#toEnd.addEventListener('click', () => this.stick());
    this.#noticeInput();
    this.#setSticky(true);
    const grown = new ResizeObserver(() => {
      this.#drew();
      this.#follow();
    });
    grown.observe(log);
    for (const child of log.children) grown.observe(child);
  }

  get isAtEnd(): boolean {
    return this.#isSticky;
  }

  stick(): void {
    this.#setSticky(true);
    this.#follow();
  }

  /** Leaves the end for a turn, or a part of one. */
  show(part: HTMLElement): void {
    if (this.#isWhole) return;
    this.#setSticky(false);
    part.scrollIntoView({ block: 'start' });
    // What is near it has its real height only now.
    requestAnimationFrame(() => part.scrollIntoView({ block: 'start' }));
  }

  /** Leaves the end for a place, which comes into the middle. */
  center(boxOf: () => DOMRect): void {
    if (this.#isWhole) return;
    this.#setSticky(false);
    const move = () => {
      const log = this.#log.getBoundingClientRect();
      const box = boxOf();
      this.#log.scrollTop += box.top + box.height / 2 - (log.top + log.height / 2);
    };
    move();
    // What is near it has its real height only now.
    requestAnimationFrame(move);
  }

  /** All of the transcript is in sight. */
  get #isWhole(): boolean {
    return this.#log.scrollHeight - this.#log.clientHeight <= stickyPixels;
  }

  /** Where a person reads; nothing while the end is followed. */
  place(): Anchor | undefined {
    const anchor = this.#isSticky ? undefined : this.#anchor();
    return anchor && { element: anchor.element, top: anchor.top - this.#log.getBoundingClientRect().top };
  }

  /** @param top how far the turn begins below the top edge */
  keepAt(element: HTMLElement, top: number): void {
    this.#setSticky(false);
    const inputAt = this.#inputAt;
    let frames = 0;
    // Rows get their words and their real heights over some frames. A person who scrolls meanwhile goes where they want.
    const restore = () => {
      if (this.#isSticky || this.#inputAt !== inputAt || !element.isConnected) return;
      this.#restore({ element, top: this.#log.getBoundingClientRect().top + top });
      if (++frames < settlingFrames) requestAnimationFrame(restore);
    };
    restore();
  }

  /** @returns what to call after the change was drawn */
  beforeChange(isOrder: boolean): () => void {
    const anchor = this.#isSticky || !isOrder ? undefined : this.#anchor();
    this.#drew();
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

  #noticeInput(): void {
    const noticed = (event: Event) => {
      this.#inputAt = event.timeStamp;
    };
    const hold = (isHeld: boolean) => (event: Event) => {
      // A press of a button scrolls nothing: what moves then is what the button did.
      const isScroll = isHeld ? !(event.target as Element).closest('button, a, summary, label, input') : this.#isHeld;
      this.#isHeld = isHeld && isScroll;
      if (isScroll) noticed(event);
    };
    for (const type of ['wheel', 'touchmove']) this.#log.addEventListener(type, noticed, { passive: true });
    // The scroll bar is part of the log: a pointer that drags it went down there, and may come up anywhere.
    this.#log.addEventListener('pointerdown', hold(true), { passive: true });
    for (const type of ['pointerup', 'pointercancel']) window.addEventListener(type, hold(false), { passive: true });
    document.addEventListener('keydown', (event) => {
      if (scrollKeys.has(event.key)) noticed(event);
    });
  }

  #drew(): void {
    if (this.#isDrawn) return;
    this.#isDrawn = true;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        this.#isDrawn = false;
      }),
    );
  }

  #scrolled(event: Event): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#log;
    const last = this.#last;
    this.#last = { scrollTop, scrollHeight, clientHeight };
    // Only a person goes up. Text that goes away and text that comes move it too, also within one frame, after which the
    // heights say nothing. A jump that no input explains while nothing was drawn is that of a search.
    const isResized = scrollHeight !== last.scrollHeight || clientHeight !== last.clientHeight;
    const isByInput = this.#isHeld || event.timeStamp - this.#inputAt < inputMs;
    const isByPerson = isByInput || !(isResized || this.#isDrawn);
    if (scrollHeight - scrollTop - clientHeight <= stickyPixels) this.#setSticky(true);
    else if (scrollTop < last.scrollTop && isByPerson) this.#setSticky(false);
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
