/** Questions that have a notification: each is shown once, also after a person put it off, until it is open no more. */
export class ShownQuestions<Q extends { readonly id: string }> {
  readonly #open: (question: Q) => () => void;
  /** By id: what closes the notification. */
  readonly #shown = new Map<string, () => void>();

  /** @param open shows one; answers what closes it */
  constructor(open: (question: Q) => () => void) {
    this.#open = open;
  }

  /** These are open now, and no others. */
  show(questions: readonly Q[]): void {
    for (const [id, close] of this.#shown) {
      if (questions.some((it) => it.id === id)) continue;
      this.#shown.delete(id);
      close();
    }
    for (const it of questions) if (!this.#shown.has(it.id)) this.#shown.set(it.id, this.#open(it));
  }

  /** The person closed the notification and answered nothing. */
  putOff(id: string): void {
    if (this.#shown.has(id)) this.#shown.set(id, () => undefined);
  }
}
