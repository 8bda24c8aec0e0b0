import { Agent, request } from 'node:http';
import { availableParallelism } from 'node:os';
import { alternate, median, type Row } from '../measure.ts';
import { type BenchGateway, startGateway, withKey } from './benchGateway.ts';
import { benchConfig } from './callers.ts';
import { startChild } from './child.ts';

const WORKERS = 2;
const CONNECTIONS = 32;
const CALLS = 1_000;
const PRICE = 0.000_001;
const BUDGET_CALLS = 50;
/** With fewer cores, workers, their owner, the client, and the backend take them from each other. */
const ENOUGH_CORES = 4;

/** What workers bring, and how soon they refuse a key. */
export async function gatewayWorkers(): Promise<readonly Row[]> {
  const backend = await startChild('backend');
  const config = benchConfig(backend.url);
  const many = await startGateway(config, ['--workers', String(WORKERS)]);
  const one = await startGateway(config);
  try {
    const [ofMany, ofOne] = [await makeKey(many), await makeKey(one)];
    const { ours, baseline } = await alternate(
      () => perSecond(many, ofMany),
      () => perSecond(one, ofOne),
    );
    const cores = availableParallelism();
    return [
      {
        name: `calls a second with ${WORKERS} workers, against one process`,
        value: median(ours) / median(baseline),
        ...(cores >= ENOUGH_CORES && { floor: 1.2 }),
        unit: 'ratio',
        detail: `${median(ours).toFixed(0)} against ${median(baseline).toFixed(0)} calls, ${CONNECTIONS} at a time, ${cores} cores`,
      },
      await refusalRow(many),
      await budgetRow(many),
    ];
  } finally {
    await many.close();
    await one.close();
    await backend.close();
  }
}

const makeKey = async ({ ask }: BenchGateway, more: object = {}) => {
  const permission = { object_permission: { mcp_servers: ['bench'] } };
  return (await ask<{ key: string }>('POST', '/key/generate', { ...permission, ...more })).key;
};

/** A connection that is kept, with calls outside of sessions. @returns the status of each call */
function openCaller({ url }: BenchGateway, key: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const params = { name: 'echo', arguments: { text: 'x' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = {
    ...withKey(key),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': Buffer.byteLength(body),
  };
  const call = () =>
    new Promise<number>((resolve, reject) => {
      const asked = request(`${url}/bench/mcp`, { method: 'POST', agent, headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      });
      asked.on('error', reject).end(body);
    });
  return { call, close: () => agent.destroy() };
}

async function perSecond(gateway: BenchGateway, key: string): Promise<number> {
  const callers = Array.from({ length: CONNECTIONS }, () => openCaller(gateway, key));
  let left = CALLS;
  const started = performance.now();
  await Promise.all(
    callers.map(async ({ call }) => {
      for (; left > 0; left -= 1) if ((await call()) !== 200) throw new Error('a call failed');
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  for (const it of callers) it.close();
  return CALLS / seconds;
}

/** From the answer that a key is deleted until the last worker refuses it. */
async function refusalRow(gateway: BenchGateway): Promise<Row> {
  const key = await makeKey(gateway);
  const callers = Array.from({ length: 2 * WORKERS }, () => openCaller(gateway, key));
  for (const { call } of callers) if ((await call()) !== 200) throw new Error('a call failed');
  await gateway.ask('POST', '/key/delete', { keys: [key] });
  const started = performance.now();
  const late = await Promise.all(
    callers.map(async ({ call }) => {
      let calls = 0;
      while ((await call()) !== 401) calls += 1;
      return calls;
    }),
  );
  const took = performance.now() - started;
  for (const it of callers) it.close();
  return {
    name: 'until every worker refuses a deleted key',
    value: took,
    limit: 1_000,
    unit: 'ms',
    detail: `${late.reduce((sum, it) => sum + it, 0)} calls were admitted after the answer`,
  };
}

async function budgetRow(gateway: BenchGateway): Promise<Row> {
  const key = await makeKey(gateway, { max_budget: BUDGET_CALLS * PRICE });
  const callers = Array.from({ length: 4 * BUDGET_CALLS }, () => openCaller(gateway, key));
  const statuses = await Promise.all(callers.map(({ call }) => call()));
  for (const it of callers) it.close();
  const admitted = statuses.filter((it) => it === 200).length;
  return {
    name: 'difference between the calls that a budget pays for and those that workers admit',
    value: Math.abs(admitted - BUDGET_CALLS),
    limit: 0,
    unit: 'calls',
    detail: `${admitted} of ${statuses.length} calls at the same time`,
  };
}
