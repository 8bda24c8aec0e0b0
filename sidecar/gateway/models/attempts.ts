import { Fault } from '../../platform/faults.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { ModelRecord } from '../../protocol/gateway/model.ts';
import type { FlowingResponse } from '../backends/net/exchange.ts';
import type { BackendChoice } from './backendChoice.ts';

/** One try, as the record of the call keeps it. */
export interface Attempt {
  readonly model_id: string;
  /** Of the answer; absent where there was none. */
  readonly status?: number;
  readonly error?: string;
}
export interface Answered {
  readonly backend: ModelRecord;
  readonly response: FlowingResponse;
  readonly attempts: readonly Attempt[];
}

export interface AttemptDeps extends Pick<Runtime, 'clock' | 'timers'> {
  readonly choice: BackendChoice;
  readonly send: (backend: ModelRecord, signal: AbortSignal) => Promise<FlowingResponse>;
}

/** So often is a call sent, wherever it goes. */
const MAX_ATTEMPTS = 3;
/** Nobody waits longer in here: the caller gets the provider's answer, and decides. */
const MAX_WAIT_MS = 5_000;
const FIRST_WAIT_MS = 250;

/**
 * Sends a call until somebody takes it: to another backend where there is one, else again to the same after a pause. Nothing is
 * sent again once an answer has begun that is no refusal for the moment.
 *
 * @param attempts to which each is added
 * @throws {Fault} `unavailable`, `rate_limited`; the signal's reason where the caller left
 */
export async function attempt(
  backends: readonly ModelRecord[],
  deps: AttemptDeps,
  signal: AbortSignal,
  attempts: Attempt[],
): Promise<Answered> {
  const { choice, timers } = deps;
  const tried = new Set<string>();
  let last: { readonly backend: ModelRecord; readonly outcome: Outcome } | undefined;
  for (let count = 1; ; count += 1) {
    let backend = choice.choose(backends, tried);
    if (!backend && last) {
      const waitMs = last.outcome.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (count - 2);
      if (waitMs > MAX_WAIT_MS) return given(last, attempts);
      await timers.wait(waitMs, signal).catch((thrown: unknown) => {
        discard(last);
        throw signal.aborted ? signal.reason : thrown;
      });
      tried.clear();
      backend = choice.choose(backends, tried);
    }
    if (!backend) {
      discard(last);
      throw allFull();
    }
    discard(last);
    tried.add(backend.model_id);
    choice.began(backend);
    const outcome = await tryOne(backend, deps, signal);
    attempts.push({
      model_id: backend.model_id,
      ...(outcome.response && { status: outcome.response.status }),
      ...(outcome.fault && { error: outcome.fault.message }),
    });
    if (!outcome.isPassing) {
      choice.answered(backend);
      return given({ backend, outcome }, attempts);
    }
    choice.failed(backend, outcome.retryAfterMs);
    last = { backend, outcome };
    if (count === MAX_ATTEMPTS) return given(last, attempts);
  }
}

interface Outcome {
  readonly response?: FlowingResponse;
  readonly fault?: Fault;
  /** It may go well elsewhere, or in a moment. */
  readonly isPassing: boolean;
  readonly retryAfterMs?: number | undefined;
}

async function tryOne(backend: ModelRecord, { send, clock }: AttemptDeps, signal: AbortSignal): Promise<Outcome> {
  try {
    const response = await send(backend, signal);
    const isPassing = response.status === 429 || response.status >= 500;
    return { response, isPassing, retryAfterMs: retryAfter(response, clock.nowMs()) };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    if (thrown instanceof Fault && thrown.code !== 'unavailable') throw thrown;
    // It was on its way for as long as it may be: once more would take as long again.
    const isLate = thrown instanceof Error && 'code' in thrown && thrown.code === 'UND_ERR_HEADERS_TIMEOUT';
    const fault = new Fault(
      'unavailable',
      isLate ? 'The provider did not respond in time.' : 'The provider could not be reached.',
      { cause: thrown },
    );
    return { fault, isPassing: !isLate };
  }
}

function given({ backend, outcome }: { backend: ModelRecord; outcome: Outcome }, attempts: readonly Attempt[]) {
  if (outcome.response) return { backend, response: outcome.response, attempts };
  throw outcome.fault ?? allFull();
}

const discard = (last: { readonly outcome: Outcome } | undefined) => last?.outcome.response?.body.destroy();

/** In milliseconds or seconds, or a date. */
function retryAfter({ headers }: FlowingResponse, nowMs: number): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (exact >= 0) return exact;
  const text = headers['retry-after'];
  if (typeof text !== 'string' || text === '') return undefined;
  const ms = Number(text) >= 0 ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

const allFull = () =>
  new Fault('rate_limited', 'All backends of this model have reached their limits for this minute. Try again later.', {
    data: { field: 'model' },
  });
