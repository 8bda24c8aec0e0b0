import { Fault } from '../../../platform/faults.ts';
import type { Limits } from '../../../protocol/gateway/limits.ts';
import type { ObjectPermission } from '../../../protocol/gateway/objectPermission.ts';
import type { TeamRecord } from '../../../protocol/gateway/people.ts';
import type { Levels } from '../../access/access.ts';
import { coversNetwork } from '../../auth/networks.ts';
import { levelsOf, permissionOf } from '../../auth/permissions.ts';
import { notFound } from '../../storage/records.ts';
import { isAllowed } from '../grants/exceeds.ts';
import { checkLimits, effective } from '../grants/limits.ts';
import { checkSubset, checkSuperset, coversPattern } from '../grants/lists.ts';
import { checkAccess } from '../grants/permission.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { badField } from '../read.ts';
import type { Call } from '../route.ts';
import { leadsOrganization, leadsTeam } from '../standing.ts';
import { checkTeamMembers } from './memberBudgets.ts';

type Who = Pick<Call, 'caller'>;
/** As what the caller acts on a team. */
export type Standing = 'administrator' | 'organization' | 'team';

const organizationOf = ({ store }: ManagementDeps, id: string | null | undefined) =>
  id ? store.organization.get(id) : Promise.resolve(undefined);

/** @throws {Fault} `not_found`, also for teams that the caller does not lead: nobody learns which there are */
export async function ledTeam({ caller }: Who, deps: ManagementDeps, id: string) {
  const team = await deps.store.team.get(id);
  if (!team) throw notFound('team', id);
  if (caller.isAdmin) return { team, standing: 'administrator' as const };
  const organization = await organizationOf(deps, team.organization_id);
  if (leadsOrganization(caller, organization)) return { team, standing: 'organization' as const };
  if (leadsTeam(caller, team, organization)) return { team, standing: 'team' as const };
  throw notFound('team', id);
}

/** Whoever may make or move teams here. @throws {Fault} `forbidden`, or `invalid_params` for what is not there */
export async function checkPlace({ caller }: Who, deps: ManagementDeps, team: TeamRecord): Promise<void> {
  const organization = await organizationOf(deps, team.organization_id);
  if (!caller.isAdmin && !leadsOrganization(caller, organization))
    throw new Fault('forbidden', "Only administrators and the organization's admins can create teams.", {
      data: { field: 'organization_id' },
    });
  if (team.organization_id && !organization)
    throw badField('organization_id', 'refers to an organization that does not exist');
}

export async function checkTeamBudget({ store }: ManagementDeps, budgetId: string | null | undefined): Promise<void> {
  if (budgetId && !(await store.budget.get(budgetId)))
    throw badField('budget_id', 'refers to a budget that does not exist');
}

export async function checkTeamGroups({ store }: ManagementDeps, ids: TeamRecord['access_group_ids']): Promise<void> {
  const groups = await Promise.all((ids ?? []).map((it) => store.access_group.get(it)));
  if (groups.includes(undefined)) throw badField('access_group_ids', 'refers to an access group that does not exist');
}

/**
 * Those of a team give it no more than it had; those of an organisation that, or what the organisation and they themselves
 * have. @throws {Fault} `forbidden` naming the field
 */
export async function checkTeamGrant(
  { caller }: Who,
  deps: ManagementDeps,
  standing: Standing,
  before: TeamRecord | undefined,
  after: TeamRecord,
): Promise<void> {
  if (standing === 'administrator') return;
  const organization = await organizationOf(deps, after.organization_id);
  const ceiling = organization?.object_permission ?? undefined;
  if (standing === 'team') {
    if (before?.blocked && !after.blocked)
      throw new Fault('forbidden', 'Team admins cannot unblock their team.', { data: { field: 'blocked' } });
    if (before) checkTeamMembers(before, after);
    const levels = { key: permissionOf(before), organization: ceiling };
    return checkWithin(deps, before ?? {}, levels, after, ceiling);
  }
  const isNarrower =
    before && (await isAllowed(checkTeamGrant({ caller }, deps, 'team', { ...before, blocked: false }, after)));
  if (!isNarrower) await checkWithin(deps, organization ?? {}, levelsOf(caller), after, ceiling);
}

/** What gives a team its power: of the team itself before, or of its organisation. */
type Held = Limits & Pick<TeamRecord, 'budget_id' | 'models' | 'guardrails' | 'allowed_ips'>;

async function checkWithin(
  deps: ManagementDeps,
  held: Held,
  levels: Levels,
  wanted: TeamRecord,
  organization: ObjectPermission | undefined,
): Promise<void> {
  const budgetOf = (id: string | null | undefined) => (id ? deps.store.budget.get(id) : Promise.resolve(undefined));
  const [own, theirs] = await Promise.all([budgetOf(held.budget_id), budgetOf(wanted.budget_id)]);
  checkLimits(effective(held, own), effective(wanted, theirs));
  checkSubset('models', held.models, wanted.models, coversPattern);
  checkSubset('allowed_ips', held.allowed_ips, wanted.allowed_ips, coversNetwork);
  checkSuperset('guardrails', held.guardrails, wanted.guardrails);
  const { catalogue } = await deps.directory.registered();
  checkAccess(levels, { key: permissionOf(wanted), organization }, catalogue, deps.permissions.options);
}
