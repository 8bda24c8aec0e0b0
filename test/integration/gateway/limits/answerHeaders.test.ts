import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { speakAll, twoTools } from '../../../support/gateway/backendAnswers.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { type Answer, bearer, messageBody, rpcBody, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { until } from '../../../support/until.ts';

/** Headers of rate limits and of what a call cost. */
describe('the headers of answers', () => {
  let stand: Stand;
  const clock = new StandingClock('2026-03-04T10:00:15.000Z');

  before(async () => {
    stand = await openStand({ clock, tools: twoTools });
    await stand.register({ alias: 'echo', mcp_info: { mcp_server_cost_info: { default_cost_per_query: 0.25 } } });
    await stand.registerAgent('weather', { cost_per_query: 1 });
  });
  after(() => stand.close());

  const ratesOf = ({ headers }: Answer, kind: 'requests' | 'tokens') =>
    ['limit', 'remaining', 'reset'].map((it) => headers.get(`x-ratelimit-${it}-${kind}`));
  const none = [null, null, null];
  const call = (key: Record<string, string>) => stand.ask('/echo/mcp', key, toolCall('echo'));

  it('tell how the limits of the minute stand, and when the next minute begins', async () => {
    const key = bearer(await stand.addKey({ rpm_limit: 2, tpm_limit: 100 }));
    assert.deepEqual(ratesOf(await call(key), 'requests'), ['2', '1', '45']);
    const last = await call(key);
    assert.deepEqual(
      [ratesOf(last, 'requests'), ratesOf(last, 'tokens')],
      [
        ['2', '0', '45'],
        ['100', '100', '45'],
      ],
    );
    const refused = await call(key);
    assert.deepEqual([refused.status, ratesOf(refused, 'requests')], [429, ['2', '0', '45']]);
  });

  it('tell of the tightest limit where several count', async () => {
    const stamps = { created_at: clock.now(), updated_at: clock.now() };
    await stand.gateway.store.team.insert({ team_id: 'crew', rpm_limit: 3, ...stamps });
    const key = bearer(await stand.addKey({ rpm_limit: 10, team_id: 'crew' }));
    assert.deepEqual(ratesOf(await call(key), 'requests'), ['3', '2', '45']);
  });

  it('tell of tokens that an agent used', async () => {
    const key = bearer(await stand.addKey({ tpm_limit: 10 }));
    await stand.ask('/a2a/weather', key, messageBody());
    const next = await stand.ask('/a2a/weather', key, messageBody());
    const [limit, remaining] = ratesOf(next, 'tokens');
    assert.deepEqual([limit, Number(remaining) < 10], ['10', true]);
  });

  it('say nothing of limits that nobody set, and what a service says of its own stays', async () => {
    const plain = await call(bearer(await stand.addKey()));
    assert.deepEqual([ratesOf(plain, 'requests'), ratesOf(plain, 'tokens')], [none, none]);
    const key = bearer(await stand.addKey({ rpm_limit: 9 }));
    stand.backend.answer = (_, response) =>
      void response.writeHead(200, { 'x-ratelimit-limit-requests': '77', 'content-type': 'text/plain' }).end('ok');
    const relayed = await stand.ask('/cloudagents/v0/me', key);
    stand.backend.answer = speakAll;
    assert.equal(relayed.headers.get('x-ratelimit-limit-requests'), '77');
  });

  it('tell what the key has spent, with and without a budget', async () => {
    for (const more of [{}, { max_budget: 5 }]) {
      const key = bearer(await stand.addKey(more));
      const told = ({ headers }: Answer) => headers.get('x-gateway-key-spend');
      const listing = () => stand.ask('/mcp', key, rpcBody('tools/list'));
      // No call waits for the database: of a key without a budget it is read in the background.
      await call(key);
      await until('what it spent is in memory', async () => told(await listing()) !== null);
      assert.equal(told(await listing()), '0.25');
      assert.equal(told(await call(key)), '0.5');
      assert.equal(told(await call(key)), '0.75');
      assert.equal(told(await listing()), '0.75');
    }
  });

  it('tell how long an answer took, and how much of that was the gateway’s', async () => {
    const key = bearer(await stand.addKey());
    stand.backend.answer = (heard, response) => {
      clock.pass(30);
      speakAll(heard, response);
    };
    const places: readonly (readonly [string, object?])[] = [
      ['/mcp', rpcBody('tools/list')],
      ['/echo/mcp', toolCall('echo')],
      ['/mcp-rest/tools/list'],
      ['/a2a/weather', messageBody()],
      ['/cloudagents/v0/me'],
    ];
    for (const [path, body] of places) {
      const { headers, text } = await stand.ask(path, key, body);
      const told = Number(headers.get('x-gateway-response-duration-ms'));
      assert.ok(told >= 30, `${path} ${told} ${text}`);
      assert.equal(headers.get('x-gateway-overhead-duration-ms'), '0.00', path);
      assert.match(headers.get('x-gateway-call-id') ?? '', /\S/);
    }
    stand.backend.answer = speakAll;
    const page = await stand.ask('/key/list', bearer(stand.adminKey));
    assert.equal(page.headers.get('x-gateway-response-duration-ms'), null);
  });
});

/** A soft budget is told, in the log and the audit, and stops nothing. */
describe('a soft budget', () => {
  it('is told once a window when it is crossed, and calls go on', async () => {
    const clock = new StandingClock('2026-03-04T10:00:00.000Z');
    const stand = await openStand({ clock, tools: twoTools });
    try {
      await stand.register({ alias: 'echo', mcp_info: { mcp_server_cost_info: { default_cost_per_query: 1 } } });
      const record = { key_alias: 'thrifty', soft_budget: 1.5, budget_duration: '1h', max_budget: 9 };
      const key = bearer(await stand.addKey(record));
      const spend = async (count: number) => {
        for (let n = 0; n < count; n += 1)
          assert.equal((await stand.ask('/echo/mcp', key, toolCall('echo'))).status, 200);
      };
      const told = async () => {
        const answer = await stand.manage('GET', '/audit?action=soft_budget_crossed');
        return (answer['audit_logs'] as { table_name: string; updated_values: Record<string, unknown> }[]).toReversed();
      };
      await spend(2);
      await until('it is told', async () => (await told()).length > 0);
      const [first] = await told();
      const { alias, soft_budget, spend: spent } = first?.updated_values ?? {};
      assert.deepEqual([first?.table_name, alias, soft_budget, spent], ['key', 'thrifty', 1.5, 2]);
      assert.ok(stand.logLines.some((it) => it.includes('A soft budget was exceeded')));
      await spend(1);
      clock.setTo('2026-03-04T11:00:00.000Z');
      await spend(2);
      await until('it is told of the next window', async () => (await told()).length > 1);
      assert.deepEqual(
        (await told()).map((it) => it.updated_values['spend']),
        [2, 2],
      );
    } finally {
      await stand.close();
    }
  });
});
