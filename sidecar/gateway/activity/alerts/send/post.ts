import { Fault } from '../../../../platform/faults.ts';
import type { Timers } from '../../../../platform/timers.ts';
import { reachWords } from '../../../backends/net/health.ts';
import type { BackendTarget, Pool } from '../../../backends/net/pool.ts';
import { notSent, SEND_MS, type Sent, sent } from './sent.ts';

export interface PostDeps {
  readonly pool: Pick<Pool, 'request'>;
  readonly timers: Pick<Timers, 'deadline'>;
}

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Statuses of 4xx that may be another one the next time. */
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Posts JSON. The receiver has it if it answers 2xx. */
export async function post(
  { pool, timers }: PostDeps,
  target: BackendTarget,
  { url, headers, body }: Post,
  signal: AbortSignal,
): Promise<Sent> {
  const limit = timers.deadline(SEND_MS);
  try {
    const request = { method: 'POST', url, headers: { 'content-type': 'application/json', ...headers }, body };
    const response = await pool.request(target, request, AbortSignal.any([signal, limit]));
    response.body.destroy();
    const { status } = response;
    if (status >= 200 && status < 300) return sent;
    return notSent(`The receiver returned HTTP ${status}.`, status >= 300 && status < 500 && !passing.has(status));
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof Fault) return notSent(thrown.message, thrown.code === 'forbidden');
    return notSent(limit.aborted ? `The receiver did not answer within ${SEND_MS / 1_000} s.` : reachWords(thrown));
  }
}
