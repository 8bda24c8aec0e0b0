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
 * fails just before the test's own time is over, and names what it waited for and what it saw last.
 */
export class Waits {
  readonly #seen: () => unknown;
  #checks: (() => void)[] = [];

  /** @param seen what came last, for whoever reads why a wait failed */
  constructor(seen: () => unknown) {
    this.#seen = seen;
  }

  /** After each message. */
  look(): void {
    for (const check of [...this.#checks]) check();
  }

  /** Settles when `isTrue` after some message. @param what a sentence that is true then; the code of `isTrue` without one */
  until(isTrue: () => boolean, what = code(isTrue), limitMs = timeLeft()): Promise<void> {
    if (isTrue()) return Promise.resolve();
    const failure = new Error(); // knows the line of the test
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#checks = this.#checks.filter((it) => it !== check);
        clearTimeout(limit);
      };
      const check = () => {
        if (!isTrue()) return;
        end();
        resolve();
      };
      const limit =
        limitMs === undefined
          ? undefined
          : setTimeout(() => {
              end();
              failure.message = stillNotSo(what, limitMs, this.#seen());
              failure.stack = `Error: ${failure.message}\n${failure.stack?.split('\n').slice(1).join('\n')}`;
              reject(failure);
            }, limitMs).unref();
      this.#checks.push(check);
    });
  }
}

/** What a wait in vain says. */
export function stillNotSo(what: string, afterMs: number, seen: unknown): string {
  const shown = inspect(seen, { depth: 4, breakLength: 120, maxStringLength: 300, maxArrayLength: 20 });
  return `still not so after ${Math.round(afterMs)} ms: ${what}; last seen: ${shown.slice(0, 2_000)}`;
}

/** `peer.chat(chat).turns.length === 1`, of the function that says so. */
function code(isTrue: () => boolean): string {
  return String(isTrue)
    .replace(/^\(\) =>\s*/, '')
    .replaceAll(/\s+/g, ' ');
}

function timeLeft(): number | undefined {
  const limitMs = current?.limitMs() ?? 0;
  if (!current || limitMs === 0) return undefined;
  return Math.max(current.beganMs + limitMs - performance.now() - headStartMs, 100);
}
