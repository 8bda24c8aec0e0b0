import { t } from '../../shared/l10n.ts';
import type { Values } from '../form/collect.ts';
import type { Session } from '../kit/adminElement.ts';
import { readLookups } from './lookups.ts';
import { openForm } from './openForm.ts';
import { isConfigured, openRecord, whyFixed } from './openRecord.ts';
import type { RecordKind } from './recordKind.ts';

/**
 * Opens the form of a record, or what is in it for who may only look.
 *
 * @param row absent for a new one
 * @param saved called with what to say of it
 */
export async function editRecord<T extends object>(
  session: Session,
  kind: RecordKind<T>,
  row: T | undefined,
  saved: (words: string) => Promise<void>,
): Promise<void> {
  const lookups = await readLookups(session.routes);
  const groups = await kind.form(lookups, row, session.routes);
  if (row && (isConfigured(row) || !session.mayWrite))
    return openRecord(kind.nameOf(row), whyFixed(row), groups, valuesOf(kind, row));
  openForm(row ? t('Edit "{0}"', kind.nameOf(row)) : (kind.words().create ?? ''), {
    groups: () => groups,
    ...(row ? { kept: valuesOf(kind, row) } : kind.initial && { initial: kind.initial }),
    submit: async (body) => {
      await kind.save(session.routes, body, row);
      await saved(row ? t('{0} was saved', kind.nameOf(row)) : t('Saved'));
    },
  });
}

/** A record by the names of its form's fields. */
export const valuesOf = <T extends object>(kind: RecordKind<T>, row: T): Values =>
  kind.values?.(row) ?? (row as Values);
