import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { projectRoot } from '../../../support/cache.ts';
import { bearer, messageBody, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { postgresDatabase } from '../../../support/network/postgres.ts';
import { readSamples, type Sample, sumBy } from '../../../support/telemetry/metricLines.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

describe('the metrics of a gateway', () => {
  let stand: Stand;
  let key: string;
  before(async () => {
    stand = await openStand();
    await stand.register({
      alias: 'echo',
      disallowed_tools: ['other'],
      mcp_info: { mcp_server_cost_info: { default_cost_per_query: 0.25 } },
    });
    const team = await stand.manage('POST', '/team/new', { team_alias: 'red', max_budget: 10 });
    const made = await stand.manage('POST', '/key/generate', {
      key_alias: 'ci',
      team_id: team['team_id'],
      max_budget: 2,
    });
    key = String(made['key']);
  });
  after(() => stand.close());

  const scrape = async (): Promise<readonly Sample[]> =>
    readSamples(await (await stand.as(stand.adminKey, '/metrics')).text());

  it('have calls and spend by team and key alias, and what is left of their budgets', async () => {
    verifies('gateway.metrics.callers');
    for (const tool of ['echo', 'echo', 'other']) await stand.ask('/echo/mcp', bearer(key), toolCall(tool));
    const samples = await scrape();
    assert.deepEqual(sumBy(samples, 'switchboard_caller_calls_total', 'team', 'key_alias', 'status'), {
      'red ci success': 2,
      'red ci failure': 1,
    });
    assert.deepEqual(sumBy(samples, 'switchboard_caller_spend_dollars_total', 'team', 'key_alias'), { 'red ci': 0.5 });
    assert.deepEqual(sumBy(samples, 'switchboard_budget_remaining_dollars', 'owner', 'name'), {
      'key ci': 1.5,
      'team red': 9.5,
    });
    assert.deepEqual(sumBy(samples, 'switchboard_budget_max_dollars', 'owner', 'name'), {
      'key ci': 2,
      'team red': 10,
    });
    assert.deepEqual(sumBy(samples, 'switchboard_tool_calls_total', 'server', 'tool', 'status'), {
      'echo echo success': 2,
      'echo echo failure': 0,
    });
  });

  it('add up the calls of keys that are called the same', async () => {
    verifies('gateway.metrics.callers');
    for (const _ of [1, 2]) {
      const twin = await stand.addKey({ key_name: 'sk-...twin', team_id: null });
      await stand.ask('/echo/mcp', bearer(twin), toolCall('echo'));
    }
    const found = (await scrape()).filter(
      (it) => it.name === 'switchboard_caller_calls_total' && it.labels['key_alias'] === 'sk-...twin',
    );
    assert.deepEqual(
      found.map((it) => [it.labels['status'], it.value]),
      [
        ['success', 2],
        ['failure', 0],
      ],
    );
  });

  it('are read by a key that can read nothing else', async () => {
    verifies('gateway.metrics.callers');
    const made = await stand.manage('POST', '/key/generate', {
      key_alias: 'prometheus',
      role: 'proxy_admin_viewer',
      allowed_routes: ['/metrics'],
    });
    const reader = String(made['key']);
    assert.equal((await stand.as(reader, '/metrics')).status, 200);
    for (const path of ['/spend/logs', '/key/list', '/v1/mcp/server', '/mcp-rest/tools/list'])
      assert.equal((await stand.as(reader, path)).status, 403, path);
    assert.equal((await stand.ask('/echo/mcp', bearer(reader), toolCall('echo'))).status, 403);
    assert.equal((await stand.as(key, '/metrics')).status, 403);
  });

  it('count a stream to a caller for as long as it is open', async () => {
    verifies('gateway.metrics.state');
    const open = async () => sumBy(await scrape(), 'switchboard_open_streams', 'surface');
    const before = (await open())['a2a'] ?? 0;
    const { answer } = stand.backend;
    let end: () => void = () => undefined;
    stand.backend.answer = (heard, response) => {
      if (heard.method !== 'POST') return answer(heard, response);
      const { id } = JSON.parse(heard.body.toString()) as { id: unknown };
      const event = (final: boolean) =>
        `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { kind: 'status-update', taskId: 't', contextId: 'c', status: { state: final ? 'completed' : 'working' }, final } })}\n\n`;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event(false));
      end = () => response.end(event(true));
    };
    await stand.registerAgent('weather');
    const body = JSON.stringify({ ...messageBody(), method: 'message/stream' });
    const response = await stand.as(key, '/a2a/weather', { method: 'POST', body });
    assert.equal(response.status, 200);
    assert.equal((await open())['a2a'], before + 1);
    end();
    await response.text();
    await until('the stream is closed', async () => (await open())['a2a'] === before);
    stand.backend.answer = answer;
  });

  it('say whether each server passed its last health check', async () => {
    verifies('gateway.metrics.state');
    const [server] = await stand.gateway.store.mcp_server.all();
    const server_id = server?.server_id ?? '';
    const put = (status: 'healthy' | 'unhealthy' | 'unknown') =>
      stand.gateway.store.serverHealth.put([
        { server_id, status, last_health_check: '2026-01-01T00:00:00.000Z', health_check_error: null },
      ]);
    const up = async () => sumBy(await scrape(), 'switchboard_server_up', 'server');
    await put('healthy');
    assert.deepEqual(await up(), { echo: 1 });
    await put('unhealthy');
    assert.deepEqual(await up(), { echo: 0 });
    await put('unknown');
    assert.deepEqual(await up(), {});
  });

  it('have the connections to PostgreSQL', async function postgres() {
    verifies('gateway.metrics.state');
    const shared = await openStand({ database: { kind: 'postgres', url: await postgresDatabase() } });
    try {
      const samples = readSamples(await (await shared.as(shared.adminKey, '/metrics')).text());
      const { busy = -1, idle = -1 } = sumBy(samples, 'switchboard_database_connections', 'state');
      assert.ok(busy >= 0 && idle >= 0 && busy + idle > 0, `${busy} ${idle}`);
      assert.deepEqual(sumBy(samples, 'switchboard_database_waiting'), { '': 0 });
    } finally {
      await shared.close();
    }
  });

  it('are all that the queries of the dashboard name', async () => {
    verifies('gateway.metrics.dashboard');
    const text = await (await stand.as(stand.adminKey, '/metrics')).text();
    const declared = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => `${name}${suffix}`) : [name],
    );
    const dashboard = JSON.parse(readFileSync(join(projectRoot, 'sidecar/deploy/grafana.json'), 'utf8')) as Dashboard;
    const queries = dashboard.panels.flatMap((it) => it.targets?.map(({ expr }) => expr) ?? []);
    const named = new Set(queries.flatMap((it) => [...it.matchAll(/(\w+)\{/g)].map(([, name]) => name)));
    assert.ok(named.size > 20, `${named.size} metrics`);
    assert.deepEqual(
      [...named].filter((it) => !declared.includes(it)),
      [],
    );
    // Whatever looks like a metric stands in front of its labels, so that none is overlooked.
    const words = queries.flatMap((it) => it.match(/\b(?:switchboard|process|nodejs)_\w+/g) ?? []);
    assert.deepEqual(
      words.filter((it) => !named.has(it)),
      [],
    );
    const ids = dashboard.panels.map((it) => it.id);
    assert.equal(new Set(ids).size, ids.length);
  });
});

interface Dashboard {
  readonly panels: readonly { readonly id: number; readonly targets?: readonly { readonly expr: string }[] }[];
}
