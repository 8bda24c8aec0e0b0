import { Fault } from '../../../platform/faults.ts';
import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import type { TeamMemberPermission, TeamRecord } from '../../../protocol/gateway/people.ts';
import { hashKey } from '../../auth/keys.ts';
import { notFound } from '../../storage/records.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { badField } from '../read.ts';
import type { Call } from '../route.ts';
import { isMember, leadsTeam, seesAll } from '../standing.ts';

type Deps = Pick<ManagementDeps, 'store'>;
type Who = Pick<Call, 'caller'>;

const hash = /^[0-9a-f]{64}$/;

/** Routes take the key itself or its hash. */
export const tokenOf = (keyOrHash: string): string => (hash.test(keyOrHash) ? keyOrHash : hashKey(keyOrHash));

async function leads({ caller }: Who, { store }: Deps, team: TeamRecord): Promise<boolean> {
  const organization = team.organization_id ? await store.organization.get(team.organization_id) : undefined;
  return leadsTeam(caller, team, organization);
}

/** A member whom the team lets do this: with keys of their own and of no person, or, to look at, with all of the team. */
function isLetBy(team: TeamRecord, { caller }: Who, key: KeyRecord, right: TeamMemberPermission): boolean {
  if (!team.team_member_permissions?.includes(right) || !isMember(caller, team)) return false;
  return right === '/key/info' || !key.user_id || key.user_id === caller.key.user_id;
}

/** Their own keys, those of teams that they lead, and those that their team lets them have. */
async function isTheirs(who: Who, deps: Deps, key: KeyRecord, right: TeamMemberPermission): Promise<boolean> {
  const { caller } = who;
  if (caller.isAdmin || key.token === caller.key.token) return true;
  if (key.team_id) {
    const team = await deps.store.team.get(key.team_id);
    return team !== undefined && (isLetBy(team, who, key, right) || (await leads(who, deps, team)));
  }
  return Boolean(caller.key.user_id) && key.user_id === caller.key.user_id;
}

/**
 * @param right what is done, as a team may let its members do it
 * @throws {Fault} `not_found`, for keys of others as well: nobody learns which there are
 */
export async function findKey(
  who: Who,
  deps: Deps,
  keyOrHash: string,
  right: TeamMemberPermission,
): Promise<KeyRecord> {
  const token = tokenOf(keyOrHash);
  const key = await deps.store.key.get(token);
  const isToSee = right === '/key/info';
  if (key && ((isToSee && seesAll(who.caller)) || (await isTheirs(who, deps, key, right)))) return key;
  if (key && isToSee && who.caller.key.user_id && key.user_id === who.caller.key.user_id) return key;
  throw notFound('key', token);
}

/**
 * Whether the caller may have a key with this owner: administrators any, others their own, those of teams they lead, and
 * what their team lets its members have.
 * @throws {Fault} `forbidden`, or `invalid_params` for an owner that is not there
 */
export async function checkOwner(who: Who, deps: Deps, key: KeyRecord, right: TeamMemberPermission): Promise<void> {
  const { store } = deps;
  const { caller } = who;
  const team = key.team_id ? await store.team.get(key.team_id) : undefined;
  if (!caller.isAdmin) {
    const isOwn = Boolean(key.user_id) && key.user_id === caller.key.user_id;
    // A key of no person is what the other route makes: who may make their own may not make that.
    const isLet = team && (isOwn || right !== '/key/generate') && isLetBy(team, who, key, right);
    if (key.team_id ? !team || !(isLet || (await leads(who, deps, team))) : !isOwn)
      throw notYours(key.team_id ? 'team_id' : 'user_id');
    if (team && key.user_id && key.user_id !== caller.key.user_id && !isMemberId(team, key.user_id))
      throw notYours('user_id');
    const organizationId = team ? team.organization_id : caller.key.organization_id;
    if (key.organization_id && key.organization_id !== organizationId) throw notYours('organization_id');
    if (!team && caller.key.organization_id && key.organization_id !== caller.key.organization_id)
      throw notYours('organization_id');
    await checkPerson(who, deps, key);
  }
  if (key.team_id && !team) throw badField('team_id', 'refers to a team that does not exist');
  if (key.organization_id && !(await store.organization.get(key.organization_id)))
    throw badField('organization_id', 'refers to an organization that does not exist');
  if (key.agent_id && !(await store.agent.get(key.agent_id)))
    throw badField('agent_id', 'refers to an A2A agent that does not exist');
  const groups = await Promise.all((key.access_group_ids ?? []).map((it) => store.access_group.get(it)));
  if (groups.includes(undefined)) throw badField('access_group_ids', 'refers to an access group that does not exist');
  if (key.budget_id && !(await store.budget.get(key.budget_id)))
    throw badField('budget_id', 'refers to a budget that does not exist');
}

/**
 * Whoever holds a key of an administrator is one: others neither make nor renew it, also where they lead its team.
 * @throws {Fault} `forbidden`
 */
export async function checkPerson({ caller }: Who, { store }: Deps, key: KeyRecord): Promise<void> {
  if (caller.isAdmin || !key.user_id || key.agent_id) return;
  if ((await store.user.get(key.user_id))?.user_role === 'proxy_admin') throw notYours('user_id');
}

const isMemberId = (team: TeamRecord, userId: string) =>
  team.members_with_roles?.some((it) => it.user_id === userId) ?? false;

const notYours = (field: string) =>
  new Fault(
    'forbidden',
    `'${field}': you can create keys only for yourself and for teams that you administer or that let you create keys.`,
    {
      data: { field },
    },
  );

/** A key that somebody shut out is let in by those above its holder. @throws {Fault} `forbidden` */
export async function checkSwitch(who: Who, deps: Deps, key: KeyRecord, blocked: boolean): Promise<void> {
  if (blocked || who.caller.isAdmin) return;
  const team = key.team_id ? await deps.store.team.get(key.team_id) : undefined;
  if (team && (await leads(who, deps, team))) return;
  throw new Fault('forbidden', "Only administrators and the key's team admins can unblock this key.", {
    data: { field: 'blocked' },
  });
}

export async function ledTeams(who: Who, deps: Deps): Promise<readonly TeamRecord[]> {
  const found: TeamRecord[] = [];
  for (const it of await deps.store.team.all()) if (await leads(who, deps, it)) found.push(it);
  return found;
}

/** Teams whose keys the caller may see: those that they lead, and those that let their members. */
export async function teamsInSight(who: Who, deps: Deps): Promise<readonly TeamRecord[]> {
  const led = new Set((await ledTeams(who, deps)).map((it) => it.team_id));
  const isLet = (it: TeamRecord) => it.team_member_permissions?.includes('/key/list') && isMember(who.caller, it);
  return (await deps.store.team.all()).filter((it) => led.has(it.team_id) || isLet(it));
}
