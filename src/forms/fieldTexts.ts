import { fromHost, type Localizer } from '../platform/localizer.ts';
import type { Field, FormSection, Suggestion } from './form.ts';

/** One line of a form. */
export interface FieldRow {
  readonly id: string;
  readonly title: string;
  /** The value, and what there is to know about the field itself. */
  readonly value: string;
  readonly detail: string;
  readonly isLocked: boolean;
}

export function fieldRows(l10n: Localizer, section: FormSection): FieldRow[] {
  return Object.entries(section.schema.properties).map(([id, field]) => {
    const isLocked = !section.mayChange(field);
    const value = valueText(l10n, field, section.values[id]);
    const isNeeded = section.schema.required?.includes(id) === true && section.values[id] === undefined;
    return {
      id,
      title: fromHost(l10n, field.title),
      value: [value, isLocked ? l10n.t('cannot be changed') : '', isNeeded ? l10n.t('(required)') : '']
        .filter((it) => it !== '')
        .join(' · '),
      detail: fromHost(l10n, field.description ?? ''),
      isLocked,
    };
  });
}

/** A value as a person reads it, on one line. */
export function valueText(l10n: Localizer, field: Field, value: unknown): string {
  if (value === undefined) {
    return field.default === undefined ? l10n.t('not set') : valueText(l10n, field, field.default);
  }
  const at = (field.enum as readonly unknown[] | undefined)?.indexOf(value) ?? -1;
  if (at >= 0) return fromHost(l10n, field.enumLabels?.[at] ?? String(field.enum?.[at]));
  if (typeof value === 'boolean') return value ? l10n.t('Yes') : l10n.t('No');
  if (Array.isArray(value)) {
    const { items } = field;
    return value.length === 0
      ? l10n.t('none')
      : value.map((it) => (items ? valueText(l10n, items, it) : JSON.stringify(it))).join(', ');
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([id, it]) => {
      const own = field.properties?.[id] ?? field.additionalProperties;
      return `${own === field.additionalProperties ? id : (own?.title ?? id)}: ${own ? valueText(l10n, own, it) : JSON.stringify(it)}`;
    });
    return members.length === 0 ? l10n.t('none') : members.join(', ');
  }
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** The values of an enum as a person chooses them; of one that is completed while typing, the seeds. */
export function choicesOf(field: Field): (Omit<Suggestion, 'value'> & { readonly value: unknown })[] {
  return (field.enum ?? []).map((value, at) => {
    const description = field.enumDescriptions?.[at];
    return { value, label: field.enumLabels?.[at] ?? String(value), ...(description && { description }) };
  });
}

/** Seeds that go with what was typed, and after them what the host found, none of it twice. */
export function suggestions(
  field: Field,
  query: string,
  found: readonly Suggestion[],
): (Suggestion & { isSeed: boolean })[] {
  const typed = query.toLowerCase();
  const seeds = choicesOf(field)
    .map((it) => ({ ...it, value: String(it.value), isSeed: true }))
    .filter((it) => it.label.toLowerCase().includes(typed) || it.value.toLowerCase().includes(typed));
  const others = found.filter((it) => !seeds.some((seed) => seed.value === it.value));
  return [...seeds, ...others.map((it) => ({ ...it, isSeed: false }))];
}

/** What was typed, as a value of the field. `undefined`: no such value can be read from it. */
export function readTyped(field: Field, typed: string): unknown {
  if (field.type === 'string') return typed;
  if (field.type === 'number') {
    const value = Number(typed);
    return typed.trim() === '' || !Number.isFinite(value) ? undefined : value;
  }
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    return undefined; // said as "not a value of this kind"
  }
}
