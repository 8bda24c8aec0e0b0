import { randomBytes } from 'node:crypto';
import { openStore } from '../../../../sidecar/gateway/storage/store.ts';
import { systemClock } from '../../../../sidecar/platform/clock.ts';
import { fillGateway } from '../../../support/gateway/filling/fillGateway.ts';
import { startPostgres } from '../../../support/network/postgresServer.ts';
import { type PageSubjects, type PageTime, timePages } from '../../gateway/adminPages.ts';
import { type BenchGateway, startGateway } from '../../gateway/benchGateway.ts';
import { benchConfig, callersOf } from '../../gateway/callers.ts';
import { startChild } from '../../gateway/child.ts';
import { seedPostgres } from '../../gateway/seedPostgres.ts';
import type { Row } from '../../measure.ts';
import { throughputRows } from './throughput.ts';

/** A number in `SWITCHBOARD_LINES` makes it another size; to write ten million takes several minutes. */
const LINES = Number(process.env['SWITCHBOARD_LINES'] ?? 10_000_000);
const DAYS = 30;
const PAGE_MS = 300;
const plan = { teams: 100, keys: 1_000, servers: 60, calls: 0, days: DAYS };

/** What grows with the log on PostgreSQL: calls a second, memory, and the pages of administrators. */
export async function gatewayFrontierLog(): Promise<readonly Row[]> {
  const backend = await startChild('backend');
  const client = await startChild('client');
  const postgres = await startPostgres();
  const rows: Row[] = [];
  try {
    for (const lines of [0, LINES]) {
      const database = await postgres.database();
      const subjects = lines === 0 ? undefined : await fill(database, backend.url, lines);
      const gateway = await startGateway(benchConfig(backend.url), [], database);
      try {
        if (subjects) rows.push(...(await pageRows(gateway, subjects, lines)));
        const target = (await callersOf(gateway)).find((it) => it.name.includes('full resolution'));
        if (!target) throw new Error('nobody calls with full resolution');
        const name = `PostgreSQL with ${lines} lines`;
        rows.push(...(await throughputRows(client, { ...target, name }, gateway.pid)));
      } finally {
        await gateway.close();
      }
    }
    return rows;
  } finally {
    await postgres.stop();
    await client.close();
    await backend.close();
  }
}

/** @returns records that have calls */
async function fill(database: string, backendUrl: string, lines: number): Promise<PageSubjects> {
  const address = { kind: 'postgres', url: database } as const;
  const store = await openStore({ address, clock: systemClock, secret: randomBytes(32), holder: 'bench' });
  try {
    const { keys, servers, organizations } = await fillGateway(store, { ...plan, backendUrl, nowMs: Date.now() });
    await seedPostgres(database, { calls: lines, days: DAYS });
    const key = keys.find((it) => it.key_alias && it.team_id && it.user_id);
    const budget = (await store.budget.all())[0];
    const end_user = (await store.end_user.all())[0];
    if (!key || !budget || !end_user) throw new Error('the filling has no such records');
    return {
      key: key.token,
      key_alias: encodeURIComponent(key.key_alias ?? ''),
      team: key.team_id ?? '',
      user: key.user_id ?? '',
      organization: organizations[0]?.organization_id ?? '',
      end_user: end_user.user_id,
      budget: budget.budget_id,
      server: servers[0]?.server_id ?? '',
    };
  } finally {
    await store.close();
  }
}

async function pageRows(gateway: BenchGateway, subjects: PageSubjects, lines: number): Promise<readonly Row[]> {
  const pages = (await timePages(gateway, subjects)).toSorted((a, b) => orderOf(b) - orderOf(a));
  return pages.map(({ path, firstMs, medianMs, failure }) => ({
    name: `GET ${path}`,
    value: medianMs,
    limit: PAGE_MS,
    unit: 'ms',
    detail: `with ${lines} lines; ${failure ?? `the first time ${firstMs.toFixed(0)} ms`}`,
  }));
}

/** What failed comes first. */
const orderOf = ({ medianMs }: PageTime) => (Number.isNaN(medianMs) ? Number.POSITIVE_INFINITY : medianMs);
