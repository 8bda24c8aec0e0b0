import { Fault } from '../../../platform/faults.ts';
import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import type { TeamRecord } from '../../../protocol/gateway/people.ts';
import { hashKey } from '../../callers/keys.ts';
import { notFound } from '../../storage/records.ts';
import type { ManagementDeps } from '../deps.ts';
import { badField } from '../read.ts';
import type { Call } from '../route.ts';
import { leadsTeam, seesAll } from '../standing.ts';

type Deps = Pick<ManagementDeps, 'store'>;
type Who = Pick<Call, 'caller'>;

const hash = /^[0-9a-f]{64}$/;

/** Routes take the key itself or its hash. */
export const tokenOf = (keyOrHash: string): string => (hash.test(keyOrHash) ? keyOrHash : hashKey(keyOrHash));

async function leads({ caller }: Who, { store }: Deps, team: TeamRecord): Promise<boolean> {
  const organization = team.organization_id ? await store.organization.get(team.organization_id) : undefined;
  return leadsTeam(caller, team, organization);
}

/** Their own keys, and those of teams that they lead. */
async function isTheirs(who: Who, deps: Deps, key: KeyRecord): Promise<boolean> {
  const { caller } = who;
  if (caller.isAdmin || key.token === caller.key.token) return true;
  if (key.team_id) {
    const team = await deps.store.team.get(key.team_id);
    return team !== undefined && (await leads(who, deps, team));
  }
  return Boolean(caller.key.user_id) && key.user_id === caller.key.user_id;
}

/** @throws {Fault} `not_found`, for keys of others as well: nobody learns which there are */
export async function findKey(who: Who, deps: Deps, keyOrHash: string, use: 'see' | 'change'): Promise<KeyRecord> {
  const token = tokenOf(keyOrHash);
  const key = await deps.store.key.get(token);
  if (key && ((use === 'see' && seesAll(who.caller)) || (await isTheirs(who, deps, key)))) return key;
  if (key && use === 'see' && who.caller.key.user_id && key.user_id === who.caller.key.user_id) return key;
  throw notFound('key', token);
}

/**
 * Whether the caller may have a key with this owner: administrators any, others their own and those of teams they lead.
 * @throws {Fault} `forbidden`, or `invalid_params` for an owner that is not there
 */
export async function checkOwner(who: Who, deps: Deps, key: KeyRecord): Promise<void> {
  const { store } = deps;
  const { caller } = who;
  const team = key.team_id ? await store.team.get(key.team_id) : undefined;
  if (!caller.isAdmin) {
    if (key.team_id ? !team || !(await leads(who, deps, team)) : key.user_id !== caller.key.user_id || !key.user_id)
      throw notYours(key.team_id ? 'team_id' : 'user_id');
    if (team && key.user_id && key.user_id !== caller.key.user_id && !isMemberId(team, key.user_id))
      throw notYours('user_id');
    const organizationId = team ? team.organization_id : caller.key.organization_id;
    if (key.organization_id && key.organization_id !== organizationId) throw notYours('organization_id');
    if (!team && caller.key.organization_id && key.organization_id !== caller.key.organization_id)
      throw notYours('organization_id');
    await checkPerson(who, deps, key);
  }
  if (key.team_id && !team) throw badField('team_id', 'names no team');
  if (key.organization_id && !(await store.organization.get(key.organization_id)))
    throw badField('organization_id', 'names no organization');
  if (key.agent_id && !(await store.agent.get(key.agent_id))) throw badField('agent_id', 'names no agent');
  if (key.budget_id && !(await store.budget.get(key.budget_id))) throw badField('budget_id', 'names no budget');
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
  new Fault('forbidden', `'${field}': keys may be made for yourself, and for teams that you lead.`, {
    data: { field },
  });

/** A key that somebody shut out is let in by those above its holder. @throws {Fault} `forbidden` */
export async function checkSwitch(who: Who, deps: Deps, key: KeyRecord, blocked: boolean): Promise<void> {
  if (blocked || who.caller.isAdmin) return;
  const team = key.team_id ? await deps.store.team.get(key.team_id) : undefined;
  if (team && (await leads(who, deps, team))) return;
  throw new Fault('forbidden', 'Only administrators, and those who lead the team of a key, may unblock it.', {
    data: { field: 'blocked' },
  });
}

/** Teams whose keys the caller may see. */
export async function ledTeams(who: Who, deps: Deps): Promise<readonly TeamRecord[]> {
  const found: TeamRecord[] = [];
  for (const it of await deps.store.team.all()) if (await leads(who, deps, it)) found.push(it);
  return found;
}
