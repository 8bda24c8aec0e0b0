import { isHeaderValue, mayBeForwarded, readHeader } from './headerNames.ts';
import type { HoldsKey } from './keyGuard.ts';
import type { PassthroughIndex } from './passthrough.ts';
import { type Variables, withVariables } from './variables.ts';

/** Where a header of the outgoing request came from. Later sources win. */
export type HeaderSource = 'base' | 'extra_headers' | 'per_user' | 'credential' | 'static_headers';

/** What a registration says about headers, read once. */
export interface HeaderPlan {
  readonly id: string;
  /** `extra_headers`, lower case. */
  readonly extra: readonly string[];
  /** `static_headers`: lower-case name, value that may hold `${NAME}`, the field for messages. */
  readonly fixed: readonly (readonly [name: string, value: string, field: string])[];
  /** `upstream_token_header` was named: nothing may take the credential's place. */
  readonly isCredentialFixed: boolean;
}

export interface HeaderRules {
  readonly id: string;
  readonly extra_headers?: readonly string[] | null | undefined;
  readonly static_headers?: Readonly<Record<string, string>> | null | undefined;
  readonly upstream_token_header?: string | null | undefined;
}

/**
 * Reads the rules of a registration. Do it when it is saved, for the messages, and once before it is used.
 * @throws {Fault} `invalid_params` naming `static_headers.X` or `extra_headers`
 */
export function planHeaders(rules: HeaderRules): HeaderPlan {
  const fixed = Object.entries(rules.static_headers ?? {}).map(([name, value]) => {
    const field = `static_headers.${name}`;
    return [...readHeader(field, name, value), field] as const;
  });
  const extra = (rules.extra_headers ?? []).map((it) => it.trim().toLowerCase());
  return {
    id: rules.id,
    extra: [...new Set(extra)].filter(mayBeForwarded),
    fixed,
    isCredentialFixed: Boolean(rules.upstream_token_header),
  };
}

/** What a caller brings along. */
export interface InboundHeaders {
  /** Lower-case names; the headers that carried the virtual key are gone already. */
  readonly headers: ReadonlyMap<string, string>;
  /** The caller's own bearer token, when it is not the virtual key. `extra_headers` may name `authorization`. */
  readonly bearer?: string | undefined;
  readonly holdsKey: HoldsKey;
}

export interface HeaderInputs {
  readonly base: Readonly<Record<string, string>>;
  readonly inbound: InboundHeaders;
  readonly passthrough: PassthroughIndex;
  /** The auth_type's headers, lower case. */
  readonly credential: Readonly<Record<string, string>>;
  readonly variables?: Variables;
}

export interface MergedHeaders {
  /** Lower-case names. Signing comes after this. */
  readonly headers: Record<string, string>;
  /** Who wrote each header in the end, without those of the base. */
  readonly sources: ReadonlyMap<string, HeaderSource>;
  /** What the caller brought and is sent: two callers with the same may share a connection. */
  readonly carried: readonly (readonly [name: string, value: string])[];
}

/**
 * The headers of one request: base, then `extra_headers`, then per-user headers, then the credential, then
 * `static_headers`. Names are compared ignoring case. Never sent: hop-by-hop headers, Host, Content-Length, Cookie, every
 * `x-gateway-*` of the caller, and whatever holds the virtual key.
 * @throws {Fault} where a variable of `static_headers` has no value
 */
export function mergeHeaders(plan: HeaderPlan, inputs: HeaderInputs): MergedHeaders {
  const headers: Record<string, string> = {};
  const sources = new Map<string, HeaderSource>();
  const carried = new Map<string, string>();
  const put = (name: string, value: string, source: HeaderSource) => {
    headers[name] = value;
    sources.set(name, source);
  };
  const carry = (name: string, value: string, source: HeaderSource) => {
    const trimmed = value.trim();
    if (!isHeaderValue(trimmed) || inputs.inbound.holdsKey(trimmed)) return;
    put(name, trimmed, source);
    carried.set(name, trimmed);
  };
  for (const [name, value] of Object.entries(inputs.base)) headers[name.toLowerCase()] = value;
  for (const name of plan.extra) {
    const value = ownHeader(inputs.inbound, name);
    if (value !== undefined) carry(name, value, 'extra_headers');
  }
  for (const [name, value] of inputs.passthrough.headersFor(plan.id, inputs.inbound.headers))
    carry(name, value, 'per_user');
  for (const [name, value] of Object.entries(inputs.credential)) put(name, value, 'credential');
  for (const [name, value, field] of plan.fixed) {
    if (plan.isCredentialFixed && sources.get(name) === 'credential') continue;
    put(name, withVariables(value, field, inputs.variables), 'static_headers');
  }
  const sent = [...carried].filter(([name]) => isCarried(sources.get(name)));
  return { headers, sources, carried: sent.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

const isCarried = (source: HeaderSource | undefined) => source === 'extra_headers' || source === 'per_user';

function ownHeader({ headers, bearer }: InboundHeaders, name: string): string | undefined {
  if (name === 'authorization' && bearer !== undefined) return `Bearer ${bearer}`;
  return headers.get(name);
}
