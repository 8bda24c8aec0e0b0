import { startGateway, withKey } from '../gateway/benchGateway.ts';
import { startChild } from '../gateway/child.ts';
import { processorMs, residentMb } from '../gateway/processFigures.ts';
import type { StreamsOrder } from '../gateway/target.ts';
import { alternate, laterRow, type Row, ratioRow } from '../measure.ts';

const STREAMS = 40;
/** Calls differ from one another by more than the gateway differs from the proxy. */
const FIRST_BYTES = 200;
const OPEN = 1_000;

/** Streams of a model, against a bare proxy: how much later they begin, their processor time, and the memory of open ones. */
export async function gatewayModels(): Promise<readonly Row[]> {
  const backend = await startChild('modelBackend');
  const proxy = await startChild('bareProxy', backend.url);
  const client = await startChild('modelClient');
  const model = {
    model: 'openai_compatible/bench',
    api_base: `${backend.url}/v1`,
    allow_private_network: true,
    max_output_tokens: 1_000,
    input_cost_per_token: 1e-9,
    output_cost_per_token: 1e-9,
  };
  const gateway = await startGateway({ model_list: [{ model_name: 'bench', gateway_params: model }] });
  try {
    const { key } = await gateway.ask<{ key: string }>('POST', '/key/generate', {
      max_budget: 1e6,
      object_permission: { models: ['bench'] },
    });
    const ours = { url: `${gateway.url}/v1/chat/completions`, headers: withKey(key) };
    const bare = { url: `${proxy.url}/v1/chat/completions`, headers: {} };
    type Place = Pick<StreamsOrder, 'url' | 'headers'>;
    const spentMs = async (place: Place, pid: number) => {
      const before = processorMs(pid);
      await client.ask({ ...place, count: STREAMS, rest: 'at once' } satisfies StreamsOrder);
      return (processorMs(pid) - before) / STREAMS;
    };
    const spent = await alternate(
      () => spentMs(ours, gateway.pid),
      () => spentMs(bare, proxy.pid),
    );
    // If the other chunks followed at once, the first byte would wait behind them for a processor. How long depends on which process
    // the system runs first, and hides how long the gateway takes. A model pauses after each token.
    const firstMs = (place: Place) =>
      client.ask<number>({ ...place, count: FIRST_BYTES, rest: 'after a pause' } satisfies StreamsOrder);
    const first = await alternate(
      () => firstMs(ours),
      () => firstMs(bare),
    );
    const open = await client.ask<number>({ ...ours, count: OPEN, rest: 'never' } satisfies StreamsOrder);
    if (open !== OPEN) throw new Error(`${open} of ${OPEN} streams are open`);
    return [
      laterRow('first byte of a streamed answer of a model, later than through a bare proxy', first, 0.3),
      ratioRow('processor time of a streamed answer of 1,000 chunks, against a bare proxy', spent, 1.3),
      {
        name: `resident memory with ${OPEN} open streams of a model`,
        value: residentMb(gateway.pid),
        limit: 300,
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
