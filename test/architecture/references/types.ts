import type { JsonSchema } from '../../../sidecar/gateway/configuration/jsonSchema.ts';
import { code } from './markdown.ts';

/** How a type is written that has a section of its own. */
export type SectionType = (schema: JsonSchema) => string;

/** What may stand in a field, in Markdown. `null` beside something else is left out: {@link takesNull} finds it. */
export function typeOf(schema: JsonSchema, sectionType: SectionType): string {
  const choices = choicesOf(schema);
  if (hasSection(schema)) return sectionType(schema);
  if (choices.length > 1)
    return or.format(new Set(choices.flatMap((it) => it.enum?.map(valueText) ?? typeOf(it, sectionType))));
  if (choices[0] && choices[0] !== schema) return typeOf(choices[0], sectionType);
  if (schema.const !== undefined) return code(String(schema.const));
  if (schema.enum) return schema.enum.map(valueText).join(', ');
  switch (schema.type) {
    case 'array':
      return `list of ${typeOf(schemaOf(schema.items), sectionType).replace(/^(\[?)(string|URL|number|integer|boolean|object)\b/, '$1$2s')}`;
    case 'object':
      return mapType(schema, sectionType);
    case 'string':
      return schema.format === 'uri' ? 'URL' : 'string';
    case 'number':
    case 'integer':
      return `${schema.type}${rangeOf(schema)}`;
    default:
      return schema.type === undefined ? ANY : String(schema.type);
  }
}

const ANY = 'any JSON value';
const or = new Intl.ListFormat('en-US', { type: 'disjunction' });
const valueText = (value: unknown): string => code(String(value));

/** An object whose members are known, or a choice of some: it has a section of its own. */
export const hasSection = (schema: JsonSchema): boolean => schema.properties !== undefined || isChoiceOfObjects(schema);

/** Whether one of several objects may stand here that no member tells apart. */
export const isChoiceOfObjects = (schema: JsonSchema): boolean => {
  const choices = choicesOf(schema);
  return choices.length > 1 && choices.every((it) => it.properties !== undefined && kindOf(it) === undefined);
};

/** The kind of an object that is one of several kinds. */
export const kindOf = ({ properties }: JsonSchema): string | undefined =>
  Object.values(properties ?? {})
    .map((it) => schemaOf(it).const)
    .find((it) => typeof it === 'string');

/** What a union offers, without `null`; the schema itself where it is none. */
export function choicesOf(schema: JsonSchema): readonly JsonSchema[] {
  const all = membersOf(schema);
  return all.length === 0 ? [schema] : all.filter((it) => it.type !== 'null');
}

export const takesNull = (schema: JsonSchema): boolean => membersOf(schema).some((it) => it.type === 'null');

/** A list of types is a union, too. */
function membersOf(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf = [], oneOf = [], type } = schema;
  return Array.isArray(type) ? type.map((it) => ({ ...schema, type: it })) : [...anyOf, ...oneOf].map(schemaOf);
}

export const schemaOf = (member: unknown): JsonSchema =>
  typeof member === 'object' && member !== null && !Array.isArray(member) ? (member as JsonSchema) : {};

/** The default in Markdown. */
export function defaultOf({ default: value }: JsonSchema, isRequired: boolean): string {
  if (value !== undefined) return code(typeof value === 'string' && value !== '' ? value : JSON.stringify(value));
  return isRequired ? 'required' : '–';
}

function mapType({ additionalProperties, propertyNames }: JsonSchema, sectionType: SectionType): string {
  const value = schemaOf(additionalProperties);
  const type = value.$ref === undefined ? typeOf(value, sectionType) : ANY;
  const names = schemaOf(propertyNames).enum?.map((it) => code(String(it))) ?? ['name'];
  return type === ANY ? 'object' : `object: ${names.join(', ')} to ${type}`;
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? shown(maximum) : undefined;
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? shown(minimum) : undefined;
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}`;
  const bounds = [
    typeof exclusiveMinimum !== 'number' ? undefined : `above ${shown(exclusiveMinimum)}`,
    least === undefined ? undefined : `at least ${least}`,
    most === undefined ? undefined : `at most ${most}`,
  ];
  return bounds.map((it) => (it === undefined ? '' : `, ${it}`)).join('');
}

const shown = (value: number) => value.toLocaleString('en-US');
