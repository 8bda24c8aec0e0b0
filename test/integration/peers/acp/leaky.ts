/**
 * An agent that gives its keys away wherever an agent can: `FAKE_API_KEY` and `FAKE_ACCOUNT` of its environment.
 *
 * `--dies` at once, `--refuses` to open a session. Prompts: `tell` (the key alone, in its text in two pieces, in a
 * title and in the output of a tool that fails), `fail`, `crash`, `wait` (until it is ended).
 */
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly prompt?: readonly { readonly text?: string }[] };
}

const { FAKE_API_KEY: key = '', FAKE_ACCOUNT: account = '' } = process.env;
const complaint = `the key ${key} of ${account} was refused`;
const sessionId = 'leaky';

const send = (message: object) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (body: object) => send({ method: 'session/update', params: { sessionId, update: body } });
const say = (text: string) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

function die(code: number): void {
  process.stderr.write(`fatal: ${complaint}\n`, () => process.exit(code));
}

/** In two pieces, the second after the host wrote the first. */
async function tell(): Promise<void> {
  process.stderr.write(`debug: ${complaint}\n`);
  say(`My key is ${key.slice(0, 9)}`);
  await new Promise((resolve) => void setTimeout(resolve, 60));
  say(`${key.slice(9)}, do not tell.`);
  const text = { type: 'content', content: { type: 'text', text: `KEY=${key}` } };
  update({ sessionUpdate: 'tool_call', toolCallId: 'c1', title: `Use ${key}`, kind: 'other', status: 'in_progress' });
  update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', content: [text], status: 'failed' });
}

async function handle({ id, method, params }: Message): Promise<void> {
  const answer = (result: object) => send({ id, result });
  const refuse = () => send({ id, error: { code: -32603, message: complaint, data: { details: complaint } } });
  if (method === 'initialize') return answer({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] });
  if (method === 'session/new') return process.argv.includes('--refuses') ? refuse() : answer({ sessionId });
  if (method !== 'session/prompt') return id === undefined ? undefined : answer({});
  switch (params?.prompt?.[0]?.text) {
    case 'tell':
      await tell();
      return answer({ stopReason: 'end_turn' });
    case 'fail':
      return refuse();
    case 'crash':
      return die(7);
    default:
      return undefined;
  }
}

if (process.argv.includes('--dies')) die(3);
else {
  createInterface({ input: process.stdin })
    .on('line', (line) => void handle(JSON.parse(line) as Message))
    .on('close', () => process.exit(0));
}
