import { ADMIN_KEY, startGateway, withKey } from '../../gateway/benchGateway.ts';
import { type Child, startChild } from '../../gateway/child.ts';
import { residentMb } from '../../gateway/processFigures.ts';
import type { Target } from '../../gateway/target.ts';
import { median, type Row, RUNS } from '../../measure.ts';
import { throughputRows } from './throughput.ts';

/** The registration allows to keep lists, and says when a server counts as dead. */
const kept = { list_cache_ttl_s: 600, circuit_breaker: { failures: 3, window_s: 60, open_s: 600 } };
const PLANS = [
  { servers: 1, dead: 0, settings: {}, how: '' },
  { servers: 10, dead: 0, settings: {}, how: '' },
  { servers: 60, dead: 3, settings: {}, how: '' },
  { servers: 1, dead: 0, settings: kept, how: ', whose lists are kept' },
  { servers: 60, dead: 3, settings: kept, how: ', whose lists are kept' },
];

/** Whether more servers behind the gateway make lists or calls slower. */
export async function gatewayFrontierServers(): Promise<readonly Row[]> {
  const backend = await startChild('backend');
  const client = await startChild('client');
  const rows: Row[] = [];
  let oneMs = Number.NaN;
  try {
    for (const { servers, dead, settings, how } of PLANS) {
      const gateway = await startGateway({ mcp_servers: serversOf(backend, servers, dead, settings) });
      try {
        const name = `${servers} servers${how}${dead === 0 ? '' : `, ${dead} of them dead`}`;
        const listMs = await warmListMs(gateway.url);
        if (servers === 1) oneMs = listMs;
        else
          rows.push({
            name: `warm list of ${name}, against one server`,
            value: listMs / oneMs,
            limit: 1.2,
            unit: 'ratio',
            detail: `${listMs.toFixed(2)} ms against ${oneMs.toFixed(2)} ms; ${residentMb(gateway.pid).toFixed(0)} MB resident`,
          });
        const target: Target = {
          ...{ name, url: `${gateway.url}/s0/mcp`, road: 'streamable', tool: 'echo' },
          headers: withKey(ADMIN_KEY),
        };
        rows.push(...(await throughputRows(client, target, gateway.pid)));
      } finally {
        await gateway.close();
      }
    }
    return rows;
  } finally {
    await client.close();
    await backend.close();
  }
}

/** @param dead of the servers: nothing listens on their ports */
const serversOf = ({ url }: Child, servers: number, dead: number, settings: object) =>
  Object.fromEntries(
    Array.from({ length: servers }, (_, at) => [
      `s${at}`,
      {
        url: at < servers - dead ? `${url}/mcp` : `http://127.0.0.1:${servers - at}/mcp`,
        allow_private_network: true,
        ...settings,
      },
    ]),
  );

async function warmListMs(url: string): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < 5 * RUNS; n += 1) {
    const started = performance.now();
    const response = await fetch(`${url}/mcp-rest/tools/list`, { headers: withKey(ADMIN_KEY) });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`the list was answered with ${response.status}`);
    if (n >= RUNS) took.push(performance.now() - started);
  }
  return median(took);
}
