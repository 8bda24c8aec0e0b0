import type { Transaction } from 'kysely';
import type { SumColumns } from '../database/activityTables.ts';
import type { Tables } from '../database/tables.ts';
import type { DailySums } from './dailySums.ts';

/** Of the sums' rows in one statement: databases limit how many values it may have. */
const ROWS = 500;

/** @param days how many more lines each day has, by its number since 1970, UTC */
export async function addLinesOfDays(
  transaction: Transaction<Tables>,
  days: ReadonlyMap<number, number>,
): Promise<void> {
  const changed = [...days].filter(([, it]) => it !== 0).toSorted(([a], [b]) => a - b);
  const rows = changed.map(([day, it]) => ({ day, lines: it }));
  if (rows.length === 0) return;
  await transaction
    .insertInto('log_days')
    .values(rows)
    .onConflict((it) =>
      it.column('day').doUpdateSet((row) => ({ lines: row('log_days.lines', '+', row.ref('excluded.lines')) })),
    )
    .execute();
}

export async function addSums(transaction: Transaction<Tables>, sums: DailySums): Promise<void> {
  for (const [table, rows] of [
    ['daily_activity', sums.calls],
    ['daily_tag_activity', sums.tags],
  ] as const) {
    for (let at = 0; at < rows.length; at += ROWS)
      await transaction
        .insertInto(table)
        .values(rows.slice(at, at + ROWS))
        .onConflict((it) =>
          it.column('id').doUpdateSet((row) => {
            const more = (name: keyof SumColumns) => row(`${table}.${name}`, '+', row.ref(`excluded.${name}`));
            return {
              spend: more('spend'),
              prompt_tokens: more('prompt_tokens'),
              completion_tokens: more('completion_tokens'),
              cache_read_input_tokens: more('cache_read_input_tokens'),
              cache_creation_input_tokens: more('cache_creation_input_tokens'),
              successful_requests: more('successful_requests'),
              failed_requests: more('failed_requests'),
            };
          }),
        )
        .execute();
  }
  if (sums.edge.length > 0)
    await transaction
      .insertInto('daily_edge')
      .values([...sums.edge])
      .onConflict((it) =>
        it.columns(['date', 'endpoint']).doUpdateSet((row) => ({
          successful_requests: row('daily_edge.successful_requests', '+', row.ref('excluded.successful_requests')),
          failed_requests: row('daily_edge.failed_requests', '+', row.ref('excluded.failed_requests')),
        })),
      )
      .execute();
}
