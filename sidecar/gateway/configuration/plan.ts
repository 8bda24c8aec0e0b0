import { isDeepStrictEqual } from 'node:util';
import { stampShape } from '../../protocol/gateway/stamps.ts';
import { kinds } from '../storage/kinds.ts';
import type { Beside } from '../storage/records.ts';
import { sealedNames } from '../storage/sealedValues.ts';
import type { GatewayStore } from '../storage/store.ts';
import type { Finding } from './problem.ts';
import { type ConfiguredKind, configuredKinds, type Wanted } from './wanted.ts';

export interface Change {
  readonly kind: ConfiguredKind;
  readonly id: string;
  readonly action: 'created' | 'updated' | 'deleted';
}
export type Body = Readonly<Record<string, unknown>>;
interface AnyRecords {
  all(): Promise<readonly Body[]>;
  insert(record: Body, beside: Beside): Promise<void>;
  update(id: string, change: (record: Body) => Body, beside: Beside): Promise<Body>;
  remove(id: string, beside: Beside): Promise<Body | undefined>;
}
/** One write that is to come. */
export interface Step extends Change {
  readonly before?: Body;
  readonly wanted?: Wanted;
}

/** Removals come first: a name that moves to another record is free then. */
export async function planSteps(store: GatewayStore, wanted: readonly Wanted[]) {
  const findings: Finding[] = [];
  const removals: Step[] = [];
  const writes: Step[] = [];
  // Most kinds have no records. One query tells which, in place of two for each kind.
  const kindsThere = await store.kindsAmong(configuredKinds);
  for (const kind of configuredKinds) {
    const ofKind = wanted.filter((it) => it.kind === kind);
    const all = kindsThere.has(kind) ? await recordsOf(store, kind).all() : [];
    const there = new Map(all.map((it) => [idOf(kind, it), it]));
    const ids = new Set(ofKind.map((it) => it.id));
    for (const [id, before] of there)
      if (before['from_config'] === true && !ids.has(id)) removals.push({ kind, id, action: 'deleted', before });
    const aliases = aliasesOf(kind, there.values());
    const secrets = all.length > 0 && ofKind.length > 0 ? await sealedOf(store, kind) : noSecrets;
    for (const it of ofKind) {
      const before = there.get(it.id);
      const holder = it.alias === undefined ? undefined : aliases.get(it.alias);
      if ((before && before['from_config'] !== true) || (holder !== undefined && holder !== it.id)) {
        const message = 'this name is already registered outside this file; rename one of the two';
        findings.push({ path: it.path, message, kind: 'rule', atName: true });
      } else if (!before) writes.push({ kind, id: it.id, action: 'created', wanted: it });
      else if (await differs(secrets, before, it))
        writes.push({ kind, id: it.id, action: 'updated', before, wanted: it });
      if (it.alias !== undefined) aliases.set(it.alias, it.id);
    }
  }
  return { findings, steps: [...removals.reverse(), ...writes] };
}

/** Aliases that stay taken: those of records that the file did not make. */
function aliasesOf(kind: ConfiguredKind, records: Iterable<Body>): Map<string, string> {
  const { aliasOf } = kinds[kind] as unknown as { aliasOf?: (it: Body) => string | null | undefined };
  const found = new Map<string, string>();
  for (const it of records) {
    const alias = aliasOf?.(it);
    if (alias && it['from_config'] !== true) found.set(alias, idOf(kind, it));
  }
  return found;
}

type ReadSealed = (id: string, name: string) => Promise<string | undefined>;
const noSecrets: ReadSealed = async () => undefined;

/** Hundreds of records have few secrets: it is asked once which there are. */
async function sealedOf({ secrets }: GatewayStore, kind: ConfiguredKind): Promise<ReadSealed> {
  const there = new Set((await secrets.names(kind)).map((it) => JSON.stringify([it.id, it.name])));
  return async (id, name) => (there.has(JSON.stringify([id, name])) ? secrets.get(kind, id, name) : undefined);
}

async function differs(read: ReadSealed, before: Body, { kind, id, body, sealed }: Wanted): Promise<boolean> {
  const [was, is] = [withoutStamps(before), withoutStamps(parsed(kind, body))];
  // Most texts are the same, and comparing texts is faster than comparing values.
  if (was !== is && !isDeepStrictEqual(JSON.parse(was), JSON.parse(is))) return true;
  for (const name of Object.values(sealedNames)) {
    const text = await read(id, name);
    if (!isDeepStrictEqual(text === undefined ? undefined : JSON.parse(text), sealed[name])) return true;
  }
  return false;
}

/** As the schema of the kind reads it, with its defaults. */
export const readBody = (kind: ConfiguredKind, body: Body): Body => JSON.parse(withoutStamps(parsed(kind, body)));

const parsed = (kind: ConfiguredKind, body: Body): object =>
  kinds[kind].schema.parse({ ...body, created_at: '', updated_at: '' });

const stampNames: ReadonlySet<string> = new Set(Object.keys(stampShape));

/** As JSON, in which it comes back from the database. */
const withoutStamps = (record: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => !stampNames.has(name))));

const idOf = (kind: ConfiguredKind, record: Body): string =>
  (kinds[kind].idOf as unknown as (it: Body) => string)(record);
/** One shape for all kinds: the bodies were judged by the schema of their kind. */
export const recordsOf = (store: GatewayStore, kind: ConfiguredKind) => store[kind] as unknown as AnyRecords;
