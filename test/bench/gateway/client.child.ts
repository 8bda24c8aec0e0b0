import { percentile } from '../measure.ts';
import { answerOrders } from './child.ts';
import { connect, type McpClient } from './mcpClient.ts';
import type { CallFigures, CallsOrder } from './target.ts';

/** Calls a tool, `concurrency` at a time, with one session for each target. */
const clients = new Map<string, Promise<McpClient>>();

answerOrders('', async ({ target, concurrency, calls }: CallsOrder): Promise<CallFigures> => {
  const known = clients.get(target.name) ?? connect(target);
  clients.set(target.name, known);
  const client = await known;
  const tookMs: number[] = [];
  let left = calls;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      const started = performance.now();
      await client.call();
      tookMs.push(performance.now() - started);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: concurrency }, caller));
  const seconds = (performance.now() - started) / 1_000;
  return { p50: percentile(tookMs, 0.5), p99: percentile(tookMs, 0.99), perSecond: calls / seconds };
});
