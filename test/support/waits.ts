import { inspect } from 'node:util';

/** When the test that runs began and when its time is over, as mocha knows it; without one the process has all the time. */
let current: { readonly beganMs: number; readonly limitMs: () => number } | undefined;
/** A wait that fails by itself does so before mocha ends the test, which knows no reason. */
const headStartMs = 1_500;

// Scripts use the same clients, and have no mocha.
if (typeof globalThis.beforeEach === 'function') {
  globalThis.beforeEach(function () {
    const { currentTest } = this;
    current = { beganMs: performance.now(), limitMs: () => currentTest?.timeout() ?? 0 };
  });
  globalThis.afterEach(() => {
    current = undefined;
  });
}

/**
 * Waits for what messages bring, of a client that is one end of a connection: looked at after each message. A wait in vain
 * fails at once where the connection has ended, else just before the test's own time is over; it names what it waited for
 * and what it saw last.
 */
export class Waits {
  readonly #seen: () => unknown;
  #open: { readonly check: () => void; readonly fail: (why: string) => void }[] = [];
  #endedBecause: string | undefined;

  /** @param seen what came last, for whoever reads why a wait failed */
  constructor(seen: () => unknown) {
    this.#seen = seen;
  }

  /** After each message. */
  look(): void {
    for (const it of [...this.#open]) it.check();
  }

  /** No more messages come. */
  end(reason: string): void {
    this.#endedBecause = reason;
    this.look();
    for (const it of [...this.#open]) it.fail(reason);
  }

  /** Settles when `isTrue` after some message. @param what a sentence that is true then; the code of `isTrue` without one */
  until(isTrue: () => boolean, what = code(isTrue), limitMs = timeLeft()): Promise<void> {
    if (isTrue()) return Promise.resolve();
    const failure = new Error(); // knows the line of the test
    const wait = new Promise<void>((resolve, reject) => {
      const end = () => {
        this.#open = this.#open.filter((it) => it !== entry);
        clearTimeout(limit);
      };
      const fail = (why: string) => {
        end();
        failure.message = stillNotSo(what, why, this.#seen());
        failure.stack = `Error: ${failure.message}\n${failure.stack?.split('\n').slice(1).join('\n')}`;
        reject(failure);
      };
      const check = () => {
        if (!isTrue()) return;
        end();
        resolve();
      };
      const entry = { check, fail };
      const limit =
        limitMs === undefined ? undefined : setTimeout(() => fail(`${Math.round(limitMs)} ms`), limitMs).unref();
      this.#open.push(entry);
      if (this.#endedBecause !== undefined) fail(this.#endedBecause);
    });
    wait.catch(() => undefined); // a test that closes its connection may leave one that nobody awaits
    return wait;
  }
}

/** What a wait in vain says. @param after so many milliseconds, or what ended it */
export function stillNotSo(what: string, after: string, seen: unknown): string {
  const shown = inspect(seen, { depth: 4, breakLength: 120, maxStringLength: 300, maxArrayLength: 20 });
  return `still not so after ${after}: ${what}; last seen: ${shown.slice(0, 2_000)}`;
}

/** `peer.chat(chat).turns.length === 1`, of the function that says so. */
function code(isTrue: () => boolean): string {
  return String(isTrue)
    .replace(/^\(\) =>\s*/, '')
    .replaceAll(/\s+/g, ' ');
}

/** What the running test has left, less a moment, in milliseconds; nothing where none runs or it has all the time. */
export function timeLeft(): number | undefined {
  const limitMs = current?.limitMs() ?? 0;
  if (!current || limitMs === 0) return undefined;
  return Math.max(current.beganMs + limitMs - performance.now() - headStartMs, 100);
}
