import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { SpendLogsQuery } from '../../../../sidecar/protocol/gateway/activityQueries.ts';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { type Answer, bearer, messageBody, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

interface Told {
  readonly endpoints: readonly (Record<string, number> & { endpoint: string; daily: Record<string, unknown>[] })[];
}

/** Specification, Endpoint activity: what is kept of each call, and what it adds up to. */
describe('the activity of a gateway that nobody configured for it', () => {
  let stand: Stand;
  const answers: Answer[] = [];

  before(async () => {
    stand = await openStand({ clock: new StandingClock('2026-03-04T10:00:00.000Z'), tools: twoTools });
    const disallowed_tools = ['other'];
    await stand.register({
      alias: 'echo',
      disallowed_tools,
      mcp_info: { mcp_server_cost_info: { default_cost_per_query: 0.5 } },
    });
    await stand.registerAgent('weather', { input_cost_per_token: 1, output_cost_per_token: 2 });
    const key = bearer(await stand.addKey());
    const calls: readonly (readonly [string, object?])[] = [
      ['/echo/mcp', toolCall('echo')],
      ['/echo/mcp', toolCall('echo')],
      ['/echo/mcp', toolCall('other')],
      ['/mcp-rest/tools/call', { name: 'echo__echo' }],
      ['/v1/mcp/tools'],
      ['/a2a/weather', messageBody()],
      ['/a2a/nobody', messageBody()],
      ['/cloudagents/v0/me'],
    ];
    for (const [path, body] of calls) answers.push(await stand.ask(path, key, body));
    for (const answer of answers) await stand.recordOf(answer);
  });
  after(() => stand.close());

  async function told(endpoint: string) {
    const range = 'start_date=2026-03-01&end_date=2026-03-04';
    const { endpoints } = (await stand.manage('GET', `/activity/endpoints?${range}`)) as unknown as Told;
    const found = endpoints.find((it) => it.endpoint === endpoint);
    assert.ok(found, endpoints.map((it) => it.endpoint).join(' '));
    return found;
  }

  it('has a record of each call of every surface, with tokens, spend, outcome, time and more', async () => {
    verifies('gateway.service.tracked', 'gateway.activity.automatic', 'gateway.record.prompt-tokens');
    verifies('gateway.record.completion-tokens', 'gateway.record.total-tokens', 'gateway.record.spend');
    verifies('gateway.record.status', 'gateway.record.timestamp', 'gateway.record.metadata');
    const { data, total } = await stand.gateway.store.spendLogs.page(SpendLogsQuery.parse({}));
    assert.equal(total, answers.length);
    for (const it of data) {
      assert.equal(it.total_tokens, it.prompt_tokens + it.completion_tokens);
      assert.equal(it.startTime, '2026-03-04T10:00:00.000Z');
      assert.equal(typeof it.metadata, 'object');
    }
    const [, , refused, , , agent, nobody, cloud] = await Promise.all(answers.map((it) => stand.recordOf(it)));
    assert.deepEqual([agent?.prompt_tokens, agent?.completion_tokens, agent?.spend], [1, 1, 3]);
    assert.deepEqual([refused?.status, nobody?.status, agent?.status], ['failure', 'failure', 'success']);
    assert.equal(cloud?.metadata['method'], 'GET');
  });

  it('adds up successful, failed and total requests, their rate, tokens and spend for each endpoint path', async () => {
    verifies('gateway.activity.by-endpoint', 'gateway.activity.successful', 'gateway.activity.failed');
    verifies('gateway.activity.total', 'gateway.activity.success-rate', 'gateway.activity.spend');
    verifies('gateway.activity.tokens');
    const { daily: _, ...server } = await told('/{server}/mcp');
    const { success_rate, ...rest } = server;
    assert.ok(Math.abs((success_rate ?? 0) - 200 / 3) < 0.01);
    assert.deepEqual(rest, {
      endpoint: '/{server}/mcp',
      successful_requests: 2,
      failed_requests: 1,
      total_requests: 3,
      total_tokens: 0,
      spend: 1,
    });
    const agent = await told('/a2a/{agent_id}');
    assert.deepEqual([agent['total_tokens'], agent['spend'], agent['success_rate']], [2, 3, 50]);
  });

  it('tells whoever watches it of calls, errors and durations, by surface, server and outcome', async () => {
    verifies('gateway.metrics.calls', 'gateway.metrics.latency');
    await fetch(`${stand.base}/echo/mcp`, { method: 'POST', body: '{}' });
    const text = await (await stand.as(stand.adminKey, '/metrics')).text();
    for (const line of [
      '# TYPE switchboard_calls_total counter',
      'switchboard_calls_total{surface="mcp",server="echo",status="success"} 2',
      'switchboard_calls_total{surface="rest",server="echo",status="success"} 1',
      'switchboard_calls_total{surface="a2a",server="weather",status="success"} 1',
      'switchboard_calls_total{surface="cloudagents",server="",status="success"} 1',
      'switchboard_call_errors_total{surface="mcp",server="",code="forbidden"} 1',
      'switchboard_refused_total{surface="mcp"} 1',
      '# TYPE switchboard_call_duration_seconds histogram',
      'switchboard_call_duration_seconds_bucket{surface="mcp",server="echo",le="0.005"} 2',
      'switchboard_call_duration_seconds_bucket{surface="mcp",server="echo",le="+Inf"} 2',
      'switchboard_call_duration_seconds_count{surface="mcp",server="echo"} 2',
      'switchboard_call_duration_seconds_sum{surface="mcp",server="echo"} 0',
    ])
      assert.ok(text.split('\n').includes(line), `${line}\n${text}`);
    for (const line of text.trim().split(/\n+/))
      assert.match(
        line,
        /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+="[^"\n]*"(?:,\w+="[^"\n]*")*\})? (?:[\d.eE+-]+|Nan))$/,
      );
  });

  it('has a point for each day', async () => {
    verifies('gateway.activity.daily');
    const { daily } = await told('/{server}/mcp');
    assert.equal(daily.length, 4);
    const last = daily.at(-1);
    assert.deepEqual([last?.['date'], last?.['total_requests']], ['2026-03-04', 3]);
  });
});
