import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { Access, type AccessOptions, ceilings, type Levels } from '../../../../../sidecar/gateway/access/access.ts';
import { explain } from '../../../../../sidecar/gateway/access/accessExplanation.ts';
import { Catalogue } from '../../../../../sidecar/gateway/access/catalogue.ts';
import { lets, letsAll, meet, onlyModels } from '../../../../../sidecar/gateway/access/statement.ts';

const ids = ['a', 'b', 'c', 'p'];
const tools = ['t1', 't2', 't3'];
const models = ['m1', 'm2', 'm3'];
/** Models that callers ask for. `p-*` serves the last two. */
const askedModels = [...models, 'later', 'p-1', 'p-2'];
const modelNames = [...models, 'p-1', 'p-*', '*', 'later', 'all-proxy-models', 'all-team-models', 'no-default-models'];
const groups = [
  {
    access_group_id: 'all',
    access_group_name: 'All',
    access_mcp_server_ids: ids,
    access_agent_ids: ids,
    access_model_names: ['m1', 'm2'],
  },
  { access_group_id: 'some', access_group_name: 'Some', access_mcp_server_ids: ['alpha'] },
  { access_group_id: 'agents', access_group_name: 'Agents', access_agent_ids: ['a'] },
  { access_group_id: 'none', access_group_name: 'None', access_mcp_server_ids: [], access_agent_ids: [] },
  { access_group_id: 'models', access_group_name: 'Models', access_model_names: ['m1', 'later'] },
];
const catalogue = new Catalogue(
  [
    { server_id: 'a', alias: 'alpha', mcp_access_groups: ['g'] },
    { server_id: 'b', server_name: 'a', allowed_tools: ['t1', 't2'] },
    { server_id: 'c', mcp_access_groups: ['g', 'h'], disallowed_tools: ['t3'] },
    { server_id: 'p', allow_all_keys: true },
  ],
  ids.map((agent_id) => ({ agent_id, agent_name: `${agent_id}-name`, agent_access_groups: ['g'] })),
  [
    { toolset_id: 's', toolset_name: 'set', tools: [{ server_id: 'c', tool_name: 't1' }] },
    { toolset_id: 'e', toolset_name: 'bare', tools: [] },
  ],
  groups,
  [...models, 'p-*'].map((model_name) => ({ model_name })),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const listOf = (...names: string[]) => maybe(fc.subarray(names));
const permission = fc.record({
  mcp_servers: listOf('a', 'alpha', 'b', 'c', 'p', 'typo', 'no-mcp-servers', 'all-proxy-mcpservers'),
  mcp_access_groups: listOf('g', 'h', 'nobody'),
  mcp_toolsets: listOf('set', 'bare', 'nobody'),
  mcp_tool_permissions: maybe(fc.dictionary(fc.constantFrom('a', 'alpha', 'c'), fc.subarray(tools))),
  agents: listOf('a', 'b-name', 'typo'),
  agent_access_groups: listOf('g', 'nobody'),
  models: listOf(...modelNames),
  model_names: listOf(...modelNames),
  access_group_ids: listOf('all', 'some', 'agents', 'none', 'models', 'nobody'),
});
const levels: fc.Arbitrary<Levels> = fc.record({
  key: maybe(permission),
  team: maybe(permission),
  endUser: maybe(permission),
  agent: maybe(permission),
  organization: maybe(permission),
  // A team's rule for a member applies only to models.
  member: maybe(fc.record({ model_names: listOf(...modelNames) })),
  isAdmin: fc.boolean(),
});
const options: fc.Arbitrary<AccessOptions> = fc.record({
  defaultAccess: fc.constantFrom('none' as const, 'all' as const),
  emptyListInherits: fc.boolean(),
});

const callable = (access: Pick<Access, 'servers' | 'allowsTool'>) =>
  ids.flatMap((server) => tools.filter((it) => access.allowsTool(server, it)).map((it) => `${server} ${it}`));
const isWithin = (inner: Iterable<string>, outer: Iterable<string>) => {
  const all = new Set(outer);
  return [...inner].every((it) => all.has(it));
};

describe('access', () => {
  it('a level that narrows never widens: with it, servers, tools, agents and models are among those without it', () =>
    fc.assert(
      fc.property(levels, options, fc.constantFrom(...ceilings), (all, chosen, level) => {
        const without = new Access({ ...all, [level]: undefined }, catalogue, chosen);
        const narrowed = new Access(all, catalogue, chosen);
        assert.ok(isWithin(narrowed.servers, without.servers));
        assert.ok(isWithin(callable(narrowed), callable(without)));
        assert.ok(isWithin(narrowed.agents, without.agents));
        for (const it of askedModels) assert.ok(without.allowsModel(it) || !narrowed.allowsModel(it), it);
      }),
    ));

  it('a key is never wider than its team, public servers aside', () =>
    fc.assert(
      fc.property(levels, options, (all, chosen) => {
        const both = new Access(all, catalogue, chosen);
        fc.pre(!both.isBypass);
        const team = new Access({ ...all, key: undefined }, catalogue, { ...chosen, defaultAccess: 'all' });
        assert.ok(isWithin(both.servers, [...team.servers, ...catalogue.publicServers]));
        assert.ok(isWithin(both.agents, team.agents));
        const isAdministrators = all.isAdmin && !(all.key?.models || all.key?.model_names);
        for (const it of askedModels) assert.ok(team.allowsModel(it) || !both.allowsModel(it) || isAdministrators, it);
      }),
    ));

  it('what may be called may be listed: a tool that is allowed belongs to a server that is', () =>
    fc.assert(
      fc.property(levels, options, (all, chosen) => {
        const access = new Access(all, catalogue, chosen);
        assert.ok(callable(access).every((it) => access.servers.has(it.split(' ')[0]!)));
      }),
    ));

  it('a server is open as a whole only with every tool that its registration lets, and never behind a toolset', () =>
    fc.assert(
      fc.property(levels, options, (all, chosen) => {
        const access = new Access(all, catalogue, chosen);
        const everything = new Access({ isAdmin: true }, catalogue, chosen);
        for (const id of ids) {
          if (!access.allowsWhole(id)) continue;
          const ofServer = callable(access).filter((it) => it.startsWith(`${id} `));
          const most = callable(everything).filter((it) => it.startsWith(`${id} `));
          assert.ok(isWithin(most, ofServer), id);
        }
        const inside = access.toolset('set');
        if (inside)
          assert.deepEqual(
            ids.filter((id) => inside.allowsWhole(id)),
            [],
          );
      }),
    ));

  it('models that are registered later are allowed as the levels say today', () =>
    fc.assert(
      fc.property(levels, options, (all, chosen) => {
        const { modelStatement } = new Access(all, catalogue, chosen);
        const later = new Catalogue([], [], [], groups, [{ model_name: 'later' }]);
        assert.equal(new Access(all, later, chosen).models.has('later'), lets(modelStatement, 'later'));
      }),
    ));

  it('each model that is listed can be called', () =>
    fc.assert(
      fc.property(levels, options, (all, chosen) => {
        const access = new Access(all, catalogue, chosen);
        for (const it of access.models) assert.ok(access.allowsModel(it), it);
      }),
    ));

  it('two levels with patterns for models allow what both allow', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 });
    const list = fc.array(
      fc.oneof(
        name,
        name.map((it) => `${it}*`),
      ),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(list, list, name, (one, other, asked) => {
        const [left, right] = [onlyModels(one), onlyModels(other)];
        const both = meet(left, right);
        assert.equal(lets(both, asked), lets(left, asked) && lets(right, asked));
        assert.equal(letsAll(both, asked), letsAll(left, asked) && letsAll(right, asked));
      }),
    );
  });

  it('public servers keep to every ceiling', () =>
    fc.assert(
      fc.property(levels, options, fc.constantFrom('endUser', 'agent', 'organization'), (all, chosen, level) => {
        const shut = new Access({ ...all, [level]: { mcp_servers: ['a'] } }, catalogue, chosen);
        assert.equal(shut.servers.has('p'), shut.isBypass);
      }),
    ));

  it('a toolset’s address shows no more than the toolset, and no more than team and ceilings let', () =>
    fc.assert(
      fc.property(levels, options, (all, chosen) => {
        const access = new Access(all, catalogue, chosen);
        const others = new Access({ ...all, key: undefined, isAdmin: false }, catalogue, {
          ...chosen,
          defaultAccess: 'all',
        });
        for (const [name, held] of [
          ['set', ['c t1']],
          ['bare', []],
        ] as const) {
          const inside = access.toolset(name);
          if (!inside) continue;
          assert.ok(isWithin(inside.servers, held.length > 0 ? ['c'] : []));
          assert.ok(isWithin(callable(inside), held));
          assert.ok(isWithin(callable(inside), callable(others)));
        }
      }),
    ));

  it('an access group that speaks of agents alone takes no server away and gives none', () =>
    fc.assert(
      fc.property(
        levels,
        options,
        fc.subarray(['all', 'some', 'none', 'nobody'], { minLength: 1 }),
        (all, chosen, groups) => {
          const withGroups = (access_group_ids: readonly string[]) =>
            new Access({ ...all, key: { ...all.key, access_group_ids } }, catalogue, chosen).servers;
          assert.deepEqual([...withGroups([...groups, 'agents'])], [...withGroups(groups)]);
        },
      ),
    ));

  it('an explanation answers as access does, and a refusal names who refused', () =>
    fc.assert(
      fc.property(
        levels,
        options,
        fc.constantFrom(...ids),
        fc.constantFrom(...tools),
        (all, chosen, server_id, tool) => {
          const access = new Access(all, catalogue, chosen);
          const ofTool = explain(all, catalogue, chosen, { server_id, tool });
          assert.equal(ofTool.allowed, access.allowsTool(server_id, tool));
          const ofServer = explain(all, catalogue, chosen, { server_id });
          assert.equal(ofServer.allowed, access.servers.has(server_id));
          const ofAgent = explain(all, catalogue, chosen, { agent_id: server_id });
          assert.equal(ofAgent.allowed, access.agents.has(server_id));
          const model = models[ids.indexOf(server_id)] ?? 'm1';
          const ofModel = explain(all, catalogue, chosen, { model });
          assert.equal(ofModel.allowed, access.models.has(model));
          for (const it of [ofTool, ofServer, ofAgent, ofModel])
            if (!it.allowed) assert.ok(it.steps.some((step) => step.effect === 'forbids'));
        },
      ),
    ));
});
