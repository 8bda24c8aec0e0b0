import { sameJson } from './collections.ts';
import type {
  ConfigPropertySchema,
  ConfigValues,
  SessionConfigPropertySchema,
  SessionConfigSchema,
} from './configSchemas.ts';

/** Nested schemas may have every member of a session's. */
type Property = ConfigPropertySchema & Pick<SessionConfigPropertySchema, 'enumDynamic'>;

/**
 * Why `value` does not fit `property`, or `undefined`. Host and forms ask the same.
 * @param at the place of the value; the answer begins with it, as `config.paths[1]: must be a string`
 */
export function valueProblem(property: Property, value: unknown, at: string): string | undefined {
  if (typeOf(value) !== property.type) return `${at}: must be ${articles[property.type]} ${property.type}`;
  // What comes from outside a list that is too large to give is judged by whoever knows the list.
  if (property.enum && property.enumDynamic !== true && !property.enum.some((it) => it === value))
    return `${at}: is not one of the choices`;
  if (Array.isArray(value)) return firstOf(value, (item, index) => inside(property.items, item, `${at}[${index}]`));
  return property.type === 'object' ? objectProblem(property, value ?? {}, at) : undefined;
}

/**
 * Why a client cannot change `values` so, or `undefined`: only what `mayChange` allows becomes another value.
 * @param replace the change is all that is left, so what it leaves out goes
 */
export function changeProblem(
  state: { readonly schema: Pick<SessionConfigSchema, 'properties' | 'required'>; readonly values: ConfigValues },
  config: ConfigValues,
  replace: boolean | undefined,
  mayChange: (property: SessionConfigPropertySchema) => boolean,
): string | undefined {
  const { schema, values } = state;
  const after = replace ? config : { ...values, ...config };
  const changed = [...new Set([...Object.keys(values), ...Object.keys(config)])].filter(
    (it) => !sameJson(values[it], after[it]),
  );
  return (
    firstOf(changed, (key) => {
      const property = propertyOf(schema, key);
      if (!property) return `config.${key}: setting not found`;
      if (!mayChange(property)) return `config.${key}: cannot be changed now`;
      return Object.hasOwn(after, key) ? valueProblem(property, after[key], `config.${key}`) : undefined;
    }) ?? firstOf(schema.required ?? [], (it) => (Object.hasOwn(after, it) ? undefined : `config.${it}: is required`))
  );
}

export function propertyOf<P>(
  schema: { readonly properties: Readonly<Record<string, P>> },
  key: string,
): P | undefined {
  return Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
}

const articles = { string: 'a', number: 'a', boolean: 'a', array: 'an', object: 'an' } as const;

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}

function objectProblem(property: Property, value: object, at: string): string | undefined {
  const missing = property.required?.find((it) => !Object.hasOwn(value, it));
  if (missing !== undefined) return `${at}.${missing}: is required`;
  const known = { properties: property.properties ?? {} };
  return firstOf(Object.entries(value), ([key, member]) => {
    const own = propertyOf(known, key) ?? property.additionalProperties;
    // An object without any schema of its members takes all; with one, only what it names.
    if (!own && property.properties) return `${at}.${key}: unknown member`;
    return inside(own, member, `${at}.${key}`);
  });
}

function inside(property: Property | undefined, value: unknown, at: string): string | undefined {
  return property && valueProblem(property, value, at);
}

function firstOf<T>(items: readonly T[], problem: (item: T, index: number) => string | undefined): string | undefined {
  for (const [index, it] of items.entries()) {
    const found = problem(it, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
