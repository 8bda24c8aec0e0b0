import type { Children } from '../../../../platform/children/children.ts';
import type { Runtime } from '../../../../platform/runtime.ts';
import type { InitializeResult, McpEra } from '../../../../protocol/gateway/mcpWire.ts';
import type { LazyApis } from '../../openapi/lazyApis.ts';
import { resolveCommand, type StdioPolicy, stdioEnvironment } from '../commands.ts';
import { announce, shakeHands, type Unnegotiated } from '../handshake.ts';
import { HttpConnection } from '../httpConnection.ts';
import type { MessagePipe } from '../pipe.ts';
import { PipeConnection } from '../pipeConnection.ts';
import type { Share } from '../sharing/share.ts';
import { SharedProcess } from '../sharing/sharedProcess.ts';
import { ssePipe } from '../ssePipe.ts';
import { stdioPipe } from '../stdioPipe.ts';
import type { Introduction, McpBackend, McpTarget, Outbound } from '../types.ts';

export interface OpeningDeps extends Pick<Runtime, 'timers' | 'newId'> {
  readonly children: Children;
  readonly stdio: StdioPolicy;
  /** Absent: no server of this process is an OpenAPI service. */
  readonly apis?: LazyApis;
  /** A server said that one of its lists changed. */
  readonly onListChanged?: ((serverId: string) => void) | undefined;
}

/**
 * One warm connection for each server, address, era, identity and, in the legacy era, session of a caller; or for all
 * sessions that share one.
 */
export interface ConnectionKey {
  readonly target: McpTarget;
  readonly era: McpEra;
  readonly outbound: Outbound;
  /** The caller's session; absent for callers without one, who share a connection. */
  readonly session: string | undefined;
  /** Absent if the session does not share its connection. Only for stdio servers of the legacy era. */
  readonly share?: Share;
}

export interface Opening {
  readonly introduction: Introduction;
  /** False if the caller sends `notifications/initialized` itself. */
  readonly announces: boolean;
  /** A session of the server that began before the gateway was restarted. Only for HTTP. */
  readonly resumed?: { readonly hello: InitializeResult; readonly sessionId: string | undefined };
}

/** How to open a connection, and callbacks while it opens. */
export interface OpeningContext {
  /** It does not belong to a single session. */
  readonly isShared: boolean;
  /** A program was started. */
  readonly onStarted: (pid: number) => void;
  /** The server asked a client for something. */
  readonly onQuestion: () => void;
}

/** Connects to a server and shakes hands with it. @throws {BackendFailure | HandshakeRefused} */
export async function openConnection(
  deps: OpeningDeps,
  key: ConnectionKey,
  { introduction, announces, resumed }: Opening,
  context: OpeningContext,
): Promise<McpBackend> {
  const connection = await (context.isShared
    ? connectShared(deps, key, context)
    : connect(deps, key, introduction.isShared, context));
  if (key.era === 'modern') return connection;
  if (resumed && key.target.transport === 'http') {
    connection.adopt(resumed.hello, resumed.sessionId);
    return connection;
  }
  const options = { outbound: key.outbound, signal: new AbortController().signal };
  try {
    await shakeHands(connection, key.target, introduction, options);
    // The session that opens it joins before the server can ask anything.
    partOf(key, connection);
    if (announces || connection instanceof SharedProcess) await announce(connection, options);
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
  return connection;
}

async function connect(
  deps: OpeningDeps,
  { target, era, outbound }: ConnectionKey,
  isShared: boolean,
  context: OpeningContext,
): Promise<Unnegotiated> {
  const { timers, newId, apis, onListChanged } = deps;
  if (target.openapi && apis) {
    const { OpenApiConnection } = await import('../../openapi/openApiConnection.ts');
    return new OpenApiConnection({ target, era, timers, apis: await apis.open() });
  }
  if (target.transport === 'http') return new HttpConnection({ target, era, isShared, timers, newId, onListChanged });
  const pipe = target.transport === 'sse' ? ssePipe(target, outbound, timers) : startOf(deps, target, context);
  return PipeConnection.open({ target, era, isShared, timers, newId, outbound, pipe, onListChanged });
}

async function connectShared(
  deps: OpeningDeps,
  { target, outbound, share }: ConnectionKey,
  context: OpeningContext,
): Promise<SharedProcess> {
  const { timers, newId, onListChanged } = deps;
  const { onQuestion } = context;
  const { isForAll = false, isDefault = false } = share ?? {};
  const pipe = startOf(deps, target, context);
  return SharedProcess.open({ target, timers, newId, outbound, pipe, isForAll, isDefault, onQuestion, onListChanged });
}

function startOf({ stdio, children }: OpeningDeps, target: McpTarget, { onStarted }: OpeningContext): MessagePipe {
  const command = resolveCommand(target, stdio);
  return stdioPipe({ target, children, command, env: stdioEnvironment(target, stdio), onStarted });
}

/** The session's own connection, or its part of a shared one. */
export function partOf({ session, share }: ConnectionKey, backend: McpBackend): McpBackend {
  if (!(backend instanceof SharedProcess) || session === undefined || !share) return backend;
  return backend.join(session, share.caller);
}
