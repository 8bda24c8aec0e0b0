import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Backends } from '../../../sidecar/gateway/backends/backends.ts';
import { openGuards } from '../../../sidecar/gateway/guardrails/openGuardrails.ts';
import type { GatewayStore } from '../../../sidecar/gateway/storage/store.ts';
import { StandingClock } from '../../support/gateway/clock.ts';
import { type StorePlace, sqlitePlace } from '../../support/gateway/stores.ts';
import { guardedCall, guardrail } from '../../support/guardrails/calls.ts';
import { later } from '../../support/later.ts';
import { keepingLog } from '../../support/testLog.ts';

const on = { mode: 'pre_mcp_call', default_on: true };
const configured = [
  guardrail('signs', { guardrail: 'mcp_jwt_signer', ...on }),
  guardrail('pins', { guardrail: 'tool_definition_pin', ...on }),
];
const tool = (name: string, description = name) => ({ name, description, inputSchema: { type: 'object' } });

describe('guardrails of two replicas on one store', () => {
  const clock = new StandingClock('2026-03-04T10:20:30.000Z');
  let place: StorePlace;
  let store: GatewayStore;
  beforeEach(async () => {
    place = await sqlitePlace();
    store = await place.open(clock);
  });
  afterEach(async () => {
    await store.close();
    place.remove();
  });

  const replica = (own: GatewayStore = store) =>
    openGuards({
      store: own,
      backends: {} as Backends,
      configured: () => configured,
      definitions: async () => [],
      listed: () => undefined,
      baseUrl: () => 'https://gateway.test',
      secretOf: () => Promise.reject(new Error('no guardrail has a secret')),
      clock,
      newId: randomUUID,
      log: keepingLog().log,
    }).guardrails;
  const target = guardedCall({});

  it('report a changed definition as an alert, with the line of the audit', async () => {
    const rule = { rule_name: 'r', events: ['tool_definition_changed' as const], targets: ['ops'] };
    await store.alert_rule.insert({ ...rule, created_at: clock.now(), updated_at: clock.now() });
    const guardrails = replica();
    await guardrails.toolsListed(target, [tool('echo')]);
    await guardrails.toolsListed(target, [tool('echo', 'something else')]);
    const { object_id } = (await store.audit.list({ action: 'drift', limit: 9 }))[0] ?? {};
    assert.ok(object_id);
    assert.equal((await store.alerts.last(['tool_definition_changed'], object_id))?.atMs, clock.nowMs());
  });

  it('sign with one key, also when both generate one and the second writes late', async () => {
    const turn = later<void>();
    const { leases } = store;
    const slow = Object.assign(Object.create(leases) as typeof leases, {
      forWork() {
        const work = leases.forWork();
        return {
          take: async (name: string, forMs: number) => {
            await turn.promise;
            return work.take(name, forMs);
          },
          release: (name: string) => work.release(name),
        };
      },
    });
    const [one, other] = [replica(), replica({ ...store, leases: slow })];
    const second = other.jwks();
    const first = await one.jwks();
    turn.resolve();
    assert.deepEqual((await second).keys, first.keys);
    assert.equal(first.keys.length, 1);
  });

  it('keep the pins of both when both write the first record of a server', async () => {
    const turn = later<void>();
    const pins = store.tool_pin;
    const slow = {
      get: pins.get.bind(pins),
      update: pins.update.bind(pins),
      insert: async (record: Parameters<typeof pins.insert>[0]) => {
        await turn.promise;
        return pins.insert(record);
      },
    } as unknown as typeof pins;
    const [one, other] = [replica(), replica({ ...store, tool_pin: slow })];
    const second = other.toolsListed(target, [tool('b')]);
    await one.toolsListed(target, [tool('a')]);
    turn.resolve();
    await second;
    const record = await pins.get(target.server.server_id);
    assert.deepEqual(record?.tools.map((it) => it.tool).toSorted(), ['a', 'b']);
  });

  it('show a held tool again once it was approved at the other replica', async () => {
    const [one, other] = [replica(), replica()];
    const listed = async (at: typeof one, description: string) =>
      (await at.toolsListed(target, [tool('a', description)])).map((it) => it['description']);
    assert.deepEqual(await listed(one, 'before'), ['before']);
    for (let n = 0; n < 2; n += 1) assert.deepEqual(await listed(one, 'after'), [], 'held, and known as that');
    await other.pins.approve(target.server.server_id);
    assert.deepEqual(await listed(one, 'after'), ['after']);
  });
});
