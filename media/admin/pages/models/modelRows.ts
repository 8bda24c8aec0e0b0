import type { ListedModel } from '../../../../sidecar/protocol/gateway/answers.ts';

/** A row of the list: a backend of a model, or the heading of the backends that share a name. */
export interface ModelRow extends ModelGroup {
  /** Absent for a heading. */
  readonly backend?: ListedModel;
}
export interface ModelGroup {
  readonly name: string;
  /** All backends with this name. */
  readonly backends: readonly ListedModel[];
}

/** Backends grouped by name, in the order of the names. */
export function groupsOf(models: readonly ListedModel[]): readonly ModelGroup[] {
  const groups = new Map<string, ListedModel[]>();
  for (const it of models) groups.set(it.model_name, [...(groups.get(it.model_name) ?? []), it]);
  return [...groups]
    .map(([name, backends]) => ({ name, backends }))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
}

/** A single backend needs no heading. */
export function rowsOf({ name, backends }: ModelGroup): readonly ModelRow[] {
  const rows = backends.map((backend): ModelRow => ({ name, backends, backend }));
  return rows.length === 1 ? rows : [{ name, backends }, ...rows];
}

/** The part of a name's calls that a backend gets, from 0 to 1. */
export function shareOf(backend: ListedModel, backends: readonly ListedModel[]): number {
  const weightOf = (it: ListedModel) => it.gateway_params?.weight ?? 1;
  return weightOf(backend) / backends.reduce((sum, it) => sum + weightOf(it), 0);
}

/** Sums by the name that callers used, as sums by registered name: a pattern serves every name with its prefix. */
export function byRegisteredName(
  sums: readonly { readonly id: string; readonly spend: number }[],
  names: readonly string[],
): ReadonlyMap<string, number> {
  const plain = new Set(names);
  const patterns = names.filter((it) => it.endsWith('*')).toSorted((one, other) => other.length - one.length);
  const found = new Map<string, number>();
  for (const { id, spend } of sums) {
    const name = plain.has(id) ? id : patterns.find((it) => id.startsWith(it.slice(0, -1)));
    if (name !== undefined) found.set(name, (found.get(name) ?? 0) + spend);
  }
  return found;
}
