import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import { levelsOf } from '../../callers/permissions.ts';
import type { ManagementDeps } from '../deps.ts';
import type { Call } from '../route.ts';
import { exceeds } from './exceeds.ts';
import { checkLimits, effective } from './limits.ts';
import { checkSubset, checkSuperset, coversRoute } from './lists.ts';
import { checkAccess } from './permission.ts';

type Deps = Pick<ManagementDeps, 'store' | 'directory' | 'permissions'>;

/**
 * Whether the caller may hand out a key like this: it lets its holder do nothing that the caller's own key does not
 * (completion 5.2). Administrators may hand out any.
 * @throws {Fault} `forbidden` naming the field
 */
export async function checkKeyGrant({ caller }: Pick<Call, 'caller'>, deps: Deps, wanted: KeyRecord): Promise<void> {
  if (caller.isAdmin) return;
  const held = caller.key;
  if (wanted.role && wanted.role !== 'internal_user' && wanted.role !== held.role) throw exceeds('role', 'your own');
  if (wanted.allow_debug && !held.allow_debug) throw exceeds('allow_debug', 'none');
  if (held.agent_id && wanted.agent_id !== held.agent_id) throw exceeds('agent_id', 'the agent of your own key');
  if (held.expires && (!wanted.expires || wanted.expires > held.expires))
    throw exceeds('duration', `at most until ${held.expires}`);
  checkSubset('allowed_routes', held.allowed_routes, wanted.allowed_routes, coversRoute);
  const passThrough = [held.allowed_passthrough_routes, wanted.allowed_passthrough_routes] as const;
  checkSubset('allowed_passthrough_routes', ...passThrough, coversRoute);
  checkSubset('models', held.models, wanted.models);
  checkSuperset('guardrails', held.guardrails, wanted.guardrails);
  checkServerRates(held.mcp_rpm_limit, wanted.mcp_rpm_limit);
  const budgetOf = (id: string | null | undefined) => (id ? deps.store.budget.get(id) : Promise.resolve(undefined));
  const [own, theirs] = await Promise.all([budgetOf(held.budget_id), budgetOf(wanted.budget_id)]);
  checkLimits(effective(held, own), effective(wanted, theirs));
  await checkLevels(caller, deps, wanted);
}

async function checkLevels(caller: Call['caller'], { store, directory, permissions }: Deps, wanted: KeyRecord) {
  const team = wanted.team_id ? await store.team.get(wanted.team_id) : undefined;
  const organizationId = wanted.organization_id ?? team?.organization_id;
  const organization = organizationId ? await store.organization.get(organizationId) : undefined;
  const { catalogue, agents } = await directory.registered();
  const agent = agents.find((it) => it.agent_id === wanted.agent_id);
  const own = levelsOf(caller);
  if (agent && wanted.agent_id !== caller.key.agent_id && !(await permissions.of(caller)).agents.has(agent.agent_id))
    throw exceeds('agent_id', 'agents that you may use');
  const levels = {
    key: wanted.object_permission ?? undefined,
    team: team?.object_permission ?? undefined,
    agent: agent?.object_permission ?? undefined,
    organization: organization?.object_permission ?? undefined,
  };
  checkAccess(own, levels, catalogue, permissions.options);
}

/** Requests a minute, by server. */
function checkServerRates(held: KeyRecord['mcp_rpm_limit'], wanted: KeyRecord['mcp_rpm_limit']): void {
  for (const [server, most] of Object.entries(held ?? {})) {
    const asked = wanted && Object.hasOwn(wanted, server) ? wanted[server] : undefined;
    if (asked === undefined || asked > most) throw exceeds(`mcp_rpm_limit.${server}`, `at most ${most}`);
  }
}
