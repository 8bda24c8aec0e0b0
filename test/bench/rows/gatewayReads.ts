import { DAY_MS } from '../../../sidecar/protocol/gateway/duration.ts';
import { startGateway } from '../gateway/benchGateway.ts';
import { seedActivity, seededKey } from '../gateway/seedActivity.ts';
import { storeStalls } from '../gateway/stalls.ts';
import { median, type Row, RUNS } from '../measure.ts';

const DAYS = 30;
const CALLS_A_DAY = 100_000;
const KEYS = 200;

/** What the pages of administrators ask first, with a month of many calls in the database. */
export async function gatewayReads(): Promise<readonly Row[]> {
  const config = {};
  const empty = await startGateway(config);
  for (let at = 0; at < KEYS; at += 1)
    await empty.ask('POST', '/key/generate', { key_alias: `key-${at}`, metadata: { at } });
  await empty.stop();
  const endMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  seedActivity(empty.dataDir, { startMs: endMs - (DAYS - 1) * DAY_MS, days: DAYS, calls: CALLS_A_DAY, keys: KEYS });
  const day = (ago: number) => new Date(endMs - ago * DAY_MS).toISOString().slice(0, 10);
  const month = `start_date=${day(DAYS - 1)}&end_date=${day(0)}`;
  const week = `start_date=${day(6)}&end_date=${day(0)}`;
  const reads = [
    `/activity/endpoints?${month}`,
    `/user/daily/activity?${month}&page_size=1000`,
    '/spend/logs/v2?page_size=50',
    `/spend/logs/v2?${week}&page_size=50`,
    `/spend/logs/v2?${week}&api_key=${seededKey(7)}`,
    `/spend/logs/v2?${week}&status_filter=failure`,
    `/spend/logs/v2?${week}&model=MCP:+tool-3`,
    `/spend/logs/v2?${week}&search=tool-3`,
    `/spend/logs/v2?${month}&search=customer-77`,
    `/spend/logs/v2?${month}&search=failed`,
    '/key/list?return_full_object=true',
  ];
  const gateway = await empty.restart();
  try {
    const rows: Row[] = [];
    for (const path of reads) {
      const tookMs: number[] = [];
      for (let run = 0; run < RUNS; run += 1) {
        const started = performance.now();
        await gateway.ask('GET', path);
        tookMs.push(performance.now() - started);
      }
      rows.push({
        name: `GET ${path.replace(month, '30 days').replace(week, '7 days')}`,
        value: median(tookMs),
        limit: 1_000,
        unit: 'ms',
        detail: `${DAYS * CALLS_A_DAY} calls in ${DAYS} days; the first time ${(tookMs[0] ?? Number.NaN).toFixed(0)} ms`,
      });
    }
    await gateway.stop();
    const { flush, search } = await storeStalls(gateway.dataDir);
    const stalls = [
      ['500 records are written', flush],
      ['words are looked for in all lines', search],
    ] as const;
    return [
      ...rows,
      ...stalls.map(([what, { longestMs, tookMs }]) => ({
        name: `longest stall of the thread that serves, while ${what}`,
        value: longestMs,
        limit: 30,
        unit: 'ms' as const,
        detail: `it took ${tookMs.toFixed(0)} ms, beside ${DAYS * CALLS_A_DAY} lines`,
      })),
    ];
  } finally {
    await gateway.close();
  }
}
