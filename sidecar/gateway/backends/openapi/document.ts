import * as z from 'zod';
import { isRecord } from '../../../platform/isRecord.ts';
import { nestsDeeper } from '../mcp/nestsDeeper.ts';

/** Characters of a document. YAML takes many times as long to read as JSON, so less of it is read. */
export const documentLimits = { json: 16_000_000, yaml: 2_000_000 } as const;

/** Why a document, or one of its operations, cannot be used: a sentence for people. Holds nothing secret. */
export class UnusableDocument extends Error {
  override readonly name = 'UnusableDocument';
  /** The log needs no stack of it. */
  readonly isExpected = true;
}

const Items = z.array(z.unknown()).max(1_000);
const ServerUrl = z.looseObject({
  url: z.string().max(2_048),
  variables: z.record(z.string(), z.looseObject({ default: z.string() })).optional(),
});

/** An operation object, as far as a tool is made of it. */
export const Operation = z.looseObject({
  operationId: z.string().max(1_000).optional().catch(undefined),
  summary: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  tags: z.array(z.string()).optional().catch(undefined),
  deprecated: z.boolean().optional().catch(undefined),
  parameters: Items.optional(),
  requestBody: z.unknown().optional(),
  servers: z.array(z.unknown()).optional(),
});
export type Operation = z.infer<typeof Operation>;

const Document = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ title: z.string().optional(), version: z.string().optional() }).catch({}),
  servers: z.array(ServerUrl).max(1_000).optional().catch(undefined),
  paths: z.record(z.string(), z.unknown()).default({}),
});

/** An OpenAPI 3.0 or 3.1 document. */
export interface ApiDocument {
  /** All of it, for references. */
  readonly root: Readonly<Record<string, unknown>>;
  /** Schemas of 3.0 differ from JSON Schema. */
  readonly is30: boolean;
  readonly title: string;
  readonly version: string;
  /** The first of `servers`, with the default values of its variables; absent where there is none. */
  readonly server: string | undefined;
  readonly paths: Readonly<Record<string, unknown>>;
}

/** @throws {UnusableDocument} for what is no OpenAPI 3.0 or 3.1 document, or is too large */
export async function readDocument(text: string): Promise<ApiDocument> {
  if (text.length > documentLimits.json)
    throw new UnusableDocument(`The OpenAPI document is longer than ${documentLimits.json} characters.`);
  const root = await parse(text);
  if (!isRecord(root))
    throw new UnusableDocument('The document is not an OpenAPI document, because it is not an object.');
  if ('swagger' in root)
    throw new UnusableDocument(
      'The document is Swagger 2.0, but OpenAPI 3.0 or 3.1 is required. Convert it, for example with the Swagger Converter, and use the result.',
    );
  const version = root['openapi'];
  if (typeof version !== 'string' || !/^3\.[01](?:\.|$)/.test(version))
    throw new UnusableDocument(
      `The document is not an OpenAPI 3.0 or 3.1 document. Its 'openapi' member must be a version such as 3.1.0.`,
    );
  if (nestsDeeper(root)) throw new UnusableDocument('The OpenAPI document is nested too deeply.');
  const read = Document.safeParse(root);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new UnusableDocument(`The OpenAPI document is not valid: '${issue?.path.join('.')}' ${issue?.message}.`);
  }
  const { info, servers, paths } = read.data;
  const [server] = servers ?? [];
  return {
    root,
    is30: version.startsWith('3.0'),
    title: info.title ?? '',
    version: info.version ?? '',
    server: server && withDefaults(server),
    paths,
  };
}

async function parse(text: string): Promise<unknown> {
  if (/^\s*\{/.test(text)) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      // YAML allows braces too, but who writes them means JSON.
      throw new UnusableDocument('The OpenAPI document is not valid JSON.');
    }
  }
  if (text.length > documentLimits.yaml)
    throw new UnusableDocument(
      `The OpenAPI document is YAML of more than ${documentLimits.yaml} characters. Use JSON for a large document.`,
    );
  const { default: yaml } = await import('yaml');
  try {
    return yaml.parse(text, { schema: 'core', maxAliasCount: 100, logLevel: 'silent' }) as unknown;
  } catch {
    throw new UnusableDocument('The OpenAPI document is neither valid JSON nor valid YAML.');
  }
}

const withDefaults = ({ url, variables }: z.infer<typeof ServerUrl>): string =>
  url.replace(/\{([^{}]+)\}/g, (whole, name: string) => variables?.[name]?.default ?? whole);

/** How many references may lead to each other. */
const maxHops = 32;

/** What a reference leads to, if the value is one. @throws {UnusableDocument} for one that leads nowhere, or elsewhere */
export function resolved(root: ApiDocument['root'], value: unknown): unknown {
  let found = value;
  for (let hops = 0; isRecord(found) && typeof found['$ref'] === 'string'; hops += 1) {
    if (hops === maxHops) throw new UnusableDocument('A reference leads back to itself.');
    found = lookUp(root, found['$ref']);
  }
  return found;
}

/** @param ref a JSON pointer in the same document: `#/components/schemas/Pet` */
export function lookUp(root: ApiDocument['root'], ref: string): unknown {
  const shown = ref.slice(0, 200);
  if (!ref.startsWith('#'))
    throw new UnusableDocument(
      `The reference '${shown}' leads to another document, which is not fetched. Bundle the documents into one.`,
    );
  if (ref !== '#' && !ref.startsWith('#/'))
    throw new UnusableDocument(`The reference '${shown}' is not a JSON pointer.`);
  let found: unknown = root;
  for (const part of ref.split('/').slice(1)) {
    const name = unescaped(part).replaceAll('~1', '/').replaceAll('~0', '~');
    const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, name);
    if (!isThere) throw new UnusableDocument(`The reference '${shown}' leads nowhere.`);
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
