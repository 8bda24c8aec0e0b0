import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Route } from '../../../../sidecar/gateway/management/route.ts';
import { type Managed, managementRows, openManaged, type Reply, start } from '../../../support/gateway/managed.ts';

/** Writes that are not for administrators alone: each decides for itself what its caller may do. */
const openWrites = [
  'DELETE /organization/member_delete',
  'DELETE /v1/mcp/server/{server_id}/oauth-user-credential',
  'DELETE /v1/mcp/server/{server_id}/user-credential',
  'DELETE /v1/mcp/server/{server_id}/user-env-vars',
  'PATCH /organization/member_update',
  'POST /invitation/delete',
  'POST /invitation/new',
  'POST /key/block',
  'POST /key/bulk_update',
  'POST /key/delete',
  'POST /key/generate',
  'POST /key/regenerate',
  'POST /key/service-account/generate',
  'POST /key/unblock',
  'POST /key/update',
  'POST /key/{key}/regenerate',
  'POST /organization/member_add',
  'POST /organization/member_delete',
  'POST /organization/member_update',
  'POST /team/block',
  'POST /team/delete',
  'POST /team/key/bulk_update',
  'POST /team/member_add',
  'POST /team/member_delete',
  'POST /team/member_update',
  'POST /team/new',
  'POST /team/permissions_update',
  'POST /team/unblock',
  'POST /team/update',
  'POST /v1/mcp/access-request',
  'POST /v1/mcp/server/register',
  'POST /v1/mcp/server/{server_id}/oauth-user-credential',
  'POST /v1/mcp/server/{server_id}/user-credential',
  'POST /v1/mcp/server/{server_id}/user-env-vars',
];

const name = ({ method, path }: Route) => `${method} ${path}`;
const isWrite = ({ method, isRead }: Route) => method !== 'GET' && !isRead;

const routes = await managementRows();

describe('who may use which management route', () => {
  let api: Managed;
  let keys: { readonly viewer: string; readonly person: string; readonly reader: string; readonly limited: string };
  before(async () => {
    api = await openManaged();
    const stamps = { created_at: start, updated_at: start };
    await api.store.user.insert({ user_id: 'reader', user_role: 'internal_user_viewer', ...stamps });
    keys = {
      viewer: await api.give({ role: 'proxy_admin_viewer', user_id: 'viewer' }),
      person: await api.give({ user_id: 'person' }),
      reader: await api.give({ user_id: 'reader' }),
      limited: await api.give({ user_id: 'person', allowed_routes: ['/mcp*', 'mcp_routes'] }),
    };
  });
  after(() => api.close());

  /** With a body and a query that no handler would take: only who asks is looked at. */
  const knock = (key: string, { method, path }: Route): Promise<Reply> =>
    api.send(key, method, path.replaceAll(/\{\w+\}/g, 'nobody'), method === 'GET' ? undefined : { '?': 1 });
  const rejected = /^(Only administrators|This key has read-only access|This key is not allowed to use \/)/;
  const isTurnedAway = (reply: Reply) => reply.status === 403 && rejected.test(String(reply.at('error.message')));

  it('the writes that others than administrators may try are these', () => {
    const open = routes.filter((it) => it.who !== 'admin' && isWrite(it)).map(name);
    assert.deepEqual(open.toSorted(), openWrites.toSorted());
  });

  for (const row of routes) {
    it(`${name(row)} is for ${{ admin: 'administrators', viewer: 'administrators and viewers', any: 'everybody' }[row.who]}`, async () => {
      const refused = {
        admin: isTurnedAway(await knock(api.admin, row)),
        viewer: isTurnedAway(await knock(keys.viewer, row)),
        person: isTurnedAway(await knock(keys.person, row)),
        reader: isTurnedAway(await knock(keys.reader, row)),
        limited: isTurnedAway(await knock(keys.limited, row)),
      };
      assert.deepEqual(refused, {
        admin: false,
        viewer: row.who === 'admin' || isWrite(row),
        person: row.who !== 'any',
        reader: row.who !== 'any' || isWrite(row),
        limited: true,
      });
    });
  }
});
