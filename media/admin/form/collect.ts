import { t } from '../../shared/l10n.ts';
import { type Draft, draftOf, isMap, readDraft } from './drafts.ts';
import type { FormField } from './formSpec.ts';

export type Values = Readonly<Record<string, unknown>>;
export interface Collected {
  readonly body: Record<string, unknown>;
  /** Field name to what is wrong with it. */
  readonly errors: ReadonlyMap<string, string>;
}

export function valueAt(values: Values | undefined, name: string): unknown {
  return name.split('.').reduce<unknown>((at, part) => (isMap(at) ? at[part] : undefined), values);
}

/**
 * Of a new record everything that was said; of a kept one what changed, where an emptied field becomes null. A member of
 * an object, as `object_permission.agents`, brings the whole object along, because it is replaced whole; credentials are
 * the exception: nobody can read them, so only what was entered is sent.
 */
export function collect(
  fields: readonly FormField[],
  drafts: ReadonlyMap<string, Draft>,
  kept: Values | undefined,
): Collected {
  const body: Record<string, unknown> = {};
  const errors = new Map<string, string>();
  for (const field of fields) {
    const before = valueAt(kept, field.name);
    const was = field.kind === 'secret' ? '' : draftOf(field.kind, before);
    const entered = drafts.get(field.name);
    const draft = entered === undefined ? was : entered;
    const read = readDraft(field.kind, draft);
    if ('error' in read) {
      errors.set(field.name, read.error);
      continue;
    }
    if (read.value === undefined && field.isRequired) {
      errors.set(field.name, t('This field is required.'));
      continue;
    }
    const isSame = JSON.stringify(draft) === JSON.stringify(was);
    if (isSame && (kept || read.value === undefined || read.value === null || read.value === false)) continue;
    put(body, field.name, read.value ?? null, field.kind === 'secret' ? undefined : kept);
  }
  return { body, errors };
}

function put(body: Record<string, unknown>, name: string, value: unknown, kept: Values | undefined): void {
  const [first, ...rest] = name.split('.');
  if (first === undefined) return;
  if (rest.length === 0) {
    body[first] = value;
    return;
  }
  const before = kept?.[first];
  const inner: Record<string, unknown> = isMap(body[first])
    ? body[first]
    : isMap(before)
      ? structuredClone(before)
      : {};
  body[first] = inner;
  put(inner, rest.join('.'), value, undefined);
}
