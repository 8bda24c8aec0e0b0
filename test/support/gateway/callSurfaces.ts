import type { ServerResponse } from 'node:http';
import type { Heard } from '../backends/echoBackend.ts';
import { a2aSend, speakAll } from './backendAnswers.ts';
import type { Stand } from './stand.ts';

/** What a caller sees, told the same way on every surface. */
export interface Seen {
  readonly status: number;
  readonly type: string | null;
  /** The body; of an event stream its last event. `undefined` where the answer broke off. */
  readonly body: unknown;
  /** The id of its record. */
  readonly call: string | null;
}

/** One call through the gateway on each surface, to the backend `bad`. */
export const surfaces = {
  mcp: { path: '/bad/mcp', body: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"any"}}' },
  a2a: { path: '/a2a/bad', body: a2aSend() },
  a2aStream: { path: '/a2a/bad', body: a2aSend('message/stream') },
  cloud: { path: '/cloudagents/v0/agents', body: '{"prompt":1}' },
} as const;
export type SurfaceName = keyof typeof surfaces;

/** A whole event of an answer that goes on, as the protocol of the surface has it. */
export function eventOn(surface: SurfaceName, text = ''): string {
  const message = { kind: 'message', messageId: 'm', role: 'agent', parts: [{ kind: 'text', text }] };
  const data = surface.startsWith('a2a')
    ? { jsonrpc: '2.0', id: 7, result: message }
    : { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: text } };
  return `data: ${JSON.stringify(data)}\n\n`;
}

export async function callOn(stand: Stand, surface: SurfaceName, key: string, init: RequestInit = {}): Promise<Seen> {
  const response = await startCall(stand, surface, key, init);
  const type = response.headers.get('content-type');
  const text = await response.text().catch(() => undefined);
  const call = response.headers.get('x-gateway-call-id');
  return { status: response.status, type, body: text === undefined ? undefined : readLast(text), call };
}

export function startCall(stand: Stand, surface: SurfaceName, key: string, init: RequestInit = {}): Promise<Response> {
  const { path, body } = surfaces[surface];
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  return fetch(`${stand.base}${path}`, { method: 'POST', headers, body, redirect: 'manual', ...init });
}

/** JSON where it is JSON; the data of the last event where it is a stream. */
function readLast(text: string): unknown {
  const data = text.split('\n').findLast((it) => it.startsWith('data: '));
  const last = data === undefined ? text : data.slice(6);
  try {
    return JSON.parse(last) as unknown;
  } catch {
    return last;
  }
}

/** Registers the stand's backend under the name `bad` on every surface. */
export async function registerBad(stand: Stand): Promise<void> {
  await stand.addServer({ alias: 'bad', url: `${stand.backend.url}/mcp` });
  await stand.addAgent({ agent_name: 'bad' });
}

/** Lets handshakes succeed, and does with calls what a test says. */
export function misbehave(stand: Stand, act: (heard: Heard, response: ServerResponse) => void): void {
  stand.backend.answer = (heard, response) => {
    const text = heard.body.toString();
    const isHandshake = heard.path.startsWith('/mcp') && !text.includes('"tools/call"');
    if (isHandshake) speakAll(heard, response);
    else act(heard, response);
  };
}
