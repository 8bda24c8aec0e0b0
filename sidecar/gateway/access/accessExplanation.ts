import { Access, type AccessOptions, ceilings, type Levels } from './access.ts';
import type { Catalogue } from './catalogue.ts';
import {
  agentStatement,
  bundledAgents,
  bundledModels,
  bundledServers,
  modelStatement,
  type ObjectPermission,
  serverStatement,
  toolStatement,
} from './permission.ts';
import { lets, type Statement } from './statement.ts';

export type LevelName = 'key' | 'team' | 'member' | 'endUser' | 'agent' | 'organization';

/** What one level had to do with an answer. */
export interface Step {
  readonly level: LevelName | 'public' | 'default' | 'registration' | 'administrator';
  readonly about: 'server' | 'tool' | 'agent' | 'model';
  readonly effect: 'allows' | 'forbids' | 'says nothing';
  /** One sentence for a person. */
  readonly says: string;
}
export interface Explanation {
  readonly allowed: boolean;
  readonly steps: readonly Step[];
}

export type Question =
  | { readonly server_id: string; readonly tool?: string }
  | { readonly agent_id: string }
  | { readonly model: string };

const names: Readonly<Record<LevelName, string>> = {
  key: 'The key',
  team: 'The team',
  member: 'The team member',
  endUser: 'The end user',
  agent: 'The calling agent',
  organization: 'The organization',
};
const order: readonly LevelName[] = ['key', 'team', ...ceilings];

/** Why this caller may or may not use this, level by level. The answer is that of {@link Access}, never a second opinion. */
export function explain(levels: Levels, catalogue: Catalogue, options: AccessOptions, question: Question): Explanation {
  const access = new Access(levels, catalogue, options);
  if ('agent_id' in question) {
    const of = (it: ObjectPermission | undefined) => agentStatement(it, catalogue, options);
    const steps = levelSteps(levels, of, question.agent_id, 'agent', groupOf(catalogue, options, bundledAgents));
    return finish(access, access.agents.has(question.agent_id), [...steps, ...defaultSteps(steps, options, 'agent')]);
  }
  if ('model' in question) {
    const of = (it: ObjectPermission | undefined) => modelStatement(it, catalogue, options);
    const allowed = access.allowsModel(question.model);
    // An administrator whose key says nothing about models bypasses the levels, even if the key restricts servers.
    if (levels.isAdmin && of(levels.key).kind === 'inherit') return { allowed, steps: [bypass('model')] };
    const steps = levelSteps(levels, of, question.model, 'model', groupOf(catalogue, options, bundledModels));
    return { allowed, steps: [...steps, ...defaultSteps(steps, options, 'model')] };
  }
  const { server_id, tool } = question;
  const of = (it: ObjectPermission | undefined) => serverStatement(it, catalogue, options);
  const steps = levelSteps(levels, of, server_id, 'server', groupOf(catalogue, options, bundledServers));
  const all = [
    ...steps,
    ...publicSteps(levels, catalogue, options, server_id),
    ...defaultSteps(steps, options, 'server'),
  ];
  if (tool === undefined) return finish(access, access.servers.has(server_id), all);
  const toolOf = (it: ObjectPermission | undefined) => toolStatement(it, server_id, catalogue, options);
  const tools = levelSteps(levels, toolOf, tool, 'tool');
  return finish(access, access.allowsTool(server_id, tool), [
    ...all,
    ...tools,
    ...registrationSteps(catalogue, server_id, tool),
  ]);
}

function finish(access: Access, allowed: boolean, steps: readonly Step[]): Explanation {
  if (!access.isBypass) return { allowed, steps };
  const registration = steps.filter((it) => it.level === 'registration');
  return { allowed, steps: [bypass('server'), ...registration] };
}

const bypass = (about: Step['about']): Step => ({
  level: 'administrator',
  about,
  effect: 'allows',
  says: 'The key belongs to an administrator and has no permissions of its own, so nothing limits it.',
});

/** The access group by which a level allows something. */
type GroupOf = (permission: ObjectPermission | undefined, id: string) => string | undefined;

const groupOf =
  (catalogue: Catalogue, options: AccessOptions, bundled: typeof bundledServers): GroupOf =>
  (permission, id) => {
    const ids = permission?.access_group_ids ?? [];
    const found = ids.find((it) => bundled({ access_group_ids: [it] }, catalogue, options)?.includes(id));
    return found === undefined ? undefined : catalogue.accessGroup(found)?.access_group_name;
  };

function levelSteps(
  levels: Levels,
  statementOf: (permission: ObjectPermission | undefined) => Statement,
  name: string,
  about: Step['about'],
  groupOf: GroupOf = () => undefined,
): readonly Step[] {
  // A team's rule for a member applies only to models.
  const told = order.filter((it) => it !== 'member' || about === 'model');
  return told.map((level) => {
    const statement = statementOf(levels[level]);
    const what = { server: 'this server', tool: 'this tool', agent: 'this agent', model: 'this model' }[about];
    if (statement.kind === 'inherit') {
      return { level, about, effect: 'says nothing', says: `${names[level]} has no setting for ${about}s.` };
    }
    const group = groupOf(levels[level], name);
    const by = group === undefined ? '' : `, through the access group '${group}'`;
    return lets(statement, name)
      ? { level, about, effect: 'allows', says: `${names[level]} allows ${what}${by}.` }
      : { level, about, effect: 'forbids', says: `${names[level]} does not allow ${what}.` };
  });
}

function publicSteps(levels: Levels, catalogue: Catalogue, options: AccessOptions, serverId: string): readonly Step[] {
  if (!catalogue.publicServers.has(serverId) || options.leavesPublicOut) return [];
  const isShut = [levels.key, levels.team].some((it) => {
    const statement = serverStatement(it, catalogue, options);
    return statement.kind === 'only' && statement.excludesPublic === true;
  });
  return isShut
    ? [
        {
          level: 'public',
          about: 'server',
          effect: 'forbids',
          says: 'The MCP server is public, but the key or team excludes public servers.',
        },
      ]
    : [
        {
          level: 'public',
          about: 'server',
          effect: 'allows',
          says: 'The MCP server is public, so the key and team do not have to list it.',
        },
      ];
}

function defaultSteps(steps: readonly Step[], options: AccessOptions, about: Step['about']): readonly Step[] {
  const isSilent = steps.every((it) => (it.level !== 'key' && it.level !== 'team') || it.effect === 'says nothing');
  if (!isSilent) return [];
  return options.defaultAccess === 'all'
    ? [
        {
          level: 'default',
          about,
          effect: 'allows',
          says: 'Neither the key nor the team has a setting. By default, this gateway allows everything.',
        },
      ]
    : [
        {
          level: 'default',
          about,
          effect: 'forbids',
          says: 'Neither the key nor the team has a setting. By default, this gateway allows nothing.',
        },
      ];
}

function registrationSteps(catalogue: Catalogue, serverId: string, tool: string): readonly Step[] {
  const server = catalogue.servers.get(serverId);
  const step = (effect: Step['effect'], says: string): Step => ({ level: 'registration', about: 'tool', effect, says });
  if (!server) return [step('forbids', 'MCP server not found.')];
  if (server.disallowed_tools?.includes(tool))
    return [step('forbids', "The MCP server's registration lists this tool in disallowed_tools.")];
  const allowed = server.allowed_tools ?? [];
  if (allowed.length > 0 && !allowed.includes(tool))
    return [step('forbids', "The MCP server's registration does not list this tool in allowed_tools.")];
  return [];
}
