import type { Runtime } from '../../../platform/runtime.ts';
import type { RpcId } from '../../../protocol/gateway/mcpWire.ts';
import type { StreamEvent } from '../../backends/mcp/streamEvent.ts';
import { keyOfCaller } from '../mcpDeps.ts';
import { KeptStream, type Reading } from './keptStream.ts';
import type { SomeEvents } from './peers.ts';
import type { Session } from './sessions.ts';

export interface KeepLimits {
  /** How long a call goes on without a connection, and how long its messages wait for one. */
  readonly keepMs: number;
  /** The total that is kept for the clients of one session. */
  readonly keepBytes: number;
  /** Calls of one key that go on without a connection. */
  readonly keepCalls: number;
}

/** Why the gateway ended a call whose caller had disconnected. The message goes into the call's record. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

/** How long another replica waits for the next event. */
const waitMs = 10_000;
/** The longest time until it asks again while its client is connected. */
const askAgainMs = 5_000;
const maxTakenBytes = 1_000_000;

/** A call that goes on without a connection. */
interface Left {
  readonly session: Session;
  readonly controller: AbortController;
  /** Its answer, if that is a stream that the client can resume. */
  readonly stream: KeptStream | undefined;
  readonly stopLimit: () => void;
}

/**
 * Calls of sessions whose connection broke (MCP 2025-11-25, transports, "Resumability and Redelivery"): a disconnection
 * is no cancellation. The calls continue, and their messages are kept for the client, within limits.
 */
export class KeptCalls {
  readonly replica: string;
  readonly #timers: Runtime['timers'];
  readonly #limits: KeepLimits;
  readonly #streams = new Map<string, KeptStream>();
  /** By key, in the order in which they lost their connection. */
  readonly #left = new Map<string, Map<AbortController, Left>>();
  readonly #kept = new WeakMap<Session, { bytes: number }>();
  #count = 0;

  constructor({ timers }: Pick<Runtime, 'timers'>, limits: KeepLimits, replica: string) {
    this.replica = replica;
    this.#timers = timers;
    this.#limits = limits;
  }

  /** The answer to a call of a session, from now on. */
  keep(
    session: Session,
    requestId: RpcId,
    controller: AbortController,
    source: AsyncIterable<StreamEvent>,
  ): KeptStream {
    this.#count += 1;
    const stream = new KeptStream({
      replica: this.replica,
      id: this.#count.toString(36),
      session,
      controller,
      requestId,
      source,
      kept: this.#keptOf(session),
      maxBytes: this.#limits.keepBytes,
      onLeft: (it) => this.leave(session, controller, it),
      onJoined: (it) => this.#forget(it.session, it.controller),
      onReleased: (it) => {
        this.#streams.delete(it.id);
        this.#forget(it.session, it.controller);
      },
      onTooMuch: (it) => {
        controller.abort(new GivenUp('The caller disconnected, and the call sent more than is kept for it.'));
        it.release();
      },
    });
    this.#streams.set(stream.id, stream);
    return stream;
  }

  /** A stream that a client of this session may resume. */
  find(session: Session, id: string): KeptStream | undefined {
    const stream = this.#streams.get(id);
    return stream?.session === session ? stream : undefined;
  }

  /**
   * The events that followed, for a client of another replica. Waits for a while until there is one. The stream counts as
   * connected until that replica is due to ask again.
   */
  async someOf(stream: KeptStream, after: number): Promise<SomeEvents> {
    const reading = stream.read(after);
    const found = await someEvents(reading, stream, this.#timers);
    if (!found.isOver) this.#timers.after(askAgainMs, () => reading.leave());
    return found;
  }

  /** The connection of a call broke. The call continues for as long as the limits allow. */
  leave(session: Session, controller: AbortController, stream?: KeptStream): void {
    const key = keyOf(session);
    const of = this.#left.get(key) ?? new Map<AbortController, Left>();
    if (of.has(controller) || (!stream && !isUnderWay(session, controller))) return;
    this.#left.set(key, of);
    for (const it of [...of.values()]) if (!it.stream && !isUnderWay(it.session, it.controller)) this.#end(it);
    const [oldest] = of.values();
    if (oldest && of.size >= this.#limits.keepCalls) {
      this.#giveUp(oldest, `The caller disconnected, and ${this.#limits.keepCalls} newer calls of its key did too.`);
    }
    const { keepMs } = this.#limits;
    const left: Left = {
      session,
      controller,
      stream,
      stopLimit: this.#timers.after(keepMs, () =>
        this.#giveUp(left, `The caller disconnected and did not come back within ${keepMs / 1_000} seconds.`),
      ),
    };
    this.#left.set(key, of.set(controller, left));
  }

  /** Drops what was kept for a session that ended. */
  endSession(session: Session): void {
    for (const it of [...(this.#left.get(keyOf(session))?.values() ?? [])]) if (it.session === session) this.#end(it);
  }

  /** Ends all calls without a connection. */
  close(): void {
    for (const of of [...this.#left.values()])
      for (const it of [...of.values()]) this.#giveUp(it, 'The caller disconnected, and then the gateway was stopped.');
  }

  #giveUp(left: Left, why: string): void {
    left.controller.abort(new GivenUp(why)); // has no effect on a call that is over
    this.#end(left);
  }

  #end({ session, controller, stream }: Left): void {
    this.#forget(session, controller);
    stream?.release();
  }

  #forget(session: Session, controller: AbortController): void {
    const key = keyOf(session);
    const of = this.#left.get(key);
    of?.get(controller)?.stopLimit();
    of?.delete(controller);
    if (of?.size === 0) this.#left.delete(key);
  }

  #keptOf(session: Session): { bytes: number } {
    let kept = this.#kept.get(session);
    if (!kept) this.#kept.set(session, (kept = { bytes: 0 }));
    return kept;
  }
}

/** The events that are available, after waiting for a first one for a limited time. */
async function someEvents(
  reading: Reading,
  stream: KeptStream,
  timers: Runtime['timers'],
): Promise<NonNullable<SomeEvents>> {
  const events: NonNullable<SomeEvents>['events'] = [];
  const iterator = reading.events[Symbol.asyncIterator]();
  let stopWaiting = () => {};
  const late = new Promise<undefined>((resolve) => void (stopWaiting = timers.after(waitMs, () => resolve(undefined))));
  let bytes = 0;
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), late]);
      if (!next) return { events, isOver: false };
      if (next.done) return { events, isOver: true };
      const { seq, id, retryMs, data } = next.value;
      events.push({ seq, id, ...(retryMs !== undefined && { retryMs }), data: data.toString() });
      bytes += data.length;
      if (seq >= stream.lastSeq || bytes > maxTakenBytes) return { events, isOver: false };
    }
  } finally {
    stopWaiting();
  }
}

const isUnderWay = ({ inflight }: Session, controller: AbortController): boolean =>
  [...inflight.values()].includes(controller);

const keyOf = ({ caller }: Session): string => keyOfCaller(caller);
