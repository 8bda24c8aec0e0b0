import type { Socket } from 'node:net';
import type { ChannelEnd } from '../../../launch/gateway/gatewayContract.ts';
import { Fault, type FaultCode } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';

interface Failure {
  readonly fault?: FaultCode;
  readonly message: string;
  readonly data?: unknown;
  /** Of an error of the database. */
  readonly code?: unknown;
  readonly errcode?: unknown;
}
type Envelope =
  | { readonly kind: 'ask'; readonly id: number; readonly name: string; readonly args: readonly unknown[] }
  | { readonly kind: 'tell'; readonly name: string; readonly args: readonly unknown[] }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: Failure };

type Side<T> = { readonly [K in keyof T]: (...args: never[]) => unknown };
type Work = (...args: readonly unknown[]) => unknown;
type Args<F> = F extends (...args: infer A) => unknown ? A : never;
type Answer<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never;
interface Handle {
  close(): void;
}
interface Asked {
  readonly resolve: (value: unknown) => void;
  readonly reject: (thrown: Error) => void;
}

/**
 * What two processes of one gateway ask and tell each other. Messages arrive in the order in which they were sent. Those of one
 * turn of the event loop are sent together, because each message costs more than its contents.
 */
export class Channel<Theirs extends Side<Theirs>, Ours extends Side<Ours>> {
  /** When the other side is gone, and everything that it sent was read. */
  readonly closed: Promise<void>;
  readonly #end: ChannelEnd;
  readonly #timers: Pick<Timers, 'soon'>;
  readonly #asked = new Map<number, Asked>();
  /** Rejects for connections that Node.js keeps until the other side has taken an earlier one. */
  readonly #giving = new Set<Asked['reject']>();
  /** Of the last connection that was sent. Node.js closes it once the other side has taken it. */
  #given: Handle | undefined;
  #waiting: Envelope[] = [];
  #count = 0;
  #isClosed = false;

  /** @param onSocket gets connections that the other side {@link give gives} */
  constructor(end: ChannelEnd, ours: Ours, timers: Pick<Timers, 'soon'>, onSocket?: (socket: Socket) => void) {
    this.#end = end;
    this.#timers = timers;
    end.on('message', (message, handle) => {
      if (Array.isArray(message)) for (const it of message as Envelope[]) this.#read(it, ours);
      else if (handle) onSocket?.(handle as Socket);
    });
    this.closed = new Promise((resolve) => {
      const close = () => {
        this.#close();
        resolve();
      };
      end.once('disconnect', close);
      // This alone is emitted if the other side is killed before it takes a connection.
      end.once('close', close);
    });
  }

  /** @throws {Fault} what the other side throws; `unavailable` if it is gone */
  ask<K extends keyof Theirs & string>(name: K, ...args: Args<Theirs[K]>): Promise<Answer<Theirs[K]>> {
    if (this.#isClosed) return Promise.reject(gone());
    this.#count += 1;
    const id = this.#count;
    return new Promise<Answer<Theirs[K]>>((resolve, reject) => {
      this.#asked.set(id, { resolve: resolve as Asked['resolve'], reject });
      this.#put({ kind: 'ask', id, name, args });
    });
  }

  tell<K extends keyof Theirs & string>(name: K, ...args: Args<Theirs[K]>): void {
    this.#put({ kind: 'tell', name, args });
  }

  /** Hands a connection over. @throws if the other side is gone: then it is still ours */
  give(socket: Socket): Promise<void> {
    if (this.#isClosed) return Promise.reject(gone());
    return new Promise((resolve, reject) => {
      const { _handle: handle } = socket as Socket & { readonly _handle?: Handle };
      this.#giving.add(reject);
      this.#end.send?.('connection', socket, undefined, (error) => {
        this.#giving.delete(reject);
        if (error) return reject(error);
        this.#given = handle;
        resolve();
      });
    });
  }

  /** Sends what waits. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    // What cannot be sent any more is for a process that has ended: its questions are rejected when the channel closes.
    if (waiting.length > 0 && !this.#isClosed) this.#end.send?.(waiting, undefined, undefined, () => undefined);
  }

  #close(): void {
    this.#isClosed = true;
    for (const it of this.#asked.values()) it.reject(gone());
    this.#asked.clear();
    for (const reject of this.#giving) reject(gone());
    this.#giving.clear();
    this.#given?.close();
  }

  #put(envelope: Envelope): void {
    this.#waiting.push(envelope);
    if (this.#waiting.length === 1) this.#timers.soon(() => this.flush());
  }

  #read(envelope: Envelope, ours: Ours): void {
    const named = (name: string) => ours[name as keyof Ours] as unknown as Work;
    if (envelope.kind === 'tell') named(envelope.name)(...envelope.args);
    else if (envelope.kind === 'ask') void this.#answer(envelope.id, named(envelope.name), envelope.args);
    else {
      const asked = this.#asked.get(envelope.id);
      this.#asked.delete(envelope.id);
      if (envelope.kind === 'answer') asked?.resolve(envelope.value);
      else asked?.reject(thrownBy(envelope.failure));
    }
  }

  async #answer(id: number, work: Work, args: readonly unknown[]): Promise<void> {
    try {
      this.#put({ kind: 'answer', id, value: await work(...args) });
    } catch (thrown) {
      this.#put({ kind: 'failure', id, failure: failureOf(thrown) });
    }
  }
}

const gone = () => new Fault('unavailable', 'A process of the gateway has ended. Retry.');

function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Fault) return { fault: thrown.code, message: thrown.message, data: thrown.data };
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const { message, code, errcode } = thrown as Error & Pick<Failure, 'code' | 'errcode'>;
  return { message, code, errcode };
}

function thrownBy({ fault, message, data, code, errcode }: Failure): Error {
  return fault ? new Fault(fault, message, { data }) : Object.assign(new Error(message), { code, errcode });
}
