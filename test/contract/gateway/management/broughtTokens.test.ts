import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { UserToken, UserTokenStore } from '../../../../sidecar/gateway/backends/oauth/stores.ts';
import { type Managed, openManaged } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

/** An MCP server that names its authorization server, which is itself, to whoever asks. */
function openNaming() {
  const asked: string[] = [];
  let isAway = false;
  const http = createServer((request, response) => {
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const path = request.url ?? '';
    asked.push(path);
    const document = path.includes('oauth-protected-resource')
      ? { resource: `${origin}/mcp`, authorization_servers: [origin] }
      : { issuer: origin, token_endpoint: `${origin}/token` };
    response.writeHead(isAway ? 503 : path === '/mcp' ? 401 : 200, { 'content-type': 'application/json' });
    response.end(isAway ? '' : JSON.stringify(document));
  });
  return {
    http,
    asked,
    leave: () => void (isAway = true),
    return: () => void (isAway = false),
    listen: () =>
      new Promise<string>((resolve) => {
        http.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(http.address() as AddressInfo).port}`));
      }),
  };
}

describe('a token that a program brings (authorization-server mix-up)', () => {
  verifies('security.authorization-server-mix-up');
  const naming = openNaming();
  let api: Managed;
  let origin: string;
  let written: UserToken | undefined;
  const tokens: UserTokenStore = {
    read: async () => written,
    write: async (_ref, token) => void (written = token),
    remove: async () => undefined,
    lease: (_ref, work) => work(),
  };
  before(async () => {
    origin = await naming.listen();
    api = await openManaged({ tokens });
  });
  after(async () => {
    await api.close();
    naming.http.close();
  });
  beforeEach(() => {
    naming.return();
    naming.asked.splice(0);
    written = undefined;
  });
  let servers = 0;
  async function bring(token: object, registration: object = {}) {
    servers += 1;
    const server_id = `s${servers}`;
    const server = {
      server_id,
      server_name: server_id,
      url: `${origin}/mcp`,
      allow_private_network: true,
      auth_type: 'oauth2',
      oauth2_flow: 'authorization_code',
      ...registration,
    };
    assert.equal((await api.send(api.admin, 'POST', '/v1/mcp/server', server)).status, 201);
    naming.asked.splice(0);
    const path = `/v1/mcp/server/${server_id}/oauth-user-credential`;
    const key = await api.give({ user_id: 'ann', object_permission: { mcp_servers: [server_id] } });
    assert.equal((await api.send(key, 'POST', path, { access_token: 'first', ...token })).status, 200);
    return [written?.access_token, written?.issuer, written?.renewed_at];
  }

  it('is of the authorization server that its server names then, where it can be renewed', async () => {
    assert.deepEqual(await bring({ refresh_token: 'r1' }), ['first', origin, origin]);
  });

  it('is kept without one where nobody names it, or nothing is to be renewed or found', async () => {
    assert.deepEqual(await bring({}), ['first', undefined, undefined]);
    const addresses = { authorization_url: `${origin}/authorize`, token_url: `${origin}/token` };
    assert.deepEqual(await bring({ refresh_token: 'r1' }, addresses), ['first', undefined, undefined]);
    assert.deepEqual(await bring({ refresh_token: 'r1' }, { issuer: origin }), ['first', undefined, undefined]);
    assert.deepEqual(naming.asked, []);
    naming.leave();
    assert.deepEqual(await bring({ refresh_token: 'r1' }), ['first', undefined, undefined]);
    assert.notDeepEqual(naming.asked, []);
  });
});
