import { startPostgres } from '../../../support/network/postgresServer.ts';
import { type BenchGateway, startGateway, withKey } from '../../gateway/benchGateway.ts';
import { benchConfig } from '../../gateway/callers.ts';
import { startChild } from '../../gateway/child.ts';
import { connect } from '../../gateway/mcpClient.ts';
import { residentMb } from '../../gateway/processFigures.ts';
import { seededSecret, seedKeys } from '../../gateway/seedKeys.ts';
import { median, type Row, RUNS } from '../../measure.ts';

const FEW = 10;
const MANY = 100_000;
/** Keys that call for the first time. */
const CALLERS = 50;
const PAGE_MS = 300;
const PAGES = [
  '/key/list?return_full_object=true&sort_by=expires',
  '/key/list?return_full_object=true&sort_by=max_budget',
  '/key/list?return_full_object=true',
  '/key/list?return_full_object=true&search=key-77',
  '/key/list?return_full_object=true&search=absent',
  '/key/list?return_full_object=true&key_alias=key-7',
  '/key/list?return_full_object=true&sort_by=key_alias&sort_order=asc',
  '/key/aliases?search=key-7',
  '/key/aliases',
];

interface Figures {
  /** From the start of the process to the first answered request. */
  readonly startMs: number;
  readonly pagesMs: readonly number[];
  /** Of the first and of the second call of a key. */
  readonly firstMs: number;
  readonly secondMs: number;
  readonly residentMb: number;
}

/** What grows with the number of keys: starts, pages, first calls, and memory. */
export async function gatewayFrontierKeys(): Promise<readonly Row[]> {
  const backend = await startChild('backend');
  const postgres = await startPostgres();
  try {
    const rows: Row[] = [];
    for (const name of ['SQLite', 'PostgreSQL']) {
      const measured = async (keys: number) =>
        figuresOf(backend.url, keys, name === 'SQLite' ? undefined : await postgres.database());
      rows.push(...rowsOf(name, await measured(FEW), await measured(MANY)));
    }
    return rows;
  } finally {
    await postgres.stop();
    await backend.close();
  }
}

function rowsOf(database: string, few: Figures, many: Figures): readonly Row[] {
  const against = (name: string, of: (it: Figures) => number, unit: string, limit?: number): Row => ({
    name: `${name} with ${MANY} keys on ${database}, against ${FEW}`,
    value: of(many) / of(few),
    ...(limit !== undefined && { limit }),
    unit: 'ratio',
    detail: `${of(many).toFixed(2)} ${unit} against ${of(few).toFixed(2)} ${unit}`,
  });
  return [
    against('cold start', (it) => it.startMs, 'ms', 1.2),
    against('first call of a key', (it) => it.firstMs, 'ms', 1.5),
    against('second call of a key', (it) => it.secondMs, 'ms', 1.5),
    against('memory', (it) => it.residentMb, 'MB'),
    ...PAGES.map(
      (path, at): Row => ({
        name: `GET ${path} with ${MANY} keys on ${database}`,
        value: many.pagesMs[at] ?? Number.NaN,
        limit: PAGE_MS,
        unit: 'ms',
        detail: `${few.pagesMs[at]?.toFixed(1)} ms with ${FEW}`,
      }),
    ),
  ];
}

async function figuresOf(backend: string, keys: number, database: string | undefined): Promise<Figures> {
  let gateway = await startGateway(benchConfig(backend), [], database);
  try {
    const { token } = await gateway.ask<{ token: string }>('POST', '/key/generate', {
      object_permission: { mcp_servers: ['bench'] },
    });
    await gateway.stop();
    await seedKeys(database === undefined ? { dataDir: gateway.dataDir } : { database }, token, keys);
    const starts: number[] = [];
    for (let run = 0; run <= RUNS; run += 1) {
      await gateway.stop();
      const started = performance.now();
      gateway = await gateway.restart();
      await gateway.ask('GET', '/key/info');
      starts.push(performance.now() - started);
    }
    const [first, second] = await firstCalls(gateway, Math.min(keys, CALLERS), keys);
    const pagesMs: number[] = [];
    for (const path of PAGES) pagesMs.push(await pageMs(gateway, path));
    return {
      startMs: median(starts.slice(1)),
      pagesMs,
      firstMs: median(first),
      secondMs: median(second),
      residentMb: residentMb(gateway.pid),
    };
  } finally {
    await gateway.close();
  }
}

async function firstCalls(gateway: BenchGateway, callers: number, keys: number) {
  const first: number[] = [];
  const second: number[] = [];
  for (let at = 0; at < callers; at += 1) {
    const headers = withKey(seededSecret(Math.floor((at * keys) / callers)));
    const opened = performance.now();
    const client = await connect({
      name: `${at}`,
      url: `${gateway.url}/bench/mcp`,
      road: 'streamable',
      headers,
      tool: 'echo',
    });
    await client.call();
    first.push(performance.now() - opened);
    const again = performance.now();
    await client.call();
    second.push(performance.now() - again);
  }
  return [first, second] as const;
}

async function pageMs(gateway: BenchGateway, path: string): Promise<number> {
  const tookMs: number[] = [];
  for (let run = 0; run <= RUNS; run += 1) {
    const started = performance.now();
    await gateway.ask('GET', path);
    tookMs.push(performance.now() - started);
  }
  return median(tookMs.slice(1));
}
