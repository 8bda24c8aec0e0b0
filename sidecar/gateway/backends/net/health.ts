import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';
import type { BackendTarget, Pool } from './pool.ts';

/** `status` and `health_check_error` of a record. The error has no address and no text of the backend. */
export interface Health {
  readonly status: 'healthy' | 'unhealthy';
  readonly error?: string;
}

/** What an answer may take. */
export const healthLimitMs = 5_000;
export const lateWords = `No response within ${healthLimitMs / 1000} s. The server may be busy or behind a firewall.`;

/**
 * Whether a backend answers over HTTP at all, with no credential: a status below 500 that leads to no other address.
 * @param signal ends the wait earlier than the 5 s it may take
 */
export async function checkHealth(
  pool: Pool,
  target: BackendTarget,
  url: string,
  signal: AbortSignal,
  timers: Pick<Timers, 'deadline'>,
): Promise<Health> {
  const either = AbortSignal.any([signal, timers.deadline(healthLimitMs)]);
  try {
    const request = { method: 'GET', url, headers: { accept: '*/*' }, isLongLived: true };
    const response = await pool.request(target, request, either);
    response.body.destroy();
    const { status } = response;
    if (status < 300 || (status >= 400 && status < 500)) return { status: 'healthy' };
    return { status: 'unhealthy', error: statusWords(status) };
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof Fault) return { status: 'unhealthy', error: thrown.message };
    return { status: 'unhealthy', error: either.aborted ? lateWords : reachWords(thrown) };
  }
}

/** What a status says that is no answer of the protocol. */
export function statusWords(status: number): string {
  if (status >= 300 && status < 400)
    return `The server returned HTTP ${status}, a redirect. Register the URL that it redirects to.`;
  if (status >= 500) return `The server returned HTTP ${status}. See its log for the reason.`;
  return `The server returned HTTP ${status}. Check the URL and the transport.`;
}

const wrongName = 'The hostname was not found. Check the URL.';
const noWay = 'The server cannot be reached. Check the network or VPN connection.';
const noTrust = "The server's certificate is not trusted on this machine.";
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused. Start the server, or correct the URL.',
  ENOTFOUND: wrongName,
  EAI_AGAIN: wrongName,
  EHOSTUNREACH: noWay,
  ENETUNREACH: noWay,
  ECONNRESET: 'The server closed the connection. Check that it serves HTTP at this URL.',
  UND_ERR_SOCKET: 'The server closed the connection. Check that it serves HTTP at this URL.',
  CERT_HAS_EXPIRED: "The server's certificate has expired.",
  DEPTH_ZERO_SELF_SIGNED_CERT: noTrust,
  SELF_SIGNED_CERT_IN_CHAIN: noTrust,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: noTrust,
  ERR_TLS_CERT_ALTNAME_INVALID: "The server's certificate is for a different hostname.",
};

/** By the code alone: messages of the client hold addresses. */
export function reachWords(thrown: unknown): string {
  const given = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  const code = typeof given === 'string' && /^[A-Z_0-9]+$/.test(given) ? given : undefined;
  if (code === undefined) return 'The connection failed.';
  return `${meanings[code] ?? 'The connection failed.'} (${code})`;
}
