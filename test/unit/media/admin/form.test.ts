import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { collect, type Values } from '../../../../media/admin/form/collect.ts';
import { type Draft, draftOf, pickOf, readDraft } from '../../../../media/admin/form/drafts.ts';
import type { FieldKind } from '../../../../media/admin/form/fieldSchema.ts';
import { fieldsOf, fieldsOfTool } from '../../../../media/admin/form/formSpec.ts';
import { changesOf } from '../../../../media/admin/pages/audit/changes.ts';
import { authFields } from '../../../../media/admin/pages/servers/authFields.ts';
import { groupsOfServer, serverBody } from '../../../../media/admin/pages/servers/serverForm.ts';
import { toolsOf } from '../../../../media/admin/pages/toolsets/toolChoice.ts';
import { authTypeNames } from '../../../../sidecar/protocol/gateway/authTypes/index.ts';
import { KeyUpdate } from '../../../../sidecar/protocol/gateway/key.ts';
import { McpServerCreate } from '../../../../sidecar/protocol/gateway/mcpServer.ts';
import { verifies } from '../../../support/verifies.ts';

const lookups = {
  servers: [],
  serverTools: [],
  agentGroups: [],
  accessGroups: [],
  agents: [],
  models: [],
  teams: [],
  organizations: [],
  budgets: [],
  guardrails: [],
  toolsets: [],
  users: [],
};

describe('forms of the gateway pages', () => {
  it('keep what a row has beside its controls, and make numbers of members', () => {
    verifies('gateway.ui.pickers');
    const members = [{ role: 'admin', user_id: 'ada', max_budget_in_team: 5 }];
    assert.deepEqual(readDraft('rows', draftOf('rows', members)), { value: members });
    assert.deepEqual(readDraft('rows', []), { value: undefined });
    const limits = { files: 60, notes: 5 };
    assert.deepEqual(readDraft('map', draftOf('map', limits)), { value: limits });
    const twice = ['{"name":"files","value":1}', '{"name":"files","value":2}'];
    assert.deepEqual(readDraft('map', twice), { error: 'Each name can be in one row only.' });
    assert.deepEqual(readDraft('map', ['{"value":2}']), { error: 'Each row needs a name.' });
  });

  it('keep a server of which no tool is allowed apart from one of which nothing is said', () => {
    verifies('gateway.ui.pickers');
    const tools = { files: ['read', 'list'], shut: [] };
    const draft = draftOf('toolPicks', tools);
    assert.deepEqual(draft, [pickOf('files', 'read'), pickOf('files', 'list'), pickOf('shut', '')]);
    assert.deepEqual(readDraft('toolPicks', draft), { value: tools });
    assert.deepEqual(readDraft('toolPicks', [pickOf('shut', ''), pickOf('shut', 'read')]), {
      value: { shut: ['read'] },
    });
  });

  it('ask for each field in the way of its schema', () => {
    const fields = fieldsOf(KeyUpdate, {
      key_alias: {},
      max_budget: {},
      rpm_limit: {},
      blocked: {},
      role: {},
      tags: {},
      'object_permission.mcp_tool_permissions': {},
      metadata: {},
    });
    assert.deepEqual(
      fields.map((it) => it.kind),
      ['text', 'number', 'integer', 'flag', 'choice', 'lines', 'lists', 'json'],
    );
    assert.deepEqual(
      fields[4]?.options?.map((it) => it.value),
      ['proxy_admin', 'proxy_admin_viewer', 'internal_user'],
    );
  });

  it('refuse a field that the schema does not have', () => {
    assert.throws(() => fieldsOf(KeyUpdate, { nonsense: {} }), /no field nonsense/);
  });

  const fields = fieldsOf(KeyUpdate, {
    key_alias: { isRequired: true },
    max_budget: {},
    blocked: {},
    'object_permission.agents': { kind: 'grant' },
    'object_permission.mcp_servers': { kind: 'grant' },
  });
  const drafts = (it: Record<string, Draft>) => new Map(Object.entries(it));
  for (const { says, kept, entered, body, wrong = [] } of [
    {
      says: 'say of a new record only what was said',
      entered: { key_alias: 'ci', max_budget: '5' },
      body: { key_alias: 'ci', max_budget: 5 },
    },
    {
      says: 'say of a kept record only what changed',
      kept: { key_alias: 'ci', max_budget: 5 },
      entered: { max_budget: '7' },
      body: { max_budget: 7 },
    },
    {
      says: 'take away what was emptied',
      kept: { key_alias: 'ci', max_budget: 5 },
      entered: { max_budget: '' },
      body: { max_budget: null },
    },
    {
      says: 'untick what was ticked',
      kept: { key_alias: 'ci', blocked: true },
      entered: { blocked: false },
      body: { blocked: false },
    },
    {
      says: 'allow nothing where nothing is ticked',
      kept: { key_alias: 'ci' },
      entered: { 'object_permission.agents': [] },
      body: { object_permission: { agents: [] } },
    },
    {
      says: 'bring the other lists of a permission along',
      kept: { key_alias: 'ci', object_permission: { mcp_servers: ['a'], agents: ['x'] } },
      entered: { 'object_permission.agents': null },
      body: { object_permission: { mcp_servers: ['a'], agents: null } },
    },
    { says: 'name a field that is needed', entered: {}, body: {}, wrong: ['key_alias'] },
    {
      says: 'name a number that is none',
      entered: { key_alias: 'ci', max_budget: 'much' },
      body: { key_alias: 'ci' },
      wrong: ['max_budget'],
    },
  ] satisfies { says: string; kept?: Values; entered: Record<string, Draft>; body: object; wrong?: string[] }[]) {
    it(says, () => {
      const found = collect(fields, drafts(entered), kept);
      assert.deepEqual([found.body, [...found.errors.keys()]], [body, wrong]);
    });
  }

  for (const { kind, text, value } of [
    { kind: 'lines', text: ' a \n\nb', value: ['a', 'b'] },
    { kind: 'pairs', text: 'X-A: 1:2', value: { 'X-A': '1:2' } },
    { kind: 'lists', text: 'files: read, list', value: { files: ['read', 'list'] } },
    { kind: 'json', text: '{"a":1}', value: { a: 1 } },
    { kind: 'pairs', text: 'no colon', value: undefined },
    { kind: 'json', text: '{', value: undefined },
    { kind: 'integer', text: '1.5', value: undefined },
    { kind: 'text', text: '  ', value: undefined },
  ] satisfies { kind: FieldKind; text: string; value: unknown }[]) {
    it(`read ${JSON.stringify(text)} as ${kind}: ${value === undefined ? 'refused' : JSON.stringify(value)}`, () => {
      const read = readDraft(kind, text);
      assert.deepEqual('error' in read ? undefined : read.value, value);
    });
  }
});

describe('ticked boxes', () => {
  it('say nothing where none is ticked, and what is ticked otherwise', () => {
    assert.deepEqual(readDraft('picks', []), { value: undefined });
    assert.deepEqual(readDraft('picks', ['a', 'b']), { value: ['a', 'b'] });
  });

  it('mean one tool of one server each, whatever stands in the names', () => {
    const picked = [pickOf('files', 'a/b'), pickOf('x y', 'c')];
    assert.deepEqual(toolsOf(picked), [
      { server_id: 'files', tool_name: 'a/b' },
      { server_id: 'x y', tool_name: 'c' },
    ]);
    assert.deepEqual(toolsOf(null), []);
  });
});

describe('a line of the audit', () => {
  const line = { id: 'l', updated_at: '', changed_by: 'root', action: 'updated', table_name: 'team', object_id: 't' };
  it('names the fields that differ, without stamps', () => {
    const before_value = { team_id: 't', max_budget: 5, tags: ['a'], updated_at: '1' };
    const updated_values = { team_id: 't', max_budget: 20, tags: ['a'], rpm_limit: 60, updated_at: '2' };
    assert.deepEqual(changesOf({ ...line, before_value, updated_values }), [
      { field: 'max_budget', before: 5, after: 20 },
      { field: 'rpm_limit', before: undefined, after: 60 },
    ]);
  });

  it('names everything that was said of a record that is gone, and nothing where nothing was kept', () => {
    const gone = { ...line, before_value: { team_id: 't', alias: null }, updated_values: null };
    assert.deepEqual(changesOf(gone), [{ field: 'team_id', before: 't', after: undefined }]);
    assert.deepEqual(changesOf({ ...line, before_value: null, updated_values: null }), []);
  });
});

describe('the form of an MCP server', () => {
  for (const authType of authTypeNames) {
    it(`asks for what ${authType} needs, and the schema knows each field`, () => {
      const groups = groupsOfServer({ transport: 'http', authType, flow: 'client_credentials' }, lookups);
      const names = groups.flatMap((it) => it.fields).map((it) => it.name);
      for (const name of Object.keys(authFields(authType, 'client_credentials'))) assert.ok(names.includes(name), name);
    });
  }

  it('hides every secret while it is typed', () => {
    const secret = /auth_value|client_secret|private_key$|access_key|session_token/;
    const fields = authTypeNames.flatMap((it) => fieldsOf(McpServerCreate, authFields(it, '')));
    const shown = fields.filter((it) => secret.test(it.name) && it.kind !== 'secret').map((it) => it.name);
    assert.deepEqual(shown, []);
  });

  it('leaves stored credentials alone where none was entered', () => {
    const body = { description: 'x', credentials: { client_id: null } };
    assert.deepEqual(serverBody(body), { description: 'x' });
    const entered = { credentials: { client_id: null, client_secret: 's' } };
    assert.deepEqual(serverBody(entered), { credentials: { client_secret: 's' } });
  });
});

describe('the transport of an MCP server', () => {
  for (const { says, body, kept, expected } of [
    {
      says: 'a command without arguments has none',
      body: { transport: 'stdio', command: 'x' },
      expected: { transport: 'stdio', command: 'x', args: [] },
    },
    {
      says: 'a command takes the place of an address',
      body: { transport: 'stdio', command: 'x' },
      kept: { url: 'http://a', transport: 'http' },
      expected: { transport: 'stdio', command: 'x', args: [], url: null },
    },
    {
      says: 'an address takes the place of a command',
      body: { transport: 'http', url: 'http://a' },
      kept: { command: 'x', args: [] },
      expected: { transport: 'http', url: 'http://a', command: null, args: null, env: null },
    },
    {
      says: 'other changes leave it alone',
      body: { description: 'x' },
      kept: { command: 'x', args: ['a'] },
      expected: { description: 'x' },
    },
  ] satisfies { says: string; body: Record<string, unknown>; kept?: Values; expected: object }[]) {
    it(says, () => assert.deepEqual(serverBody(body, kept), expected));
  }
});

describe('the form of a tool', () => {
  it('is made of its inputSchema', () => {
    const fields = fieldsOfTool({
      type: 'object',
      required: ['path'],
      properties: {
        path: { type: 'string', description: 'Where' },
        depth: { type: ['integer', 'null'] },
        mode: { enum: ['fast', 'exact'] },
        filter: { type: 'object', additionalProperties: { type: 'string' } },
      },
    });
    assert.deepEqual(
      fields.map((it) => [it.name, it.kind, it.isRequired, it.help]),
      [
        ['path', 'text', true, 'Where'],
        ['depth', 'integer', false, undefined],
        ['mode', 'choice', false, undefined],
        ['filter', 'json', false, undefined],
      ],
    );
  });

  for (const schema of [undefined, null, 'x', [], { properties: { __proto__: null, a: 7 } }]) {
    it(`survives the schema ${JSON.stringify(schema)}`, () => assert.ok(Array.isArray(fieldsOfTool(schema))));
  }
});
