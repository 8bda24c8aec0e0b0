import type { DetailKind, NamedBy } from '../../../protocol/gateway/pages/recordUse.ts';
import type { ManagementDeps } from '../managementDeps.ts';

/** Records that are looked at for each kind. A gateway may have 100,000 keys with one budget. */
const READ = 500;
const SHOWN = 20;

/** Kinds of records that name others. */
type Namer = Exclude<DetailKind, 'model' | 'guardrail' | 'budget' | 'agent'>;
type Place = { readonly kind: Namer; readonly paths: readonly string[] };

const own = ['key', 'team', 'organization', 'user', 'end_user'] as const;
const everywhere = (...paths: string[]): readonly Place[] => own.map((kind) => ({ kind, paths }));

/** In which members of which records each kind of record is named. */
const places: Readonly<Record<DetailKind, readonly Place[]>> = {
  key: [],
  end_user: [],
  team: [{ kind: 'key', paths: ['team_id'] }],
  organization: [
    { kind: 'team', paths: ['organization_id'] },
    { kind: 'key', paths: ['organization_id'] },
  ],
  user: [
    { kind: 'key', paths: ['user_id'] },
    { kind: 'team', paths: ['members_with_roles.user_id'] },
    { kind: 'organization', paths: ['members.user_id'] },
  ],
  budget: everywhere('budget_id'),
  mcp_server: [
    ...everywhere('object_permission.mcp_servers', 'object_permission.mcp_tool_permissions'),
    { kind: 'toolset', paths: ['tools.server_id'] },
  ],
  toolset: everywhere('object_permission.mcp_toolsets'),
  agent: [...everywhere('object_permission.agents'), { kind: 'key', paths: ['agent_id'] }],
  model: everywhere('object_permission.models', 'models'),
  guardrail: [
    { kind: 'key', paths: ['guardrails'] },
    { kind: 'team', paths: ['guardrails'] },
    { kind: 'mcp_server', paths: ['guardrails'] },
  ],
};

/** Which records name a record. @param names everything that it can be named by */
export async function namedBy(
  { store }: Pick<ManagementDeps, 'store'>,
  kind: DetailKind,
  names: readonly string[],
): Promise<readonly NamedBy[]> {
  const kinds = new Map<Namer, readonly string[]>();
  for (const it of places[kind]) kinds.set(it.kind, [...(kinds.get(it.kind) ?? []), ...it.paths]);
  const wanted = new Set(names);
  const found = await Promise.all(
    [...kinds].map(async ([by, paths]): Promise<NamedBy> => {
      const read = await store[by].holding(names, READ);
      const naming = read.filter((record) =>
        paths.some((it) => valuesAt(record, it.split('.')).some((v) => wanted.has(v))),
      );
      const records = naming.slice(0, SHOWN).map((it) => titleOf(by, it));
      return { kind: by, total: naming.length, has_more: read.length === READ, records };
    }),
  );
  return found.filter((it) => it.total > 0);
}

/** Texts at a path: all of a list, and of an object the names of its members. */
function valuesAt(value: unknown, [first, ...rest]: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((it) => valuesAt(it, first === undefined ? [] : [first, ...rest]));
  if (first !== undefined) return isObject(value) ? valuesAt(value[first], rest) : [];
  if (isObject(value)) return Object.keys(value);
  return typeof value === 'string' ? [value] : [];
}
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members by which people know a record; the first is its ID. */
const titles: Readonly<Record<Namer, readonly [string, ...string[]]>> = {
  key: ['token', 'key_alias', 'key_name'],
  team: ['team_id', 'team_alias'],
  organization: ['organization_id', 'organization_alias'],
  user: ['user_id', 'user_alias', 'user_email'],
  end_user: ['user_id', 'alias'],
  mcp_server: ['server_id', 'alias', 'server_name'],
  toolset: ['toolset_id', 'toolset_name'],
};

function titleOf(kind: Namer, record: object): { readonly id: string; readonly name: string } {
  const facts = record as Readonly<Record<string, unknown>>;
  const [idName, ...names] = titles[kind];
  const id = String(facts[idName]);
  return {
    id,
    name: names.map((it) => facts[it]).find((it): it is string => typeof it === 'string' && it !== '') ?? id,
  };
}
