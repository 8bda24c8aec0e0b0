import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { type Answer, bearer, messageBody, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
const surfaces = [
  ['/echo/mcp', toolCall('echo', { text: 'hello' })],
  ['/mcp-rest/tools/list', undefined],
  ['/a2a/agent', messageBody()],
  ['/v1/models', undefined],
  ['/cloudagents/v0/me', undefined],
  ['/key/info', undefined],
] as const;

describe('a key that is good at some addresses', () => {
  let stand: Stand;
  /** It believes no proxy. */
  let direct: Stand;
  before(async () => {
    stand = await openStand({ trustedProxies: ['127.0.0.1', '10.0.0.0/8'] });
    direct = await openStand();
    await stand.addServer({ alias: 'echo', url: `${stand.backend.url}/mcp/echo` });
    await stand.addAgent({ agent_name: 'agent' });
    await stand.gateway.store.team.insert({ team_id: 'office', allowed_ips: ['192.0.2.0/24'], ...stamps });
  });
  after(async () => {
    await stand.close();
    await direct.close();
  });
  beforeEach(() => void stand.backend.heard.splice(0));

  const from = (address: string) => ({ 'x-forwarded-for': address });
  const ask = (key: string, address: string, path = '/mcp-rest/tools/list', body?: object) =>
    stand.ask(path, { ...bearer(key), ...from(address) }, body);
  const errorOf = ({ json }: Answer) => (json as { error: { type: string; param: string } }).error;

  it('is refused elsewhere on every surface, and no backend is called', async () => {
    verifies('gateway.key.addresses');
    const key = await stand.addKey({ allowed_ips: ['198.51.100.7', '2001:db8::/32'] });
    for (const [path, body] of surfaces) {
      const answer = await ask(key, '198.51.100.8', path, body);
      assert.equal(answer.status, 403, path);
      assert.deepEqual([errorOf(answer).type, errorOf(answer).param], ['ip_not_allowed', 'allowed_ips'], path);
    }
    assert.equal(stand.backend.heard.length, 0);
    for (const address of ['198.51.100.7', '::ffff:198.51.100.7', '::ffff:c633:6407', '2001:db8:1::1'])
      assert.equal((await ask(key, address)).status, 200, address);
  });

  it('leaves a record of each refusal', async () => {
    verifies('gateway.key.addresses');
    const key = await stand.addKey({ allowed_ips: ['198.51.100.7'], key_alias: 'office key' });
    const { status, error_str, requester_ip_address } = await stand
      .recordOf(await ask(key, '198.51.100.8', '/echo/mcp', toolCall('echo')))
      .then((it) => ({ ...it, error_str: JSON.stringify(it) }));
    assert.deepEqual([status, requester_ip_address], ['failure', '198.51.100.8']);
    assert.match(error_str, /198\.51\.100\.8 is not in the list/);
  });

  it('keeps the list of its team as well as its own', async () => {
    verifies('gateway.key.addresses');
    const [free, narrow] = [
      await stand.addKey({ team_id: 'office' }),
      await stand.addKey({ team_id: 'office', allowed_ips: ['192.0.2.7', '203.0.113.1'] }),
    ];
    const statuses = async (key: string) =>
      Promise.all(['192.0.2.7', '192.0.2.8', '203.0.113.1'].map(async (it) => (await ask(key, it)).status));
    assert.deepEqual(await statuses(free), [200, 200, 403]);
    assert.deepEqual(await statuses(narrow), [200, 403, 403]);
  });

  it('is good at no address that a spoofed X-Forwarded-For names', async () => {
    verifies('gateway.key.addresses');
    const list = { allowed_ips: ['198.51.100.7'] };
    const key = await stand.addKey(list);
    const spoofed = ['198.51.100.7, 203.0.113.66', '198.51.100.7,203.0.113.66, 10.1.2.3', '198.51.100.7, unknown'];
    for (const it of spoofed) assert.equal((await ask(key, it)).status, 403, it);
    for (const name of ['forwarded', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip']) {
      const headers = { ...bearer(key), [name]: name === 'forwarded' ? 'for=198.51.100.7' : '198.51.100.7' };
      assert.equal((await stand.ask('/mcp-rest/tools/list', headers)).status, 403, name);
    }
    const own = await direct.addKey(list);
    const past = await direct.ask('/mcp-rest/tools/list', { ...bearer(own), ...from('198.51.100.7') });
    assert.equal(past.status, 403, 'nobody vouches for the header');
    assert.equal((await ask(key, '203.0.113.66, 198.51.100.7, 10.1.2.3')).status, 200, 'trusted proxies do');
  });

  it('signs no browser in elsewhere, and its session is refused there', async () => {
    verifies('gateway.key.addresses');
    const key = await stand.addKey({ allowed_ips: ['198.51.100.7'] });
    const page = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    const signIn = (address: string) =>
      fetch(`${stand.base}/ui/session`, {
        method: 'POST',
        headers: { ...page, ...from(address) },
        body: JSON.stringify({ key }),
      });
    assert.equal((await signIn('198.51.100.8')).status, 403);
    const cookie = (await signIn('198.51.100.7')).headers.get('set-cookie')?.split(';')[0] ?? '';
    const look = (address: string) => stand.ask('/key/info', { ...page, cookie, ...from(address) });
    assert.equal((await look('198.51.100.7')).status, 200);
    assert.equal((await look('198.51.100.8')).status, 403);
  });

  it('changes with the next call, and back again', async () => {
    const key = await stand.addKey();
    assert.equal((await ask(key, '198.51.100.8')).status, 200);
    await stand.manage('POST', '/key/update', { key, allowed_ips: ['198.51.100.7'] });
    assert.equal((await ask(key, '198.51.100.8')).status, 403);
    await stand.manage('POST', '/key/update', { key, allowed_ips: null });
    assert.equal((await ask(key, '198.51.100.8')).status, 200);
  });

  it('is not made with an entry that is neither an address nor a network', async () => {
    for (const it of [
      '10.0.0.0/33',
      'example.com',
      '10.0.0.*',
      '',
      '1.2.3.4/8/8',
      '1.2.3',
      '1.2.3.4.',
      '256.1.1.1',
      '::/129',
      ':',
      '1.2.3.4/',
    ]) {
      const body = JSON.stringify({ allowed_ips: [it] });
      assert.equal((await stand.as(stand.adminKey, '/key/generate', { method: 'POST', body })).status, 400, it);
    }
  });

  it('cannot be used for privilege escalation: it makes no key that is good elsewhere, also not of itself', async () => {
    verifies('security.privilege-escalation');
    const { store } = stand.gateway;
    await store.user.insert({ user_id: 'ada', ...stamps });
    const list = ['127.0.0.1', '198.51.100.0/24'];
    const key = await stand.addKey({ user_id: 'ada', allowed_ips: list });
    const post = async (path: string, body: object) => (await ask(key, '198.51.100.1', path, body)).status;
    assert.equal(await post('/key/generate', {}), 403);
    assert.equal(await post('/key/generate', { allowed_ips: ['198.51.0.0/16'] }), 403);
    assert.equal(await post('/key/update', { key, allowed_ips: [] }), 403);
    assert.equal(await post('/key/update', { key, allowed_ips: null }), 403);
    assert.equal(await post('/key/generate', { allowed_ips: ['198.51.100.128/25'] }), 200);
  });
});
