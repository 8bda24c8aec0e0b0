import type { ServerResponse } from 'node:http';
import type { Heard } from '../backends/echoBackend.ts';

export const a2aMessage = { kind: 'message', role: 'user', messageId: 'm1', parts: [{ kind: 'text', text: 'hi' }] };
export const a2aSend = (method = 'message/send') =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { message: a2aMessage } });

/** Answers as whatever the path says: `/agent…` an agent, `/mcp…` an MCP server with these tools, anything else `{}`. */
export function speakAll(heard: Heard, response: ServerResponse, tools?: readonly object[]): void {
  if (heard.path.startsWith('/agent')) {
    if (heard.method !== 'POST') return void response.writeHead(404).end();
    return answerRpc(heard, response, { ...a2aMessage, role: 'agent' });
  }
  if (heard.path.startsWith('/mcp')) return speakMcp(heard, response, tools);
  response.setHeader('content-type', 'application/json').end('{}');
}

export const echoTool = { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' } };
/** So that one can be let through and one not. */
export const twoTools = [echoTool, { name: 'other', inputSchema: { type: 'object' } }];

/** An MCP server without sessions, with these tools; each answers with the arguments it got. */
export function speakMcp(heard: Heard, response: ServerResponse, tools: readonly object[] = [echoTool]): void {
  if (heard.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = JSON.parse(heard.body.toString()) as {
    id?: unknown;
    method?: string;
    params?: { arguments?: unknown };
  };
  if (id === undefined) return void response.writeHead(202).end();
  if (method === 'initialize') return answerRpc(heard, response, hello);
  if (method === 'tools/list') return answerRpc(heard, response, { tools });
  if (method === 'tools/call') {
    const text = JSON.stringify(params?.arguments ?? {});
    return answerRpc(heard, response, { content: [{ type: 'text', text }] });
  }
  response.writeHead(400).end();
}

const hello = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'echo', version: '1' },
};

function answerRpc({ body }: Heard, response: ServerResponse, result: unknown): void {
  const { id } = JSON.parse(body.toString()) as { id?: unknown };
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
