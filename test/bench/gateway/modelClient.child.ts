import { Agent, request } from 'undici';
import { percentile } from '../measure.ts';
import { answerOrders } from './child.ts';
import type { StreamsOrder } from './target.ts';

/** Opens streams of a model: one after the other until each has ended, or many that stay. */
const dispatcher = new Agent({ connections: 2_000, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 0 });
let held = 0;

answerOrders('', async ({ url, headers, count, stays }: StreamsOrder) => {
  const tookMs: number[] = [];
  for (let at = 0; at < count; at += 1) tookMs.push(await firstByteMs(url, headers, stays ? 'stay' : 'Hi'));
  return stays ? held : percentile(tookMs, 0.5);
});

async function firstByteMs(url: string, headers: Record<string, string>, content: string): Promise<number> {
  const messages = [
    { role: 'system', content: 'You write code. '.repeat(500) },
    { role: 'user', content },
  ];
  const body = JSON.stringify({ model: 'bench', stream: true, messages });
  const all = { 'content-type': 'application/json', ...headers };
  const started = performance.now();
  const response = await request(url, { dispatcher, method: 'POST', headers: all, body });
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${await response.body.text()}`);
  let tookMs = Number.NaN;
  await new Promise<void>((resolve, reject) => {
    response.body.once('data', () => {
      tookMs = performance.now() - started;
      if (content === 'stay') resolve();
    });
    response.body.once('end', resolve).once('error', reject).resume();
  });
  if (content === 'stay') {
    held += 1;
    response.body.once('close', () => (held -= 1));
  }
  return tookMs;
}
