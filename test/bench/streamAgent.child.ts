/**
 * An agent that speaks ACP and answers `stream <tokens a second> <seconds>` with that many short pieces of Markdown, in
 * time: what is late is made up for. Any other prompt is answered in one piece.
 */
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

interface Request {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly prompt?: readonly { readonly text?: string }[] };
}

const sessionId = 'stream';
const send = (message: object) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const say = (text: string) =>
  send({
    method: 'session/update',
    params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
  });

async function stream(tokensPerSecond: number, seconds: number): Promise<void> {
  const started = performance.now();
  let sent = 0;
  for (let ms = 0; ms < seconds * 1_000; ms = performance.now() - started) {
    for (const due = Math.floor((ms / 1_000) * tokensPerSecond); sent < due; sent += 1) say(tokenAt(sent));
    await wait(5);
  }
}

/** A paragraph, a list, and now and then a block of code, as models write. */
function tokenAt(n: number): string {
  const place = n % 400;
  if (place === 399) return '\n```\n\n';
  if (place === 300) return '\n\n```ts\n';
  if (place > 300) return place % 8 === 0 ? `(${n});\n` : `call${place % 7} `;
  if (place > 200) return place % 12 === 0 ? '\n- ' : `item${place % 5} `;
  return place % 90 === 89 ? '.\n\n' : `word${place % 11} `;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as Request;
  const answer = (result: object) => send({ id, result });
  if (method === 'initialize') answer({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] });
  else if (method === 'session/new') answer({ sessionId });
  else if (method === 'session/prompt') {
    const [word, rate, seconds] = params?.prompt?.[0]?.text?.split(' ') ?? [];
    if (word === 'stream') void stream(Number(rate), Number(seconds)).then(() => answer({ stopReason: 'end_turn' }));
    else {
      say('An answer.');
      answer({ stopReason: 'end_turn' });
    }
  } else if (id !== undefined) send({ id, error: { code: -32601, message: 'unknown' } });
}
