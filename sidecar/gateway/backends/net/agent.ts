import { Agent, buildConnector } from 'undici';
import { type AddressPolicy, guardedLookup, isAllowed, type LookupAll, literalOf, refused } from './guard.ts';
import { type LaneDeps, Lanes } from './http1/lanes.ts';
import type { SeenCertificates } from './seenCertificates.ts';

const CONNECT_MS = 10_000;

export interface AgentOptions extends AddressPolicy {
  /** Default 10 s. */
  readonly connectTimeoutMs?: number;
  /** Until the answer's headers. Default: no limit; the caller's signal ends it. */
  readonly headersTimeoutMs?: number;
  /** Between two pieces of the answer. Default: no limit, for streams that are silent for long. */
  readonly bodyTimeoutMs?: number;
}

/** Opens a socket to an address. */
export type Connect = buildConnector.connector;
export interface ConnectDeps {
  readonly lookup: LookupAll;
  /** Default: TCP and TLS. */
  readonly connect?: Connect | undefined;
  /** Sees the certificate of each backend that a socket was opened to. */
  readonly certificates?: Pick<SeenCertificates, 'note'> | undefined;
}

/** The connections over which requests are sent. @param connections at most so many to one origin; null: no limit */
export function openLanes(target: AgentOptions, deps: ConnectDeps & LaneDeps, connections: number | null): Lanes {
  const connect = guardedConnector(target, { connectTimeoutMs: target.connectTimeoutMs ?? CONNECT_MS, ...deps });
  const agent = openAgent(target, deps, connections);
  return new Lanes({ ...deps, connect, connections: connections ?? Infinity, agent });
}

/** @param connections at most so many sockets to one origin; null: no limit */
export function openAgent(target: AgentOptions, deps: ConnectDeps, connections: number | null): Agent {
  return new Agent({
    connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: target.headersTimeoutMs ?? 0,
    bodyTimeout: target.bodyTimeoutMs ?? 0,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 32_768,
    connect: guardedConnector(target, { connectTimeoutMs: target.connectTimeoutMs ?? CONNECT_MS, ...deps }),
  });
}

/** For a service that is relayed to: its answers may pause for as long as they like. */
export const openStreamAgent = (headersTimeout: number): Agent =>
  new Agent({ headersTimeout, bodyTimeout: 0, keepAliveTimeout: 30_000 });

/** Opens sockets only to allowed addresses: a name is resolved once, and the socket goes to what was judged. */
export function guardedConnector(
  policy: AddressPolicy,
  options: ConnectDeps & { readonly connectTimeoutMs: number },
): Connect {
  const connect =
    options.connect ??
    buildConnector({
      allowH2: false,
      timeout: options.connectTimeoutMs,
      lookup: guardedLookup(policy, options.lookup),
    } as buildConnector.BuildOptions);
  return (target, callback) => {
    const literal = literalOf(target.hostname);
    if (literal !== undefined && !isAllowed(literal, policy)) {
      callback(refused('url', literal), null);
      return;
    }
    connect(target, (...[error, socket]: Parameters<typeof callback>) => {
      if (socket) options.certificates?.note(`${target.hostname}:${target.port || '443'}`, socket);
      if (error) callback(error, null);
      else callback(null, socket);
    });
  };
}
