import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { Access, type AccessOptions, type Levels } from '../../../../../sidecar/gateway/access/access.ts';
import { explain, type Question } from '../../../../../sidecar/gateway/access/accessExplanation.ts';
import { Catalogue } from '../../../../../sidecar/gateway/access/catalogue.ts';

const strict: AccessOptions = { defaultAccess: 'none', emptyListInherits: false };
const open: AccessOptions = { ...strict, defaultAccess: 'all' };
const catalogue = new Catalogue(
  [
    { server_id: 'a', allowed_tools: ['t1', 't2'], disallowed_tools: ['t2'] },
    { server_id: 'b', allowed_tools: [] },
    { server_id: 'p', allow_all_keys: true },
  ],
  [
    { agent_id: 'x', agent_name: 'ex' },
    { agent_id: 'y', agent_name: 'why' },
  ],
  [],
  [
    { access_group_id: 'g1', access_group_name: 'First', access_mcp_server_ids: ['b'], access_agent_ids: ['y'] },
    { access_group_id: 'g2', access_group_name: 'Second', access_mcp_server_ids: ['a'], access_agent_ids: ['x'] },
  ],
);
const list = (...mcp_servers: string[]) => ({ mcp_servers });
/** Without the levels that say nothing. */
const sentences = (levels: Levels, options: AccessOptions, question: Question) => {
  const { allowed, steps } = explain(levels, catalogue, options, question);
  return { allowed, says: steps.filter((it) => it.effect !== 'says nothing').map((it) => it.says) };
};

describe('an explanation of an answer about access', () => {
  const rows: readonly [string, Levels, AccessOptions, Question, boolean, readonly string[]][] = [
    [
      'names the level that allows',
      { key: list('a') },
      strict,
      { server_id: 'a' },
      true,
      ['The key allows this server.'],
    ],
    [
      'names every level that has a say, in order',
      { key: list('a'), team: list('a', 'b'), endUser: list('b'), agent: list('a'), organization: list('b') },
      strict,
      { server_id: 'b' },
      false,
      [
        'The key does not allow this server.',
        'The team allows this server.',
        'The end user allows this server.',
        'The calling agent does not allow this server.',
        'The organization allows this server.',
      ],
    ],
    [
      'names the access group that gives a server, and not the first of the list',
      { key: { access_group_ids: ['g1', 'g2'] } },
      strict,
      { server_id: 'a' },
      true,
      ["The key allows this server, through the access group 'Second'."],
    ],
    [
      'names the access group that gives an agent',
      { team: { access_group_ids: ['gone', 'g2', 'g1'] } },
      strict,
      { agent_id: 'y' },
      true,
      ["The team allows this agent, through the access group 'First'."],
    ],
    [
      'names no access group where the level names the server itself',
      { key: { ...list('a'), access_group_ids: ['g1'] } },
      strict,
      { server_id: 'a' },
      true,
      ['The key allows this server.'],
    ],
    [
      'says that a public server needs no level',
      { key: list('a') },
      strict,
      { server_id: 'p' },
      true,
      ['The key does not allow this server.', 'The MCP server is public, so the key and team do not have to list it.'],
    ],
    [
      'says that a level shuts public servers out',
      { key: list('a'), team: list('no-mcp-servers') },
      strict,
      { server_id: 'p' },
      false,
      [
        'The key does not allow this server.',
        'The team does not allow this server.',
        'The MCP server is public, but the key or team excludes public servers.',
      ],
    ],
    [
      'says what holds where key and team say nothing, and that is all',
      {},
      open,
      { server_id: 'a' },
      true,
      ['Neither the key nor the team has a setting. By default, this gateway allows everything.'],
    ],
    [
      'says what holds where key and team say nothing, and that is nothing',
      {},
      strict,
      { agent_id: 'x' },
      false,
      ['Neither the key nor the team has a setting. By default, this gateway allows nothing.'],
    ],
    [
      'says the default also beside a level that only narrows',
      { organization: list('a') },
      open,
      { server_id: 'b' },
      false,
      [
        'The organization does not allow this server.',
        'Neither the key nor the team has a setting. By default, this gateway allows everything.',
      ],
    ],
    [
      'says no default where the team has a say',
      { team: { agents: ['y'] } },
      open,
      { agent_id: 'x' },
      false,
      ['The team does not allow this agent.'],
    ],
    [
      'tells the tool from its server',
      { key: { mcp_servers: ['b'], mcp_tool_permissions: { b: ['t1'] } } },
      strict,
      { server_id: 'b', tool: 't2' },
      false,
      ['The key allows this server.', 'The key does not allow this tool.'],
    ],
    [
      'says that the registration disallows a tool, also one that it allows as well',
      { key: list('a') },
      strict,
      { server_id: 'a', tool: 't2' },
      false,
      ['The key allows this server.', "The MCP server's registration lists this tool in disallowed_tools."],
    ],
    [
      'says that the registration allows other tools',
      { key: list('a') },
      strict,
      { server_id: 'a', tool: 't3' },
      false,
      ['The key allows this server.', "The MCP server's registration does not list this tool in allowed_tools."],
    ],
    [
      'says nothing of a registration whose list is empty',
      { key: list('b') },
      strict,
      { server_id: 'b', tool: 't3' },
      true,
      ['The key allows this server.'],
    ],
    [
      'says that there is no such server',
      { key: list('a') },
      strict,
      { server_id: 'gone', tool: 't1' },
      false,
      ['The key does not allow this server.', 'MCP server not found.'],
    ],
    [
      'says that no level of an administrator was asked',
      { isAdmin: true, team: list('b') },
      strict,
      { server_id: 'a' },
      true,
      ['The key belongs to an administrator and has no permissions of its own, so nothing limits it.'],
    ],
    [
      'says what the registration forbids an administrator',
      { isAdmin: true },
      strict,
      { server_id: 'a', tool: 't2' },
      false,
      [
        'The key belongs to an administrator and has no permissions of its own, so nothing limits it.',
        "The MCP server's registration lists this tool in disallowed_tools.",
      ],
    ],
  ];
  for (const [says, levels, options, question, allowed, expected] of rows) {
    it(says, () => assert.deepEqual(sentences(levels, options, question), { allowed, says: expected }));
  }

  it('has a step for each level, also for those that say nothing', () => {
    const { steps } = explain({ key: list('a') }, catalogue, strict, { server_id: 'a' });
    assert.deepEqual(
      steps.map((it) => `${it.level} ${it.about} ${it.effect}`),
      [
        'key server allows',
        'team server says nothing',
        'endUser server says nothing',
        'agent server says nothing',
        'organization server says nothing',
      ],
    );
    assert.equal(steps[4]?.says, 'The organization has no setting for servers.');
  });

  it('adds up: from its steps alone follows its answer, which is that of access', () => {
    const names = fc.option(
      fc.subarray(['a', 'b', 'p', 'typo', 'no-mcp-servers', 'all-proxy-mcpservers', 'all-team-mcpservers']),
      { nil: undefined },
    );
    const permission = fc.option(
      fc.record({
        mcp_servers: names,
        mcp_tool_permissions: fc.option(fc.dictionary(fc.constantFrom('a', 'b'), fc.subarray(['t1', 't2'])), {
          nil: undefined,
        }),
      }),
      { nil: undefined },
    );
    const levels = fc.record({
      key: permission,
      team: permission,
      endUser: permission,
      agent: permission,
      organization: permission,
    });
    const options = fc.record({
      defaultAccess: fc.constantFrom('none' as const, 'all' as const),
      emptyListInherits: fc.boolean(),
    });
    fc.assert(
      fc.property(levels, options, fc.constantFrom('a', 'b', 'p'), (all, chosen, server_id) => {
        const { allowed, steps } = explain(all, catalogue, chosen, { server_id });
        const effects = (...of: string[]) => steps.filter((it) => of.includes(it.level)).map((it) => it.effect);
        const granted = effects('key', 'team', 'default');
        const isGranted = granted.includes('allows') && !granted.includes('forbids');
        const isPublic = effects('public').includes('allows');
        const isNarrowed = effects('endUser', 'agent', 'organization').includes('forbids');
        assert.equal(allowed, (isGranted || isPublic) && !isNarrowed, JSON.stringify(steps));
        assert.equal(allowed, new Access(all, catalogue, chosen).servers.has(server_id));
      }),
      { numRuns: 1000 },
    );
  });
});
