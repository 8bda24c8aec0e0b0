import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { A2aDeps } from '../../../sidecar/gateway/a2a/a2aDeps.ts';
import type { BackendRequest } from '../../../sidecar/gateway/backends/net/exchange.ts';
import type { AgentRecord } from '../../../sidecar/protocol/gateway/agent.ts';
import { bodyFrom } from '../backends/bodyFrom.ts';
import { answerOf, type FrontSetup, frontUnderTest } from './frontUnderTest.ts';

export const message = { kind: 'message', role: 'user', messageId: 'm1', parts: [{ kind: 'text', text: 'hi' }] };
export const rpc = (method: string, params: unknown, id: unknown = 7) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) });
export const send = rpc('message/send', { message });
export const agent: AgentRecord = {
  agent_id: 'agent-1',
  agent_name: 'weather',
  agent_card_params: {},
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

export interface Said {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Readable;
}
export const json = { 'content-type': 'application/json' };
export const fine = {
  headers: json,
  body: '{"jsonrpc":"2.0","id":7,"result":{"kind":"message","taskId":"t","parts":[]}}',
} satisfies Said;

/** What an agent was sent. */
export const bodyOf = ({ body }: BackendRequest): string => (typeof body === 'string' ? body : '');

/** The method that an agent was asked by. */
export const methodOf = (request: BackendRequest): string =>
  (JSON.parse(bodyOf(request) || '{"method":""}') as { readonly method: string }).method;

/** What an agent answers: always the same, or as it is asked. */
export type Saying = Said | Error | ((request: BackendRequest) => Said | Error);

/** A front in front of one agent. */
export function openOneAgent(saying: Saying = fine, setup: Partial<FrontSetup> = {}) {
  const heard: BackendRequest[] = [];
  const added: Readonly<Record<string, string>>[] = [];
  const outbound: A2aDeps['outbound'] = (_agent, _context, own) => ({
    send(request) {
      heard.push(request);
      added.push(own);
      const said = typeof saying === 'function' ? saying(request) : saying;
      if (said instanceof Error) return Promise.reject(said);
      const { status = 200, headers = {}, body = '' } = said;
      return Promise.resolve({
        status,
        headers,
        body: bodyFrom(typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body),
      });
    },
  });
  const agents = [{ agent, url: 'https://agent.test/rpc' }];
  const found = frontUnderTest({ agents, outbound, ...setup });
  const call = (body: string, headers: Record<string, string> = {}, path = '/a2a/weather') =>
    answerOf(
      found.front,
      new Request(`https://gateway.test${path}`, { method: 'POST', body, headers: { ...json, ...headers } }),
    );
  /** What a stream says until its end. */
  const stream = async (...args: Parameters<typeof call>) => (await call(...args)).text();
  async function post(...args: Parameters<typeof call>) {
    const response = await call(...args);
    const body = JSON.parse(await response.text()) as Readonly<Record<string, unknown>>;
    const error = body['error'] as { readonly code?: unknown } | undefined;
    return { status: response.status, body, code: error?.code };
  }
  return { ...found, heard, added, call, stream, post };
}

export const rpcError = (code: number, says: RegExp | string, id: unknown = 7) => ({ code, says, id });
export const gatewayError = (type: string, says: RegExp | string) => ({ type, says });
export type Expected = Partial<ReturnType<typeof rpcError>> & Partial<ReturnType<typeof gatewayError>>;

export function checkError(
  body: Readonly<Record<string, unknown>>,
  status: number,
  { code, type, says = /./, id }: Expected,
): void {
  const error = body['error'] as Record<string, unknown>;
  assert.match(String(error['message']), says instanceof RegExp ? says : new RegExp(says));
  if (type === undefined) assert.deepEqual([body['jsonrpc'], body['id'], error['code']], ['2.0', id, code]);
  else assert.deepEqual(error, { message: error['message'], type, param: error['param'], code: String(status) });
}
