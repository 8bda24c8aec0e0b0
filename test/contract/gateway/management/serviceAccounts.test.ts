import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type Managed, openManaged } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

describe('a service account', () => {
  let api: Managed;
  let own: string;
  let service: string;
  before(async () => {
    api = await openManaged();
    await api.send(api.admin, 'POST', '/user/new', { user_id: 'ada' });
    const members_with_roles = [{ role: 'admin', user_id: 'ada' }];
    await api.send(api.admin, 'POST', '/team/new', { team_id: 'ops', team_alias: 'Ops', members_with_roles });
    own = await make(api.admin, '/key/generate', { user_id: 'ada', team_id: 'ops' });
    service = await make(own, '/key/service-account/generate', { team_id: 'ops', key_alias: 'nightly' });
  });
  after(() => api.close());

  async function make(key: string, path: string, body: object): Promise<string> {
    return (await api.send(key, 'POST', path, body)).string('key');
  }
  const names = async (filter: string) => {
    const reply = await api.send(api.admin, 'GET', `/key/list?return_full_object=true&${filter}`);
    return reply
      .list('keys')
      .map((it) => String(it['key_alias'] ?? it['user_id']))
      .toSorted();
  };
  const works = async (key: string) => (await api.send(key, 'GET', '/key/info')).status === 200;

  it('is a key of a team and no person, says so, and is listed by that', async () => {
    verifies('gateway.key.service-account');
    const { info } = (await api.send(service, 'GET', '/key/info')).body as { info: Record<string, unknown> };
    assert.deepEqual([info['is_service_account'], info['team_id'], info['user_id'] ?? null], [true, 'ops', null]);
    assert.equal((await api.send(own, 'GET', '/key/info')).at('info.is_service_account'), false);
    assert.deepEqual(await names('service_accounts=true'), ['nightly']);
    assert.deepEqual(await names('service_accounts=false'), ['ada', 'root']);
  });

  it('goes on when the person who made it is disabled, whose own keys do not', async () => {
    verifies('gateway.key.service-account');
    await api.send(api.admin, 'POST', '/user/update', { user_id: 'ada', blocked: true });
    assert.deepEqual([await works(own), await works(service)], [false, true]);
    await api.send(api.admin, 'POST', '/user/update', { user_id: 'ada', blocked: false });
    assert.deepEqual([await works(own), await works(service)], [true, true]);
  });

  it('goes on when that person is deleted, and ends with its team', async () => {
    verifies('gateway.key.service-account');
    await api.send(api.admin, 'POST', '/user/delete', { user_ids: ['ada'] });
    assert.deepEqual([await works(own), await works(service)], [false, true]);
    await api.send(api.admin, 'POST', '/team/block', { team_id: 'ops' });
    assert.equal(await works(service), false);
  });
});
