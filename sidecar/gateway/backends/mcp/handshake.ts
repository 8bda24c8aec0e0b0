import {
  InitializeResult,
  legacyVersions,
  type RpcRequest,
  type RpcResponse,
} from '../../../protocol/gateway/mcpWire.ts';
import { BackendFailure, garbled } from './failure.ts';
import { ask } from './replies.ts';
import type { Introduction, McpBackend, McpTarget, RequestOptions } from './types.ts';

/** A connection before its handshake. */
export interface Unnegotiated extends McpBackend {
  adopt(hello: InitializeResult, sessionId: string | undefined): void;
}

/** A server that answered `initialize` with an error of the protocol, which its caller may read. */
export class HandshakeRefused extends Error {
  override readonly name = 'HandshakeRefused';
  /** The log needs no stack of it. */
  readonly isExpected = true;
  readonly answer: RpcResponse;

  constructor(answer: RpcResponse) {
    super('the server refused to initialize');
    this.answer = answer;
  }
}

/**
 * `initialize`, once a connection.
 *
 * @throws {HandshakeRefused} with the server's own error
 * @throws {BackendFailure} when the answer is none, or names a version that nobody here speaks
 */
export async function shakeHands(
  connection: Unnegotiated,
  target: McpTarget,
  { params }: Introduction,
  options: RequestOptions,
): Promise<void> {
  const request: RpcRequest = { jsonrpc: '2.0', id: 'sb-initialize', method: 'initialize', params };
  const answer = await ask(connection, target.name, request, options);
  if ('error' in answer) throw new HandshakeRefused(answer);
  const hello = InitializeResult.safeParse(answer.result);
  if (!hello.success) throw garbled(target.name);
  const { protocolVersion } = hello.data;
  if (!legacyVersions.some((it) => it === protocolVersion)) {
    throw new BackendFailure('garbage', `The MCP server '${target.name}' uses an unknown MCP version.`, {
      mayHaveRun: false,
    });
  }
  connection.adopt(answer.result as InitializeResult, connection.sessionId);
}

/** Notifies the server that the handshake is over. Clients that bring their own do it themselves. */
export async function announce(connection: McpBackend, options: RequestOptions): Promise<void> {
  await connection.send({ jsonrpc: '2.0', method: 'notifications/initialized' }, options);
}
