import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type Managed, openManaged } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

const url = 'https://mcp.example.com/mcp';

describe('a server that an administrator points elsewhere takes no secret along (secret of another origin)', () => {
  let api: Managed;
  const put = (body: object) => api.send(api.admin, 'PUT', '/v1/mcp/server', body);
  const get = (path: string) => api.send(api.admin, 'GET', path);
  const add = async (body: object) =>
    (await api.send(api.admin, 'POST', '/v1/mcp/server', { url, ...body })).string('server_id');
  before(async () => {
    api = await openManaged();
  });
  after(() => api.close());

  const elsewhere = { url: 'https://other.example.com/mcp' };
  const oauth = {
    auth_type: 'oauth2',
    oauth2_flow: 'client_credentials',
    token_url: 'https://as.example.com/token',
    credentials: { client_id: 'us', client_secret: 'canary' },
  };
  const exchange = {
    auth_type: 'oauth2_token_exchange',
    token_exchange_endpoint: 'https://as.example.com/exchange',
    credentials: { client_id: 'us', client_secret: 'canary' },
  };
  const value = (auth_value: string | null) => ({ credentials: { auth_value } });
  const secret = (client_secret: string) => ({ credentials: { client_secret } });
  const header = (it: string) => ({ static_headers: { 'X-Team': it } });
  const variable = (it: string) => ({ env_vars: [{ name: 'TEAM', value: it }] });

  for (const { what, made, change, field, anew } of [
    {
      what: 'its credential',
      made: { auth_type: 'bearer_token', ...value('canary') },
      change: elsewhere,
      field: 'credentials.auth_value',
      anew: [value('new'), { auth_type: 'none', ...value(null) }],
    },
    {
      what: 'a header',
      made: header('canary'),
      change: elsewhere,
      field: 'static_headers.X-Team',
      anew: [header('new'), { static_headers: {} }, { static_headers: null }],
    },
    {
      what: 'a header that is written back masked',
      made: header('canary'),
      change: { ...elsewhere, ...header('********') },
      field: 'static_headers.X-Team',
      anew: [header('canary')],
    },
    {
      what: 'a variable',
      made: variable('canary'),
      change: elsewhere,
      field: 'env_vars.TEAM',
      anew: [variable('new'), { env_vars: [] }],
    },
    {
      what: "the secret of the gateway's client",
      made: oauth,
      change: { token_url: 'https://other.example.com/token' },
      field: 'credentials.client_secret',
      anew: [secret('new')],
    },
    {
      what: "the secret of the gateway's client, with the tokens that it gets",
      made: oauth,
      change: elsewhere,
      field: 'credentials.client_secret',
      anew: [secret('new')],
    },
    {
      what: 'the secret for the exchange of tokens',
      made: exchange,
      change: { token_exchange_endpoint: 'https://other.example.com/exchange' },
      field: 'credentials.client_secret',
      anew: [secret('new')],
    },
  ]) {
    it(`(${what}): the change is refused, names ${field}, and is taken with a new one`, async () => {
      verifies('security.secret-of-another-origin');
      for (const more of anew) {
        const server_id = await add(made);
        const before = (await get(`/v1/mcp/server/${server_id}`)).at('url');
        const refused = await put({ server_id, ...change });
        assert.deepEqual([refused.status, refused.at('error.param')], [400, field], refused.text);
        assert.equal((await get(`/v1/mcp/server/${server_id}`)).at('url'), before);
        const taken = await put({ server_id, ...change, ...more });
        assert.equal(taken.status, 202, taken.text);
      }
    });
  }

  it('and what names a variable, or stays at its origin, is no secret that moves', async () => {
    const named = { static_headers: { 'X-Own': `Bearer \${OWN}` }, env_vars: [{ name: 'OWN', scope: 'user' }] };
    const server_id = await add(named);
    assert.equal((await put({ server_id, ...elsewhere })).status, 202);
    const sealed = await add({ auth_type: 'bearer_token', ...value('canary'), ...header('canary') });
    const path = { server_id: sealed, url: 'https://mcp.example.com/v2/mcp', token_url: 'https://as.example.com/' };
    assert.equal((await put(path)).status, 202);
  });
});
