import { isRecord } from '../../platform/isRecord.ts';
/** Stands for a value that is kept and not shown. Written back, it means: leave as it is. */
export const MASK = '********';

const maskedMaps = ['static_headers', 'env'] as const;

/** Headers, environment and variables often hold secrets: their names are shown, their values are not. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isRecord(value)) return value;
  const shown: Record<string, unknown> = {};
  for (const [name, it] of Object.entries(value)) {
    if (isOneOf(maskedMaps, name) && isRecord(it)) shown[name] = hidden(it);
    else if (name === 'env_vars' && Array.isArray(it)) shown[name] = it.map(hiddenVariable);
    else shown[name] = name === 'gateway_params' ? withoutSecrets(it) : it;
  }
  return shown;
}

/** What is written takes the kept value wherever it says {@link MASK}. */
export function unmasked<T extends Readonly<Record<string, string>> | null | undefined>(
  written: T,
  kept: Readonly<Record<string, string>> | null | undefined,
): T {
  if (!written) return written;
  const pairs = Object.entries(written).flatMap(([name, it]) => {
    if (it !== MASK) return [[name, it] as const];
    const before = kept && Object.hasOwn(kept, name) ? kept[name] : undefined;
    return before === undefined ? [] : [[name, before] as const];
  });
  return Object.fromEntries(pairs) as T;
}

const hidden = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, it]) => [name, it === '' ? '' : MASK]));
const hiddenVariable = (it: unknown): unknown => (isRecord(it) && it['value'] ? { ...it, value: MASK } : it);

const isOneOf = (names: readonly string[], name: string) => names.includes(name);
