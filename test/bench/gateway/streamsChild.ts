import { Agent, request } from 'undici';
import { percentile } from '../measure.ts';
import { answerOrders } from './child.ts';
import type { StreamRest, StreamsOrder } from './target.ts';

/**
 * Makes this process a client that opens streams: one after the other until each has ended, or many that stay open.
 *
 * @param bodyFor returns the body of a request for such a stream
 */
export function openStreams(
  bodyFor: (rest: StreamRest) => object,
  requestHeaders: Readonly<Record<string, string>> = {},
): void {
  const dispatcher = new Agent({ connections: 2_000, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 0 });
  let held = 0;

  async function firstByteMs({ url, headers, rest }: StreamsOrder): Promise<number> {
    const stays = rest === 'never';
    const body = JSON.stringify(bodyFor(rest));
    const all = { 'content-type': 'application/json', ...requestHeaders, ...headers };
    const started = performance.now();
    const response = await request(url, { dispatcher, method: 'POST', headers: all, body });
    if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${await response.body.text()}`);
    let tookMs = Number.NaN;
    await new Promise<void>((resolve, reject) => {
      response.body.once('data', () => {
        tookMs = performance.now() - started;
        if (stays) resolve();
      });
      response.body.once('end', resolve).once('error', reject).resume();
    });
    if (stays) {
      held += 1;
      response.body.once('close', () => (held -= 1));
    }
    return tookMs;
  }

  answerOrders('', async (order: StreamsOrder) => {
    const tookMs: number[] = [];
    for (let at = 0; at < order.count; at += 1) tookMs.push(await firstByteMs(order));
    return order.rest === 'never' ? held : percentile(tookMs, 0.5);
  });
}
