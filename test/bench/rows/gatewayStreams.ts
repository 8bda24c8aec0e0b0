import { startGateway } from '../gateway/benchGateway.ts';
import { benchConfig, callersOf } from '../gateway/callers.ts';
import { startChild } from '../gateway/child.ts';
import { residentMb } from '../gateway/processFigures.ts';
import type { StreamsOrder } from '../gateway/target.ts';
import { alternate, laterRow, type Row } from '../measure.ts';

const STREAMS = 200;
const OPEN = 1_000;

/** Streams of an A2A agent: how much later they begin than through a bare proxy, and what many open ones cost. */
export async function gatewayStreams(): Promise<readonly Row[]> {
  const backend = await startChild('backend');
  const proxy = await startChild('bareProxy', backend.url);
  const client = await startChild('streamClient');
  const gateway = await startGateway(benchConfig(backend.url));
  try {
    const [, , full] = await callersOf(gateway);
    if (!full) throw new Error('there is no caller');
    const url = `${gateway.url}/a2a/bench`;
    const first = (order: Pick<StreamsOrder, 'url' | 'headers'>) =>
      client.ask<number>({ ...order, count: STREAMS, rest: 'after a pause' } satisfies StreamsOrder);
    const figures = await alternate(
      () => first({ url, headers: full.headers }),
      () => first({ url: `${proxy.url}/agent`, headers: {} }),
    );
    const stay: StreamsOrder = { url, headers: full.headers, count: OPEN, rest: 'never' };
    const open = await client.ask<number>(stay);
    if (open !== OPEN) throw new Error(`${open} of ${OPEN} streams are open`);
    return [
      laterRow('first byte of an A2A stream, later than through a bare proxy', figures, 0.5),
      {
        name: `resident memory with ${OPEN} open streams`,
        value: residentMb(gateway.pid),
        limit: 200,
        unit: 'MB',
        detail: 'of the process of the gateway',
      },
    ];
  } finally {
    await client.close();
    await gateway.close();
    await proxy.close();
    await backend.close();
  }
}
