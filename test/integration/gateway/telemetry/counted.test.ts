import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'mocha';
import type { SpendLog } from '../../../../sidecar/protocol/gateway/activity.ts';
import { SpendLogsQuery } from '../../../../sidecar/protocol/gateway/activityQueries.ts';
import { bearer, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { askWhole } from '../../../support/network/askWhole.ts';
import { readSamples, sumBy } from '../../../support/telemetry/metricLines.ts';
import { startOtlpCollector } from '../../../support/telemetry/otlpCollector.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

const CALLS = 10_000;
const FAILURES = 600;
const SERVERS = ['s0', 's1', 's2', 's3'];
const AT_ONCE = 20;
/** Every hundredth call belongs to a trace of its caller; no other is exported. */
const TRACED = 100;

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const traceOf = (n: number) => createHash('md5').update(`${n}`).digest('hex');
const spanOf = (n: number) => traceOf(n).slice(0, 16);

/** All lines of the log, as soon as every call is in it: before that, lines would move from page to page. */
async function wholeLog(stand: Stand): Promise<readonly SpendLog[]> {
  const pageOf = (page: number) => stand.gateway.store.spendLogs.page(SpendLogsQuery.parse({ page, page_size: 1_000 }));
  await until('all calls are on record', async () => (await pageOf(1)).total >= CALLS);
  const lines: SpendLog[] = [];
  for (let page = 1; lines.length === (page - 1) * 1_000; page += 1) lines.push(...(await pageOf(page)).data);
  return lines;
}

function counts(lines: readonly SpendLog[], of: (line: SpendLog) => string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const it of lines) found[of(it)] = (found[of(it)] ?? 0) + 1;
  return found;
}

describe('what a gateway counts', () => {
  it('equals the log after 10,000 calls with 600 failures over 4 servers, in few series, and is linked in traces', async function count() {
    this.timeout(600_000);
    verifies('gateway.metrics.equal-log', 'gateway.metrics.bounded', 'gateway.traces.linked');
    const collector = await startOtlpCollector();
    const otlp = {
      endpoint: collector.url,
      headers: {},
      traces: true,
      metrics: true,
      sampleRatio: 0,
      intervalMs: 60_000,
    };
    const stand = await openStand({ otlp });
    try {
      for (const alias of SERVERS)
        await stand.register({
          alias,
          allowed_tools: ['echo'],
          mcp_info: { mcp_server_cost_info: { default_cost_per_query: 0.5 } },
        });
      const keys = [await stand.addKey({ key_alias: 'ci' }), await stand.addKey({ key_alias: 'dev' })];
      const isFailure = (n: number) => (n * FAILURES) % CALLS < FAILURES;
      const call = async (n: number) => {
        const trace = n % TRACED === 0 ? { traceparent: `00-${traceOf(n)}-${spanOf(n)}-01` } : {};
        const name = isFailure(n) ? `guess-${traceOf(n)}` : 'echo';
        const headers = { ...json, ...bearer(keys[n % 2] ?? ''), ...trace };
        const body = JSON.stringify(toolCall(name));
        await askWhole(`${stand.base}/${SERVERS[n % 4]}/mcp`, { method: 'POST', headers, body });
      };
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, first) => {
          for (let n = first; n < CALLS; n += AT_ONCE) await call(n);
        }),
      );
      const lines = await wholeLog(stand);
      assert.equal(lines.length, CALLS);
      assert.equal(lines.filter((it) => it.status === 'failure').length, FAILURES);

      const text = await (await stand.as(stand.adminKey, '/metrics')).text();
      const samples = readSamples(text);
      const server = (it: SpendLog) => it.mcp_namespaced_tool_name?.split('/', 1)[0] ?? '';
      // The log names the server alone where there is no such tool.
      const tools = lines.filter((it) => it.mcp_namespaced_tool_name?.includes('/'));
      const alias = new Map((await stand.gateway.store.key.all()).map((it) => [it.token, it.key_alias]));
      const failed = lines.filter((it) => it.status === 'failure');
      const equal = (name: string, labels: readonly string[], expected: Record<string, number>) =>
        assert.deepEqual(nonZero(sumBy(samples, name, ...labels)), expected, name);
      equal(
        'switchboard_calls_total',
        ['surface', 'server', 'status'],
        counts(lines, (it) => `mcp ${server(it)} ${it.status}`),
      );
      equal(
        'switchboard_call_errors_total',
        ['server', 'code'],
        counts(failed, (it) => `${server(it)} ${it.error_code}`),
      );
      equal(
        'switchboard_tool_calls_total',
        ['server', 'tool', 'status'],
        counts(tools, (it) => `${it.mcp_namespaced_tool_name?.replace('/', ' ')} ${it.status}`),
      );
      equal(
        'switchboard_caller_calls_total',
        ['key_alias', 'status'],
        counts(lines, (it) => `${alias.get(it.api_key)} ${it.status}`),
      );
      equal('switchboard_call_duration_seconds_count', ['server'], counts(lines, server));
      const spend = lines.reduce((sum, it) => sum + it.spend, 0);
      equal('switchboard_caller_spend_dollars_total', [], { '': spend });
      const seconds = lines.reduce((sum, it) => sum + it.request_duration_ms, 0) / 1_000;
      const measured = sumBy(samples, 'switchboard_call_duration_seconds_sum')[''] ?? 0;
      assert.ok(Math.abs(measured - seconds) < 0.001 * CALLS, `${measured} s instead of ${seconds} s`);
      assert.ok(!text.includes('guess-'), 'what callers invent is no label');
      assert.ok(samples.length < 500, `${samples.length} samples`);

      const traced = Array.from({ length: CALLS / TRACED }, (_, at) => at * TRACED);
      const answered = traced.filter((n) => !isFailure(n)).length;
      const expected = traced.length + answered;
      await until('the spans are there', () => collector.spans.length >= expected);
      assert.equal(collector.spans.length, expected);
      const heard = new Set(stand.calls().map((it) => it.headers['traceparent']));
      for (const n of traced) {
        const parents = collector.spans.filter((it) => it.traceId === traceOf(n));
        const own = parents.find((it) => it.parentSpanId === spanOf(n));
        const client = parents.find((it) => it.parentSpanId === own?.spanId);
        assert.equal(parents.length, isFailure(n) ? 1 : 2);
        assert.ok(own && (isFailure(n) || heard.has(`00-${traceOf(n)}-${client?.spanId}-01`)), `${n}`);
      }
    } finally {
      await stand.close();
      await collector.close();
    }
  });
});

const nonZero = (sums: Record<string, number>) => Object.fromEntries(Object.entries(sums).filter(([, it]) => it !== 0));
