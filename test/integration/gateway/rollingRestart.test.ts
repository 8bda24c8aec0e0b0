import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'mocha';
import { type Balancer, openBalancer } from '../../support/gateway/balancer.ts';
import { type GatewayProcess, openProcessStand, type ProcessStand } from '../../support/gateway/processStand.ts';
import { type HttpFixture, httpFixture } from '../../support/mcp/httpFixture.ts';
import { postgresDatabase } from '../../support/network/postgres.ts';
import { until } from '../../support/until.ts';
import { verifies } from '../../support/verifies.ts';

/** Calls at one that leaves, before whoever restarts it takes it out. */
const sentLate = 3;

describe('a rolling restart of two gateways under load', () => {
  let fixture: HttpFixture;
  let stand: ProcessStand;
  let balancer: Balancer | undefined;

  before(async function start() {
    const url = await postgresDatabase();
    fixture = await httpFixture();
    stand = openProcessStand({
      database: url,
      config: {
        shutdown: { leave_s: 7, grace_s: 20 },
        mcp_servers: { fixture: { url: fixture.url, allow_private_network: true } },
      },
    });
  });
  afterEach(() => balancer?.close());
  after(async () => {
    await stand.close();
    await fixture.close();
  });

  const answered = (balancer: Balancer, name: string) =>
    balancer.calls.filter((it) => it.target === name && it.answer?.status === 200).length;

  async function leave(balancer: Balancer, old: GatewayProcess, asksHealth: boolean): Promise<void> {
    old.signal('SIGTERM');
    await until('it drains', () => old.said().includes('The gateway is draining'));
    old.signal('SIGTERM');
    if (asksHealth) await until('its health is seen', () => !balancer.targets().includes(old.name));
    else {
      const before_ = answered(balancer, old.name);
      await until('it still serves', () => answered(balancer, old.name) >= before_ + sentLate);
      balancer.remove(old.name);
    }
    assert.equal(await old.exited, 0, old.said());
    assert.match(old.said(), /The gateway stopped\. All calls were completed or aborted, and all records were written/);
  }

  for (const asksHealth of [true, false]) {
    const how = asksHealth
      ? 'is seen by its health'
      : 'is taken out by whoever restarts it, and nobody ever asked for its health';
    it(`refuses no connection and drops no call where each that leaves ${how}`, async () => {
      verifies('gateway.service.draining');
      const old = ['one', 'two'].map((it) => stand.start(`${it} ${asksHealth}`));
      const first = await old[0]?.baseUrl;
      const made = await stand.manage(String(first), 'POST', '/key/generate', {
        object_permission: { mcp_servers: ['fixture'] },
      });
      const calling = openBalancer('/fixture/mcp', asksHealth);
      balancer = calling;
      for (const it of old) calling.add(it.name, await it.baseUrl);
      calling.run(4, [String(made['key'])]);
      for (const it of old) {
        await until(`${it.name} serves`, () => answered(calling, it.name) > 0);
        const next = stand.start(`after ${it.name}`);
        calling.add(next.name, await next.baseUrl);
        await leave(calling, it, asksHealth);
        await until(`${next.name} serves`, () => answered(calling, next.name) > 0);
      }
      await calling.close();
      assert.deepEqual(calling.refused, []);
      assert.deepEqual(
        calling.calls.filter((it) => it.answer?.status !== 200),
        [],
      );
    }).timeout(180_000);
  }
});
