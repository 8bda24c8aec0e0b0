import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type Managed, openManaged, type Reply } from '../../../support/gateway/managed.ts';

const url = 'https://mcp.example.com/mcp';
const card = { name: 'A', url: 'https://agent.example.com', version: '1' };

/** Every place where a person can hand in something secret: the marked texts must never be seen again. */
const writes: readonly (readonly [method: string, path: string, body: unknown])[] = [
  [
    'POST',
    '/v1/mcp/server',
    {
      server_id: 's',
      server_name: 's',
      url,
      is_byok: true,
      auth_type: 'oauth2',
      credentials: {
        auth_value: 'canary-01',
        client_secret: 'canary-02',
        client_private_key: 'canary-03',
        aws_secret_access_key: 'canary-04',
        aws_session_token: 'canary-05',
      },
      static_headers: { 'X-Secret': 'canary-06' },
      env_vars: [
        { name: 'GLOBAL', value: 'canary-07' },
        { name: 'OWN', scope: 'user' },
      ],
    },
  ],
  ['PUT', '/v1/mcp/server', { server_id: 's', credentials: { auth_value: 'canary-08' }, description: 'changed' }],
  ['PUT', '/v1/mcp/server', { server_id: 's', static_headers: { 'X-Secret': 'canary-09', 'X-More': 'canary-10' } }],
  [
    'POST',
    '/v1/mcp/server',
    {
      server_name: 'local',
      transport: 'stdio',
      command: '/usr/bin/allowed',
      args: [],
      env: { TOKEN: 'canary-11' },
    },
  ],
  [
    'POST',
    '/v1/mcp/server/import',
    {
      mcpServers: {
        one: { url, headers: { Authorization: 'Bearer canary-12', 'X-Key': 'canary-13' } },
        two: { url, authorization_token: 'canary-14' },
        three: { command: '/usr/bin/allowed', env: { KEY: 'canary-15' } },
      },
    },
  ],
  ['POST', '/v1/mcp/server/s/user-credential', { credential: 'canary-16' }],
  ['POST', '/v1/mcp/server/s/oauth-user-credential', { access_token: 'canary-17', refresh_token: 'canary-18' }],
  ['POST', '/v1/mcp/server/s/user-env-vars', { env_vars: { OWN: 'canary-19' } }],
  [
    'POST',
    '/v1/agents',
    {
      agent_id: 'a',
      agent_name: 'a',
      agent_card_params: card,
      gateway_params: {
        api_key: 'canary-20',
        aws_secret_access_key: 'canary-21',
        static_headers: { 'X-Secret': 'canary-22' },
      },
      static_headers: { 'X-Secret': 'canary-23' },
    },
  ],
  ['PATCH', '/v1/agents/a', { gateway_params: { api_key: 'canary-24' } }],
  ['PUT', '/v1/agents/a', { agent_name: 'a', agent_card_params: card, gateway_params: { api_key: 'canary-25' } }],
  [
    'POST',
    '/credentials',
    {
      credential_name: 'c',
      credential_info: { custom_llm_provider: 'cloudagents' },
      credential_values: { api_key: 'canary-26' },
    },
  ],
  ['PATCH', '/credentials/c', { credential_values: { api_key: 'canary-27' } }],
  ['POST', '/key/generate', { key: 'sk-canary-28-chosen', key_alias: 'k' }],
  ['POST', '/key/regenerate', { key: 'sk-canary-28-chosen', new_key: 'sk-canary-29-chosen', grace_period: '1h' }],
];
const wrongWrites: typeof writes = [
  ['POST', '/v1/mcp/server', { url, credentials: { auth_value: 7, client_secret: 'canary-30' } }],
  ['POST', '/v1/mcp/server', { url: 'https://u:canary-31@example.com' }],
  ['POST', '/v1/agents', { agent_name: 'b', agent_card_params: {}, gateway_params: { api_key: 'canary-32' } }],
  ['POST', '/key/generate', { key: 'sk-canary-29-chosen' }],
  ['POST', '/key/generate', { key: 'canary-33' }],
  ['POST', '/key/update', { key: 'sk-canary-34-unknown', rpm_limit: 1 }],
  ['POST', '/key/delete', { keys: ['sk-canary-35-unknown'] }],
  ['POST', '/key/bulk_update', { keys: [{ key: 'sk-canary-36-unknown', rpm_limit: 1 }] }],
  ['POST', '/key/sk-canary-37-unknown/regenerate', {}],
];
const reads = [
  '/v1/mcp/server',
  '/v1/mcp/server/s',
  '/v1/mcp/server/submissions',
  '/v1/mcp/user-credentials',
  '/v1/mcp/server/s/oauth-user-credential/status',
  '/v1/mcp/server/s/user-env-vars',
  '/v1/mcp/user-env-vars/status',
  '/v1/mcp/registry.json',
  '/v1/agents',
  '/v1/agents/a',
  '/credentials',
  '/credentials/by_name/c',
  '/key/list?return_full_object=true&size=100&expand=user',
  '/key/list?status=deleted&return_full_object=true',
  '/key/info?key=sk-canary-29-chosen',
  '/key/info?key=sk-canary-38-unknown',
  '/audit?page_size=1000',
];

describe('secrets that are handed in', () => {
  let api: Managed;
  const replies: (readonly [string, Reply])[] = [];
  before(async () => {
    api = await openManaged();
    const ask = async (status: (it: number) => boolean, method: string, path: string, body?: unknown) => {
      const reply = await api.send(api.admin, method, path, body);
      assert.ok(status(reply.status), `${method} ${path}: ${reply.status} ${reply.text}`);
      replies.push([`${method} ${path}`, reply]);
    };
    for (const [method, path, body] of writes) await ask((it) => it < 300, method, path, body);
    for (const [method, path, body] of wrongWrites)
      await ask((it) => it >= 400 || path.includes('bulk'), method, path, body);
    for (const path of reads) await ask((it) => it < 300 || path.includes('unknown'), 'GET', path);
  });
  after(() => api.close());

  it('never come back in an answer, but for a new key, once', () => {
    const shownOnce = new Set(['POST /key/generate', 'POST /key/regenerate']);
    for (const [request, reply] of replies) {
      const { key: _, ...rest } = (reply.body ?? {}) as Record<string, unknown>;
      const text = shownOnce.has(request) && reply.status === 200 ? JSON.stringify(rest) : reply.text;
      assert.doesNotMatch(text, /canary/, request);
    }
  });

  it('are in no line of the audit, which has one for every write', async () => {
    const rows = await api.store.audit.list({ limit: 1_000 });
    assert.ok(rows.length >= writes.length, String(rows.length));
    assert.doesNotMatch(JSON.stringify(rows), /canary/);
  });

  it('are nowhere on disk in clear', () => {
    const bytes = api.bytes();
    assert.ok(bytes.includes('x-secret') || bytes.includes('X-Secret'), 'looked in the wrong place');
    assert.doesNotMatch(bytes, /canary/);
  });
});
