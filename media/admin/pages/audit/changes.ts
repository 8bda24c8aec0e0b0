import type { AuditLine } from '../../../../sidecar/protocol/gateway/answers.ts';
import { isMap } from '../../form/drafts.ts';

export interface FieldChange {
  readonly field: string;
  /** Undefined where it said nothing. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Stamps change with every write and say nothing that the line does not. */
const stamps = new Set(['updated_at', 'updated_by', 'created_at', 'created_by']);

/** Which fields differ. Of a record that was made or deleted, all that say something. */
export function changesOf({ before_value, updated_values }: AuditLine): readonly FieldChange[] {
  const before = isMap(before_value) ? before_value : {};
  const after = isMap(updated_values) ? updated_values : {};
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(
      (field) => !stamps.has(field) && JSON.stringify(before[field] ?? null) !== JSON.stringify(after[field] ?? null),
    )
    .map((field) => ({ field, before: before[field] ?? undefined, after: after[field] ?? undefined }));
}
