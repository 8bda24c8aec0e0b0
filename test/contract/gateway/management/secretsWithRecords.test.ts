import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { after, afterEach, before, describe, it } from 'mocha';
import { type Managed, openManaged, type Reply } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

const url = 'https://one.example/mcp';
const elsewhere = 'https://two.example/mcp';

describe('secrets and the record that they belong to', () => {
  verifies('gateway.manage.secrets-with-record');
  let api: Managed;
  const send = (method: string, path: string, body?: object) => api.send(api.admin, method, path, body);
  before(async () => {
    api = await openManaged();
  });
  after(() => api.close());
  afterEach(() => sql`drop trigger if exists away`.execute(api.store.database.db));

  /** The database takes no more of such writes. */
  const refuse = (event: string) =>
    sql
      .raw(`create trigger away before ${event} begin select raise(abort, 'away'); end`)
      .execute(api.store.database.db);

  async function sealed(kind: string, id: string): Promise<Record<string, string>> {
    const names = await api.store.secrets.names(kind, id);
    const texts = names.map(async ({ name }) => [name, (await api.store.secrets.get(kind, id, name)) ?? ''] as const);
    return Object.fromEntries(await Promise.all(texts));
  }
  const credentials = (auth_value: string) => ({ credentials: { auth_value } });
  const server = (server_id: string) => ({
    server_id,
    server_name: server_id,
    url,
    auth_type: 'bearer_token',
    static_headers: { 'x-key': 'header-1' },
    ...credentials('secret-1'),
  });
  const agent = (agent_id: string) => ({
    agent_id,
    agent_name: agent_id,
    agent_card_params: { url },
    static_headers: { 'x-key': 'header-1' },
    gateway_params: { api_key: 'secret-1' },
  });
  const credential = (credential_name: string) => ({
    credential_name,
    credential_info: { custom_llm_provider: 'openai' },
    credential_values: { api_key: 'secret-1' },
  });

  const guardrail = (guardrail_name: string, at: string, secret?: string) => ({
    guardrail_name,
    gateway_params: { guardrail: 'http', mode: 'pre_mcp_call', url: at, authentication: 'bearer' },
    secret,
  });

  const subjects = [
    {
      name: 'a server',
      kind: 'mcp_server',
      add: (id: string) => send('POST', '/v1/mcp/server', server(id)),
      change: (id: string) =>
        send('PUT', '/v1/mcp/server', {
          server_id: id,
          url: elsewhere,
          static_headers: { 'x-key': 'header-2' },
          ...credentials('secret-2'),
        }),
      remove: (id: string) => send('DELETE', `/v1/mcp/server/${id}`),
    },
    {
      name: 'an agent',
      kind: 'agent',
      add: (id: string) => send('POST', '/v1/agents', agent(id)),
      change: (id: string) =>
        send('PATCH', `/v1/agents/${id}`, {
          agent_card_params: { url: elsewhere },
          static_headers: { 'x-key': 'header-2' },
          gateway_params: { api_key: 'secret-2' },
        }),
      remove: (id: string) => send('DELETE', `/v1/agents/${id}`),
    },
    {
      name: 'a credential',
      kind: 'credential',
      add: (id: string) => send('POST', '/credentials', credential(id)),
      change: (id: string) => send('PATCH', `/credentials/${id}`, { credential_values: { api_key: 'secret-2' } }),
      remove: (id: string) => send('DELETE', `/credentials/${id}`),
    },
    {
      name: 'a guardrail',
      kind: 'guardrail',
      add: (id: string) => send('POST', '/guardrails/new', guardrail(id, url, 'secret-1')),
      change: (id: string) => send('POST', '/guardrails/update', guardrail(id, elsewhere, 'secret-2')),
      remove: (id: string) => send('POST', '/guardrails/delete', { guardrail_name: id }),
    },
  ] as const;

  for (const { name, kind, add, change, remove } of subjects) {
    for (const [table, event] of [
      ['records', 'insert'],
      ['secrets', 'insert'],
    ] as const)
      it(`${name} that cannot be added whole leaves nothing: ${event} on ${table}`, async () => {
        const id = `${kind}-added-${table}`;
        await refuse(`${event} on ${table}`);
        assert.equal((await add(id)).status, 503);
        assert.deepEqual([await api.store[kind].get(id), await sealed(kind, id)], [undefined, {}]);
      });

    for (const [table, event] of [
      ['records', 'update'],
      ['secrets', 'update'],
    ] as const)
      it(`${name} that cannot be changed whole stays with the secrets that it had: ${event} on ${table}`, async () => {
        const id = `${kind}-changed-${table}`;
        assert.ok((await add(id)).status < 300);
        const was = [await api.store[kind].get(id), await sealed(kind, id)];
        await refuse(`${event} on ${table}`);
        assert.equal((await change(id)).status, 503);
        assert.deepEqual([await api.store[kind].get(id), await sealed(kind, id)], was);
      });

    for (const table of ['records', 'secrets'])
      it(`${name} that cannot be deleted whole stays with its secrets: delete on ${table}`, async () => {
        const id = `${kind}-deleted-${table}`;
        assert.ok((await add(id)).status < 300);
        const was = [await api.store[kind].get(id), await sealed(kind, id)];
        await refuse(`delete on ${table}`);
        assert.equal((await remove(id)).status, 503);
        assert.deepEqual([await api.store[kind].get(id), await sealed(kind, id)], was);
        await sql`drop trigger away`.execute(api.store.database.db);
        assert.ok((await remove(id)).status < 300);
        assert.deepEqual([await api.store[kind].get(id), await sealed(kind, id)], [undefined, {}]);
      });
  }

  it('of a guardrail is not sent to another server unless it is given again (secret of another origin)', async () => {
    verifies('security.secret-of-another-origin');
    assert.equal((await send('POST', '/guardrails/new', guardrail('moves', url, 'secret-1'))).status, 200);
    assert.equal((await send('POST', '/guardrails/update', guardrail('moves', `${url}/checks`))).status, 200);
    const refused = await send('POST', '/guardrails/update', guardrail('moves', elsewhere));
    assert.deepEqual([refused.status, refused.at('error.param')], [400, 'secret']);
    assert.equal((await send('POST', '/guardrails/update', guardrail('moves', elsewhere, 'secret-2'))).status, 200);
  });

  it('of two who register one id at a time, the one who gets it has its own secret there', async () => {
    const adds = (path: string, body: (from: string) => object) =>
      Promise.all(['one', 'two'].map((it) => send('POST', path, body(it))));
    const winner = (replies: readonly Reply[]) => {
      assert.equal(replies.filter((it) => it.status < 300).length, 1);
      return replies[0]!.status < 300 ? 'one' : 'two';
    };
    const won = winner(
      await adds('/v1/mcp/server', (it) => ({ ...server('both'), server_name: it, ...credentials(it) })),
    );
    assert.deepEqual(JSON.parse((await sealed('mcp_server', 'both'))['credentials']!), { auth_value: won });
    const gateway_params = (api_key: string) => ({ gateway_params: { api_key } });
    const other = winner(
      await adds('/v1/agents', (it) => ({ ...agent('both'), agent_name: it, ...gateway_params(it) })),
    );
    assert.deepEqual(JSON.parse((await sealed('agent', 'both'))['credentials']!), { api_key: other });
  });
});

describe('two changes of a record at a time', () => {
  verifies('gateway.manage.secrets-with-record');
  let api: Managed;
  const send = (method: string, path: string, body?: object) => api.send(api.admin, method, path, body);
  before(async () => {
    api = await openManaged();
  });
  after(() => api.close());

  for (const order of ['the move first', 'the move last'] as const)
    it(`a server that moves with a new secret never gets the old one (secret of another origin, ${order})`, async () => {
      verifies('security.secret-of-another-origin');
      const server_id = `moved-${order.replaceAll(' ', '-')}`;
      const first = { server_id, url, auth_type: 'bearer_token', credentials: { auth_value: 'old' } };
      assert.equal((await send('POST', '/v1/mcp/server', first)).status, 201);
      const changes = [
        { server_id, url: elsewhere, credentials: { auth_value: 'new' } },
        { server_id, description: 'Pages' },
      ];
      if (order === 'the move last') changes.reverse();
      const replies = await Promise.all(changes.map((it) => send('PUT', '/v1/mcp/server', it)));
      assert.deepEqual(
        replies.map((it) => it.status),
        [202, 202],
      );
      const record = await api.store.mcp_server.get(server_id);
      assert.deepEqual([record?.url, record?.description], [elsewhere, 'Pages']);
      const text = await api.store.secrets.get('mcp_server', server_id, 'credentials');
      assert.deepEqual(JSON.parse(text ?? ''), { auth_value: 'new' });
    });

  it('of an agent are both kept', async () => {
    const first = { agent_id: 'a', agent_name: 'a', agent_card_params: { url }, gateway_params: { api_key: 'old' } };
    assert.ok((await send('POST', '/v1/agents', first)).status < 300);
    const replies = await Promise.all([
      send('PATCH', '/v1/agents/a', { agent_card_params: { url: elsewhere }, gateway_params: { api_key: 'new' } }),
      send('PATCH', '/v1/agents/a', { agent_name: 'b' }),
    ]);
    assert.deepEqual(
      replies.map((it) => it.status),
      [200, 200],
    );
    const record = await api.store.agent.get('a');
    assert.deepEqual([record?.agent_card_params['url'], record?.agent_name], [elsewhere, 'b']);
    assert.deepEqual(JSON.parse((await api.store.secrets.get('agent', 'a', 'credentials')) ?? ''), { api_key: 'new' });
  });
});
