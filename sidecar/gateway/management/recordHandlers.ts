import { Fault } from '../../platform/faults.ts';
import type { KindName, RecordOf } from '../storage/kinds.ts';
import { notFound } from '../storage/records.ts';
import type { AllRecords } from '../storage/store.ts';
import type { ManagementDeps } from './managementDeps.ts';
import { type Answer, type Call, ok } from './route.ts';
import { seesAll } from './standing.ts';
import { change, create, created, named } from './writes.ts';

/** What a request says of a record, without its id. */
type Fields = Readonly<Record<string, unknown>>;

/** What records of one kind have of their own. */
interface RecordSpec<K extends KindName> {
  readonly kind: K;
  /** The member that holds the id, also in requests. */
  readonly id: keyof RecordOf<K> & string;
  /** Before anything is written. @param id of a record that is there; absent for a new one @throws {Fault} */
  readonly check?: (deps: ManagementDeps, fields: Partial<RecordOf<K>>, id?: string) => Promise<void>;
  /** What answers show of records, in their order; without it the records themselves. */
  readonly views?: (deps: ManagementDeps, records: readonly RecordOf<K>[]) => Promise<readonly unknown[]>;
  /** Whether the caller may see a record; without it whoever is let in sees all. */
  readonly isVisible?: (call: Call, record: RecordOf<K>) => boolean;
  /** Said to those who may not see all of the kind, whether there is such a record or not. Without it: not found. */
  readonly hidden?: string;
}

/** The handlers that are the same for every kind of record: a row of the table of routes names one of them. */
export function recordHandlers<K extends KindName>(spec: RecordSpec<K>) {
  const { kind } = spec;
  const idField: string = spec.id;
  // The schema of the row judged the fields.
  const judged = (fields: Fields) => fields as unknown as Partial<RecordOf<K>>;
  const viewsOf = async (deps: ManagementDeps, records: readonly RecordOf<K>[]): Promise<readonly unknown[]> =>
    spec.views ? spec.views(deps, records) : records;
  const answer = async (deps: ManagementDeps, record: RecordOf<K>, status = 200): Promise<Answer> =>
    ok((await viewsOf(deps, [record]))[0], status);
  const isVisible = (call: Call, record: RecordOf<K>) => spec.isVisible?.(call, record) ?? true;
  const recordsOf = ({ store }: ManagementDeps) => (store as AllRecords)[kind];

  return {
    /** Under the id that the request names, else a new one. @param status of the answer */
    create: (status?: number) => async (call: Call<unknown, object>, deps: ManagementDeps) => {
      const { [idField]: wanted, ...fields } = call.body as Fields;
      await spec.check?.(deps, judged(fields));
      const id = typeof wanted === 'string' ? wanted : deps.newId();
      const record = { [idField]: id, ...named(fields), ...created(call, deps) } as unknown as RecordOf<K>;
      return answer(deps, await create(call, deps, kind, id, record), status);
    },

    /** Of the id in the path, else in the body; only what the request names. */
    async update(call: Call<unknown, object>, deps: ManagementDeps) {
      const { [idField]: inBody, ...fields } = call.body as Fields;
      const id = call.params[idField] ?? String(inBody);
      await spec.check?.(deps, judged(fields), id);
      return answer(deps, await change(call, deps, kind, id, (it) => ({ ...it, ...named(fields) })));
    },

    /** What the caller may see. */
    async list(call: Call, deps: ManagementDeps) {
      const all: readonly RecordOf<K>[] = await recordsOf(deps).all();
      return ok(
        await viewsOf(
          deps,
          all.filter((it) => isVisible(call, it)),
        ),
      );
    },

    async read(call: Call, deps: ManagementDeps, id: string) {
      const found = await recordsOf(deps).get(id);
      if (found && isVisible(call, found)) return answer(deps, found);
      if (spec.hidden === undefined || seesAll(call.caller)) throw notFound(kind, id);
      throw new Fault('forbidden', spec.hidden, { data: { field: idField } });
    },
  };
}
