import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** One of our own processes of a measurement. */
export interface Child {
  readonly pid: number;
  /** Where it listens; '' for one that does not. */
  readonly url: string;
  /** @throws what its handler threw */
  ask<T>(order: object): Promise<T>;
  close(): Promise<void>;
}

/** An order has a number from 1; what is said under 0 is the child's address, once it is ready. */
interface Said {
  readonly id: number;
  readonly answer?: unknown;
  readonly error?: string;
}
interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (thrown: Error) => void;
}

/** @param entry file of this folder, without `.child.ts` */
export async function startChild(entry: string, ...args: readonly string[]): Promise<Child> {
  const child = fork(join(import.meta.dirname, `${entry}.child.ts`), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, Waiting>();
  let count = 0;
  const ready = new Promise<string>((resolve, reject) => {
    waiting.set(0, { resolve: resolve as Waiting['resolve'], reject });
  });
  child.on('message', (said: Said) => {
    const asked = waiting.get(said.id);
    waiting.delete(said.id);
    if (said.error === undefined) asked?.resolve(said.answer);
    else asked?.reject(new Error(`${entry}: ${said.error}`));
  });
  child.once('exit', (code) => {
    const ended = new Error(`${entry} ended with ${code}`);
    for (const it of waiting.values()) it.reject(ended);
  });
  const url = await ready;
  return {
    pid: child.pid ?? 0,
    url,
    ask<T>(order: object) {
      count += 1;
      return new Promise<T>((resolve, reject) => {
        waiting.set(count, { resolve: resolve as Waiting['resolve'], reject });
        child.send({ id: count, order });
      });
    },
    async close() {
      if (child.exitCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** The child's side. @param url where it listens, if it does */
export function answerOrders<Order>(url: string, handle: (order: Order) => unknown): void {
  const say = (it: Said) => process.send?.(it);
  process.on('message', ({ id, order }: { id: number; order: Order }) => {
    Promise.resolve()
      .then(() => handle(order))
      .then(
        (answer) => say({ id, answer }),
        (thrown: unknown) =>
          say({ id, error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }),
      );
  });
  process.once('disconnect', () => process.exit());
  say({ id: 0, answer: url });
}
