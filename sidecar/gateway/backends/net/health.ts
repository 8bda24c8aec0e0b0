import { Fault } from '../../../platform/faults.ts';
import type { BackendTarget, Pool } from './pool.ts';

/** `status` and `health_check_error` of a record (completion 1.7). The words hold no address and no text of the backend. */
export interface Health {
  readonly status: 'healthy' | 'unhealthy';
  readonly error?: string;
}

const limitMs = 5_000;

/**
 * Whether a backend answers over HTTP at all: any status below 500 is an answer, so that no credential is needed.
 * @param signal ends the wait earlier than the 5 s it may take
 */
export async function checkHealth(
  pool: Pool,
  target: BackendTarget,
  url: string,
  signal: AbortSignal,
): Promise<Health> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  try {
    const request = { method: 'GET', url, headers: { accept: '*/*' }, isLongLived: true };
    const response = await pool.request(target, request, either);
    response.body.destroy();
    return response.status < 500 ? { status: 'healthy' } : { status: 'unhealthy', error: `HTTP ${response.status}` };
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof Fault) return { status: 'unhealthy', error: thrown.message };
    return { status: 'unhealthy', error: either.aborted ? `no answer within ${limitMs / 1000} s` : codeOf(thrown) };
  }
}

/** `ECONNREFUSED` and its like say enough; messages of the client hold addresses. */
function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' && /^[A-Z_0-9]+$/.test(code) ? code : 'no connection';
}
