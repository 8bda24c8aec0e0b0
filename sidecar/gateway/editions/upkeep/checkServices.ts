import { connect } from 'node:net';
import type { CheckedPart, CheckOptions } from '../../../launch/gateway/upkeepContract.ts';
import { Fault } from '../../../platform/faults.ts';
import { systemMachine } from '../../../platform/runtime.ts';
import { smtpPort } from '../../../protocol/gateway/alerts/target.ts';
import type { ConfigAlertTarget } from '../../../protocol/gateway/config/alerts.ts';
import { isSecretRef, isStoreRef } from '../../../protocol/gateway/config/secretRef.ts';
import type { GatewayConfig } from '../../../protocol/gateway/config.ts';
import { type FetchJson, keysAddress, readKeys } from '../../auth/jwt/keySets.ts';
import { guardedLookup, isAllowed, literalOf, lookupAll, refused } from '../../backends/net/guard.ts';
import { checkHealth, reachWords } from '../../backends/net/health.ts';
import { openPool, type Pool } from '../../backends/net/pool.ts';
import { keyDocument, smallFetch } from '../../backends/net/smallFetch.ts';
import { findSecret, type SecretSources } from '../../configuration/secretSources.ts';

const TIMEOUT_MS = 5_000;

interface Services {
  readonly sources: SecretSources;
  readonly deadline: NonNullable<CheckOptions['deadline']>;
}

/**
 * Whether identity providers and alert targets will do, through the same guard of addresses as in the gateway. Keys of identity
 * providers are read. Of an alert target only the host is asked: no alert is sent, and no secret.
 */
export async function checkServices(config: GatewayConfig, services: Services): Promise<readonly CheckedPart[]> {
  const { sign_in, jwt, alerts } = config;
  const pool = openPool(systemMachine);
  const fetchJson: FetchJson = (url, allowPrivate) => {
    // One that is away says nothing of another.
    const target = { id: `check ${allowPrivate} ${url}`, name: 'identity provider', allowPrivate };
    return keyDocument(smallFetch(pool, target, services), url);
  };
  const provider = (part: string, issuer: string, allowPrivate: boolean, keys?: string) =>
    checked(part, async () => {
      const found = await readKeys(
        keys ?? (await keysAddress(issuer, allowPrivate, fetchJson)),
        allowPrivate,
        fetchJson,
      );
      if (found.length === 0) throw new Fault('unavailable', 'The key set has no key that can verify a signature.');
      const what = keys === undefined ? 'The discovery document and the keys' : 'The keys';
      return `${what} of ${issuer} can be read. Number of keys: ${found.length}.`;
    });
  try {
    return await Promise.all([
      ...(sign_in ? [provider('sign_in', sign_in.issuer, sign_in.allow_private_network)] : []),
      ...jwt.map((it) => provider(`jwt ${it.issuer}`, it.issuer, it.allow_private_network, it.jwks_uri)),
      ...Object.entries(alerts.targets).map(([name, target]) =>
        checkTarget(`alert target ${name}`, target, pool, services),
      ),
    ]);
  } finally {
    await pool.close();
  }
}

async function checked(part: string, check: () => Promise<string>): Promise<CheckedPart> {
  try {
    return { part, state: 'ok', message: await check() };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return { part, state: 'failed', message: thrown.message };
  }
}

function checkTarget(part: string, target: ConfigAlertTarget, pool: Pool, services: Services): Promise<CheckedPart> {
  const { url } = target;
  if (!url || !isSecretRef(url) || !isStoreRef(url)) return checked(part, () => reachTarget(target, pool, services));
  const message = 'The URL is in secret_stores, so its host was not asked.';
  return Promise.resolve({ part, state: 'warning', message });
}

async function reachTarget(target: ConfigAlertTarget, pool: Pool, { sources, deadline }: Services): Promise<string> {
  const allowPrivate = target.allow_private_network === true;
  if (target.type === 'email') {
    await reachMailServer(target, allowPrivate, deadline(TIMEOUT_MS));
    return 'The mail server accepts connections. No message was sent, and the password was not checked.';
  }
  const { url } = target;
  if (!url) throw new Fault('invalid_params', 'It has no URL.');
  const found = isSecretRef(url) ? await findSecret(url, sources) : { value: url };
  if ('missing' in found) throw new Fault('unavailable', `The URL is not available: ${found.missing}.`);
  if (!URL.canParse(found.value)) throw new Fault('invalid_params', 'The URL is not valid.');
  // The path of such a URL is often a secret: the host is asked for its root.
  const { origin } = new URL(found.value);
  const service = { id: `check ${origin}`, name: 'alert target', allowPrivate };
  const { status, error } = await checkHealth(pool, service, `${origin}/`, deadline(TIMEOUT_MS), { deadline });
  // A host that redirects or refuses its root is there.
  if (status === 'unhealthy' && !/HTTP 3/.test(error ?? '')) throw new Fault('unavailable', error ?? '');
  return 'The host responds. No alert was sent, and the path and the secret were not checked.';
}

function reachMailServer(target: ConfigAlertTarget, allowPrivate: boolean, signal: AbortSignal): Promise<void> {
  const host = target.smtp_host ?? '';
  const literal = literalOf(host);
  if (literal !== undefined && !isAllowed(literal, { allowPrivate })) throw refused('smtp_host', literal);
  return new Promise((done, fail) => {
    const lookup = guardedLookup({ allowPrivate }, lookupAll);
    const socket = connect({ host, port: smtpPort(target), lookup, signal });
    socket.once('error', (error) =>
      fail(error instanceof Fault ? error : new Fault('unavailable', reachWords(error), { cause: error })),
    );
    socket.once('connect', () => {
      socket.destroy();
      done();
    });
  });
}
