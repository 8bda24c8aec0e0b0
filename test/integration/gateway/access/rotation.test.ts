import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { SetClock } from '../../../support/backends/setClock.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

describe('the MCP sessions of a key that is rotated', () => {
  let stand: Stand;
  let clock: SetClock;
  let other: string;

  before(async () => {
    clock = new SetClock();
    stand = await openStand({ clock, defaultAccess: 'all' });
    await stand.addServer({ alias: 'echo', url: `${stand.backend.url}/mcp/echo` });
    other = (await stand.replica()).base;
  });
  after(() => stand.close());
  beforeEach(() => void stand.backend.heard.splice(0));

  const makeKey = async () => String((await stand.manage('POST', '/key/generate', {}))['key']);
  const rotate = async (key: string, grace_period?: string) => {
    const body = { key, ...(grace_period && { grace_period }) };
    return String((await stand.manage('POST', '/key/regenerate', body))['key']);
  };
  const executed = () => stand.calls().filter((it) => it.body.includes('tools/call')).length;

  for (const path of ['/mcp', '/echo/mcp']) {
    const tool = path === '/mcp' ? 'echo__echo' : 'echo';
    const as = (key: string) => ({ authorization: `Bearer ${key}` });

    it(`go on at ${path} with a grace period, under both keys and on both replicas, and not for others`, async () => {
      verifies('gateway.key.rotation-keeps-sessions');
      const old = await makeKey();
      const session = await stand.mcp(path, old).initialized();
      const next = await rotate(old, '1h');
      const last = await rotate(next, '1h');
      for (const base of [stand.base, other]) {
        for (const key of [old, next, last])
          assert.equal(
            (await session.at(`${base}${path}`).with(as(key)).call(tool)).status,
            200,
            `${base} ${key === old}`,
          );
        const stranger = session.at(`${base}${path}`).with(as(await makeKey()));
        assert.equal((await stranger.call(tool)).status, 404);
      }
      assert.equal(executed(), 6);
    });

    it(`go on at ${path} under the new key alone when the grace period is over`, async () => {
      verifies('gateway.key.rotation-keeps-sessions');
      const old = await makeKey();
      const session = await stand.mcp(path, old).initialized();
      const next = await rotate(old, '1m');
      clock.pass(61_000);
      for (const base of [stand.base, other]) {
        const there = session.at(`${base}${path}`);
        assert.equal((await there.call(tool)).status, 401);
        assert.equal((await there.with(as(next)).call(tool)).status, 200);
      }
      assert.equal(executed(), 2);
    });

    it(`end at ${path} without a grace period, also those of a rotation before`, async () => {
      verifies('gateway.key.rotation-keeps-sessions');
      const old = await makeKey();
      const session = await stand.mcp(path, old).initialized();
      const next = await rotate(old, '1h');
      const last = await rotate(next);
      for (const base of [stand.base, other]) {
        const there = session.at(`${base}${path}`);
        assert.equal((await there.with(as(last)).call(tool)).status, 404);
      }
      assert.equal(executed(), 0);
    });
  }

  it('belong to the end user that was said, whether or not there is a record of them yet', async () => {
    verifies('gateway.key.rotation-keeps-sessions');
    const key = await makeKey();
    const ada = { 'x-gateway-end-user-id': 'ada' };
    const session = await stand.mcp('/echo/mcp', key, ada).initialized();
    assert.equal((await session.with({ 'x-gateway-end-user-id': 'bob' }).call('echo')).status, 404);
    const stamps = { created_at: clock.now(), updated_at: clock.now() };
    await stand.gateway.store.end_user.insert({ user_id: 'ada', ...stamps }).catch(() => undefined);
    assert.equal((await session.call('echo')).status, 200);
    assert.equal(executed(), 1);
  });
});
