import { Agent, request } from 'undici';
import { percentile } from '../measure.ts';
import { answerOrders } from './child.ts';
import type { StreamsOrder } from './target.ts';

/** Opens streams of an A2A agent: one after the other until each has ended, or many that stay. */
const dispatcher = new Agent({ connections: 2_000, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 0 });
let held = 0;

answerOrders('', async ({ url, headers, count, stays }: StreamsOrder) => {
  if (!stays) {
    const tookMs: number[] = [];
    for (let at = 0; at < count; at += 1) tookMs.push(await firstByteMs(url, headers, 'end'));
    return percentile(tookMs, 0.5);
  }
  for (let at = 0; at < count; at += 1) await firstByteMs(url, headers, 'stay');
  return held;
});

/** @param words what the agent is told: `stay` leaves the stream open */
async function firstByteMs(url: string, headers: Record<string, string>, words: 'stay' | 'end'): Promise<number> {
  const message = { kind: 'message', role: 'user', messageId: 'm', parts: [{ kind: 'text', text: words }] };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/stream', params: { message } });
  const all = { 'content-type': 'application/json', accept: 'text/event-stream', ...headers };
  const started = performance.now();
  const response = await request(url, { dispatcher, method: 'POST', headers: all, body });
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${await response.body.text()}`);
  let tookMs = Number.NaN;
  await new Promise<void>((resolve, reject) => {
    response.body.once('data', () => {
      tookMs = performance.now() - started;
      if (words === 'stay') resolve();
    });
    response.body.once('end', resolve).once('error', reject).resume();
  });
  if (words === 'stay') {
    held += 1;
    response.body.once('close', () => (held -= 1));
  }
  return tookMs;
}
