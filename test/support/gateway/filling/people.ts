import { createHash } from 'node:crypto';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import type { KeyRecord } from '../../../../sidecar/protocol/gateway/key.ts';
import type {
  EndUserRecord,
  OrganizationRecord,
  TeamRecord,
  UserRecord,
} from '../../../../sidecar/protocol/gateway/people.ts';
import type { FilledBackends } from './backends.ts';
import { type Filling, someOf } from './plan.ts';
import { companies, fields, firstNames, lastNames, regions, uses } from './words.ts';

export interface FilledPeople {
  readonly organizations: readonly OrganizationRecord[];
  readonly teams: readonly TeamRecord[];
  readonly users: readonly UserRecord[];
  readonly endUsers: readonly EndUserRecord[];
  readonly keys: readonly KeyRecord[];
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Organizations, teams, users, end users, budgets, invitations, and keys. Five users for each team. */
export async function fillPeople(
  store: GatewayStore,
  filling: Filling,
  backends: FilledBackends,
): Promise<FilledPeople> {
  await fillBudgets(store, filling);
  const organizations = await fillOrganizations(store, filling);
  const teams = teamsOf(filling, organizations, backends);
  const users = usersOf(filling, teams);
  for (const user of users) await store.user.insert(user);
  const members = Map.groupBy(users, (it) => it.teams?.[0] ?? '');
  for (const team of teams) {
    const members_with_roles = (members.get(team.team_id) ?? []).map(({ user_id }, at) => ({
      user_id,
      role: at === 0 ? ('admin' as const) : ('user' as const),
    }));
    await store.team.insert({ ...team, members_with_roles });
  }
  const endUsers = await fillEndUsers(store, filling);
  const keys = keysOf(filling, users, teams, backends);
  for (const key of keys) await store.key.insert(key);
  await fillInvitations(store, filling, teams);
  return { organizations, teams, users, endUsers, keys };
}

const stamps = ({ ago }: Filling, days: number) => ({ created_at: ago(days), updated_at: ago(days) });

async function fillBudgets(store: GatewayStore, filling: Filling): Promise<void> {
  for (const [budget_id, max_budget, budget_duration] of [
    ['small', 5, '1d'],
    ['team-standard', 500, '30d'],
    ['research', 2_500, '30d'],
    ['contractors-and-external-partners', 50, '7d'],
  ] as const)
    await store.budget.insert({ budget_id, max_budget, budget_duration, rpm_limit: 600, ...stamps(filling, 200) });
}

async function fillOrganizations(store: GatewayStore, filling: Filling): Promise<readonly OrganizationRecord[]> {
  const count = Math.min(companies.length, Math.ceil(filling.teams / 10));
  const made = companies.slice(0, count).map((organization_alias, at) => ({
    organization_id: `org-${sha256(organization_alias).slice(0, 12)}`,
    organization_alias,
    max_budget: 10_000 * (at + 1),
    budget_duration: '30d',
    ...stamps(filling, 180 - at),
  }));
  for (const it of made) await store.organization.insert(it);
  return made;
}

function teamsOf(
  filling: Filling,
  organizations: readonly OrganizationRecord[],
  { servers, agents }: FilledBackends,
): readonly TeamRecord[] {
  const { random, teams } = filling;
  return Array.from({ length: teams }, (_, at) => {
    const name = `${fields[at % fields.length]}${regions[Math.floor(at / fields.length) % regions.length]}`;
    const again = Math.floor(at / (fields.length * regions.length));
    const team_alias = again === 0 ? name : `${name} ${again + 1}`;
    return {
      team_id: sha256(team_alias).slice(0, 32),
      team_alias,
      organization_id: organizations[at % organizations.length]?.organization_id,
      ...(at % 3 > 0 && { max_budget: 200 + random.below(50) * 100, budget_duration: '30d' }),
      ...(at % 4 === 0 && { rpm_limit: 60 * (1 + random.below(20)), tpm_limit: 1_000_000 }),
      ...(at % 17 === 16 && { blocked: true }),
      object_permission: {
        mcp_servers: someOf(random, servers, 8).map((it) => it.server_id),
        agents: someOf(random, agents, 3).map((it) => it.agent_name),
      },
      tags: at % 2 === 0 ? ['cost-center-4711', 'internal'] : ['internal'],
      ...stamps(filling, 150 - (at % 140)),
    } as TeamRecord;
  });
}

function usersOf(filling: Filling, teams: readonly TeamRecord[]): readonly UserRecord[] {
  const { random } = filling;
  return Array.from({ length: filling.teams * 5 }, (_, at) => {
    const first = firstNames[at % firstNames.length] ?? '';
    const last = lastNames[Math.floor(at / firstNames.length) % lastNames.length] ?? '';
    const again = Math.floor(at / (firstNames.length * lastNames.length));
    const name = `${first} ${last}${again === 0 ? '' : ` ${'I'.repeat(again + 1)}`}`;
    const isSignedIn = at % 3 > 0;
    return {
      user_id: isSignedIn ? `00u${sha256(name).slice(0, 17)}` : `user-${at}`,
      user_alias: name,
      user_email: `${ascii(name)}@example.com`,
      user_role: at % 97 === 0 ? 'proxy_admin' : at % 31 === 0 ? 'proxy_admin_viewer' : 'internal_user',
      teams: [teams[at % teams.length]?.team_id ?? '', ...(at % 9 === 0 ? [random.pick(teams).team_id] : [])].filter(
        (it, index, all) => it !== '' && all.indexOf(it) === index,
      ),
      ...(at % 5 === 0 && { max_budget: 25, budget_duration: '30d' }),
      ...(at % 41 === 40 && { blocked: true }),
      ...(isSignedIn && { identity: { issuer: 'https://login.example.com', subject: sha256(name).slice(0, 20) } }),
      ...stamps(filling, 140 - (at % 130)),
    } as UserRecord;
  });
}

const ascii = (name: string) =>
  `${name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9 ]/g, '')
    .trim()
    .replaceAll(/ +/g, '.')}${/^[\x20-\x7f]*$/.test(name) ? '' : `.${sha256(name).slice(0, 4)}`}`;

async function fillEndUsers(store: GatewayStore, filling: Filling): Promise<readonly EndUserRecord[]> {
  const made = Array.from({ length: filling.teams * 2 }, (_, at) => ({
    user_id: `customer-${String(10_000 + at * 7)}`,
    alias: at % 4 === 0 ? null : `${companies[at % companies.length]} shop ${at + 1}`,
    ...(at % 3 === 0 && { max_budget: 10 }),
    ...(at % 29 === 28 && { blocked: true }),
    ...stamps(filling, 90 - (at % 80)),
  }));
  for (const it of made) await store.end_user.insert(it);
  return made;
}

function keysOf(
  filling: Filling,
  users: readonly UserRecord[],
  teams: readonly TeamRecord[],
  { servers, agents }: FilledBackends,
): readonly KeyRecord[] {
  const { random, ago } = filling;
  return Array.from({ length: filling.keys }, (_, at) => {
    const user = at % 4 > 0 ? users[at % users.length] : undefined;
    const team = teams.find((it) => it.team_id === user?.teams?.[0]) ?? teams[at % teams.length];
    const token = sha256(`key ${at} of ${filling.seed ?? 1}`);
    const who = user?.user_alias?.split(' ')[0]?.toLowerCase() ?? team?.team_alias?.toLowerCase().replaceAll(' ', '-');
    const access = { mcp_servers: someOf(random, servers, 4).map((it) => it.server_id) };
    return {
      token,
      token_id: `${token.slice(0, 8)}-${token.slice(8, 12)}-4${token.slice(13, 16)}-8${token.slice(17, 20)}-${token.slice(20, 32)}`,
      key_name: `sk-...${token.slice(-4)}`,
      key_alias: at % 50 === 49 ? null : `${who}-${uses[at % uses.length]}-${at + 1}`,
      user_id: user?.user_id ?? null,
      team_id: at % 11 === 10 ? null : (team?.team_id ?? null),
      ...(at % 2 === 0 && { max_budget: 5 + random.below(40) * 5, budget_duration: '30d' }),
      ...(at % 6 === 0 && { rpm_limit: 60 }),
      ...(at % 3 > 0 && {
        object_permission: { ...access, agents: someOf(random, agents, 2).map((it) => it.agent_name) },
      }),
      ...(at % 5 === 0 && { expires: ago(-(at % 120) + 5) }),
      ...(at % 23 === 22 && { blocked: true }),
      ...(at % 60 === 59 && { role: 'proxy_admin_viewer' as const }),
      rotation_count: at % 7 === 0 ? 2 : 0,
      tags: at % 3 === 0 ? [`env:${at % 2 === 0 ? 'prod' : 'staging'}`] : null,
      ...stamps(filling, 120 - (at % 115)),
    };
  });
}

async function fillInvitations(store: GatewayStore, filling: Filling, teams: readonly TeamRecord[]): Promise<void> {
  for (let at = 0; at < Math.ceil(filling.teams / 5); at += 1)
    await store.invitation.insert({
      invitation_id: `invitation-${at}`,
      invitation_alias: `${firstNames[at % firstNames.length]} ${lastNames[(at * 3) % lastNames.length]}`,
      team_id: teams[at % teams.length]?.team_id,
      team_role: at % 4 === 0 ? 'admin' : 'user',
      token: sha256(`invitation ${at}`),
      expires: filling.ago(at % 3 === 0 ? 2 : -5),
      ...(at % 5 === 4 && { accepted_at: filling.ago(1) }),
      ...stamps(filling, at % 7),
    });
}
