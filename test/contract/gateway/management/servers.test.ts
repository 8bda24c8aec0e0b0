import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { authTypeNames } from '../../../../sidecar/protocol/gateway/authTypes/index.ts';
import { type Managed, openManaged } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

const url = 'https://mcp.example.com/mcp';

describe('MCP server routes', () => {
  verifies('gateway.manage.servers');
  let api: Managed;
  const post = (path: string, body?: unknown, key = api.admin) => api.send(key, 'POST', path, body);
  const put = (path: string, body?: unknown, key = api.admin) => api.send(key, 'PUT', path, body);
  const get = (path: string, key = api.admin) => api.send(key, 'GET', path);
  const add = async (body: object) => (await post('/v1/mcp/server', { url, ...body })).string('server_id');
  before(async () => {
    api = await openManaged();
  });
  after(() => api.close());

  it('a server is registered with 201, changed with 202, read and deleted with 202', async () => {
    const made = await post('/v1/mcp/server', { server_name: 'Wiki', alias: 'wiki', url, description: 'Pages' });
    assert.equal(made.status, 201);
    assert.deepEqual([made.at('transport'), made.at('approval_status')], ['http', 'active']);
    const server_id = made.string('server_id');
    const changed = await put('/v1/mcp/server', { server_id, description: null, timeout: 9 });
    assert.equal(changed.status, 202);
    assert.deepEqual([changed.at('description'), changed.at('timeout'), changed.at('alias')], [null, 9, 'wiki']);
    const read = await get(`/v1/mcp/server/${server_id}`);
    assert.equal(read.at('status'), 'healthy');
    assert.deepEqual((await get(`/v1/mcp/server/health?server_ids=${server_id},other`)).body, [
      { server_id, status: 'healthy' },
    ]);
    assert.equal((await api.send(api.admin, 'DELETE', `/v1/mcp/server/${server_id}`)).status, 202);
    assert.equal((await get(`/v1/mcp/server/${server_id}`)).status, 404);
    assert.equal((await put('/v1/mcp/server', { server_id, timeout: 1 })).status, 404);
  });

  it('show the processes of a stdio server only to callers that see how servers are reached', async () => {
    const running = new Map([['files', { count: 2, memoryBytes: 3_000_000 }]]);
    const other = await openManaged({ processes: () => running });
    const stdio = { transport: 'stdio', command: '/usr/bin/allowed', args: [] };
    for (const server_id of ['files', 'idle'])
      await other.send(other.admin, 'POST', '/v1/mcp/server', { server_id, alias: server_id, ...stdio });
    await other.send(other.admin, 'POST', '/v1/mcp/server', { server_id: 'wiki', alias: 'wiki', url });
    const told = { files: { count: 2, memory_bytes: 3_000_000 }, idle: { count: 0, memory_bytes: 0 }, wiki: undefined };
    const member = (
      await other.send(other.admin, 'POST', '/key/generate', { object_permission: { mcp_servers: Object.keys(told) } })
    ).string('key');
    for (const path of ['/v1/mcp/server', '/v1/mcp/server/health']) {
      const of = async (key: string) => {
        const list = (await other.send(key, 'GET', path)).body as { server_id: string; processes?: object }[];
        return Object.fromEntries(list.map((it) => [it.server_id, it.processes]));
      };
      assert.deepEqual(await of(other.admin), told, path);
      assert.deepEqual(await of(member), { files: undefined, idle: undefined, wiki: undefined }, path);
    }
    await other.close();
  });

  for (const { says, body, field, status = 400 } of [
    { says: 'an auth_type of another product', body: { auth_type: 'oauth_delegate' }, field: 'auth_type' },
    { says: 'a name with the separator in it', body: { server_name: 'a__b' }, field: 'server_name' },
    { says: 'a name that ends where the separator begins', body: { alias: 'a_' }, field: 'alias' },
    { says: 'a name whose spaces make the separator', body: { alias: 'a  b' }, field: 'alias' },
    { says: 'a name with a slash', body: { server_name: 'a/b' }, field: 'server_name' },
    { says: 'a reserved id', body: { server_id: 'all-team-mcpservers' }, field: 'server_id' },
    { says: 'an id with a slash', body: { server_id: 'a/b' }, field: 'server_id' },
    { says: 'no address', body: { url: null }, field: 'url' },
    { says: 'an address of this machine', body: { url: 'http://127.0.0.1:9/' }, field: 'allow_private_network' },
    { says: 'a name of this machine', body: { url: 'http://localhost:9/' }, field: 'allow_private_network' },
    { says: 'a private address', body: { url: 'https://[fd12::1]/' }, field: 'allow_private_network' },
    { says: 'the address of cloud metadata', body: { url: 'http://169.254.169.254/' }, field: 'url', status: 403 },
    {
      says: 'that address also with allow_private_network',
      body: { url: 'http://169.254.169.254/', allow_private_network: true },
      field: 'url',
      status: 403,
    },
    { says: 'a command without a transport', body: { url: null, command: '/usr/bin/allowed' }, field: 'transport' },
    { says: 'arguments without a transport', body: { url: null, args: ['x'] }, field: 'transport' },
    { says: 'an address with a password', body: { url: 'https://u:p@example.com/' }, field: 'url' },
    { says: 'stdio without a command', body: { url: null, transport: 'stdio' }, field: 'command' },
    { says: 'stdio without args', body: { url: null, transport: 'stdio', command: '/usr/bin/allowed' }, field: 'args' },
    {
      says: 'stdio with a command that is not on the list',
      body: { url: null, transport: 'stdio', command: '/bin/sh', args: [] },
      field: 'command',
      status: 403,
    },
    {
      says: 'stdio with an auth_type that signs requests',
      body: { url: null, transport: 'stdio', command: '/usr/bin/allowed', args: [], auth_type: 'cloud_sigv4' },
      field: 'auth_type',
    },
    { says: 'a command beside an address', body: { command: '/usr/bin/allowed' }, field: 'command' },
    { says: 'a credential that nobody knows', body: { credentials: { pin: '1' } }, field: 'credentials.pin' },
  ]) {
    it(`refuses ${says} with ${status} and names ${field}`, async () => {
      verifies('gateway.private-network.at-registration', 'gateway.server.stdio-meant');
      const refused = await post('/v1/mcp/server', { url, ...body });
      assert.equal(refused.status, status, refused.text);
      assert.equal(refused.at('error.param'), field, refused.text);
    });
  }

  it('the refusal of another auth_type names all there are', async () => {
    const refused = await post('/v1/mcp/server', { url, auth_type: 'true_passthrough' });
    for (const it of authTypeNames) assert.ok(refused.text.includes(it), it);
  });

  it('starts a stdio server whose command is on the list', async () => {
    const body = { transport: 'stdio', command: '/usr/bin/allowed', args: [], url: undefined };
    assert.equal((await post('/v1/mcp/server', body)).status, 201);
  });

  it('names are unique in any case, ids included, unless tags tell servers apart', async () => {
    const id = await add({ server_name: 'Only' });
    for (const body of [{ alias: 'only' }, { server_name: id }, { server_id: id }])
      assert.equal((await post('/v1/mcp/server', { url, ...body })).status, 400, JSON.stringify(body));
    assert.equal((await post('/v1/mcp/server', { url, server_name: 'Only', tags: ['eu'] })).status, 201);
    assert.equal((await post('/v1/mcp/server', { url, server_name: 'Only', tags: ['eu'] })).status, 400);
  });

  it('credentials and values of headers are kept sealed, shown masked, and stay where the mask is written back', async () => {
    const server_id = await add({
      server_name: 'sealed',
      auth_type: 'bearer_token',
      credentials: { auth_value: 'canary-value' },
      static_headers: { 'X-Team': 'canary-header', 'X-Old': 'gone' },
      env_vars: [{ name: 'TOKEN', value: 'canary-variable' }],
    });
    const read = await get(`/v1/mcp/server/${server_id}`);
    assert.deepEqual(read.at('static_headers'), { 'X-Team': '********', 'X-Old': '********' });
    assert.equal(read.at('credentials'), undefined);
    const static_headers = { 'X-Team': '********', 'X-New': 'canary-new' };
    assert.equal((await put('/v1/mcp/server', { server_id, static_headers })).status, 202);
    const values = JSON.parse((await api.store.secrets.get('mcp_server', server_id, 'values')) ?? '');
    assert.deepEqual(values, {
      static_headers: { 'X-Team': 'canary-header', 'X-New': 'canary-new' },
      env_vars: { TOKEN: 'canary-variable' },
    });
    const credentials = await api.store.secrets.get('mcp_server', server_id, 'credentials');
    assert.deepEqual(JSON.parse(credentials ?? ''), { auth_value: 'canary-value' });
    await api.send(api.admin, 'DELETE', `/v1/mcp/server/${server_id}`);
    assert.deepEqual(await api.store.secrets.names('mcp_server', server_id), []);
  });

  it('others see the servers that they may use, without how they are reached', async () => {
    const mine = await add({ server_name: 'mine', url: 'https://internal.example.com/mcp', mcp_access_groups: ['g'] });
    const other = await add({ server_name: 'not-mine' });
    const key = await api.give({ object_permission: { mcp_servers: ['mine'] } });
    const listed = await get('/v1/mcp/server', key);
    assert.deepEqual(
      listed.list().map((it) => it['server_id']),
      [mine],
    );
    assert.ok(!listed.text.includes('internal.example.com'));
    for (const hidden of ['url', 'static_headers', 'env', 'command', 'credentials'])
      assert.ok(!(hidden in listed.list()[0]!), hidden);
    assert.equal((await get(`/v1/mcp/server/${mine}`, key)).status, 200);
    const unknown = await get('/v1/mcp/server/nobody', key);
    const forbidden = await get(`/v1/mcp/server/${other}`, key);
    assert.deepEqual([unknown.status, unknown.text], [forbidden.status, forbidden.text]);
    assert.deepEqual((await get('/v1/mcp/access_groups', key)).body, { access_groups: ['g'] });
    const registry = await get('/v1/mcp/registry.json', key);
    assert.equal(registry.at('servers.0.server.remotes.0.url'), 'http://127.0.0.1:4000/mine/mcp');
    assert.equal((await get('/v1/mcp/network/client-ip', key)).at('ip'), '203.0.113.9');
  });

  it('the servers of a team are told to those who belong to it', async () => {
    const mine = await add({ server_name: 'of-team' });
    await post('/team/new', { team_id: 'viewers', object_permission: { mcp_servers: [mine] } });
    const shown = await get('/v1/mcp/server?team_id=viewers');
    assert.deepEqual(
      shown.list().map((it) => it['server_id']),
      [mine],
    );
    assert.deepEqual(shown.at('0.teams'), ['viewers']);
    assert.equal((await get('/v1/mcp/server?team_id=viewers', await api.give())).status, 404);
  });

  it('a team proposes a server, which nobody can use before an administrator approves it', async () => {
    await post('/team/new', { team_id: 'proposers', object_permission: { mcp_servers: ['proposed'] } });
    const key = await api.give({ team_id: 'proposers' });
    const body = { url, server_name: 'proposed', credentials: { auth_value: 'canary' }, auth_type: 'token' };
    assert.equal((await post('/v1/mcp/server/register', body, await api.give())).status, 403);
    assert.equal((await post('/v1/mcp/server/register', { ...body, allow_all_keys: true }, key)).status, 403);
    const stdio = { transport: 'stdio', command: '/usr/bin/allowed', args: [] };
    assert.equal((await post('/v1/mcp/server/register', stdio, key)).at('error.param'), 'transport');
    const made = await post('/v1/mcp/server/register', body, key);
    assert.deepEqual([made.status, made.at('approval_status')], [201, 'pending_review']);
    const id = made.string('server_id');
    assert.deepEqual((await get('/v1/mcp/server', key)).body, []);
    const waiting = await get('/v1/mcp/server/submissions', key);
    assert.deepEqual([waiting.at('total'), waiting.at('pending_review')], [1, 1]);
    assert.equal((await put(`/v1/mcp/server/${id}/approve`, {}, key)).status, 403);
    const approved = await put(`/v1/mcp/server/${id}/approve`, { review_notes: 'fine' });
    assert.deepEqual([approved.status, approved.at('review_notes')], [200, 'fine']);
    assert.equal((await get('/v1/mcp/server', key)).list().length, 1);
    await put(`/v1/mcp/server/${id}/reject`, {});
    assert.deepEqual((await get('/v1/mcp/server', key)).body, []);
    assert.equal((await get('/v1/mcp/server/submissions')).at('rejected'), 1);
  });

  it('imports what editors write, one by one', async () => {
    await add({ server_name: 'there' });
    const mcpServers = {
      there: { url },
      'With Spaces': { type: 'sse', url, headers: { Authorization: 'Bearer canary', 'X-Plain': '1' } },
      'with-token': { url, authorization_token: 'canary-token' },
      local: { command: '/usr/bin/allowed' },
      shell: { command: '/bin/sh' },
      broken: { url: 7 },
    };
    const done = await post('/v1/mcp/server/import', { mcpServers });
    assert.equal(done.status, 200);
    assert.deepEqual(
      done.list('imported').map((it) => [it['name'], it['alias']]),
      [
        ['With Spaces', 'With_Spaces'],
        ['with-token', 'with-token'],
        ['local', 'local'],
      ],
    );
    assert.equal(done.at('skipped.0.name'), 'there');
    assert.deepEqual(
      done.list('errors').map((it) => it['name']),
      ['shell', 'broken'],
    );
    const token = await api.store.secrets.get('mcp_server', done.string('imported.1.server_id'), 'credentials');
    assert.equal(token, '{"auth_value":"canary-token"}');
    assert.equal((await post('/v1/mcp/server/import', {})).at('error.param'), 'mcp_servers');
    assert.equal(
      (await post('/v1/mcp/server/import', { mcp_servers: [{ name: 'listed', url }] })).list('imported').length,
      1,
    );
  });

  it('a person keeps a credential of their own, and nobody is told what it is', async () => {
    const byok = await add({ server_name: 'byok', is_byok: true });
    const plain = await add({ server_name: 'plain' });
    const key = await api.give({ user_id: 'ann', object_permission: { mcp_servers: [byok, plain] } });
    const path = `/v1/mcp/server/${byok}/user-credential`;
    assert.deepEqual((await post(path, { credential: 'canary-own', save: false }, key)).at('has_credential'), false);
    assert.deepEqual((await post(path, { credential: 'canary-own' }, key)).body, {
      server_id: byok,
      has_credential: true,
    });
    assert.equal((await api.store.secrets.get('mcp_user_credential', byok, 'ann'))?.includes('canary-own'), true);
    assert.equal(
      (await get('/v1/mcp/server', key)).list().find((it) => it['server_id'] === byok)?.['has_user_credential'],
      true,
    );
    assert.equal((await get('/v1/mcp/user-credentials', key)).at('0.credential_type'), 'byok');
    assert.equal((await post(`/v1/mcp/server/${plain}/user-credential`, { credential: 'x' }, key)).status, 409);
    assert.equal((await post(path, { credential: 'x' }, await api.give())).status, 403);
    assert.equal((await api.send(key, 'DELETE', path)).at('has_credential'), false);
    assert.equal(await api.store.secrets.get('mcp_user_credential', byok, 'ann'), undefined);
  });

  it('a person connects a token of their own to a server with OAuth, and disconnects it', async () => {
    const server = await add({ server_name: 'signed', auth_type: 'oauth2', oauth2_flow: 'authorization_code' });
    const key = await api.give({ user_id: 'ann', object_permission: { mcp_servers: [server] } });
    const path = `/v1/mcp/server/${server}/oauth-user-credential`;
    const saved = await post(path, { access_token: 'canary-access', expires_in: 60 }, key);
    assert.deepEqual(saved.body, {
      server_id: server,
      has_credential: true,
      expires_at: '2026-03-04T10:01:00.000Z',
      is_expired: false,
      connected_at: '2026-03-04T10:00:00.000Z',
    });
    api.clock.pass(60_000);
    assert.equal((await get(`${path}/status`, key)).at('is_expired'), true);
    api.clock.pass(-60_000);
    assert.equal((await api.send(key, 'DELETE', path)).at('has_credential'), false);
  });

  it('a person sets variables of their own, and is told only which are missing', async () => {
    const env_vars = [
      { name: 'MINE', scope: 'user' },
      { name: 'ALSO', scope: 'user' },
    ];
    const server = await add({ server_name: 'asks', env_vars, static_headers: { 'X-Mine': `\${MINE}` } });
    const key = await api.give({ user_id: 'ann', object_permission: { mcp_servers: [server] } });
    const path = `/v1/mcp/server/${server}/user-env-vars`;
    assert.equal((await get(path, key)).at('missing_count'), 2);
    const set = await post(path, { env_vars: { MINE: 'canary-mine' } }, key);
    assert.deepEqual([set.at('missing_count'), set.at('env_vars.0.is_set')], [1, true]);
    assert.ok(!set.text.includes('canary-mine'));
    assert.equal((await post(path, { env_vars: { PATH: '/tmp' } }, key)).at('error.param'), 'env_vars');
    assert.equal((await get('/v1/mcp/user-env-vars/status', key)).at('0.missing_count'), 1);
    assert.equal((await api.send(key, 'DELETE', path)).at('missing_count'), 2);
  });

  it('toolsets are made by administrators and seen by keys that name them', async () => {
    const server_id = await add({ server_name: 'tools' });
    const tools = [{ server_id, tool_name: 'read' }];
    const made = await post('/v1/mcp/toolset', { toolset_name: 'readers', tools });
    assert.equal(made.status, 201);
    assert.equal((await post('/v1/mcp/toolset', { toolset_name: 'readers' })).status, 409);
    const wrong = { toolset_name: 'x', tools: [{ server_id: 'nobody', tool_name: 'a' }] };
    assert.equal((await post('/v1/mcp/toolset', wrong)).at('error.param'), 'tools');
    const toolset_id = made.string('toolset_id');
    const key = await api.give({ object_permission: { mcp_toolsets: ['readers'] } });
    assert.equal((await get('/v1/mcp/toolset', key)).list().length, 1);
    assert.deepEqual((await get('/v1/mcp/toolset', await api.give())).body, []);
    assert.equal((await get(`/v1/mcp/toolset/${toolset_id}`, await api.give())).status, 403);
    assert.equal((await get('/v1/mcp/toolset/nobody')).status, 404);
    assert.equal((await put('/v1/mcp/toolset', { toolset_id, description: 'd' })).at('description'), 'd');
    assert.equal((await api.send(api.admin, 'DELETE', `/v1/mcp/toolset/${toolset_id}`)).status, 202);
  });

  it('pins, makes public, and leaves alone what the configuration file made', async () => {
    const server = await add({ server_name: 'pinned' });
    assert.deepEqual((await post(`/v1/mcp/server/${server}/pin`)).body, { server_id: server, pinned: true, tools: 2 });
    assert.equal((await api.send(api.admin, 'DELETE', `/v1/mcp/server/${server}/pin`)).at('pinned'), false);
    const open = await post('/v1/mcp/make_public', { mcp_server_ids: [server] });
    assert.deepEqual([open.status, open.at('public_mcp_servers')], [202, [server]]);
    assert.equal((await get(`/v1/mcp/server/${server}`)).at('mcp_info.is_public'), true);
    await post('/v1/mcp/make_public', { mcp_server_ids: [] });
    assert.equal((await get(`/v1/mcp/server/${server}`)).at('mcp_info.is_public'), false);
    const stamps = { created_at: 'x', updated_at: 'x' };
    const filed = { server_id: 'filed', transport: 'http' as const, url, approval_status: 'active' as const };
    const static_headers = { 'X-Plain': 'canary-of-the-file' };
    await api.store.mcp_server.insert({ ...filed, from_config: true, static_headers, ...stamps });
    assert.deepEqual((await get('/v1/mcp/server/filed')).at('static_headers'), { 'X-Plain': '********' });
    for (const refused of [
      await put('/v1/mcp/server', { server_id: 'filed', timeout: 1 }),
      await api.send(api.admin, 'DELETE', '/v1/mcp/server/filed'),
      await post('/v1/mcp/make_public', { mcp_server_ids: ['filed'] }),
    ])
      assert.deepEqual([refused.status, /configuration file/.test(refused.text)], [409, true]);
  });

  it('the catalogue shows everybody what is public, by words and category, and nothing of how it is reached', async () => {
    const info = (category: string) => ({ mcp_info: { category, logo_url: 'https://a.example/l.png' } });
    const catalogue = [
      await add({ alias: 'hub_maps', server_name: 'Maps of towns', description: 'Streets', ...info('travel') }),
      await add({ alias: 'hub_rail', server_name: 'Trains', description: 'Times of trains', ...info('travel') }),
      await add({ alias: 'hub_mail', server_name: 'Letters', ...info('office') }),
    ];
    const hidden = await add({ alias: 'hub_none', server_name: 'Maps of nobody', ...info('secret') });
    await post('/v1/mcp/make_public', { mcp_server_ids: catalogue });
    const reader = await api.give({ object_permission: { mcp_servers: ['hub_rail'] } });
    const found = async (query: string) => {
      const answer = await get(`/v1/mcp/discover${query}`, reader);
      assert.equal(answer.status, 200, answer.text);
      assert.ok(!answer.text.includes('mcp.example.com') && !answer.text.includes(hidden));
      assert.deepEqual(answer.at('categories'), ['office', 'travel']);
      return answer.list('servers').map((it) => it['name']);
    };
    assert.deepEqual(await found(''), ['hub_mail', 'hub_maps', 'hub_rail']);
    assert.deepEqual(await found('?category=travel'), ['hub_maps', 'hub_rail']);
    assert.deepEqual(await found('?query=TOWNS%20streets'), ['hub_maps']);
    assert.deepEqual(await found('?query=towns&category=office'), []);
    const [rail] = (await get('/v1/mcp/discover?query=trains', reader)).list('servers');
    assert.deepEqual(rail, {
      server_id: catalogue[1],
      name: 'hub_rail',
      title: 'Trains',
      description: 'Times of trains',
      category: 'travel',
      logo_url: 'https://a.example/l.png',
      is_usable: true,
    });
    await post('/v1/mcp/make_public', { mcp_server_ids: [] });
  });

  it('the catalogue of APIs has the own one, and those of public servers that say where their document is', async () => {
    const info = (spec_url: unknown) => ({ mcp_info: { spec_url, logo_url: 'https://a.example/l.png' } });
    const spec_url = 'https://api.example/openapi.json';
    const named = await add({ alias: 'api_named', server_name: 'Weather', description: 'Rain', ...info(spec_url) });
    const wrong = await add({ alias: 'api_wrong', ...info('javascript:alert(1)') });
    await add({ alias: 'api_hidden', ...info('https://hidden.example/openapi.json') });
    await post('/v1/mcp/make_public', { mcp_server_ids: [named, wrong] });
    const reader = await api.give({ object_permission: { mcp_servers: [] } });
    const apis = (await get('/v1/mcp/openapi-registry', reader)).list('apis');
    assert.deepEqual(
      apis.map((it) => it['name']),
      ['switchboard', 'api_named'],
    );
    assert.equal(apis[0]?.['spec_url'], 'http://127.0.0.1:4000/openapi.json');
    assert.deepEqual(apis[1], {
      name: 'api_named',
      title: 'Weather',
      description: 'Rain',
      icon_url: 'https://a.example/l.png',
      spec_url,
    });
    await post('/v1/mcp/make_public', { mcp_server_ids: [] });
  });

  it('the registry is not there unless it is turned on', async () => {
    const off = await openManaged({ options: { separator: '__', isRegistryOn: false, version: '1' } });
    assert.equal((await off.send(off.admin, 'GET', '/v1/mcp/registry.json')).status, 404);
    await off.close();
  });
});
