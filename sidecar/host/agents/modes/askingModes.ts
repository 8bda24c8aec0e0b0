import type { OptionProperty, SessionOptions } from '../../../agents/options.ts';
import { AGENT_DECIDES } from '../../../protocol/channels/session/permissionDial.ts';
import type { ConfigValues, SessionConfigState } from '../../../protocol/configSchemas.ts';

/** How agents name the mode in which a person is asked and the work is done; where none is so called the first one counts. */
const usual = /^(default|ask|approve|manual|confirm|normal|prompt|on[-_ ]?request)\b/i;

/**
 * The options as they hold where a person chose `chosen` and nothing else: a value with which the agent decides by itself
 * is there only where it was chosen (`host.mode.chosen`). What offers no other value stays as it is.
 */
export function asking(options: SessionOptions, chosen: ConfigValues = {}): SessionOptions {
  const properties = options.properties.map((it) => {
    const value = decides(it, it.value) && chosen[it.id] !== it.value ? askingValue(it, chosen[it.id]) : it.value;
    return value === it.value ? it : { ...it, value };
  });
  const { form } = options;
  if (!form) return { ...options, properties };
  const values = { ...form.values };
  for (const [id, deciding] of Object.entries(form.deciding ?? {})) {
    const value = values[id] ?? form.properties[id]?.default;
    if (deciding.includes(value) && chosen[id] !== value)
      values[id] = formValue(form.properties[id], deciding, chosen[id]) ?? value;
  }
  return { ...options, properties, form: { ...form, values } };
}

/** What has to be set in an agent with `options` so that it asks wherever nobody chose otherwise. */
export function toSetBack(options: SessionOptions, chosen: ConfigValues): ConfigValues {
  const before = valuesOf(options);
  const wanted = Object.entries(valuesOf(asking(options, chosen)));
  return Object.fromEntries(wanted.filter(([id, value]) => before[id] !== value));
}

/** What is chosen now, as the agent itself says it. */
export function valuesOf(options: SessionOptions): ConfigValues {
  return { ...Object.fromEntries(options.properties.map((it) => [it.id, it.value])), ...options.form?.values };
}

/** The options with the values of others, as far as those are still offered. */
export function withValuesOf(options: SessionOptions, { properties: others, form: otherForm }: SessionOptions) {
  const properties = options.properties.map((it) => {
    const value = others.find((other) => other.id === it.id)?.value;
    return value !== undefined && it.values.some((offered) => offered.id === value) ? { ...it, value } : it;
  });
  const { form } = options;
  if (!form) return { ...options, properties };
  const known = Object.entries(otherForm?.values ?? {}).filter(([id]) => Object.hasOwn(form.properties, id));
  return { ...options, properties, form: { ...form, values: { ...form.values, ...Object.fromEntries(known) } } };
}

/** What stands for a property where nobody chose. */
export function defaultOf(property: OptionProperty): string {
  return decides(property, property.value) ? askingValue(property) : property.value;
}

/** The values of a session as another may take them over: without those with which the agent decides by itself. */
export function inheritable(config: SessionConfigState): ConfigValues {
  const deciding = new Set(decidingNow(config));
  return Object.fromEntries(Object.entries(config.values).filter(([id]) => !deciding.has(id)));
}

/** The options that have a value with which the agent decides by itself. */
export function decidingNow({ schema, values }: SessionConfigState): string[] {
  return Object.entries(values).flatMap(([id, value]) => {
    const { enum: listed = [], enumDescriptions = [], description } = schema.properties[id] ?? {};
    const all: readonly unknown[] = listed;
    const described = value === true ? description : enumDescriptions[all.indexOf(value)];
    return described?.startsWith(AGENT_DECIDES) === true ? [id] : [];
  });
}

function decides({ values }: OptionProperty, value: unknown): boolean {
  return values.some((it) => it.id === value && it.agentDecides === true);
}

/** @param chosen by a person, which is what holds, whatever it is */
function askingValue(property: OptionProperty, chosen?: unknown): string {
  const others = property.values.filter((it) => it.agentDecides !== true);
  const named = others.find(({ id, label }) => [id, label].map(lastPart).some((it) => usual.test(it)));
  const found = property.values.find((it) => it.id === chosen) ?? named ?? others[0];
  return found?.id ?? property.value;
}

function formValue(
  field: NonNullable<SessionOptions['form']>['properties'][string] | undefined,
  deciding: readonly unknown[],
  chosen: unknown,
): unknown {
  if (field?.type === 'boolean') return false;
  const others: unknown[] = field?.enum?.filter((it) => !deciding.includes(it)) ?? [];
  const isOffered = field?.enum?.some((it) => it === chosen) === true;
  return isOffered ? chosen : (others.find((it) => usual.test(String(it))) ?? others[0]);
}

function lastPart(id: string): string {
  return id.slice(Math.max(id.lastIndexOf('/'), id.lastIndexOf('#')) + 1);
}
