import { Fault } from '../../platform/faults.ts';
import type { AuthResolution, Credential, FinalRequest } from './auth/authenticator.ts';
import { isTransportHeader } from './headerNames.ts';
import { type HeaderPlan, type InboundHeaders, type MergedHeaders, mergeHeaders } from './headers.ts';
import { type BackendRequest, type BackendResponse, isFlow } from './net/exchange.ts';
import type { BackendTarget, Pool } from './net/pool.ts';
import { readBearerChallenge } from './oauth/bearerChallenge.ts';
import type { PassthroughIndex } from './passthrough.ts';
import type { Variables } from './variables.ts';

/** One call's way out: whoever knows the protocol says what, this adds who. */
export interface Outbound {
  /** Calls with the same word act as the same person, so they may share a connection or session. Holds no secret. */
  readonly identity: string;
  /** The value of `x-mcp-debug-auth-resolution`. */
  readonly resolution: AuthResolution;
  /**
   * Adds headers, signs, checks the address and sends. Follows no redirect. A 401 of the backend is answered once with a
   * renewed credential where there is one, unless the body is a stream, which cannot be sent twice.
   * @throws {Fault} also `invalid_params` for a stream where the request is signed
   */
  send(request: BackendRequest, signal: AbortSignal): Promise<BackendResponse>;
  /** What it adds to each request, with credentials, so that they can be taken out of what is stored. */
  ownHeaders(): Readonly<Record<string, string>>;
}

export interface OutboundDeps {
  readonly pool: Pool;
  readonly target: BackendTarget;
  readonly plan: HeaderPlan;
  readonly passthrough: PassthroughIndex;
  readonly inbound: InboundHeaders;
  readonly credential: Credential;
  readonly variables?: Variables;
  /** Of this gateway: trace headers, a guardrail's assertion. Sent last, under no rule of the caller's. */
  readonly added?: Readonly<Record<string, string>>;
  readonly fingerprint: (text: string) => string;
  /** The backend rejected a credential that cannot be renewed. */
  readonly refused?: (() => void) | undefined;
}

/** @throws {Fault} where a variable of `static_headers` has no value */
export function openOutbound(deps: OutboundDeps): Outbound {
  let { credential } = deps;
  let merged = outgoingHeaders(deps, {}, credential);
  return {
    identity: identityOf(deps, merged),
    resolution: resolutionOf(merged, credential),
    ownHeaders: () => merged.headers,
    send(request, signal) {
      const sent = sendWith(deps, request, merged, credential, signal);
      const isJudged = credential.renew || credential.needs || deps.refused;
      return isJudged ? sent.then((it) => judged(it, request, signal)) : sent;
    },
  };

  /** An answer, or that of a second try with a renewed credential. */
  async function judged(response: BackendResponse, request: BackendRequest, signal: AbortSignal) {
    const missing = response.status === 403 && credential.needs ? missingScopes(response) : undefined;
    if (missing && credential.needs) {
      response.body.destroy();
      throw await credential.needs(missing);
    }
    if (response.status === 401 && !credential.renew) deps.refused?.();
    if (response.status !== 401 || !credential.renew || isFlow(request.body)) return response;
    const used = credential;
    credential = await credential.renew(signal).catch((thrown: unknown) => {
      response.body.destroy();
      throw thrown;
    });
    response.body.destroy();
    const before = merged;
    merged = outgoingHeaders(deps, {}, credential);
    const again = await sendWith(deps, request, merged, credential, signal);
    if (again.status === 401) {
      credential = used;
      merged = before;
    }
    return again;
  }
}

/** Scopes that the backend names as missing (RFC 6750 3.1). */
function missingScopes({ headers }: BackendResponse): readonly string[] | undefined {
  const challenge = readBearerChallenge(headers['www-authenticate']);
  return challenge?.error === 'insufficient_scope' ? challenge.scopes : undefined;
}

/**
 * Every header of one request but the signature, for callers that send the request by other means.
 * @param base what the protocol itself needs: `accept`, `content-type`, `mcp-session-id`
 */
export function outgoingHeaders(
  {
    plan,
    inbound,
    passthrough,
    variables,
    added,
  }: Omit<OutboundDeps, 'pool' | 'target' | 'credential' | 'fingerprint'>,
  base: Readonly<Record<string, string>>,
  credential: Credential,
): MergedHeaders {
  const merged = mergeHeaders(plan, {
    base: ownHeaders(base),
    inbound,
    passthrough,
    credential: credential.headers,
    ...(variables && { variables }),
  });
  for (const [name, value] of Object.entries(added ?? {})) merged.headers[name.toLowerCase()] = value;
  return merged;
}

/** Those of the protocol that are ours to write, in lower case. */
function ownHeaders(base: Readonly<Record<string, string>>): Record<string, string> {
  const own: Record<string, string> = {};
  for (const name in base) {
    const lower = name.toLowerCase();
    if (!isTransportHeader(lower)) own[lower] = base[name] as string;
  }
  return own;
}

/** The headers of the last request, by the headers that the caller and the server contributed. */
const lastSent = new WeakMap<
  MergedHeaders,
  { readonly own: object; readonly headers: Readonly<Record<string, string>> }
>();

/** The same object for requests with the same protocol headers, as all calls of a session have. */
function allHeaders(own: BackendRequest['headers'], merged: MergedHeaders): Readonly<Record<string, string>> {
  const last = lastSent.get(merged);
  if (last?.own === own) return last.headers;
  const headers = Object.assign(ownHeaders(own), merged.headers);
  lastSent.set(merged, { own, headers });
  return headers;
}

/** @param merged without those of the protocol, which every other header takes the place of */
function sendWith(
  { pool, target }: OutboundDeps,
  request: BackendRequest,
  merged: MergedHeaders,
  { sign }: Credential,
  signal: AbortSignal,
): Promise<BackendResponse> {
  const headers = allHeaders(request.headers, merged);
  if (!sign) return pool.request(target, { ...request, headers }, signal);
  const signed = async () => {
    const signature = await sign(finalRequest(request, headers));
    return pool.request(target, { ...request, headers: { ...headers, ...signature } }, signal);
  };
  return signed();
}

/** @throws {Fault} `invalid_params` for a body that flows: its signature would be that of an empty one (gateway.auth.flowing-body) */
function finalRequest({ method, url, body }: BackendRequest, headers: Readonly<Record<string, string>>): FinalRequest {
  if (isFlow(body)) {
    throw new Fault('invalid_params', 'Requests to this backend are signed, so the body cannot be streamed.');
  }
  return { method, url, headers, ...(body !== undefined && { body }) };
}

/** Who wrote what the backend will look at. */
function resolutionOf({ sources }: MergedHeaders, credential: Credential): AuthResolution {
  if (credential.sign) return credential.resolution;
  const [slot = 'authorization'] = Object.keys(credential.headers);
  const source = sources.get(slot);
  if (source === 'credential') return credential.resolution;
  if (source === 'static_headers') return 'static-token';
  if (source === 'per_user') return 'per-request-header';
  if (source === 'extra_headers') return 'extra-headers';
  return 'no-auth';
}

function identityOf({ credential, fingerprint }: OutboundDeps, { carried }: MergedHeaders): string {
  if (carried.length === 0) return credential.identity;
  return `${credential.identity}+${fingerprint(JSON.stringify(carried))}`;
}
