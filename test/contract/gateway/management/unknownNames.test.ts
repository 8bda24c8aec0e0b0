import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type Managed, openManaged } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

const stamps = { created_at: 'x', updated_at: 'x' };

describe('a permission that names what nobody has', () => {
  let api: Managed;
  before(async () => {
    api = await openManaged({ listedTools: (id) => (id === 'id-files' ? ['read', 'write'] : undefined) });
    for (const alias of ['files', 'quiet'])
      await api.store.mcp_server.insert({ server_id: `id-${alias}`, alias, transport: 'http', ...stamps } as never);
    await api.store.agent.insert({ agent_id: 'a1', agent_name: 'weather', agent_card_params: {}, ...stamps });
  });
  after(() => api.close());

  const object_permission = {
    mcp_servers: ['files', 'id-quiet', 'fles', 'no-mcp-servers'],
    agents: ['weather', 'wether'],
    mcp_tool_permissions: { files: ['read', 'raed'], quiet: ['any'], nobody: ['x'] },
  };
  const warnings = [
    "object_permission.mcp_servers: no MCP server named 'fles' exists.",
    "object_permission.agents: no A2A agent named 'wether' exists.",
    "object_permission.mcp_tool_permissions.files: the server had no tool 'raed' when its tools were last listed.",
    "object_permission.mcp_tool_permissions: no MCP server named 'nobody' exists.",
  ];
  for (const path of ['/key/generate', '/team/new', '/user/new', '/organization/new', '/customer/new']) {
    it(`is written by ${path}, whose answer says so`, async () => {
      verifies('gateway.permission.unknown-names');
      const own = { user_id: 'ada', team_alias: 'T', organization_alias: 'O' };
      const name = path.startsWith('/key')
        ? {}
        : path.startsWith('/team')
          ? { team_alias: own.team_alias }
          : path.startsWith('/org')
            ? { organization_alias: own.organization_alias }
            : { user_id: own.user_id };
      const made = await api.send(api.admin, 'POST', path, { ...name, object_permission });
      assert.equal(made.status, 200, made.text);
      assert.deepEqual(made.at('warnings'), warnings);
    });
  }

  it('that names what is there is answered without a warning', async () => {
    verifies('gateway.permission.unknown-names');
    const fine = { mcp_servers: ['files'], agents: ['weather'], mcp_tool_permissions: { files: ['read'] } };
    const made = await api.send(api.admin, 'POST', '/key/generate', { object_permission: fine });
    assert.deepEqual([made.status, made.at('warnings')], [200, undefined]);
  });
});
