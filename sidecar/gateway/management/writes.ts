import { Fault } from '../../platform/faults.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { KindName, RecordOf } from '../storage/kinds.ts';
import { type Beside, notFound } from '../storage/records.ts';
import type { AllRecords } from '../storage/store.ts';
import type { ManagementDeps } from './managementDeps.ts';
import { withoutSecrets } from './mask.ts';
import type { Call } from './route.ts';

type Deps = Pick<ManagementDeps, 'store' | 'clock' | 'newId'>;
type Who = Pick<Call, 'actor'>;
type Action = AuditEntry['action'];

const recordsOf = <K extends KindName>({ store }: Deps, kind: K) => (store as AllRecords)[kind];

/** Stamps of a record that is new. */
export function created({ actor }: Who, { clock }: Pick<Deps, 'clock'>) {
  const now = clock.now();
  return { created_at: now, created_by: actor.id, updated_at: now, updated_by: actor.id };
}
export const updated = ({ actor }: Who, { clock }: Pick<Deps, 'clock'>) => ({
  updated_at: clock.now(),
  updated_by: actor.id,
});

/** One line of the audit: what was before and after, without what is secret. */
export async function audit(
  { actor }: Who,
  { store, clock, newId }: Deps,
  action: Action,
  kind: string,
  objectId: string,
  values: { readonly before?: unknown; readonly after?: unknown } = {},
): Promise<void> {
  const text = (value: unknown) => (value === undefined ? null : JSON.stringify(withoutSecrets(value)));
  await store.audit.add({
    id: newId(),
    at: clock.now(),
    actor: actor.id,
    changed_by: actor.changedBy ?? null,
    actor_email: actor.email ?? null,
    signed_in_by: actor.signedInBy,
    action,
    kind,
    object_id: objectId,
    before: text(values.before),
    after: text(values.after),
  });
}

/** @throws {Fault} `already_exists` */
export async function create<K extends KindName>(
  who: Who,
  deps: Deps,
  kind: K,
  id: string,
  record: RecordOf<K>,
  action: Action = 'created',
  beside?: Beside,
): Promise<RecordOf<K>> {
  await recordsOf(deps, kind).insert(record, beside);
  await audit(who, deps, action, kind, id, { after: record });
  return record;
}

/** @throws {Fault} `not_found`; `conflict` for one of the configuration file; what `change` throws */
export async function change<K extends KindName>(
  who: Who,
  deps: Deps,
  kind: K,
  id: string,
  next: (record: RecordOf<K>) => RecordOf<K>,
  action: Action = 'updated',
  beside?: Beside,
): Promise<RecordOf<K>> {
  let before: RecordOf<K> | undefined;
  const after = await recordsOf(deps, kind).update(
    id,
    (record) => {
      checkOurs(record);
      before = record;
      return { ...next(record), ...updated(who, deps) };
    },
    beside,
  );
  await audit(who, deps, action, kind, id, { before, after });
  return after;
}

/** @throws {Fault} `not_found`; `conflict` for one of the configuration file */
export async function remove<K extends KindName>(
  who: Who,
  deps: Deps,
  kind: K,
  id: string,
  beside?: Beside,
): Promise<RecordOf<K>> {
  const records = recordsOf(deps, kind);
  const found = await records.get(id);
  if (found) checkOurs(found);
  const before = await records.remove(id, beside);
  if (!before) throw notFound(kind, id);
  await audit(who, deps, 'deleted', kind, id, { before });
  return before;
}

const TRIES = 5;

/**
 * Runs a change that was worked out from what it read, and again from the beginning where somebody else changed the record
 * between its reading and its writing.
 */
export async function unlessOvertaken<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (!(thrown instanceof Overtaken) || tries === TRIES) throw thrown;
    }
  }
}

class Overtaken extends Fault {}

/** For {@link unlessOvertaken}. @throws {Fault} `conflict` where the record is not what was read any more */
export function checkSame(record: object, read: object): void {
  if (JSON.stringify(record) === JSON.stringify(read)) return;
  throw new Overtaken(
    'conflict',
    'Another request is changing this record. Retrieve the latest version, and then repeat your change.',
    {
      data: { reason: 'overtaken' },
    },
  );
}

/** @throws {Fault} `not_found` */
export async function existing<K extends KindName>(deps: Deps, kind: K, id: string): Promise<RecordOf<K>> {
  const record = await recordsOf(deps, kind).get(id);
  if (!record) throw notFound(kind, id);
  return record;
}

/** What the configuration file says is changed there, or it would come back at the next start. */
export function checkOurs(record: object): void {
  if (!('from_config' in record) || record.from_config !== true) return;
  throw new Fault('conflict', 'This record comes from the configuration file. Change it there.', {
    data: { reason: 'from_config' },
  });
}

/** Only what was named; `null` takes away. */
export const named = <T extends object>(fields: T): { [P in keyof T]: Exclude<T[P], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
