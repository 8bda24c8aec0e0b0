import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** Connections that wait for their upgrade, besides those that are through. */
export const MAX_WAITING = 32;

export interface AdmissionRules {
  /** Whose token it is, `undefined` for nobody's; in the same time, whatever is different. */
  readonly credentialOf: (token: string) => string | undefined;
  /** Names besides those of this machine that clients may call us by: what stands before a proxy, without the port. */
  readonly allowedHosts: readonly string[];
  /** Pages that may connect, as the browser names them: `https://example.com`. Others are sent away. */
  readonly allowedOrigins: readonly string[];
}
export type Admission =
  | { readonly ok: true; readonly credential: string }
  | { readonly ok: false; readonly status: 400 | 401 | 403; readonly why: string };

/**
 * Whether an upgrade may become a connection. Pages of a browser can reach this machine: their `Origin` shows them, and
 * the `Host` shows pages that made a name of theirs point to this machine (DNS rebinding).
 */
export function admit(
  request: { headers: IncomingHttpHeaders; url?: string | undefined },
  rules: AdmissionRules,
): Admission {
  const { host, origin, authorization } = request.headers;
  const name = hostName(host);
  if (name === undefined) return { ok: false, status: 400, why: 'the Host header is missing or malformed' };
  if (!isThisMachine(name) && !rules.allowedHosts.includes(name))
    return { ok: false, status: 403, why: 'the Host header does not match this server' };
  if (origin !== undefined && !rules.allowedOrigins.includes(origin))
    return { ok: false, status: 403, why: 'pages of this origin are not allowed to connect' };
  const given = bearerOf(authorization) ?? tokenInAddress(request.url);
  const credential = given === undefined ? undefined : rules.credentialOf(given);
  if (credential === undefined) return { ok: false, status: 401, why: 'the token is missing or invalid' };
  return { ok: true, credential };
}

/** Loopback addresses, and the name that always means one. */
export function isThisMachine(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** Without port and brackets, in lower case. */
function hostName(host: string | undefined): string | undefined {
  const found = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(host ?? '');
  return (found?.[1] ?? found?.[2])?.toLowerCase();
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

/** Clients of the public protocol can send the token nowhere else; an address is never logged. */
function tokenInAddress(url: string | undefined): string | undefined {
  const at = url?.indexOf('?') ?? -1;
  return at < 0 ? undefined : (new URLSearchParams(url?.slice(at + 1)).get('tkn') ?? undefined);
}
