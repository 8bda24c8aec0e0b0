import { type BenchGateway, startGateway } from '../gateway/benchGateway.ts';
import { median, type Row, RUNS } from '../measure.ts';

const SERVERS = 200;

/** From the start of the process to the first answered request, with many servers in its configuration. */
export async function gatewayStart(): Promise<readonly Row[]> {
  const names = Array.from({ length: SERVERS }, (_, at) => `server-${at}`);
  const config = {
    mcp_servers: Object.fromEntries(names.map((it) => [it, { url: `https://${it}.example.com/mcp` }])),
  };
  const [first, ...later] = await startTimes(config);
  return [
    {
      name: `cold start of the gateway with ${SERVERS} servers, to the first answer`,
      value: median(later),
      limit: 500,
      unit: 'ms',
      detail: `with a database that has them; ${(first ?? Number.NaN).toFixed(0)} ms with none yet`,
    },
  ];
}

async function startTimes(config: object): Promise<readonly number[]> {
  const figures: number[] = [];
  let before: BenchGateway | undefined;
  for (let run = 0; run <= RUNS; run += 1) {
    const started = performance.now();
    const gateway: BenchGateway = await (before?.restart() ?? startGateway(config));
    const servers = await gateway.ask<unknown[]>('GET', '/v1/mcp/server');
    figures.push(performance.now() - started);
    if (servers.length !== SERVERS) throw new Error(`${servers.length} servers are there`);
    await gateway.stop();
    before = gateway;
  }
  await before?.close();
  return figures;
}
