import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Access, type AccessOptions, type Levels } from '../../../../../sidecar/gateway/access/access.ts';
import { Catalogue, cloudAgentsService } from '../../../../../sidecar/gateway/access/catalogue.ts';
import { verifies } from '../../../../support/verifies.ts';

const strict: AccessOptions = { defaultAccess: 'none', emptyListInherits: false };
const open: AccessOptions = { ...strict, defaultAccess: 'all' };
const lenient: AccessOptions = { ...strict, emptyListInherits: true };

const servers = [
  { server_id: 'a', alias: 'alpha', server_name: 'a server' },
  { server_id: 'b' },
  { server_id: 'c' },
  { server_id: 'p', allow_all_keys: true },
  { server_id: 'z', mcp_access_groups: ['unified'] },
];
const groups = [
  { access_group_id: 'gz', access_group_name: 'Z', access_mcp_server_ids: ['z'], access_agent_ids: null },
  { access_group_id: 'gb', access_group_name: 'B', access_mcp_server_ids: ['alpha', 'b'] },
  { access_group_id: 'gx', access_group_name: 'X', access_agent_ids: ['x'] },
  { access_group_id: 'none', access_group_name: 'None', access_mcp_server_ids: [], access_agent_ids: [] },
];
const catalogue = new Catalogue(
  servers,
  [
    { agent_id: 'x', agent_name: 'ex' },
    { agent_id: 'y', agent_name: 'why' },
  ],
  [],
  groups,
);
const names = (list: Iterable<string>) => [...list].sort().join(' ');
const list = (...mcp_servers: string[]) => ({ mcp_servers });

describe('which MCP servers a caller may use', () => {
  const rows: readonly [string, Levels, AccessOptions, string][] = [
    ['1, default none', {}, strict, 'p'],
    ['1, default all', {}, open, 'a b c p z'],
    ['2', { key: list('a') }, strict, 'a p'],
    ['3', { team: list('a', 'b') }, strict, 'a b p'],
    ['4', { key: list(), team: list('a', 'b') }, strict, 'p'],
    ['4, switch on', { key: list(), team: list('a', 'b') }, lenient, 'a b p'],
    ['5', { key: list('a', 'c'), team: list('a', 'b') }, strict, 'a p'],
    ['6', { key: list('c'), team: list('a', 'b') }, strict, 'p'],
    ['7', { key: list('no-mcp-servers'), team: list('a', 'b') }, strict, ''],
    ['8', { key: list('a'), endUser: list('b') }, strict, ''],
    ['9', { key: list('a'), endUser: list() }, strict, ''],
    ['9, switch on', { key: list('a'), endUser: list() }, lenient, 'a p'],
    ['10', { key: list('a', 'b'), agent: list('b') }, strict, 'b'],
    ['11', { key: list('a', 'b'), organization: list('a') }, strict, 'a'],
    ['12, default none', { organization: list('a') }, strict, ''],
    ['12, default all', { organization: list('a') }, open, 'a'],
    ['13', { key: list('a'), organization: list('b') }, strict, ''],
    ['14', { key: list('a'), endUser: list('a', 'p'), organization: list('a', 'p') }, strict, 'a p'],
    ['15', { key: { mcp_tool_permissions: { c: ['t'] } } }, strict, 'c p'],
    ['16', { key: { ...list('a'), mcp_tool_permissions: { c: ['t'] } } }, strict, 'a p'],
    ['17', { key: { ...list('a'), mcp_access_groups: ['unified'] }, team: list('a', 'b') }, strict, 'a p'],
    ['18', { isAdmin: true, team: list('a') }, strict, 'a b c p z'],
    ['19', { isAdmin: true, key: list(), team: list('a') }, strict, 'p'],
    ['20', { key: { mcp_access_groups: ['nobody'] }, team: list('a', 'b') }, strict, 'p'],
    ['17, unified', { key: { ...list('a'), access_group_ids: ['gz'] }, team: list('a', 'b') }, strict, 'a p'],
    [
      '17, unified, of the team too',
      { key: { ...list('a'), access_group_ids: ['gz'] }, team: list('a', 'z') },
      strict,
      'a p z',
    ],
    ['20, unified', { key: { access_group_ids: ['none'] }, team: list('a', 'b') }, strict, 'p'],
    ['20, a unified group that was deleted', { key: { access_group_ids: ['gone'] }, team: list('a', 'b') }, open, 'p'],
    ['unified, of the team', { team: { access_group_ids: ['gb', 'gz'] }, key: list('b', 'c') }, strict, 'b p'],
    [
      'unified, which says nothing about servers',
      { key: { access_group_ids: ['gx'] }, team: list('a') },
      strict,
      'a p',
    ],
    ['unified, beside one that says nothing about servers', { key: { access_group_ids: ['gb', 'gx'] } }, open, 'a b p'],
    ['unified, an empty list', { key: { access_group_ids: [] }, team: list('a') }, strict, 'p'],
    ['unified, an empty list, switch on', { key: { access_group_ids: [] }, team: list('a') }, lenient, 'a p'],
    ['unified, on the key of an administrator', { isAdmin: true, key: { access_group_ids: ['gz'] } }, strict, 'p z'],
    ['by alias and by name', { key: list('alpha') }, strict, 'a p'],
    ['all of the proxy', { key: list('all-proxy-mcpservers'), team: list('a', 'b') }, strict, 'a b p'],
    ['all of the team', { key: list('all-team-mcpservers'), team: list('a', 'b') }, strict, 'a b p'],
    ['an unknown name stays a list', { key: list('typo'), team: list('a') }, strict, 'p'],
    ['the team shuts public servers out', { key: list('a'), team: list('no-mcp-servers') }, strict, ''],
  ];
  for (const [row, levels, options, expected] of rows) {
    it(`row ${row}: ${expected || 'none'}`, () =>
      assert.equal(names(new Access(levels, catalogue, options).servers), expected));
  }

  it('is decided by ids of servers that share a name, and by no empty name', () => {
    const here = new Catalogue([
      { server_id: '1', alias: 'same', server_name: '' },
      { server_id: '2', server_name: 'same', alias: null },
      { server_id: '3', alias: 'same', server_name: 'same' },
      { server_id: '4', alias: '', mcp_access_groups: null },
    ]);
    assert.equal(names(new Access({ key: list('same') }, here, strict).servers), '1 2 3');
    assert.equal(names(new Access({ key: list('') }, here, strict).servers), '');
    assert.equal(names(new Access({ key: { mcp_access_groups: ['same'] } }, here, strict).servers), '');
  });

  it('tells the bypass of an administrator whose key says nothing, and of nobody else', () => {
    assert.equal(new Access({ isAdmin: true }, catalogue, strict).isBypass, true);
    assert.equal(new Access({ isAdmin: true, key: list('a') }, catalogue, strict).isBypass, false);
    assert.equal(new Access({}, catalogue, open).isBypass, false);
  });
});

describe('which tools of a server a caller may use', () => {
  const tools = ['t1', 't2', 't3'];
  const of = (...names: string[]) => ({ mcp_servers: ['a'], mcp_tool_permissions: { a: names } });
  const whole = list('a');
  const rows: readonly [string, object, Levels, string][] = [
    ['1', {}, { key: whole }, 't1 t2 t3'],
    ['2', {}, { key: of('t1') }, 't1'],
    ['3', {}, { key: of() }, ''],
    ['4', {}, { team: of('t1', 't2') }, 't1 t2'],
    ['5', {}, { key: of('t2', 't3'), team: of('t1', 't2') }, 't2'],
    ['6', {}, { key: of('t3'), team: of('t1') }, ''],
    ['7', {}, { key: whole, endUser: of('t1') }, 't1'],
    ['8', {}, { key: of('t1', 't2'), organization: of('t1') }, 't1'],
    ['9', { allowed_tools: ['t1', 't2'] }, { key: of('t2', 't3') }, 't2'],
    ['10', { allowed_tools: ['t1', 't2'], disallowed_tools: ['t2'] }, { key: whole }, 't1'],
    ['11', { allowed_tools: ['T1'] }, { key: whole }, ''],
    ['13', {}, { key: { mcp_servers: ['a'], mcp_tool_permissions: { alpha: ['t1'] } } }, 't1'],
    ['a server that may not be used', {}, { key: list('b') }, ''],
    ['an administrator keeps to the registration', { disallowed_tools: ['t2'] }, { isAdmin: true }, 't1 t3'],
  ];
  for (const [row, registration, levels, expected] of rows) {
    it(`row ${row}: ${expected || 'none'}`, () => {
      const here = new Catalogue([{ server_id: 'a', alias: 'alpha', ...registration }, { server_id: 'b' }]);
      const access = new Access(levels, here, strict);
      assert.equal(names(tools.filter((it) => access.allowsTool('a', it))), expected);
      assert.equal(names(tools.filter((it) => access.allowsTool('a', it))), expected, 'the second answer is the first');
    });
  }
});

describe('which agents a caller may use', () => {
  const agents = [
    { agent_id: 'x', agent_name: 'Ex' },
    { agent_id: 'y', agent_name: 'x' },
    { agent_id: 'z', agent_name: 'Zed', agent_access_groups: ['group'] },
    { agent_id: 'w', agent_name: 'Zed', agent_access_groups: ['group', 'group'] },
  ];
  const here = new Catalogue([], agents);
  const of = (...agents: string[]) => ({ agents });
  const rows: readonly [string, Levels, AccessOptions, string][] = [
    ['1, default none', {}, strict, ''],
    ['1, default all', {}, open, 'w x y z'],
    ['2', { key: of('x') }, strict, 'x'],
    ['3', { team: of('x', 'y') }, strict, 'x y'],
    ['4', { key: of('x'), team: of('x', 'y') }, strict, 'x'],
    ['5', { key: of('z'), team: of('x') }, strict, ''],
    ['6', { key: { agent_access_groups: ['empty'] } }, strict, ''],
    ['7, end user', { key: of('x', 'y'), endUser: of('y') }, strict, 'y'],
    ['7, agent', { key: of('x', 'y'), agent: of('y') }, strict, 'y'],
    ['7, organisation', { key: of('x', 'y'), organization: of('y') }, strict, 'y'],
    ['by name', { key: of('Ex') }, strict, 'x'],
    ['an id wins over the name of another', { key: of('x') }, strict, 'x'],
    ['by group', { key: { agent_access_groups: ['group'] } }, strict, 'w z'],
    ['by a name that two have', { key: of('Zed') }, strict, 'w z'],
    ['an empty list', { key: of() }, open, ''],
    ['an empty list, switch on', { key: of(), agent: of() }, { ...open, emptyListInherits: true }, 'w x y z'],
    ['narrowed alone, default none', { organization: of('x') }, strict, ''],
    ['narrowed alone, default all', { organization: of('x') }, open, 'x'],
    ['an administrator', { isAdmin: true }, strict, 'w x y z'],
    ['an administrator whose key names servers', { isAdmin: true, key: list('a') }, strict, ''],
  ];
  for (const [row, levels, options, expected] of rows) {
    it(`row ${row}: ${expected || 'none'}`, () =>
      assert.equal(names(new Access(levels, here, options).agents), expected));
  }
});

describe('the cloud-agents service', () => {
  const allows = (levels: Levels, agents = [cloudAgentsService], options = strict) =>
    new Access(levels, new Catalogue([], agents), options).allowsCloudAgents;
  const named = { agents: ['all-cloud-agents'] };

  it('is granted and narrowed as an agent', () => {
    assert.equal(allows({ key: named }), true);
    assert.equal(allows({ team: named }), true);
    assert.equal(allows({}), false);
    assert.equal(allows({}, [cloudAgentsService], open), true);
    assert.equal(allows({ key: { agents: ['x'] } }), false);
    assert.equal(allows({ key: named, endUser: { agents: [] } }), false);
  });
  it('is granted by nothing but the bypass where an agent has taken its name', () => {
    const other = [cloudAgentsService, { ...cloudAgentsService }];
    assert.equal(allows({ key: named }, other), false);
    assert.equal(allows({}, other, open), false);
    assert.equal(allows({ isAdmin: true }, other), true);
    assert.equal(allows({ isAdmin: true, key: list('a') }, other, open), false);
  });
  it('is open to an administrator where it is no agent of the gateway', () => {
    assert.equal(allows({ isAdmin: true }, []), true);
    assert.equal(allows({ key: named }, []), false);
  });
});

describe('a server as a whole', () => {
  const some = { mcp_servers: ['a'], mcp_tool_permissions: { a: ['t1'] } };
  const rows: readonly [string, Levels, boolean][] = [
    ['is open to a key that has it', { key: list('a') }, true],
    ['is closed to a key that has not', { key: list('b') }, false],
    ['is closed to a key with some of its tools', { key: some }, false],
    ['is closed to a team with some of its tools', { key: list('a'), team: some }, false],
    ['is closed to an end user with some of its tools', { key: list('a'), endUser: some }, false],
    ['is closed to an organisation with some of its tools', { key: list('a'), organization: some }, false],
    ['is closed to a key with a toolset of it', { key: { mcp_toolsets: ['reading'] } }, false],
    ['is open to a key with a toolset of it beside it', { key: { ...list('a'), mcp_toolsets: ['reading'] } }, true],
    [
      'is open to a key that has it by a group, with a toolset of it beside',
      { key: { mcp_access_groups: ['unified'], mcp_toolsets: ['zoo'] } },
      true,
    ],
    [
      'is open to a key that has it by an access group, with a toolset of it beside',
      { key: { access_group_ids: ['gz'], mcp_toolsets: ['zoo'] } },
      true,
    ],
    [
      'is open to a key that has all, with a toolset of it beside',
      { key: { ...list('all-proxy-mcpservers'), mcp_toolsets: ['zoo'] } },
      true,
    ],
    ['is open to an administrator, whatever the team has', { isAdmin: true, team: some }, true],
  ];
  const sets = [
    { toolset_id: '1', toolset_name: 'reading', tools: [{ server_id: 'a', tool_name: 't1' }] },
    { toolset_id: '2', toolset_name: 'zoo', tools: [{ server_id: 'z', tool_name: 't1' }] },
  ];
  for (const [says, levels, expected] of rows) {
    it(says, () => {
      const here = new Catalogue(servers, [], sets, groups);
      const id = JSON.stringify(levels).includes('zoo') ? 'z' : 'a';
      assert.equal(new Access(levels, here, strict).allowsWhole(id), expected);
    });
  }
});

describe('toolsets', () => {
  const set = { toolset_id: 'set-1', toolset_name: 'reading', tools: [{ server_id: 'a', tool_name: 'read' }] };
  const here = new Catalogue(servers, [], [set]);
  const access = (levels: Levels) => new Access(levels, here, strict);

  it('add their server and their tools to a key', () => {
    const given = access({ key: { mcp_toolsets: ['reading'] } });
    assert.equal(names(given.servers), 'a p');
    assert.deepEqual([given.allowsTool('a', 'read'), given.allowsTool('a', 'write')], [true, false]);
  });

  it('never narrow a server that a key has as a whole', () => {
    const given = access({ key: { mcp_servers: ['a'], mcp_toolsets: ['reading'] } });
    assert.equal(given.allowsTool('a', 'write'), true);
  });

  it('add to the tools that a key has one by one', () => {
    const given = access({ key: { mcp_tool_permissions: { a: ['write'] }, mcp_toolsets: ['reading'] } });
    const allowed = ['read', 'write', 'delete'].filter((it) => given.allowsTool('a', it));
    assert.deepEqual(allowed, ['read', 'write']);
  });

  it('have an address of their own, with their tools and nothing else', () => {
    const inside = access({ key: { mcp_servers: ['b'], mcp_toolsets: ['set-1'] } }).toolset('reading');
    assert.equal(names(inside!.servers), 'a');
    assert.deepEqual([inside!.allowsTool('a', 'read'), inside!.allowsTool('a', 'write')], [true, false]);
  });

  it('are still under team, end user, agent and organisation', () => {
    const key = { mcp_toolsets: ['reading'] };
    for (const level of ['team', 'endUser', 'agent', 'organization'] as const) {
      for (const isAdmin of [false, true]) {
        const inside = access({ key, isAdmin, [level]: list('b') }).toolset('reading')!;
        assert.deepEqual([names(inside.servers), inside.allowsTool('a', 'read')], ['', false], level);
      }
    }
  });

  it('show a public server at their address only as far as the team lets it', () => {
    const shared = { toolset_id: 's', toolset_name: 'shared', tools: [{ server_id: 'p', tool_name: 't' }] };
    const at = (team: Levels['team']) =>
      new Access({ key: { mcp_toolsets: ['s'] }, team }, new Catalogue(servers, [], [shared]), strict).toolset(
        'shared',
      );
    assert.equal(names(at(undefined)!.servers), 'p');
    assert.equal(names(at(list('p'))!.servers), 'p');
    assert.equal(names(at(list('a'))!.servers), '');
  });

  it('show nothing at their address while nothing is in them, whatever the caller may use elsewhere', () => {
    verifies('gateway.access.toolset-empty');
    const bare = new Catalogue(servers, [], [{ toolset_id: 'set-2', toolset_name: 'bare', tools: [] }]);
    const callers: readonly Levels[] = [
      { key: { mcp_toolsets: ['bare'] } },
      { key: { mcp_toolsets: ['bare'] }, team: list('a') },
      { key: { mcp_servers: ['a'], mcp_toolsets: ['bare'] }, endUser: list() },
      { isAdmin: true },
      { isAdmin: true, team: list('a') },
    ];
    for (const options of [strict, open, lenient, { ...open, emptyListInherits: true }]) {
      for (const levels of callers) {
        const inside = new Access(levels, bare, options).toolset('bare')!;
        assert.deepEqual([names(inside.servers), inside.allowsTool('a', 'read')], ['', false], JSON.stringify(levels));
      }
    }
  });

  it('are not there for a key that was not given them, nor by a wrong name', () => {
    assert.equal(access({ key: list('a') }).toolset('reading'), undefined);
    assert.equal(access({ key: { mcp_toolsets: ['reading'] } }).toolset('writing'), undefined);
    assert.ok(access({ isAdmin: true }).toolset('reading'));
    assert.equal(access({ isAdmin: true }).toolset('writing'), undefined);
    assert.equal(access({ key: { mcp_toolsets: ['writing'] } }).toolset('writing'), undefined);
    assert.equal(access({ key: { mcp_toolsets: ['writing'] } }).toolset('reading'), undefined);
  });
});
