import { createParser } from 'eventsource-parser';
import { Agent, request } from 'undici';
import { SAID } from './mcpAnswers.ts';
import type { Target } from './target.ts';

/** A client after its handshake, that spends as little as it can. */
export interface McpClient {
  /** Calls the tool once. @throws where the answer is not the tool's */
  call(): Promise<void>;
}

const dispatcher = new Agent({ connections: 128, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 0 });
const params = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};
const rpc = (method: string, more: object) => JSON.stringify({ jsonrpc: '2.0', method, ...more });
const toolCall = (tool: string, id: number) =>
  rpc('tools/call', { id, params: { name: tool, arguments: { text: 'Some words to be said again.' } } });

export function connect(target: Target): Promise<McpClient> {
  return target.road === 'sse' ? connectSse(target) : connectStreamable(target);
}

async function connectStreamable({ url, headers, tool }: Target): Promise<McpClient> {
  const all: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const post = async (body: string) => {
    const response = await request(url, { dispatcher, method: 'POST', headers: all, body });
    return { response, text: await response.body.text() };
  };
  const { response, text } = await post(rpc('initialize', { id: 0, params }));
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}: ${text}`);
  const session = response.headers['mcp-session-id'];
  if (typeof session === 'string') all['mcp-session-id'] = session;
  all['mcp-protocol-version'] = params.protocolVersion;
  await post(rpc('notifications/initialized', {}));
  let count = 0;
  return {
    async call() {
      check((await post(toolCall(tool, (count += 1)))).text);
    },
  };
}

/** The older transport: answers come on a stream that is open all the time. */
async function connectSse({ url, headers, tool }: Target): Promise<McpClient> {
  const waiting = new Map<unknown, (text: string) => void>();
  const { body } = await request(url, { dispatcher, headers: { accept: 'text/event-stream', ...headers } });
  const address = await new Promise<string>((resolve, reject) => {
    const parser = createParser({
      onEvent({ event, data }) {
        if (event === 'endpoint') return resolve(new URL(data, url).href);
        const { id } = JSON.parse(data) as { id?: unknown };
        waiting.get(id)?.(data);
        waiting.delete(id);
      },
    });
    body.setEncoding('utf8').on('data', (chunk: string) => parser.feed(chunk));
    body.on('error', reject);
  });
  const all = { 'content-type': 'application/json', ...headers };
  const post = async (text: string) => {
    const response = await request(address, { dispatcher, method: 'POST', headers: all, body: text });
    await response.body.dump();
  };
  const ask = async (id: number, text: string) => {
    const answered = new Promise<string>((resolve) => void waiting.set(id, resolve));
    await post(text);
    return answered;
  };
  await ask(0, rpc('initialize', { id: 0, params }));
  await post(rpc('notifications/initialized', {}));
  let count = 0;
  return {
    async call() {
      const id = (count += 1);
      check(await ask(id, toolCall(tool, id)));
    },
  };
}

function check(text: string): void {
  if (!text.includes(SAID)) throw new Error(`this is not what the tool says: ${text.slice(0, 500)}`);
}
