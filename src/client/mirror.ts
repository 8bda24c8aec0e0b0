import { channelOf } from '../../sidecar/protocol/channels/index.ts';
import { judgeAction } from '../../sidecar/protocol/channels/judgeAction.ts';
import type { ActionEnvelope, AnyAction } from '../../sidecar/protocol/envelope.ts';

export interface MirrorOptions {
  readonly uri: string;
  readonly clientId: string;
  readonly now: () => string;
}

/** What came of an envelope. `needsSnapshot`: a known action was malformed, so this mirror is not to be trusted. */
export type Received = 'changed' | 'unchanged' | 'buffered' | 'needsSnapshot';

interface Expected {
  readonly clientSeq: number;
  readonly action: AnyAction;
  readonly at: string;
}

/**
 * The host's state of one channel as this client knows it: what the host said, plus our own actions that it has not
 * answered yet. Until a snapshot came, and after a break until the next one, envelopes are kept aside.
 */
export class ChannelMirror<S> {
  readonly #options: MirrorOptions;
  readonly #definition: NonNullable<ReturnType<typeof channelOf>>;
  #confirmed: S | undefined;
  #serverSeq = 0;
  #expected: readonly Expected[] = [];
  #shown: { readonly state: S | undefined } | undefined;
  /** Present while a snapshot is awaited. */
  #buffered: ActionEnvelope[] | undefined = [];

  /** @throws for a URI of no channel in the table */
  constructor(options: MirrorOptions) {
    const definition = channelOf(options.uri);
    if (!definition) throw new Error(`no channel has such a URI: ${options.uri}`);
    this.#options = options;
    this.#definition = definition;
  }

  /** `undefined` until the first snapshot. Computed once for each change, so reading it is free. */
  get shown(): S | undefined {
    this.#shown ??= { state: this.#withExpected() };
    return this.#shown.state;
  }

  /** What the host said, without what we expect. */
  get confirmed(): S | undefined {
    return this.#confirmed;
  }

  get isAwaitingSnapshot(): boolean {
    return this.#buffered !== undefined;
  }

  /**
   * From now on envelopes wait for the next snapshot; what is shown stays. What was kept for an earlier one is let go:
   * the next one contains it, or is of a host that starts to count anew.
   */
  awaitSnapshot(): void {
    for (const { origin } of this.#buffered ?? []) {
      if (origin?.clientId === this.#options.clientId) this.forget(origin.clientSeq);
    }
    this.#buffered = [];
  }

  /** Takes a snapshot and what arrived for it meanwhile. Answers `needsSnapshot` when a buffered action was malformed. */
  reset(snapshot: { readonly state: S; readonly fromSeq: number }): Received {
    const buffered = this.#buffered ?? [];
    this.#buffered = undefined;
    this.#confirmed = snapshot.state;
    this.#serverSeq = snapshot.fromSeq;
    this.#shown = undefined;
    // All of them, also after a malformed one: a receipt among the rest must not be lost.
    const received = buffered.map((it) => this.receive(it));
    return received.includes('needsSnapshot') ? 'needsSnapshot' : 'changed';
  }

  /** The channel is no more: nothing is shown. */
  clear(): void {
    this.#confirmed = undefined;
    this.#expected = [];
    this.#shown = undefined;
    this.awaitSnapshot();
  }

  expect(clientSeq: number, action: AnyAction): void {
    this.#expected = [...this.#expected, { clientSeq, action, at: this.#options.now() }];
    this.#shown = undefined;
  }

  /** Takes an expected action back: the host refused it or never knew it. */
  forget(clientSeq: number): boolean {
    const left = this.#expected.filter((it) => it.clientSeq !== clientSeq);
    if (left.length === this.#expected.length) return false;
    this.#expected = left;
    this.#shown = undefined;
    return true;
  }

  /** Applies one envelope of this channel, in the order in which they came. */
  receive(envelope: ActionEnvelope): Received {
    if (this.#buffered) {
      this.#buffered.push(envelope);
      return 'buffered';
    }
    const { serverSeq, action, _meta, origin, rejectionReason } = envelope;
    // A receipt counts even when the snapshot already contains the action: the host repeats it for what was sent twice.
    const answered = origin?.clientId === this.#options.clientId && this.forget(origin.clientSeq);
    const unapplied = answered ? 'changed' : 'unchanged';
    if (serverSeq <= this.#serverSeq) return unapplied;
    this.#serverSeq = serverSeq;
    if (rejectionReason !== undefined) return unapplied;
    const { verdict } = judgeAction(this.#definition, action);
    if (verdict === 'malformed') {
      this.awaitSnapshot();
      return 'needsSnapshot';
    }
    if (verdict === 'unknown') return unapplied; // of a newer host: what we understand stays right
    const before = this.#confirmed;
    this.#confirmed = this.#reduce(before as S, action, _meta?.at ?? this.#options.now());
    if (this.#confirmed === before) return unapplied;
    this.#shown = undefined;
    return 'changed';
  }

  #withExpected(): S | undefined {
    let state = this.#confirmed;
    if (state === undefined) return undefined;
    for (const it of this.#expected) state = this.#reduce(state, it.action, it.at);
    return state;
  }

  #reduce(state: S, action: AnyAction, now: string): S {
    const reduced = this.#definition.reduce(state, action, { now }) as S;
    return this.#definition.settle ? (this.#definition.settle(reduced) as S) : reduced;
  }
}
