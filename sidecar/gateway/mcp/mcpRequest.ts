import type { RequestHeaders } from '../../platform/httpMessages.ts';
import { legacyVersions, type McpEra, type RpcRequest } from '../../protocol/gateway/mcpWire.ts';
import { nobody } from '../backends/mcp/bridge/discovery.ts';
import { BackendFailure } from '../backends/mcp/failure.ts';
import type { ConnectionKey, Opening } from '../backends/mcp/opening/openConnection.ts';
import { ask } from '../backends/mcp/replies.ts';
import type { McpBackend, McpTarget, Reply, RequestOptions } from '../backends/mcp/types.ts';
import { apiOf } from '../backends/registration.ts';
import { placeOf } from './aggregation/aggregation.ts';
import type { Scope } from './aggregation/scope.ts';
import { RpcRefusal } from './answers.ts';
import { unsupported } from './era.ts';
import {
  type GuardCheck,
  type GuardRefusal,
  type McpContext,
  type McpDeps,
  type McpOutbound,
  type McpRecord,
  type McpServer,
  nameOf,
  type VisibleServer,
} from './mcpDeps.ts';
import { reaching } from './methods/wholeOnly.ts';
import { isResilient, sendResiliently } from './resilient.ts';
import type { Session } from './session/sessions.ts';
import { anybody, introductionOf, shareOf } from './sharing.ts';

/** One JSON-RPC request of a client, on its way through the gateway. */
export interface McpRequest {
  readonly deps: McpDeps;
  readonly context: McpContext;
  readonly scope: Scope;
  readonly era: McpEra;
  /** Absent in the modern era, and for clients that never sent `initialize`. */
  readonly session: Session | undefined;
  readonly request: RpcRequest;
  readonly headers: RequestHeaders;
  readonly signal: AbortSignal;
  readonly record: McpRecord;
  /** What the record will say; filled in on the way. */
  readonly outcome: {
    failure?: string;
    code?: string;
    spend?: number;
    isForbidden?: boolean;
    refusal?: GuardRefusal;
    leftOutTools?: number | undefined;
    /** What guardrails that ask services did. */
    checks?: readonly GuardCheck[];
  };
  /** What debug headers will say; filled in on the way. */
  readonly ways: { readonly server: McpServer; readonly outbound: McpOutbound }[];
}

export interface Sending {
  readonly request: RpcRequest;
  readonly tool?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly isOpenEnded?: boolean;
}

export function targetOf(server: McpServer, { options }: McpDeps): McpTarget {
  const known = targets.get(server);
  if (known?.of === options) return known.target;
  const target = readTarget(server, options);
  targets.set(server, { of: options, target });
  return target;
}
const targets = new WeakMap<McpServer, { readonly of: McpDeps['options']; readonly target: McpTarget }>();

function readTarget(server: McpServer, options: McpDeps['options']): McpTarget {
  return {
    server_id: server.server_id,
    name: nameOf(server),
    transport: server.transport,
    ...(server.url && { url: server.url }),
    ...apiOf(server),
    ...(server.command && { command: server.command }),
    ...(server.args && { args: server.args }),
    ...(server.env && { env: server.env }),
    timeoutMs: server.timeout ? server.timeout * 1000 : options.timeoutMs,
    maxResponseBytes: options.maxResponseBytes,
  };
}

/**
 * What the IDs of a server's questions contain, so that answers reach the connection that asked. `undefined` if IDs pass
 * unchanged: a single HTTP server distinguishes its sessions itself, at any replica, unless the gateway asks for it.
 */
export function idPlace({ scope, session, deps }: McpRequest, { server_id, transport }: McpServer): string | undefined {
  const isAtAnyReplica = transport === 'http' && !deps.connections.isBridged(server_id);
  if (scope.kind === 'single' && (!deps.peers || !session || isAtAnyReplica)) return undefined;
  return placeOf(server_id, deps.peers?.id);
}

/** Under which the connection of this caller to a server is kept. */
export function connectionKey(
  { deps, context, era, session }: Pick<McpRequest, 'deps' | 'context' | 'era' | 'session'>,
  server: McpServer,
  outbound: McpOutbound,
): ConnectionKey {
  const key = { target: targetOf(server, deps), era, outbound, session: session?.id };
  const share = era === 'legacy' && server.transport === 'stdio' ? shareOf(server, context, session) : undefined;
  return share ? { ...key, share } : key;
}

/** A connection for this exchange, warm where there is one. */
export interface Link {
  readonly backend: McpBackend;
  readonly key: ConnectionKey;
  readonly options: RequestOptions;
}

type Linking = Omit<Sending, 'request'> & { readonly method: string };

/**
 * At once where nothing has to be waited for.
 *
 * @throws {BackendFailure | HandshakeRefused | RpcRefusal} the last where the server does not speak the caller's era
 */
export function link(mcp: McpRequest, { server }: VisibleServer, linking: Linking): Link | Promise<Link> {
  const outbound = mcp.deps.outbound(server, mcp.context, linking);
  return outbound instanceof Promise
    ? outbound.then((it) => linkBy(mcp, server, it, linking))
    : linkBy(mcp, server, outbound, linking);
}

function linkBy(mcp: McpRequest, server: McpServer, outbound: McpOutbound, linking: Linking): Link | Promise<Link> {
  const { deps, era } = mcp;
  const { signal = mcp.signal, isOpenEnded } = linking;
  mcp.ways.push({ server, outbound });
  const key = connectionKey(mcp, server, outbound);
  const options: RequestOptions = {
    outbound,
    signal,
    headers: protocolHeaders(mcp),
    ...(isOpenEnded && { isOpenEnded }),
  };
  const backend = era === 'modern' ? undefined : deps.connections.use(key);
  return backend ? { backend, key, options } : connected(mcp, server, key, options);
}

async function connected(
  mcp: McpRequest,
  server: McpServer,
  key: ConnectionKey,
  options: RequestOptions,
): Promise<Link> {
  const { deps, session, era } = mcp;
  const { target, outbound } = key;
  if (era === 'modern' && !(await deps.eras.speaksModern(target, outbound))) {
    throw RpcRefusal.of(unsupported('2026-07-28', legacyVersions));
  }
  const isNew = session !== undefined && deps.connections.peek(key) === undefined;
  const backend = await deps.connections.acquire(key, () => openingOf(mcp, server, target));
  if (isNew) await welcome(session, backend, target, options);
  return { backend, key, options };
}

/**
 * Sends one request to one server, and brings what is for the caller. What never reached the server, or met a session that
 * it forgot, is sent once more.
 */
export function send(mcp: McpRequest, visible: VisibleServer, sending: Sending): Promise<Reply> {
  const once = () => sendOnce(mcp, visible, sending);
  return isResilient(visible.server) ? sendResiliently(mcp, visible, sending, once) : once();
}

async function sendOnce(mcp: McpRequest, visible: VisibleServer, sending: Sending): Promise<Reply> {
  const { progress } = mcp.context;
  const { request } = sending;
  progress?.begin();
  try {
    const linking = { ...sending, method: request.method };
    const found = link(mcp, visible, linking);
    const first = found instanceof Promise ? await found : found;
    if (mcp.session && mcp.session.opening.size > 0) await Promise.all(mcp.session.opening);
    try {
      return reaching(visible, await first.backend.request(request, first.options));
    } catch (thrown) {
      if (!wasNotTaken(thrown)) throw thrown;
      await mcp.deps.connections.discard(first.key, first.backend);
      const second = await link(mcp, visible, linking);
      return reaching(visible, await second.backend.request(request, second.options));
    }
  } finally {
    progress?.end();
  }
}

const wasNotTaken = (thrown: unknown): boolean =>
  thrown instanceof BackendFailure && !thrown.mayHaveRun && (thrown.kind === 'session_lost' || thrown.kind === 'ended');

/** For something that a server is waited for. */
export const waited = <T>({ context: { progress } }: Pick<McpRequest, 'context'>, work: T | Promise<T>): Promise<T> =>
  progress ? progress.during(work) : Promise.resolve(work);

function openingOf({ session, era, request }: McpRequest, server: McpServer, target: McpTarget): Opening {
  if (era === 'modern') {
    // Over HTTP each request has its own answer; a pipe is used by several callers.
    return { introduction: { ...nobody, isShared: target.transport === 'stdio' }, announces: false };
  }
  if (!session) {
    return { introduction: { params: anybody, isShared: true }, announces: true };
  }
  const introduction = { params: introductionOf(server, session), isShared: false };
  const before = session.upstream;
  // A session of before the gateway started again goes on where it was; one that the server lost starts anew.
  const isOurs = before?.server_id === target.server_id && before.sessionId !== undefined && !session.isUpstreamLost;
  session.isUpstreamLost = true;
  // A client that shakes hands with one server ends the handshake itself.
  if (!isOurs) return { introduction, announces: request.method !== 'initialize' };
  const hello = { protocolVersion: before.protocolVersion, capabilities: {} };
  return { introduction, announces: true, resumed: { hello, sessionId: before.sessionId } };
}

/** A server that joins a session late is sent what the client sent before, and listeners are notified of the server. */
async function welcome(
  session: Session,
  backend: McpBackend,
  target: McpTarget,
  options: RequestOptions,
): Promise<void> {
  const { logLevel } = session;
  if (logLevel !== undefined) {
    const params = { level: logLevel };
    await ask(backend, target.name, { jsonrpc: '2.0', id: 'sb-level', method: 'logging/setLevel', params }, options);
  }
  for (const it of session.listeners) it.onConnected(target.server_id);
}

/** What a client says in headers beside its message. In a session with one server, that server judges its version. */
export function protocolHeaders({ era, scope, session, headers }: McpRequest): Readonly<Record<string, string>> {
  if (era === 'modern') return Object.fromEntries([...headers].filter(([name]) => name.startsWith('mcp-param-')));
  const version = scope.kind === 'single' && session ? headers.get('mcp-protocol-version') : null;
  return session && version !== null ? versionHeader(session, version) : noHeaders;
}
const noHeaders: Readonly<Record<string, string>> = {};

/** One object for all calls of a session: what is made of it is made once. */
const versionHeaders = new WeakMap<Session, Readonly<Record<string, string>>>();
function versionHeader(session: Session, version: string): Readonly<Record<string, string>> {
  const known = versionHeaders.get(session);
  if (known?.['mcp-protocol-version'] === version) return known;
  const made = { 'mcp-protocol-version': version };
  versionHeaders.set(session, made);
  return made;
}
