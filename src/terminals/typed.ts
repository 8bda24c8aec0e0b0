export interface TypedDeps {
  /** `undefined` while it is not known who holds the terminal: its state has not come yet. */
  readonly mayType: () => boolean | undefined;
  readonly send: (data: string) => void;
  /** Shows that somebody else types here. */
  readonly refuse: () => void;
}

/** Keys on their way to a terminal of the host. What is typed before its state came waits for it, in order. */
export class Typed {
  readonly #deps: TypedDeps;
  #waiting = '';
  #isRefused = false;

  constructor(deps: TypedDeps) {
    this.#deps = deps;
  }

  type(data: string): void {
    this.#waiting += data;
    this.release();
  }

  /** Call it when the state of the terminal may have come. */
  release(): void {
    const mayType = this.#deps.mayType();
    if (mayType === undefined || this.#waiting === '') return;
    const data = this.#waiting;
    this.#waiting = '';
    if (mayType) this.#deps.send(data);
    else if (!this.#isRefused) this.#deps.refuse();
    // Said once, and again when it was the person's turn in between.
    this.#isRefused = !mayType;
  }
}
