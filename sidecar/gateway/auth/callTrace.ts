import type { Clock } from '../../platform/clock.ts';
import type { EndedTrace } from '../storage/activity/endedCall.ts';
import type { CallContext } from './caller.ts';
import type { HeaderList } from './headerList.ts';

/** What a caller says of its own span (W3C Trace Context, level 1). */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** `tracestate`, to be passed on as it is. */
  readonly state: string | undefined;
}

const PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const NONE = /^0+$/;
const MAX_STATE = 512;
const MAX_MEMBERS = 32;
const MEMBER =
  /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;

/**
 * `undefined` where there is none, several, or one that does not keep to the specification.
 *
 * @param holdsKey whether a text holds the caller's virtual key, which never leaves
 */
export function readTraceParent(
  headers: Pick<HeaderList, 'values'>,
  holdsKey: (text: string) => boolean,
): TraceParent | undefined {
  const [parent, ...others] = headers.values('traceparent');
  const found = parent === undefined || others.length > 0 ? null : PARENT.exec(parent);
  if (!found) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = found;
  if (NONE.test(traceId) || NONE.test(spanId)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
  const state = readState(headers.values('tracestate'));
  return { traceId, spanId, isSampled, state: state !== undefined && holdsKey(state) ? undefined : state };
}

function readState(values: readonly string[]): string | undefined {
  const members = values
    .join(',')
    .split(',')
    .map((it) => it.trim())
    .filter((it) => it !== '');
  const text = members.join(',');
  const isValid = members.length <= MAX_MEMBERS && text.length <= MAX_STATE && members.every((it) => MEMBER.test(it));
  return isValid && text !== '' ? text : undefined;
}

export interface TracingDeps {
  readonly random: (bytes: number) => Uint8Array;
  readonly monotonicMs: () => number;
  /** Of calls whose caller says nothing, how many of them are recorded: 0 to 1. */
  readonly sampleRatio: number;
}

/** Where a call belongs in a trace: a span of its own, and one for what it asks of backends. */
export class CallTrace implements EndedTrace {
  traceId: string;
  readonly spanId: string;
  readonly clientSpanId: string;
  parentSpanId: string | undefined;
  isSampled: boolean;
  #state: string | undefined;
  readonly #monotonicMs: () => number;
  readonly #startedMs: number;
  askedAfterMs: number | undefined;

  constructor({ random, monotonicMs, sampleRatio }: TracingDeps, parent: TraceParent | undefined) {
    const ids = Buffer.from(random(32)).toString('hex');
    this.traceId = parent?.traceId ?? ids.slice(0, 32);
    this.spanId = ids.slice(32, 48);
    this.clientSpanId = ids.slice(48);
    this.parentSpanId = parent?.spanId;
    this.#state = parent?.state;
    this.isSampled = parent?.isSampled ?? Number.parseInt(this.traceId.slice(-8), 16) < sampleRatio * 2 ** 32;
    this.#monotonicMs = monotonicMs;
    this.#startedMs = monotonicMs();
  }

  /**
   * Goes on with the trace that a message itself names, in `_meta` (SEP-414), and which the headers of its transport need
   * not know. Before anything is asked of a backend.
   */
  continueFrom(meta: unknown, holdsKey: (text: string) => boolean): void {
    if (typeof meta !== 'object' || meta === null || !('traceparent' in meta)) return;
    const members = meta as Readonly<Record<string, unknown>>;
    const textOf = (name: string) => (typeof members[name] === 'string' ? [members[name]] : []);
    const parent = readTraceParent({ values: textOf }, holdsKey);
    if (!parent) return;
    this.traceId = parent.traceId;
    this.parentSpanId = parent.spanId;
    this.isSampled = parent.isSampled;
    this.#state = parent.state;
  }

  /** The headers of a request to a backend. */
  headers(): Record<string, string> {
    this.askedAfterMs ??= this.#monotonicMs() - this.#startedMs;
    const traceparent = `00-${this.traceId}-${this.clientSpanId}-${this.isSampled ? '01' : '00'}`;
    return this.#state === undefined ? { traceparent } : { traceparent, tracestate: this.#state };
  }
}

/** Traces the calls of a process. @param sampleRatio of those whose caller decides nothing, from 0 to 1 */
export function tracing(
  { random, clock }: { readonly random: (bytes: number) => Uint8Array; readonly clock: Pick<Clock, 'monotonicMs'> },
  sampleRatio: number,
) {
  const deps = { random, sampleRatio, monotonicMs: () => clock.monotonicMs() };
  return (headers: HeaderList, holdsKey: CallContext['holdsKey']) =>
    new CallTrace(deps, readTraceParent(headers, holdsKey));
}
