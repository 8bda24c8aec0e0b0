import { startGateway } from '../../gateway/benchGateway.ts';
import { benchConfig, callersOf } from '../../gateway/callers.ts';
import { startChild } from '../../gateway/child.ts';
import type { Row } from '../../measure.ts';
import { throughputRows } from './throughput.ts';

/** How many calls one process of the gateway takes, by what it has to find out of the caller. */
export async function gatewayFrontierCalls(): Promise<readonly Row[]> {
  const backend = await startChild('backend');
  const client = await startChild('client');
  const gateway = await startGateway(benchConfig(backend.url));
  try {
    const rows: Row[] = [];
    for (const target of await callersOf(gateway)) rows.push(...(await throughputRows(client, target, gateway.pid)));
    return rows;
  } finally {
    await gateway.close();
    await client.close();
    await backend.close();
  }
}
