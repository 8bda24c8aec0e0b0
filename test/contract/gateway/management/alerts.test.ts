import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type Managed, openManaged } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

const hook = {
  target_name: 'ops',
  type: 'webhook',
  url: 'https://93.184.216.34/hook/T0KEN',
  secret: 'a secret of sixteen or more',
};
const mail = {
  ...{ target_name: 'mail', type: 'email', smtp_host: '93.184.216.34', smtp_username: 'u', smtp_password: 'PASSW0RD' },
  ...{ from: 'g@example.com', to: ['a@example.com'] },
};

describe('the management of alerts', () => {
  let api: Managed;
  const tried: string[] = [];
  beforeEach(async () => {
    tried.length = 0;
    api = await openManaged({
      async testAlert({ target_name }) {
        tried.push(target_name);
        return target_name === 'ops' ? undefined : 'The receiver returned HTTP 500.';
      },
    });
  });
  afterEach(() => api.close());
  const post = (path: string, body: object) => api.send(api.admin, 'POST', path, body);
  const get = (path: string) => api.send(api.admin, 'GET', path);

  it('keeps the secrets of targets sealed, and shows them only masked', async () => {
    verifies('gateway.manage.alerts');
    verifies('gateway.alerts.secrets');
    const made = [await post('/alert/target/new', hook), await post('/alert/target/new', mail)];
    assert.deepEqual(
      made.map((it) => it.status),
      [200, 200],
      made.map((it) => it.text).join(),
    );
    const list = (await get('/alert/target/list')).list();
    assert.deepEqual(
      list
        .map((it) => [it['target_name'], it['address'], it['url'], it['secret'], it['smtp_password']])
        .sort((one, other) => (String(one) < String(other) ? -1 : 1)),
      [
        ['mail', '93.184.216.34:587', undefined, undefined, '********'],
        ['ops', 'https://93.184.216.34', '********', '********', undefined],
      ],
    );
    const shown = [...made, await get('/alert/target/list'), await get('/audit')].map((it) => it.text).join('\n');
    for (const secret of ['T0KEN', 'sixteen', 'PASSW0RD']) {
      assert.ok(!shown.includes(secret), `${secret} is shown`);
      assert.ok(!api.bytes().includes(secret), `${secret} is on disk`);
    }
  });

  it('leaves masked secrets as they are, and wants a password again for another address', async () => {
    await post('/alert/target/new', hook);
    await post('/alert/target/new', mail);
    const update = { target_name: 'ops', url: '********', secret: 'another secret, longer', description: 'on call' };
    assert.equal((await post('/alert/target/update', update)).at('description'), 'on call');
    const kept = await api.store.secrets.get('alert_target', 'ops', 'credentials');
    assert.deepEqual(JSON.parse(kept ?? ''), { url: hook.url, secret: 'another secret, longer' });
    const moved = await post('/alert/target/update', { target_name: 'mail', smtp_host: '93.184.216.35' });
    assert.deepEqual([moved.status, moved.at('error.param')], [400, 'smtp_password']);
    const again = { target_name: 'mail', smtp_host: '93.184.216.35', smtp_password: 'NEW' };
    assert.equal((await post('/alert/target/update', again)).status, 200);
  });

  it('refuses targets and rules that could never work, naming the field', async () => {
    verifies('gateway.alerts.network');
    const rows: readonly (readonly [path: string, body: object, field: string])[] = [
      ['/alert/target/new', { ...hook, url: 'http://127.0.0.1/x' }, 'allow_private_network'],
      ['/alert/target/new', { ...mail, smtp_host: '127.0.0.1' }, 'allow_private_network'],
      ['/alert/target/new', { ...hook, url: 'ftp://example.com' }, 'url'],
      ['/alert/target/new', { ...hook, secret: undefined }, 'secret'],
      ['/alert/target/new', { ...hook, secret: 'short' }, 'secret'],
      ['/alert/target/new', { ...mail, to: undefined }, 'to'],
      ['/alert/target/new', { ...mail, from: 'a@b.c\r\nBcc: x@y.z' }, 'from'],
      ['/alert/target/new', { ...mail, smtp_security: 'none' }, 'smtp_security'],
      ['/alert/target/new', { ...mail, smtp_username: undefined }, 'smtp_username'],
      ['/alert/rule/new', { rule_name: 'r', events: ['server_down'], targets: ['nobody'] }, 'targets'],
      ['/alert/rule/new', { rule_name: 'r', events: ['unheard'], targets: ['ops'] }, 'events.0'],
      ['/alert/rule/new', { rule_name: 'r', events: [], targets: ['ops'] }, 'events'],
      ['/alert/rule/mute', { rule_name: 'r', minutes: -1 }, 'minutes'],
    ];
    for (const [path, body, field] of rows) {
      const reply = await post(path, body);
      assert.deepEqual([reply.status, reply.at('error.param')], [400, field], `${JSON.stringify(body)}: ${reply.text}`);
    }
  });

  it('makes, changes, mutes and deletes rules, and keeps a target that a rule uses', async () => {
    verifies('gateway.manage.alerts');
    await post('/alert/target/new', hook);
    const rule = { rule_name: 'r', events: ['server_down'], targets: ['ops'], group_minutes: 5 };
    assert.equal((await post('/alert/rule/new', rule)).at('muted_until'), null);
    assert.equal((await post('/alert/rule/update', { rule_name: 'r', group_minutes: null })).at('group_minutes'), null);
    assert.equal(
      (await post('/alert/rule/mute', { rule_name: 'r', minutes: 90 })).at('muted_until'),
      '2026-03-04T11:30:00.000Z',
    );
    const listed = (await get('/alert/rule/list')).list();
    assert.deepEqual(
      listed.map((it) => [it['rule_name'], it['muted_until']]),
      [['r', '2026-03-04T11:30:00.000Z']],
    );
    assert.equal((await post('/alert/target/delete', { target_name: 'ops' })).status, 409);
    assert.equal((await post('/alert/rule/mute', { rule_name: 'r', minutes: 0 })).at('muted_until'), null);
    assert.equal((await post('/alert/rule/delete', { rule_name: 'r' })).status, 200);
    assert.equal((await post('/alert/target/delete', { target_name: 'ops' })).status, 200);
    assert.deepEqual(await api.store.secrets.names('alert_target'), []);
  });

  it('mutes a rule of the configuration file, and changes nothing else of it', async () => {
    const stamps = { created_at: '', updated_at: '' };
    await api.store.alert_rule.insert({
      rule_name: 'r',
      events: ['server_up'],
      targets: ['ops'],
      from_config: true,
      ...stamps,
    });
    assert.equal((await post('/alert/rule/mute', { rule_name: 'r', minutes: 5 })).status, 200);
    assert.equal((await post('/alert/rule/update', { rule_name: 'r', enabled: false })).status, 409);
    assert.equal((await post('/alert/rule/delete', { rule_name: 'r' })).status, 409);
  });

  it('tries a target, and says what it answered', async () => {
    verifies('gateway.manage.alerts');
    await post('/alert/target/new', hook);
    await post('/alert/target/new', mail);
    assert.deepEqual((await post('/alert/target/test', { target_name: 'ops' })).body, { success: true, error: null });
    const refused = await post('/alert/target/test', { target_name: 'mail' });
    assert.deepEqual(refused.body, { success: false, error: 'The receiver returned HTTP 500.' });
    assert.deepEqual(tried, ['ops', 'mail']);
    assert.equal((await post('/alert/target/test', { target_name: 'none' })).status, 404);
  });

  it('lists messages with what became of them, and sends a dead letter again', async () => {
    verifies('gateway.alerts.dead-letters');
    const { store, clock } = api;
    const now = clock.nowMs();
    const subject = { type: 'mcp_server', id: 's', name: 's' };
    await store.alerts.noteAll(
      ['one', 'two'].map((occasion) => ({
        type: 'server_down',
        occasion,
        atMs: now,
        subject,
        message: 'm',
        facts: {},
      })),
    );
    await store.alertDeliveries.route(() => [{ rule: 'r', targets: ['ops'], groupMs: 0 }], now);
    const dead = await store.alertDeliveries.first('ops', now);
    await store.alertDeliveries.failed(dead?.id ?? '', 3, 'The receiver returned HTTP 410.', now);
    const page = await get('/alert/delivery/list?page_size=1&page=2');
    assert.deepEqual([page.at('total'), page.at('total_pages'), page.list('deliveries').length], [2, 2, 1]);
    const [letter] = (await get('/alert/delivery/list?state=dead')).list('deliveries');
    assert.deepEqual(
      [letter?.['id'], letter?.['attempts'], letter?.['error'], letter?.['next_attempt_at']],
      [dead?.id, 3, 'The receiver returned HTTP 410.', null],
    );
    assert.equal((await post('/alert/delivery/resend', { id: dead?.id })).status, 200);
    assert.equal((await get('/alert/delivery/list?state=dead')).at('total'), 0);
    assert.equal((await post('/alert/delivery/resend', { id: dead?.id })).status, 409);
    assert.equal((await post('/alert/delivery/resend', { id: 'none' })).status, 404);
  });
});
