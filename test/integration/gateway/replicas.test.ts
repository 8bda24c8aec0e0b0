import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import pg from 'pg';
import { LEASE_SHARE } from '../../../sidecar/gateway/activity/limits/sharedCounting.ts';
import { hashKey } from '../../../sidecar/gateway/auth/keys.ts';
import { type Balancer, openBalancer } from '../../support/gateway/balancer.ts';
import { type HeldBackend, holdCalls } from '../../support/gateway/heldBackend.ts';
import { type GatewayProcess, openProcessStand, type ProcessStand } from '../../support/gateway/processStand.ts';
import { type HttpFixture, httpFixture } from '../../support/mcp/httpFixture.ts';
import { RawClient } from '../../support/mcp/rawClient.ts';
import { postgresDatabase } from '../../support/network/postgres.ts';
import { until } from '../../support/until.ts';

const price = 0.01;
const budget = 2;

describe('three gateways on one PostgreSQL', () => {
  let fixture: HttpFixture;
  let slow: HeldBackend;
  let stand: ProcessStand;
  let database: pg.Client;
  let one: GatewayProcess;
  let two: GatewayProcess;
  let three: GatewayProcess;
  const bases = new Map<string, string>();
  const base = (replica: GatewayProcess) => bases.get(replica.name) ?? '';
  const serve = async (replica: GatewayProcess) => void bases.set(replica.name, await replica.baseUrl);
  const client = (replica: GatewayProcess, key: string, path = '/fixture/mcp') =>
    new RawClient(`${base(replica)}${path}`, { authorization: `Bearer ${key}` });
  const rows = async <T extends object>(text: string, values: unknown[] = []) =>
    (await database.query<T>(text, values)).rows;
  /** The server's own session in the last message that it got with these words. */
  const sessionBehind = (words: string): string => {
    const seen = fixture.seen.findLast((it) => it.text.includes(words));
    const id = seen?.headers['mcp-session-id'];
    assert.ok(typeof id === 'string', `no session with ${words}`);
    return id;
  };
  const makeKey = async (replica: GatewayProcess, more: object = {}) => {
    const made = await stand.manage(base(replica), 'POST', '/key/generate', {
      object_permission: { mcp_servers: ['fixture', 'slow'] },
      ...more,
    });
    return { key: String(made['key']), id: String(made['token_id']) };
  };

  before(async function start() {
    const url = await postgresDatabase();
    fixture = await httpFixture();
    slow = await holdCalls(fixture.url);
    stand = openProcessStand({
      database: url,
      config: {
        shutdown: { leave_s: 2, grace_s: 30 },
        mcp_servers: {
          fixture: {
            url: fixture.url,
            allow_private_network: true,
            mcp_info: { mcp_server_cost_info: { default_cost_per_query: price } },
          },
          slow: { url: slow.url, allow_private_network: true },
        },
      },
    });
    database = new pg.Client({ connectionString: url });
    await database.connect();
    [one, two, three] = ['one', 'two', 'three'].map((it) => stand.start(it)) as [
      GatewayProcess,
      GatewayProcess,
      GatewayProcess,
    ];
    await Promise.all([one, two, three].map(serve));
  });
  after(async () => {
    await stand.close();
    await database.end();
    await slow.close();
    await fixture.close();
  });

  it('start at the same time on an empty database, and one of them takes the configuration up', async () => {
    const made = await rows<{ object_id: string }>(`select object_id from audit where action = 'created' order by 1`);
    assert.deepEqual(
      made.map((it) => it.object_id),
      ['fixture', 'slow'],
    );
  });

  it('serve a key that one of them made, and refuse it everywhere when one of them deletes it', async () => {
    const { key } = await makeKey(one);
    for (const it of [one, two, three]) assert.equal((await client(it, key).modern('tools/list')).status, 200);
    await stand.manage(base(two), 'POST', '/key/delete', { keys: [key] });
    for (const it of [one, two, three])
      await until(`${it.name} refuses it`, async () => (await client(it, key).modern('tools/list')).status === 401);
  });

  it('go on with a session that began at another, and with the session of the server behind it', async () => {
    const { key } = await makeKey(one);
    const begun = await client(one, key).initialized();
    const behind = sessionBehind('notifications/initialized');
    for (const it of [two, three, one]) {
      const { status, json } = await begun.at(`${base(it)}/fixture/mcp`).call('echo', { text: it.name });
      assert.deepEqual([status, json.result?.content?.[0]?.text], [200, it.name]);
      assert.equal(sessionBehind(`"${it.name}"`), behind);
    }
    const stranger = begun.at(`${base(two)}/fixture/mcp`).with({ authorization: `Bearer ${(await makeKey(two)).key}` });
    assert.equal((await stranger.call('echo', { text: 'mine' })).status, 404);
    assert.equal((await begun.at(`${base(three)}/fixture/mcp`).send('DELETE')).status, 200);
    for (const it of [one, two, three]) {
      const there = begun.at(`${base(it)}/fixture/mcp`);
      await until(
        `${it.name} knows it no longer`,
        async () => (await there.call('echo', { text: 'x' })).status === 404,
      );
    }
  });

  it('ask servers how they are once for all, and show the same answer', async () => {
    const healthOf = async (replica: GatewayProcess) => {
      const list = (await stand.manage(base(replica), 'GET', '/v1/mcp/server')) as unknown as Record<string, unknown>[];
      return list.map((it) => [it['server_id'], it['status'], it['last_health_check'], it['health_check_error']]);
    };
    await until('they were asked', async () => (await healthOf(one)).every(([, status]) => status !== undefined));
    const shown = await healthOf(one);
    assert.deepEqual(
      shown.map(([id, status, , error]) => [id, status, error]),
      [
        ['fixture', 'healthy', null],
        ['slow', 'healthy', null],
      ],
    );
    assert.deepEqual([await healthOf(two), await healthOf(three)], [shown, shown]);
    assert.equal((await rows(`select name from leases where name = 'leader'`)).length, 1);
  });

  describe('of which one is killed and one is restarted under load', () => {
    let balancer: Balancer;
    let rich: string;
    let poor: string;
    let poorId: string;
    let recordedBeforeKill: ReadonlySet<string>;
    let again: GatewayProcess;
    const answered = (target: string) => balancer.calls.filter((it) => it.target === target && it.answer);
    const isRecorded = async (id: string) =>
      (await rows('select 1 from spend_logs where request_id = $1', [id])).length === 1;

    before(async function load() {
      rich = (await makeKey(one)).key;
      ({ key: poor, id: poorId } = await makeKey(two, { max_budget: budget }));
      const session = await client(two, rich).initialized();
      const behind = sessionBehind('notifications/initialized');
      balancer = openBalancer('/fixture/mcp');
      for (const it of [one, two, three]) balancer.add(it.name, base(it));
      balancer.run(6, [rich, poor]);

      await until('each has answered', () => ['one', 'two', 'three'].every((it) => answered(it).length >= 20));
      const flushed = answered('one').at(-1)?.answer?.id ?? '';
      await until('the doomed one has flushed', () => isRecorded(flushed));
      one.signal('SIGKILL');
      assert.equal(await one.exited, null);
      recordedBeforeKill = new Set(
        (await rows<{ id: string }>('select request_id as id from spend_logs')).map((it) => it.id),
      );

      // A call is on its way, and somebody listens, while the second one is asked to leave.
      const pending = client(two, rich, '/slow/mcp').modern('tools/call', {
        name: 'echo',
        arguments: { text: 'late' },
      });
      await until('it waits at the server', () => slow.held === 1);
      const listening = await session.send('GET', { accept: 'text/event-stream' });
      two.signal('SIGTERM');
      await until('the balancer has left', () => !balancer.targets().includes('two'));
      assert.match(await listening.text(), /^: open/, 'the stream ends as streams do');
      slow.letGo();
      assert.equal((await pending).json.result?.content?.[0]?.text, 'late');
      assert.equal(await two.exited, 0, two.said());

      again = stand.start('two again');
      await serve(again);
      const resumed = await session.at(`${base(again)}/fixture/mcp`).call('echo', { text: 'still here' });
      assert.equal(resumed.json.result?.content?.[0]?.text, 'still here');
      assert.equal(sessionBehind('"still here"'), behind, 'the session of the server goes on, too');
      balancer.add(again.name, base(again));
      const isPoor = (target: string) => {
        const last = answered(target).findLast((it) => it.key === poor);
        return last?.answer?.status === 429;
      };
      await until('the budget is used up', () => isPoor('three') && isPoor('two again'));
      await balancer.close();
      for (const it of [three, again]) it.signal('SIGTERM');
      assert.deepEqual(await Promise.all([three.exited, again.exited]), [0, 0], three.said() + again.said());
    });

    it('answer every call but those that broke with the killed one', () => {
      const broken = balancer.calls.filter((it) => !it.answer);
      assert.deepEqual(
        [...new Set(broken.map((it) => it.target))].filter((it) => it !== 'one'),
        [],
      );
      const wrong = balancer.calls.filter(({ answer, sentAt, key }) => {
        if (!answer) return false;
        if (answer.status === 200) return answer.text !== `call ${sentAt}`;
        return !(answer.status === 429 && key === poor);
      });
      assert.deepEqual(wrong, []);
    });

    it('have a record of each call, but of those that the killed one had not flushed', async () => {
      const recorded = new Set(
        (await rows<{ id: string }>('select request_id as id from spend_logs')).map((it) => it.id),
      );
      const missing = balancer.calls.filter(({ answer }) => answer && !recorded.has(answer.id));
      const flushed = answered('one').filter((it) => recordedBeforeKill.has(it.answer?.id ?? ''));
      const lastFlush = Math.max(...flushed.map((it) => it.sentAt));
      assert.ok(flushed.length >= 20);
      assert.deepEqual(
        missing.filter((it) => it.target !== 'one' || it.endedAt < lastFlush),
        [],
      );
    });

    it('give out of the budget no more than it, and what the killed one had set aside', () => {
      const paid = balancer.calls.filter(({ key, answer }) => key === poor && answer?.status === 200).length * price;
      const bound = budget * LEASE_SHARE;
      assert.ok(paid <= budget + bound + price / 2, `${paid} of ${budget}`);
      assert.ok(paid >= budget - bound - price / 2, `${paid} of ${budget}`);
    });

    it('agree on sums that equal a recount of the log', async () => {
      const sums = `sum(successful_requests)::int as successes, sum(failed_requests)::int as failures,
        round(sum(spend)::numeric, 6)::text as spend from daily_activity`;
      const recount = `count(*) filter (where status = 'success')::int as successes,
        count(*) filter (where status <> 'success')::int as failures,
        round(sum(spend)::numeric, 6)::text as spend from spend_logs`;
      const day = `to_char(to_timestamp(started_ms / 1000.0) at time zone 'UTC', 'YYYY-MM-DD')`;
      const by = (date: string) => `select ${date} as date, endpoint, api_key, model`;
      const counted = await rows(`${by(day)}, ${recount} group by 1, 2, 3, 4 order by 1, 2, 3, 4`);
      assert.ok(counted.length > 0);
      assert.deepEqual(await rows(`${by('date')}, ${sums} group by 1, 2, 3, 4 order by 1, 2, 3, 4`), counted);
      const [spent] = await rows<{ spent: number }>(
        'select sum(spent) as spent from budget_counters where scope = $1',
        [`key:${poorId}`],
      );
      const [logged] = await rows<{ spent: number }>('select sum(spend) as spent from spend_logs where api_key = $1', [
        hashKey(poor),
      ]);
      assert.equal(spent?.spent.toFixed(6), logged?.spent.toFixed(6));
    });
  });
});
