import type { AgentRecord } from '../../../protocol/gateway/agent.ts';
import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import { type BudgetRecord, GLOBAL_BUDGET, type Limits } from '../../../protocol/gateway/limits.ts';
import {
  type EndUserRecord,
  memberOf,
  type OrganizationRecord,
  type TeamRecord,
  type UserRecord,
} from '../../../protocol/gateway/people.ts';
import { type OwnerType, pairId } from '../../storage/activity/budgetReservations.ts';

/** Somebody whose limits a call has to keep. */
export interface LimitLevel {
  readonly type: OwnerType;
  readonly id: string;
  /** For people; never the hash of a key. */
  readonly alias: string;
  readonly createdAtMs: number;
  readonly limits: Limits;
  /** Requests a minute, by server. */
  readonly mcpRpmLimit?: Readonly<Record<string, number>> | null | undefined;
}

/** Who takes part in a call. */
export interface LimitedParts {
  readonly key?: KeyRecord | undefined;
  readonly team?: TeamRecord | undefined;
  readonly organization?: OrganizationRecord | undefined;
  readonly user?: UserRecord | undefined;
  readonly endUser?: EndUserRecord | undefined;
  /** As the request names it: an end user without a record is counted, too. */
  readonly endUserId?: string | undefined;
  /** The one that is called. */
  readonly agent?: AgentRecord | undefined;
  readonly sessionId?: string | undefined;
}

/**
 * All limits that a call of these has to keep.
 *
 * @param budgetOf the named limits that a record refers to; limits of the record itself win
 */
export function levelsOf(
  parts: LimitedParts,
  budgetOf: (id: string) => BudgetRecord | undefined,
): readonly LimitLevel[] {
  const { key, team, organization, user, endUser, endUserId, agent, sessionId } = parts;
  const level = (type: OwnerType, id: string, alias: string, record: Source): LimitLevel => ({
    type,
    id,
    alias,
    createdAtMs: record.created_at === undefined ? 0 : Date.parse(record.created_at),
    limits: record.budget_id ? merged(budgetOf(record.budget_id), record) : record,
    mcpRpmLimit: record.mcp_rpm_limit,
  });
  const levels: LimitLevel[] = [];
  const teamName = team?.team_alias ?? team?.team_id ?? '';
  if (team) levels.push(level('team', team.team_id, teamName, team));
  if (team && key?.user_id) {
    const name = `${user?.user_alias ?? key.user_id} of ${teamName}`;
    levels.push(level('team_member', pairId(team.team_id, key.user_id), name, ofMember(team, key.user_id, user)));
  }
  // A call with a team's key does not count against the user of the key.
  if (user && !team) levels.push(level('user', user.user_id, user.user_alias ?? user.user_id, user));
  const customer = endUser?.user_id ?? endUserId;
  if (customer !== undefined) levels.push(level('end_user', customer, endUser?.alias ?? customer, endUser ?? {}));
  if (key) levels.push(level('key', key.token_id, key.key_alias ?? key.key_name, key));
  if (agent) {
    levels.push(level('agent', agent.agent_id, agent.agent_name, agent));
    if (sessionId !== undefined)
      levels.push(level('session', pairId(agent.agent_id, sessionId), sessionId, ofSession(agent)));
  }
  if (organization) {
    const { organization_id: id, organization_alias: alias } = organization;
    levels.push(level('organization', id, alias ?? id, organization));
  }
  levels.push(level('global', GLOBAL_BUDGET, GLOBAL_BUDGET, { ...budgetOf(GLOBAL_BUDGET), budget_id: null }));
  return levels;
}

type Source = Limits & {
  readonly budget_id?: string | null | undefined;
  readonly created_at?: string;
  readonly mcp_rpm_limit?: Readonly<Record<string, number>> | null | undefined;
};

/** Limits of the team for this member, else for all of them. A key of somebody who is on no list counts as a member's. */
function ofMember(team: TeamRecord, userId: string, user: UserRecord | undefined): Source {
  const member = memberOf(team, userId, user?.user_email);
  const own = typeof member?.max_budget_in_team === 'number';
  return {
    max_budget: own ? member.max_budget_in_team : team.team_member_budget,
    budget_duration: (own ? member.budget_duration : undefined) ?? team.team_member_budget_duration,
    rpm_limit: team.team_member_rpm_limit,
    tpm_limit: team.team_member_tpm_limit,
    created_at: team.created_at,
  };
}

const ofSession = ({ gateway_params, session_rpm_limit, session_tpm_limit, created_at }: AgentRecord): Source => ({
  max_budget: gateway_params?.max_budget_per_session,
  rpm_limit: session_rpm_limit,
  tpm_limit: session_tpm_limit,
  created_at,
});

function merged(budget: BudgetRecord | undefined, own: Limits): Limits {
  const limits = Object.fromEntries(Object.entries(own).filter(([, it]) => it !== null && it !== undefined));
  return { ...budget, ...limits };
}
