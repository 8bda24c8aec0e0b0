import type { Redactor } from '../../platform/redact.ts';
import type { LogRecord } from '../../protocol/telemetry.ts';

type Attribute = LogRecord['attributes'][number];

/** Text that names a thing and says nothing: no blank, so no sentence; no slash, so no path. */
const IDENTIFIER = /^[\w.:@+-]{1,80}$/;
const MAX_ATTRIBUTES = 16;

/**
 * Facts as OTLP attributes. Numbers, truth values and identifiers pass; of an error its type does; everything else stays
 * in the host, where the log is.
 */
export function toAttributes(facts: object, redactor: Redactor): Attribute[] {
  const found: Attribute[] = [];
  for (const [key, raw] of Object.entries(facts)) {
    if (found.length >= MAX_ATTRIBUTES) break;
    if (raw instanceof Error) found.push({ key: 'exception.type', value: { stringValue: raw.name.slice(0, 80) } });
    else {
      const value = toValue((redactor.value({ [key]: raw }) as Record<string, unknown>)[key]);
      if (value) found.push({ key, value });
    }
  }
  return found;
}

function toValue(value: unknown): Attribute['value'] | undefined {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number' && Number.isFinite(value))
    return Number.isSafeInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
  if (typeof value === 'string' && IDENTIFIER.test(value)) return { stringValue: value };
  return undefined;
}
