import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import type { Levels } from '../../access/access.ts';
import { coversNetwork } from '../../auth/networks.ts';
import { levelsOf } from '../../auth/permissions.ts';
import { levelsOfKey } from '../keys/levels.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import type { Call } from '../route.ts';
import { exceeds, isAllowed } from './exceeds.ts';
import { checkLimits, effective } from './limits.ts';
import { checkSubset, checkSuperset, coversPattern } from './lists.ts';
import { checkAccess } from './permission.ts';

type Deps = Pick<ManagementDeps, 'store' | 'directory' | 'permissions'>;

/**
 * Whether the caller may hand out a key like this (`security.privilege-escalation`): it lets its holder do nothing that
 * the caller's own key does not, or, where the key was there before, nothing that it did not let them do already.
 * Administrators may hand out any.
 * @throws {Fault} `forbidden` naming the field
 */
export async function checkKeyGrant(
  { caller }: Pick<Call, 'caller'>,
  deps: Deps,
  wanted: KeyRecord,
  before?: KeyRecord,
): Promise<void> {
  if (caller.isAdmin) return;
  if (before && (await isNarrower(deps, before, wanted))) return;
  const agentId = wanted.agent_id;
  if (agentId && agentId !== caller.key.agent_id && !(await deps.permissions.of(caller)).agents.has(agentId))
    throw exceeds('agent_id', 'only agents that you are allowed to use');
  await checkWithin(deps, caller.key, levelsOf(caller), wanted);
}

async function isNarrower(deps: Deps, before: KeyRecord, wanted: KeyRecord): Promise<boolean> {
  if (wanted.agent_id !== before.agent_id) return false;
  return isAllowed(checkWithin(deps, before, await levelsOfKey(deps, before), wanted));
}

async function checkWithin(deps: Deps, held: KeyRecord, levels: Levels, wanted: KeyRecord): Promise<void> {
  if (wanted.role && wanted.role !== 'internal_user' && wanted.role !== held.role)
    throw exceeds('role', 'only your own role');
  if (wanted.allow_debug && !held.allow_debug) throw exceeds('allow_debug', 'none');
  if (held.agent_id && wanted.agent_id !== held.agent_id) throw exceeds('agent_id', "only your own key's agent");
  if (held.expires && (!wanted.expires || wanted.expires > held.expires))
    throw exceeds('duration', `only a duration that ends on or before ${held.expires}`);
  checkSubset('allowed_routes', held.allowed_routes, wanted.allowed_routes, coversPattern);
  const passThrough = [held.allowed_passthrough_routes, wanted.allowed_passthrough_routes] as const;
  checkSubset('allowed_passthrough_routes', ...passThrough, coversPattern);
  checkSubset('allowed_ips', held.allowed_ips, wanted.allowed_ips, coversNetwork);
  checkSuperset('guardrails', held.guardrails, wanted.guardrails);
  checkServerRates(held.mcp_rpm_limit, wanted.mcp_rpm_limit);
  const budgetOf = (id: string | null | undefined) => (id ? deps.store.budget.get(id) : Promise.resolve(undefined));
  const [own, theirs] = await Promise.all([budgetOf(held.budget_id), budgetOf(wanted.budget_id)]);
  checkLimits(effective(held, own), effective(wanted, theirs));
  const { catalogue } = await deps.directory.registered();
  checkAccess(levels, await levelsOfKey(deps, wanted), catalogue, deps.permissions.options);
}

/** Requests a minute, by server. */
function checkServerRates(held: KeyRecord['mcp_rpm_limit'], wanted: KeyRecord['mcp_rpm_limit']): void {
  for (const [server, most] of Object.entries(held ?? {})) {
    const asked = wanted && Object.hasOwn(wanted, server) ? wanted[server] : undefined;
    if (asked === undefined || asked > most) throw exceeds(`mcp_rpm_limit.${server}`, `at most ${most}`);
  }
}
