import type { ServerResponse } from 'node:http';
import type { GatewayOptions } from '../../../sidecar/gateway/options.ts';
import type { Clock } from '../../../sidecar/platform/clock.ts';
import type { SpendLog } from '../../../sidecar/protocol/gateway/activity.ts';
import { SpendLogsQuery } from '../../../sidecar/protocol/gateway/activityQueries.ts';
import type { McpCredentials, McpServerRecord } from '../../../sidecar/protocol/gateway/mcpServer.ts';
import type { Heard } from '../backends/echoBackend.ts';
import { until } from '../until.ts';
import { a2aMessage, echoTool, openStand, type Stand, speakAll, speakMcp } from './stand.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of the body, or of the last event of a stream. */
  readonly json: unknown;
}

/** A stand whose servers and agents are registered over the API, as people do it. */
export interface SpecStand extends Stand {
  /** Registers a server at a path of the backend; `allow_private_network` is set. @returns its id */
  register(
    server: Partial<McpServerRecord> & { readonly alias: string; readonly credentials?: McpCredentials },
  ): Promise<string>;
  /** Registers an agent at a path of the backend. @returns its id */
  registerAgent(agent_name: string, gateway_params?: object, more?: object): Promise<string>;
  /** Any request; a body makes it a POST of JSON. */
  ask(path: string, headers: Readonly<Record<string, string>>, body?: object): Promise<Answer>;
  /** The line of the log for an answer, by the id that it came with. */
  recordOf(answer: Pick<Answer, 'headers'>): Promise<SpendLog>;
  /** The newest request that the backend heard at a path. */
  heardAt(path: string): Heard | undefined;
}

/** Two tools each, so that one can be let through and one not. */
const tools = [echoTool, { name: 'other', inputSchema: { type: 'object' } }];
const answer = (heard: Heard, response: ServerResponse) =>
  heard.path.startsWith('/mcp') ? speakMcp(heard, response, tools) : speakAll(heard, response);

export async function openSpecStand(more: Partial<GatewayOptions> = {}, clock?: Clock): Promise<SpecStand> {
  const stand = await openStand(more, clock);
  stand.backend.answer = answer;
  const { whole, base, backend } = stand;
  return {
    ...stand,
    async register(server) {
      const at = { transport: 'http', url: `${backend.url}/mcp/${server.alias}`, allow_private_network: true };
      return String((await whole.manage('POST', '/v1/mcp/server', { ...at, ...server }))['server_id']);
    },
    async registerAgent(agent_name, gateway_params = {}, other = {}) {
      const made = await whole.manage('POST', '/v1/agents', {
        agent_name,
        agent_card_params: { name: agent_name, url: `${backend.url}/agent/${agent_name}` },
        gateway_params: { allow_private_network: true, ...gateway_params },
        ...other,
      });
      return String(made['agent_id']);
    },
    async ask(path, headers, body) {
      const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const init = body
        ? { method: 'POST', body: JSON.stringify(body), headers: { ...json, ...headers } }
        : { headers };
      const response = await fetch(`${base}${path}`, init);
      const text = await response.text();
      const last = /^data: (.*)$/m.exec(text)?.[1] ?? text;
      const parsed: unknown = last.startsWith('{') || last.startsWith('[') ? JSON.parse(last) : undefined;
      return { status: response.status, headers: response.headers, text, json: parsed };
    },
    async recordOf({ headers }) {
      const query = SpendLogsQuery.parse({ request_id: headers.get('x-gateway-call-id') });
      let found: readonly SpendLog[] = [];
      await until('the call is on record', async () => {
        found = (await whole.gateway.store.spendLogs.page(query)).data;
        return found.length > 0;
      });
      const [line, ...others] = found;
      if (!line || others.length > 0) throw new Error(`${found.length} records of one request`);
      return line;
    },
    heardAt: (path) => backend.heard.findLast((it) => it.path === path),
  };
}

export const rpcBody = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
export const toolCall = (name: string, args: object = {}) => rpcBody('tools/call', { name, arguments: args });
export const messageBody = () => rpcBody('message/send', { message: a2aMessage });
export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The names in an answer to `tools/list`, sorted. */
export const toolNames = ({ json }: Pick<Answer, 'json'>): readonly string[] => {
  const { result, tools: bare } = json as { result?: { tools: { name: string }[] }; tools?: { name: string }[] };
  return (result?.tools ?? bare ?? []).map((it) => it.name).sort();
};
/** Whether an answer to `tools/call` is the refusal of a tool. */
export const isRefusal = ({ json }: Pick<Answer, 'json'>): boolean =>
  (json as { result?: { isError?: boolean } }).result?.isError === true;
