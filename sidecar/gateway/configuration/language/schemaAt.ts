import { configJsonSchema, type JsonSchema } from '../jsonSchema.ts';
import type { Path } from './references.ts';

let whole: JsonSchema | undefined;

/** What the schema allows at a place: several where there is a choice, none where nothing is known. */
export function schemasAt(path: Path): readonly JsonSchema[] {
  whole ??= configJsonSchema();
  let here = choices(whole);
  for (const segment of path) here = here.flatMap((it) => inside(it, segment)).flatMap(choices);
  return here;
}

/** What the schema says of the member at `path`, in words. The nearest words count: those of a choice come after its own. */
export function wordsAt(path: Path): string | undefined {
  const parent = schemasAt(path.slice(0, -1));
  const segment = path.at(-1);
  if (segment === undefined) return whole?.description;
  return parent.flatMap((it) => inside(it, segment)).find((it) => it.description !== undefined)?.description;
}

function inside({ properties, additionalProperties, items }: JsonSchema, segment: string | number): JsonSchema[] {
  const member =
    typeof segment === 'number'
      ? items
      : properties && Object.hasOwn(properties, segment)
        ? properties[segment]
        : additionalProperties;
  return typeof member === 'object' && !Array.isArray(member) ? [member] : [];
}

const choices = (schema: JsonSchema): JsonSchema[] => {
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter((it) => typeof it === 'object');
  return inner.length === 0 ? [schema] : inner.flatMap((it) => choices(it as JsonSchema));
};
