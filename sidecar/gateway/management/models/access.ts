import type { ModelUsersAnswer } from '../../../protocol/gateway/answers.ts';
import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import type { OrganizationRecord, TeamRecord, UserRecord } from '../../../protocol/gateway/people.ts';
import { Access, type Levels } from '../../access/access.ts';
import { memberPermissionOf, permissionOf } from '../../auth/permissions.ts';
import { isAdministrator } from '../../auth/resolve.ts';
import type { ManagementDeps } from '../managementDeps.ts';

/** The maximum number of teams and of keys that an answer lists for each model. */
const SHOWN = 20;

type Deps = Pick<ManagementDeps, 'store' | 'directory' | 'permissions' | 'clock' | 'mayCallModels'>;

/**
 * Who can use each model, decided by the code that decides calls. Keys that are blocked, expired, or limited to other routes are not
 * listed. A team is listed if a key of the team can use the model without permissions of its own.
 *
 * @param names of registered models
 */
export async function usersOfModels(deps: Deps, names: readonly string[]): Promise<readonly ModelUsersAnswer[]> {
  const { store, directory, permissions, clock } = deps;
  const [keys, teams, organizations, users, { catalogue, agents }] = await Promise.all([
    store.key.all(),
    store.team.all(),
    store.organization.all(),
    store.user.all(),
    directory.registered(),
  ]);
  const people = {
    teams: new Map(teams.map((it) => [it.team_id, it])),
    organizations: new Map(organizations.map((it) => [it.organization_id, it])),
    users: new Map(users.map((it) => [it.user_id, it])),
  };
  const accessOf = rememberedAccess((levels) => new Access(levels, catalogue, permissions.options));
  const agentsById = new Map(agents.map((it) => [it.agent_id, it]));
  const found = new Map(names.map((it) => [it, { teams: [] as TeamRecord[], keys: [] as KeyRecord[] }]));
  for (const team of teams) {
    const organization = people.organizations.get(team.organization_id ?? '');
    if (team.blocked || organization?.blocked) continue;
    const access = accessOf({ team: permissionOf(team), organization: permissionOf(organization) });
    for (const [name, its] of found) if (access.allowsSomeOf(name)) its.teams.push(team);
  }
  const now = clock.now();
  for (const key of keys) {
    const levels = levelsIn(people, key, now);
    if (!levels || !deps.mayCallModels(key)) continue;
    const agent = agentsById.get(key.agent_id ?? '')?.object_permission ?? undefined;
    const access = accessOf({ ...levels, agent });
    for (const [name, its] of found) if (access.allowsSomeOf(name)) its.keys.push(key);
  }
  return [...found].map(([model_name, its]) => ({
    model_name,
    team_count: its.teams.length,
    teams: its.teams.slice(0, SHOWN).map(({ team_id, team_alias }) => ({ team_id, team_alias })),
    key_count: its.keys.length,
    keys: its.keys
      .slice(0, SHOWN)
      .map(({ token, key_name, key_alias, team_id }) => ({ token, key_name, key_alias, team_id })),
  }));
}

interface People {
  readonly teams: ReadonlyMap<string, TeamRecord>;
  readonly organizations: ReadonlyMap<string, OrganizationRecord>;
  readonly users: ReadonlyMap<string, UserRecord>;
}

/** The levels of a key; `undefined` if its calls are refused. */
function levelsIn({ teams, organizations, users }: People, key: KeyRecord, now: string): Levels | undefined {
  const team = teams.get(key.team_id ?? '');
  const organization = organizations.get(key.organization_id ?? team?.organization_id ?? '');
  const user = users.get(key.user_id ?? '');
  const isOver = key.expires != null && Date.parse(key.expires) <= Date.parse(now);
  if (isOver || [key, team, organization, user].some((it) => it?.blocked)) return undefined;
  return {
    key: permissionOf(key),
    team: permissionOf(team),
    organization: permissionOf(organization),
    member: memberPermissionOf(team, key.user_id, user),
    isAdmin: isAdministrator(key, user),
  };
}

/** Resolves equal levels once, because thousands of keys have only a few different permissions. */
function rememberedAccess(resolve: (levels: Levels) => Access): (levels: Levels) => Access {
  const known = new Map<string, Access>();
  return (levels) => {
    const name = JSON.stringify(levels);
    let access = known.get(name);
    if (!access) known.set(name, (access = resolve(levels)));
    return access;
  };
}
