import { Fault } from '../../../platform/faults.ts';
import { ledTeams, tokenOf } from '../keys/place.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import type { Call } from '../route.ts';
import { isMember, leadsOrganization, seesAll } from '../standing.ts';

type Ids = readonly string[] | undefined;

/** Filters that say whose calls may be seen. */
export interface Scope {
  readonly api_key?: string[];
  readonly team_id?: string[];
}

const foreign = (field: string, whose: string) =>
  new Fault('forbidden', `You can see calls only for ${whose}.`, { data: { field } });

/** Hashes of the caller's own keys. */
export async function ownKeys({ caller }: Call, { store }: ManagementDeps): Promise<string[]> {
  const { token, user_id } = caller.key;
  const keys = user_id ? (await store.key.list({ user_id })).items.map((it) => it.token) : [];
  return [...new Set([token, ...keys])];
}

/**
 * Administrators and viewers see every call; who leads a team, those of the team they name; everybody their own.
 * @throws {Fault} `forbidden` naming the field
 */
export async function scopeOf(
  call: Call,
  deps: ManagementDeps,
  asked: { readonly api_key?: Ids; readonly team_id?: Ids },
): Promise<Scope> {
  const keys = asked.api_key?.map(tokenOf);
  const named = { ...(keys && { api_key: keys }), ...(asked.team_id && { team_id: [...asked.team_id] }) };
  if (seesAll(call.caller)) return named;
  if (asked.team_id) {
    const led = (await ledTeams(call, deps)).map((it) => it.team_id);
    if (asked.team_id.every((it) => led.includes(it))) return named;
    throw foreign('team_id', 'teams that you administer');
  }
  const own = await ownKeys(call, deps);
  if (keys?.some((it) => !own.includes(it))) throw foreign('api_key', 'your own keys');
  return { api_key: keys ?? own };
}

/** Teams whose sums by day the caller may see; a member sees those of their own keys. */
export async function teamScope(
  call: Call,
  deps: ManagementDeps,
  ids: Ids,
  keys: Ids,
): Promise<{ ids: Ids; keys: Ids }> {
  if (seesAll(call.caller)) return { ids, keys };
  const led = new Set((await ledTeams(call, deps)).map((it) => it.team_id));
  const { key } = call.caller;
  const belongs = (await deps.store.team.all()).filter(
    (it) => led.has(it.team_id) || isMember(call.caller, it) || it.team_id === key.team_id,
  );
  const own = belongs.map((it) => it.team_id);
  const wanted = ids ?? own;
  if (wanted.length === 0 || wanted.some((it) => !own.includes(it))) throw foreign('team_ids', 'your own teams');
  if (wanted.every((it) => led.has(it))) return { ids: wanted, keys };
  const mine = await ownKeys(call, deps);
  return { ids: wanted, keys: keys ? keys.filter((it) => mine.includes(it)) : mine };
}

/** @throws {Fault} `forbidden` */
export async function organizationScope(call: Call, { store }: ManagementDeps, ids: Ids): Promise<Ids> {
  if (seesAll(call.caller)) return ids;
  const led = (await store.organization.all()).filter((it) => leadsOrganization(call.caller, it));
  const own = led.map((it) => it.organization_id);
  const wanted = ids ?? own;
  if (wanted.length === 0 || wanted.some((it) => !own.includes(it)))
    throw foreign('organization_ids', 'organizations that you administer');
  return wanted;
}
