import { Fault } from '../../platform/faults.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { ModelRecord } from '../../protocol/gateway/model.ts';
import type { BackendResponse } from '../backends/net/exchange.ts';
import type { BackendChoice } from './backendChoice.ts';

/** One attempt, as it appears in the call record. */
export interface Attempt {
  readonly model_id: string;
  /** HTTP status; absent if there was no response. */
  readonly status?: number;
  readonly error?: string;
}
export interface Answered {
  readonly backend: ModelRecord;
  readonly response: BackendResponse;
}

export interface AttemptDeps extends Pick<Runtime, 'clock' | 'timers'> {
  readonly choice: BackendChoice;
  readonly send: (backend: ModelRecord, signal: AbortSignal) => Promise<BackendResponse>;
}

/** For each call, across all backends. */
const MAX_ATTEMPTS = 3;
/** If the provider asks for a longer wait, the caller gets its response and decides. */
const MAX_WAIT_MS = 5_000;
const FIRST_WAIT_MS = 250;

/**
 * Sends a call until a backend accepts it. A retry goes to another backend if there is one, and otherwise to the same one after a
 * pause. A call is not sent again after any other response than a transient failure.
 *
 * @param attempts to which each attempt is added
 * @throws {Fault} `unavailable`, `rate_limited`; the signal's reason if the caller disconnects
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
      if (waitMs > MAX_WAIT_MS) return given(last);
      await timers.wait(waitMs, signal).catch((thrown: unknown) => {
        discard(last);
        throw signal.aborted ? signal.reason : thrown;
      });
      tried.clear();
      backend = choice.choose(backends, tried);
    }
    discard(last);
    if (!backend) throw allFull();
    tried.add(backend.model_id);
    choice.began(backend);
    const outcome = await tryOne(backend, deps, signal);
    attempts.push({
      model_id: backend.model_id,
      ...(outcome.response && { status: outcome.response.status }),
      ...(outcome.fault && { error: outcome.fault.message }),
    });
    if (!outcome.isTransient) {
      choice.answered(backend);
      return given({ backend, outcome });
    }
    choice.failed(backend, outcome.retryAfterMs);
    last = { backend, outcome };
    if (count === MAX_ATTEMPTS) return given(last);
  }
}

interface Outcome {
  readonly response?: BackendResponse;
  readonly fault?: Fault;
  /** Another attempt may succeed. */
  readonly isTransient: boolean;
  readonly retryAfterMs?: number | undefined;
}

async function tryOne(backend: ModelRecord, { send, clock }: AttemptDeps, signal: AbortSignal): Promise<Outcome> {
  try {
    const response = await send(backend, signal);
    const isTransient = response.status === 429 || response.status >= 500;
    return { response, isTransient, retryAfterMs: retryAfter(response, clock.nowMs()) };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    if (thrown instanceof Fault && thrown.code !== 'unavailable') throw thrown;
    // A timeout is not retried, because another attempt could take as long again.
    const isLate = thrown instanceof Error && 'code' in thrown && thrown.code === 'UND_ERR_HEADERS_TIMEOUT';
    const fault = new Fault(
      'unavailable',
      isLate ? 'The provider did not respond in time.' : 'The provider could not be reached.',
      { cause: thrown },
    );
    return { fault, isTransient: !isLate };
  }
}

function given({ backend, outcome }: { readonly backend: ModelRecord; readonly outcome: Outcome }): Answered {
  if (outcome.response) return { backend, response: outcome.response };
  throw outcome.fault ?? allFull();
}

const discard = (last: { readonly outcome: Outcome } | undefined) => last?.outcome.response?.body.destroy();

/** The wait in milliseconds, from `retry-after-ms` or `Retry-After` (RFC 9110, 10.2.3). */
function retryAfter({ headers }: BackendResponse, nowMs: number): number | undefined {
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
