import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { applyConfig } from '../../../sidecar/gateway/configuration/applyConfig.ts';
import { readConfig } from '../../../sidecar/gateway/configuration/readConfig.ts';
import type { GatewayStore } from '../../../sidecar/gateway/storage/store.ts';
import { StandingClock } from '../../support/gateway/clock.ts';
import { type StorePlace, sqlitePlace } from '../../support/gateway/stores.ts';
import { verifies } from '../../support/verifies.ts';

const env: Record<string, string> = { SLACK: 'https://hooks.slack.com/services/T0KEN', SECRET: 'a secret of sixteen' };
const full = {
  alerts: {
    targets: {
      ops: { type: 'webhook', url: 'https://hooks.example.com/alerts', secret: { env: 'SECRET' } },
      chat: { type: 'slack', url: { env: 'SLACK' } },
    },
    rules: { servers: { events: ['server_down', 'server_up'], targets: ['ops', 'chat'], group_minutes: 5 } },
  },
};

describe('alerts of the configuration file', () => {
  const clock = new StandingClock('2026-03-04T10:00:00.000Z');
  let place: StorePlace;
  let store: GatewayStore;
  let ids = 0;
  beforeEach(async () => {
    place = await sqlitePlace();
    store = await place.open(clock);
  });
  afterEach(async () => {
    await store.close();
    place.remove();
  });
  const apply = async (config: object) => {
    const read = readConfig(JSON.stringify(config));
    assert.ok('config' in read, JSON.stringify(read));
    const options = { actor: 'config', sources: { env, folder: '.' }, now: clock.now.bind(clock) };
    return applyConfig(store, read.config, { ...options, newId: () => `id-${(ids += 1)}` });
  };
  const problems = (alerts: object) => {
    const read = readConfig(JSON.stringify({ alerts }));
    const found = 'config' in read ? read.warnings : read.problems;
    return found.map((it) => `${it.path} ${it.message}`);
  };

  it('become records with sealed secrets, once, and leave with the file', async () => {
    verifies('gateway.alerts.secrets');
    await apply(full);
    const target = await store.alert_target.get('chat');
    assert.deepEqual([target?.from_config, target?.address], [true, 'https://hooks.slack.com']);
    assert.deepEqual(JSON.parse((await store.secrets.get('alert_target', 'ops', 'credentials')) ?? ''), {
      url: 'https://hooks.example.com/alerts',
      secret: env['SECRET'],
    });
    assert.deepEqual((await store.alert_rule.get('servers'))?.targets, ['ops', 'chat']);
    const texts = JSON.stringify([await store.alert_target.all(), await store.audit.list({ limit: 99 })]);
    for (const secret of ['T0KEN', 'sixteen']) assert.ok(!texts.includes(secret), secret);
    assert.deepEqual(await apply(full), { changes: [] });
    await apply({});
    assert.deepEqual([await store.alert_target.all(), await store.alert_rule.all()], [[], []]);
    assert.deepEqual(await store.secrets.names('alert_target'), []);
  });

  it('name a secret that is missing', async () => {
    const missing = { ...full.alerts.targets, chat: { type: 'slack', url: { env: 'NOWHERE' } } };
    const applied = await apply({ alerts: { ...full.alerts, targets: missing } });
    assert.deepEqual('findings' in applied ? applied.findings.map((it) => it.message) : [], [
      "the environment variable 'NOWHERE' is not set",
    ]);
    assert.deepEqual(await store.alert_target.all(), []);
  });

  it('are refused where they could never be sent, or would keep a secret in the file', () => {
    const rows: readonly (readonly [targets: object, problem: string])[] = [
      [{ x: { type: 'slack', url: 'https://hooks.slack.com/services/T0KEN' } }, 'must be { "env": "NAME" } or'],
      [
        { x: { type: 'webhook', url: 'https://a.example.com' } },
        'alerts.targets.x.secret is required for the type webhook',
      ],
      [
        { x: { type: 'webhook', url: 'a.example.com', secret: { env: 'S' } } },
        'alerts.targets.x.url must be a URL such as',
      ],
      [
        { x: { type: 'email', from: 'a@example.com', to: ['b@example.com'] } },
        'alerts.targets.x.smtp_host is required',
      ],
    ];
    for (const [targets, problem] of rows) {
      const found = problems({ targets });
      assert.ok(
        found.some((it) => it.includes(problem)),
        `${problem} is not in ${found.join('\n')}`,
      );
    }
    const rules = { r: { events: ['server_down'], targets: ['nobody'], servers: ['none'] } };
    assert.deepEqual(problems({ rules }), [
      "alerts.rules.r.targets.0 no alert target in this file has the name 'nobody'",
      "alerts.rules.r.servers.0 no MCP server in this file has the ID 'none'",
    ]);
  });
});
