import type { Ajv, AnySchemaObject, ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { withinTime } from './bounded.ts';

/** Canonical characters of a schema. */
export const maxSchemaLength = 65_536;
const maxCompileMs = 1_000;

/** Why a schema cannot be used, for the log and for the caller. */
export interface Unusable {
  readonly unusable: string;
}

export interface Compiled {
  readonly validate: ValidateFunction;
  /** Its time is not bounded by the length of the schema: it has patterns, references, or a schema for each of many. */
  readonly isRisky: boolean;
}

/** `code` is generated from the schema, so nothing in it is fetched, inlined many times or filled in. */
const options = {
  strict: false,
  logger: false,
  validateSchema: false,
  meta: false,
  inlineRefs: false,
} as const;

const unbounded =
  /"(?:pattern|patternProperties|format|uniqueItems|items|contains|propertyNames|unevaluated\w+|\$\w*[rR]ef)":|"additional\w+":\{/;

type Draft = '2020-12' | 'draft-07';

/**
 * Compiles a tool's schema: JSON Schema 2020-12, or draft-07 where `$schema` says so. References lead to places in the
 * schema itself; one that leads elsewhere is never fetched and makes the schema unusable.
 */
export async function compileSchema(schema: AnySchemaObject, text: string): Promise<Compiled | Unusable> {
  if (text.length > maxSchemaLength) return { unusable: `is longer than ${maxSchemaLength} characters` };
  const draft = draftOf(schema);
  if (!draft) return { unusable: 'uses a draft other than 2020-12 or draft-07' };
  const [meta, ajv] = [await metaOf(draft), await open(draft, options)];
  const compiled = withinTime(maxCompileMs, (): ValidateFunction | undefined => {
    if (meta.validateSchema(schema) !== true) return undefined;
    try {
      return ajv.compile(schema);
    } catch (thrown) {
      if (thrown instanceof Error) return undefined; // a reference or a pattern that leads nowhere
      throw thrown;
    }
  });
  if (!compiled) return { unusable: 'takes too long to compile' };
  if (!compiled.result) return { unusable: 'is not a valid JSON Schema or contains external references' };
  return { validate: compiled.result, isRisky: unbounded.test(text) };
}

function draftOf({ $schema }: AnySchemaObject): Draft | undefined {
  if ($schema === undefined) return '2020-12';
  const found = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft-07)\/schema#?$/.exec(String($schema));
  if (!found) return undefined;
  return found[1] === 'draft-07' ? 'draft-07' : '2020-12';
}

const metas = new Map<Draft, Promise<Ajv | Ajv2020>>();

/** Reads the schema of schemas once: it costs 30 ms. */
function metaOf(draft: Draft): Promise<Ajv | Ajv2020> {
  const meta = metas.get(draft) ?? open(draft, { strict: false, logger: false });
  metas.set(draft, meta);
  return meta;
}

/** One for each schema, because two schemas may have the same `$id`. */
async function open(draft: Draft, own: object): Promise<Ajv | Ajv2020> {
  // Through `default`, which is the module itself both from source and in the bundle.
  const formats = (await import('ajv-formats')).default.default;
  const ajv =
    draft === 'draft-07'
      ? new (await import('ajv')).default.Ajv(own)
      : new (await import('ajv/dist/2020.js')).default.Ajv2020(own);
  formats(ajv, { mode: 'fast' });
  return ajv;
}
