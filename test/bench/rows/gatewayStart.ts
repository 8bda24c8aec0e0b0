import { join } from 'node:path';
import { type BenchGateway, startGateway } from '../gateway/benchGateway.ts';
import { emptyServerMs } from '../gateway/emptyServer.ts';
import { median, type Row, RUNS } from '../measure.ts';

const SERVERS = 200;

/** From the start of the process to the first answered request, with many servers in its configuration. */
export async function gatewayStart(): Promise<readonly Row[]> {
  const names = Array.from({ length: SERVERS }, (_, at) => `server-${at}`);
  const config = {
    mcp_servers: Object.fromEntries(names.map((it) => [it, { url: `https://${it}.example.com/mcp` }])),
  };
  const { first, later, empty } = await startTimes(config);
  const ratios = later.map((it, at) => it / (empty[at] ?? Number.NaN));
  const ms = (figures: readonly number[]) => `${median(figures).toFixed(0)} ms`;
  return [
    {
      name: `cold start of the gateway with ${SERVERS} servers, to the first answer, against an empty server`,
      value: median(ratios),
      limit: 2.5,
      unit: 'ratio',
      detail: `${ms(later)} against ${ms(empty)} with the same database; ${first.toFixed(0)} ms with none yet`,
    },
  ];
}

/** Of the gateway, and of an empty server on its database after each start. */
async function startTimes(config: object) {
  const figures: number[] = [];
  const empty: number[] = [];
  let before: BenchGateway | undefined;
  for (let run = 0; run <= RUNS; run += 1) {
    const started = performance.now();
    const gateway: BenchGateway = await (before?.restart() ?? startGateway(config));
    const servers = await gateway.ask<unknown[]>('GET', '/v1/mcp/server');
    figures.push(performance.now() - started);
    if (servers.length !== SERVERS) throw new Error(`${servers.length} servers are there`);
    await gateway.stop();
    if (run > 0) empty.push(await emptyServerMs(join(gateway.dataDir, 'gateway.db')));
    before = gateway;
  }
  await before?.close();
  const [first = Number.NaN, ...later] = figures;
  return { first, later, empty };
}
