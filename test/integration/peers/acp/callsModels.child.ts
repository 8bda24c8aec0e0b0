/**
 * An agent that calls models as Claude does: at `ANTHROPIC_BASE_URL`, with the key in `ANTHROPIC_AUTH_TOKEN`. Its prompt is the number
 * of calls. It makes them one after the other, and reports the result of each.
 */
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly prompt?: readonly { readonly text?: string }[] };
}

const { ANTHROPIC_BASE_URL: url = '', ANTHROPIC_AUTH_TOKEN: key = '' } = process.env;
const sessionId = 'calls-models';
const send = (message: object) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function say(text: string): void {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  send({ method: 'session/update', params: { sessionId, update } });
}

async function call(): Promise<string> {
  const messages = [{ role: 'user', content: 'hello' }];
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'claude-sonnet-5', max_tokens: 1_000, messages }),
  });
  const body = await answer.text();
  return answer.ok ? 'answered' : `refused: ${body}`;
}

async function handle({ id, method, params }: Message): Promise<void> {
  const answer = (result: object) => send({ id, result });
  if (method === 'initialize') return answer({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] });
  if (method === 'session/new') return answer({ sessionId });
  if (method !== 'session/prompt') return id === undefined ? undefined : answer({});
  const count = Number(params?.prompt?.[0]?.text);
  for (let n = 1; n <= count; n += 1) say(`Call ${n}: ${await call()}\n\n`);
  return answer({ stopReason: 'end_turn' });
}

createInterface({ input: process.stdin })
  .on('line', (line) => void handle(JSON.parse(line) as Message))
  .on('close', () => process.exit(0));
