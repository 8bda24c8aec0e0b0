import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';
import type { BackendTarget, Pool } from './pool.ts';
import { readBody } from './readBody.ts';

/** For metadata, registration and token answers: an answer of at most 256 KB within 10 s. */
export const smallFetchLimits = { maxBytes: 262_144, timeoutMs: 10_000 } as const;

export interface SmallRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface SmallAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Asks a helper of a backend (an authorization server, say) through the same guard as the backend itself. */
export type SmallFetch = (request: SmallRequest, signal?: AbortSignal) => Promise<SmallAnswer>;

/**
 * @throws {Fault} from the fetch: `forbidden` for an address that is not allowed, `unavailable` for everything else that
 *   goes wrong. Its message names no address.
 */
export function smallFetch(pool: Pool, target: BackendTarget, timers: Pick<Timers, 'deadline'>): SmallFetch {
  return async ({ method, url, headers = {}, body }, signal) => {
    const limit = timers.deadline(smallFetchLimits.timeoutMs);
    const either = signal ? AbortSignal.any([signal, limit]) : limit;
    try {
      const request = { method, url, headers, ...(body !== undefined && { body }) };
      const response = await pool.request(target, request, either);
      const text = await readBody(response.body, smallFetchLimits.maxBytes);
      return { status: response.status, headers: response.headers, text };
    } catch (thrown) {
      if (thrown instanceof Fault) throw thrown;
      signal?.throwIfAborted();
      throw new Fault('unavailable', `A service that '${target.name}' depends on cannot be reached.`, {
        data: { reason: 'unreachable' },
        cause: thrown,
      });
    }
  };
}

/** A published document with keys, or with the address of some. @throws {Fault} `unavailable`, `forbidden` */
export async function keyDocument(fetch: SmallFetch, url: string, signal?: AbortSignal): Promise<unknown> {
  const { text, status } = await fetch({ method: 'GET', url }, signal);
  if (status !== 200) throw new Fault('unavailable', `The key set URL returned HTTP ${status}.`);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Fault('unavailable', 'The key set is not valid JSON.', { cause });
  }
}
