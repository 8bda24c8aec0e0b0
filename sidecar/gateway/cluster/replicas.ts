import { Fault } from '../../platform/faults.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { ReplicaMessage, ReplicaMessages } from '../storage/replicaMessages.ts';

/** How often a replica announces that it serves. */
const SERVE_MS = 1_000;
/** How often a replica that waits for another one's answer checks whether that one still serves. */
export const CHECK_MS = 1_000;
/** How long an answer may take. Asking for events waits for up to ten seconds. */
export const ASK_MS = 15_000;

export interface ReplicasDeps extends Pick<Runtime, 'timers' | 'newId' | 'log'> {
  readonly messages: Pick<ReplicaMessages, 'id' | 'serve' | 'serves' | 'leave' | 'others' | 'send' | 'take'>;
}

/**
 * Requests between replicas. The IDs of events and questions that a replica gives to clients name that replica. If a client sends
 * one to another replica, that one asks the replica that the ID names. Without requests, nothing is written.
 */
export class Replicas {
  readonly id: string;
  readonly #deps: ReplicasDeps;
  readonly #waiting = new Map<string, (body: unknown) => void>();
  #answer: ((body: unknown) => Promise<unknown>) | undefined;
  #taking: Promise<void> | undefined;
  #isMore = false;
  #stopServing: (() => void) | undefined;

  constructor(deps: ReplicasDeps) {
    this.id = deps.messages.id;
    this.#deps = deps;
  }

  /** @param answer to what another replica asks this one */
  listen(answer: (body: unknown) => Promise<unknown>): void {
    this.#answer = answer;
  }

  /** From now on others may ask this replica. @throws {Fault} `unavailable` */
  async start(): Promise<void> {
    await this.#deps.messages.serve();
    this.#stopServing = this.#deps.timers.every(SERVE_MS, () => void this.serve());
  }

  /** Announces that this replica serves. */
  async serve(): Promise<void> {
    await this.#deps.messages
      .serve()
      .catch((thrown: unknown) =>
        this.#deps.log.warn({ thrown }, 'Other replicas cannot be told that this one serves.'),
      );
  }

  async close(): Promise<void> {
    this.#stopServing?.();
    // The caller of `take` gets the failure. It must not prevent the rest of the gateway from closing.
    await this.#taking?.catch(() => undefined);
    // If the database does not respond, the others notice when the lease expires.
    await this.#deps.messages
      .leave()
      .catch((thrown: unknown) =>
        this.#deps.log.warn({ thrown }, 'Other replicas cannot be told that this one stops.'),
      );
  }

  /**
   * Asks another replica, and waits for what it answers.
   *
   * @returns `undefined` if that replica does not serve, or stops while it is asked
   * @throws {Fault} `unavailable` if it or the database does not respond in time
   */
  async ask(replica: string, body: unknown): Promise<unknown> {
    const { messages, newId, timers } = this.#deps;
    const id = newId();
    let stopLimit = () => {};
    let stopChecks = () => {};
    const answered = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, resolve);
      const words = 'Another replica of the gateway does not answer. Retry.';
      stopLimit = timers.after(ASK_MS, () => reject(new Fault('unavailable', words, { data: { retry_after_s: 1 } })));
    });
    answered.catch(() => undefined); // the limit may pass before the message is written
    try {
      if (!(await messages.send(replica, { kind: 'ask', id, from: this.id, body }))) return undefined;
      // A killed replica never answers. This notices it long before the limit.
      stopChecks = timers.every(CHECK_MS, () => void this.#check(replica, id));
      return await answered;
    } finally {
      stopLimit();
      stopChecks();
      this.#waiting.delete(id);
    }
  }

  async #check(replica: string, id: string): Promise<void> {
    const serves = await this.#deps.messages.serves(replica).catch(() => true); // without the database, the limit decides
    if (!serves) this.#waiting.get(id)?.(undefined);
  }

  /** Asks all others at once. @returns the answers that came @throws {Fault} `unavailable` if none came */
  async askOthers(body: unknown): Promise<readonly unknown[]> {
    const others = await this.#deps.messages.others();
    const asked = await Promise.allSettled(others.map((it) => this.ask(it, body)));
    const answers = asked.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []));
    const [failed] = asked.flatMap((it) => (it.status === 'rejected' ? [it] : []));
    if (answers.length === 0 && failed) throw failed.reason;
    return answers;
  }

  /** Takes what others sent. A call during another one makes that one look once more. @throws {Fault} `unavailable` */
  async take(): Promise<void> {
    this.#isMore = true;
    this.#taking ??= this.#takeAll().finally(() => {
      this.#taking = undefined;
    });
    await this.#taking;
  }

  async #takeAll(): Promise<void> {
    while (this.#isMore) {
      this.#isMore = false;
      for (const it of await this.#deps.messages.take()) this.#read(it);
    }
  }

  #read(message: ReplicaMessage): void {
    if (message.kind === 'answer') this.#waiting.get(message.id)?.(message.body);
    else
      this.#reply(message.from, message.id, message.body).catch((thrown: unknown) =>
        this.#deps.log.warn({ thrown }, 'A question of another replica could not be answered.'),
      );
  }

  async #reply(to: string, id: string, body: unknown): Promise<void> {
    if (!this.#answer) return;
    await this.#deps.messages.send(to, { kind: 'answer', id, body: await this.#answer(body) });
  }
}
