import type { JsonSchema } from '../../../sidecar/gateway/configuration/jsonSchema.ts';
import { code, type Field, linkTo } from './markdown.ts';
import { choicesOf, defaultOf, hasSection, isChoiceOfObjects, kindOf, schemaOf, takesNull, typeOf } from './types.ts';

/** An object of a schema. */
export interface FoundObject {
  readonly schema: JsonSchema;
  /** The places where it stands, as `listen.tls`. */
  readonly paths: readonly string[];
  /** The schema with the words about its first place. */
  readonly place: JsonSchema;
}

/** Objects by their members: an object that stands in several places is the same object. */
export type FoundObjects = Map<string, FoundObject>;

/** All objects at a place and below it, in the order in which they come first. */
export function findObjects(
  schema: JsonSchema,
  path: string,
  found: FoundObjects = new Map(),
  place = schema,
): FoundObjects {
  if (hasSection(schema)) {
    const kind = kindOf(schema);
    const { paths = [], place: first = place } = found.get(keyOf(schema)) ?? {};
    found.set(keyOf(schema), { schema, paths: [...paths, kind ? `${path}: ${kind}` : path], place: first });
    if (paths.length > 0) return found;
    for (const [name, member] of membersOf(schema)) findObjects(member, path ? `${path}.${name}` : name, found);
    return found;
  }
  for (const choice of choicesOf(schema))
    if (choice !== schema) findObjects(choice, path, found, choice.description ? choice : place);
  if (schema.items) findObjects(schemaOf(schema.items), `${path}[n]`, found);
  if (schema.additionalProperties) findObjects(schemaOf(schema.additionalProperties), `${path}.{name}`, found);
  return found;
}

/** What tells an object from others: its members, without the words about the object itself. */
export const keyOf = (schema: JsonSchema): string => JSON.stringify(membersOf(schema));

const membersOf = (schema: JsonSchema): readonly (readonly [name: string, schema: JsonSchema])[] =>
  choicesOf(schema).flatMap((it) =>
    Object.entries(it.properties ?? {}).map(([name, member]) => [name, schemaOf(member)]),
  );

/** How a document speaks of its schemas. */
export interface Words {
  /** What it is for, in Markdown; empty where nothing is said. */
  meaning(schema: JsonSchema): string;
  /** The heading of the section of an object. */
  title(schema: JsonSchema): string;
}

/** Rows for the members of an object. */
export function fieldsOf(schema: JsonSchema, words: Words): readonly Field[] {
  const required = isChoiceOfObjects(schema) ? [] : (schema.required ?? []);
  return membersOf(schema).map(([name, member]) => ({
    name,
    type: typeText(member, words),
    default: defaultOf(member, required.includes(name)),
    meaning: words.meaning(member),
  }));
}

export const typeText = (schema: JsonSchema, words: Words): string =>
  typeOf(schema, (it) => linkTo(words.title(it), kindOf(it) ?? 'object'));

const and = new Intl.ListFormat('en-US', { type: 'conjunction' });

/** What holds for several members of an object together. */
export function rulesOf(schema: JsonSchema): readonly string[] {
  const members = membersOf(schema);
  const others = members.filter(([, it]) => !takesNull(it)).map(([name]) => code(name));
  const which = others.length === 0 ? 'Every field' : `Every field except ${and.format(others)}`;
  return [
    ...(isChoiceOfObjects(schema) ? ['The object has exactly one of these fields.'] : []),
    ...(others.length < members.length ? [`${which} also accepts \`null\`, which is the same as leaving it out.`] : []),
  ];
}
