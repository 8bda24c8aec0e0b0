import { configJsonSchema } from '../../../sidecar/gateway/configuration/jsonSchema.ts';
import { cell, page, table } from './tables.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
interface Section {
  readonly title: string;
  readonly text: string;
  readonly schema: Schema;
}

/** CONFIGURATION.md: every field of `switchboard.jsonc`, from the schema that judges the file. */
export function configurationReference(): string {
  const root = configJsonSchema() as Schema;
  const sections = new Sections();
  const top = fieldTable('', root, sections);
  return page(
    'Configuration of the gateway',
    '`switchboard.jsonc` configures the gateway. It can contain comments and trailing commas. An unknown field is an error. Never put a secret into this file. A field for a secret accepts `{ "env": "NAME" }` or `{ "file": "path" }`.',
    ['## Top level', top, ...sections.written()],
  );
}

/** A section for each kind of object, by what it holds: an object that stands in several places is described once. */
class Sections {
  readonly #byContent = new Map<string, Section>();
  readonly #written: string[] = [];

  /** @returns the title under which the object is described */
  titleOf(path: string, text: string, schema: Schema): string {
    const content = JSON.stringify(schema.properties);
    const found = this.#byContent.get(content);
    if (found) return found.title;
    this.#byContent.set(content, { title: path, text, schema });
    return path;
  }

  /** Every section, and those that it leads to, in the order in which they are named. */
  written(): readonly string[] {
    for (const { title, text, schema } of this.#byContent.values()) {
      const heading = `## \`${title}\``;
      const own = fieldTable(title, schema, this);
      this.#written.push(heading, ...(text === '' ? [] : [text]), own);
    }
    return this.#written;
  }
}

function fieldTable(path: string, schema: Schema, sections: Sections): string {
  const required = new Set(schema.required);
  return table(
    ['field', 'type', 'default', 'meaning'],
    Object.entries(schema.properties ?? {}).map(([name, it]) => {
      const here = path === '' ? name : `${path}.${name}`;
      const isPlain =
        it.default === undefined || (typeof it.default === 'object' && Object.keys(it.default ?? {}).length > 0);
      const standard = isPlain ? '' : `\`${JSON.stringify(it.default)}\``;
      return [
        `\`${name}\``,
        cell(typeOf(here, it, sections)),
        required.has(name) && it.const === undefined ? 'required' : standard,
        cell(it.description ?? ''),
      ];
    }),
  );
}

/** The type in a few words, with links to the sections of its objects. */
function typeOf(path: string, schema: Schema, sections: Sections): string {
  const choices = (schema.anyOf ?? schema.oneOf)?.filter((it) => it.type !== 'null');
  if (choices) {
    if (choices.some((it) => it.properties?.['env']) && choices.some((it) => it.properties?.['file']))
      return choices.length > 2 ? 'text or secret' : 'secret';
    const types = choices.map((it) => typeOf(pathOfChoice(path, it), it, sections));
    return [...new Set(types)].join(' or ');
  }
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((it) => `\`${JSON.stringify(it)}\``).join(', ');
  if (schema.type === 'array') return `list of ${typeOf(`${path}[]`, schema.items ?? {}, sections)}`;
  if (schema.properties) return linkTo(sections.titleOf(path, schema.description ?? '', schema));
  if (typeof schema.additionalProperties === 'object')
    return `object of ${typeOf(`${path}.{name}`, schema.additionalProperties, sections)} by name`;
  const types = [schema.type ?? 'any value'].flat().filter((it) => it !== 'null');
  return types.map((it) => plainTypes[it] ?? it).join(' or ');
}
const plainTypes: Readonly<Record<string, string>> = { string: 'text', integer: 'whole number' };

/** One of several objects is told apart by its constant member. */
function pathOfChoice(path: string, { properties = {} }: Schema): string {
  const kind = Object.values(properties).flatMap((it) => (typeof it.const === 'string' ? [it.const] : []))[0];
  return kind === undefined ? path : `${path} (${kind})`;
}

/** The anchor is what GitHub makes of the heading. */
const linkTo = (title: string): string =>
  `[${title}](#${title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')})`;
