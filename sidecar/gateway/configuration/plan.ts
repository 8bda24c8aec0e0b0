import { isDeepStrictEqual } from 'node:util';
import { stampShape } from '../../protocol/gateway/stamps.ts';
import { kinds } from '../storage/kinds.ts';
import type { Beside } from '../storage/records.ts';
import { sealedNames } from '../storage/sealedValues.ts';
import type { GatewayStore } from '../storage/store.ts';
import type { Finding } from './problem.ts';
import { type ConfiguredKind, configuredKinds, plain, type Wanted } from './wanted.ts';

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
    // Both are asked for at once: the database finds the names while the records are read.
    const [all, sealed] = kindsThere.has(kind)
      ? await Promise.all([recordsOf(store, kind).all(), ofKind.length > 0 ? sealedOf(store, kind) : nothingSealed])
      : [[], nothingSealed];
    const there = new Map(all.map((it) => [idOf(kind, it), it]));
    const ids = new Set(ofKind.map((it) => it.id));
    for (const [id, before] of there)
      if (before['from_config'] === true && !ids.has(id)) removals.push({ kind, id, action: 'deleted', before });
    const aliases = aliasesOf(kind, there.values());
    for (const it of ofKind) {
      const before = there.get(it.id);
      const holder = it.alias === undefined ? undefined : aliases.get(it.alias);
      if ((before && before['from_config'] !== true) || (holder !== undefined && holder !== it.id)) {
        const message = 'this name is already registered outside this file; rename one of the two';
        findings.push({ path: it.path, message, kind: 'rule', atName: true });
      } else if (!before) writes.push({ kind, id: it.id, action: 'created', wanted: it });
      else if (differs(before, it) || (needsSecrets(sealed, it) && (await secretsDiffer(store, sealed, it))))
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

/** The names under which something is sealed, by the id of the record. */
type Sealed = ReadonlyMap<string, ReadonlySet<string>>;
const nothingSealed: Sealed = new Map();

/** Hundreds of records have few secrets: it is asked once which there are. */
async function sealedOf({ secrets }: GatewayStore, kind: ConfiguredKind): Promise<Sealed> {
  const found = new Map<string, Set<string>>();
  for (const { id, name } of await secrets.names(kind)) found.set(id, (found.get(id) ?? new Set()).add(name));
  return found;
}

/** Whether anything is sealed beside the record, or should be. */
const needsSecrets = (there: Sealed, { id, sealed }: Wanted) => there.has(id) || Object.keys(sealed).length > 0;

async function secretsDiffer({ secrets }: GatewayStore, there: Sealed, { kind, id, sealed }: Wanted): Promise<boolean> {
  for (const name of Object.values(sealedNames)) {
    const text = there.get(id)?.has(name) ? await secrets.get(kind, id, name) : undefined;
    if (!isDeepStrictEqual(text === undefined ? undefined : JSON.parse(text), sealed[name])) return true;
  }
  return false;
}

function differs(before: Body, { kind, body }: Wanted): boolean {
  return !isSame(before, body) && !isDeepStrictEqual(JSON.parse(withoutStamps(before)), readBody(kind, body));
}

/** Whether a record says nothing else than the body. If so, there is no need to check the body as a record, which takes longer. */
function isSame(record: Body, body: Body): boolean {
  let wanted = 0;
  for (const name in body) if (body[name] !== undefined) wanted += 1;
  for (const name in record) {
    if (stampNames.has(name)) continue;
    if (record[name] !== body[name] && !isDeepStrictEqual(record[name], body[name])) return false;
    wanted -= 1;
  }
  return wanted === 0;
}

/** As the schema of the kind reads it, with its defaults. */
export const readBody = (kind: ConfiguredKind, body: Body): Body => JSON.parse(withoutStamps(parsed(kind, body)));

const parsed = (kind: ConfiguredKind, body: Body): object =>
  kinds[kind].schema.parse({ ...plain(body), created_at: '', updated_at: '' });

const stampNames: ReadonlySet<string> = new Set(Object.keys(stampShape));

/** As JSON, in which it comes back from the database. */
const withoutStamps = (record: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => !stampNames.has(name))));

const idOf = (kind: ConfiguredKind, record: Body): string =>
  (kinds[kind].idOf as unknown as (it: Body) => string)(record);
/** One shape for all kinds: the bodies were judged by the schema of their kind. */
export const recordsOf = (store: GatewayStore, kind: ConfiguredKind) => store[kind] as unknown as AnyRecords;
