import { createHash } from 'node:crypto';
import { isRecord } from '../../../platform/isRecord.ts';
import { type ApiFilter, type ApiMethod, apiMethods } from '../../../protocol/gateway/openapi.ts';
import { isHeaderValue } from '../headerNames.ts';
import type { Item } from '../mcp/listAll.ts';
import { type ApiDocument, Operation, resolved, UnusableDocument } from './document.ts';
import { argumentName, TakenNames, toolName } from './names.ts';
import { matchesAll, matchesAny } from './operationFilter.ts';
import { type ApiParameter, isJsonType, readParameters } from './parameters.ts';
import { SchemaWriter } from './schemas.ts';

/** How a request body is written. */
export interface ApiBody {
  /** The value of `content-type`. */
  readonly type: string;
  readonly kind: 'json' | 'form' | 'text';
  readonly isRequired: boolean;
  readonly description: string | undefined;
  readonly schema: unknown;
  /** `encoding` of a form. */
  readonly encoding: Readonly<Record<string, unknown>>;
}

/** One operation of a document that is a tool. */
export interface ApiOperation {
  readonly method: ApiMethod;
  /** A template: `/pets/{id}`. */
  readonly path: string;
  /** By the name of the argument. */
  readonly parameters: ReadonlyMap<string, ApiParameter>;
  readonly body: (ApiBody & { readonly argument: string }) | undefined;
  readonly tool: Item;
  readonly known: { readonly schema: Record<string, unknown>; readonly text: string; readonly hash: string };
}

/** An operation as a person sees it who chooses among them. */
export interface OperationOutline {
  readonly name: string;
  readonly method: ApiMethod;
  readonly path: string;
  readonly summary: string;
  readonly tags: readonly string[];
  /** The filters of the server leave it out. */
  readonly isLeftOut: boolean;
  /** Why it cannot be a tool. */
  readonly problem?: string;
}

export interface ApiOperations {
  /** By the name of the tool. */
  readonly byName: ReadonlyMap<string, ApiOperation>;
  readonly outlines: readonly OperationOutline[];
}

export const maxOperations = 3_000;
/** Of all operations: a reference is short, so that a small document can give each of them a thousand. */
const maxParameters = 100_000;
const maxDescription = 4_000;

interface Found {
  readonly method: ApiMethod;
  readonly path: string;
  readonly operation: Operation;
  readonly shared: readonly unknown[];
  readonly hasOwnServers: boolean;
  readonly name: string;
}

/** @throws {UnusableDocument} where there are too many */
export function readOperations(
  document: ApiDocument,
  {
    include,
    exclude,
  }: { readonly include?: ApiFilter | null | undefined; readonly exclude?: ApiFilter | null | undefined },
): ApiOperations {
  const byName = new Map<string, ApiOperation>();
  const outlines: OperationOutline[] = [];
  const writer = new SchemaWriter(document);
  for (const found of findOperations(document, outlines)) {
    const { name, method, path, operation } = found;
    const isLeftOut = (include && !matchesAll(found, include)) || (exclude && matchesAny(found, exclude)) || false;
    // Also of those that are left out: who changes the filters sees what there would be.
    const outline = { name, method, path, summary: summaryOf(operation), tags: operation.tags ?? [], isLeftOut };
    try {
      const made = isLeftOut ? undefined : toOperation(document, writer, found);
      if (made) byName.set(name, made);
      outlines.push(outline);
    } catch (thrown) {
      if (!(thrown instanceof UnusableDocument)) throw thrown;
      outlines.push({ ...outline, problem: thrown.message });
    }
  }
  return { byName, outlines };
}

/** @param broken gets those that are no operations */
function findOperations(document: ApiDocument, broken: OperationOutline[]): readonly Found[] {
  const found: Found[] = [];
  const taken = new TakenNames();
  let parameters = 0;
  for (const [path, value] of Object.entries(document.paths)) {
    if (!path.startsWith('/')) continue;
    const item = pathItem(document, value);
    for (const method of apiMethods) {
      const raw = item?.[method];
      if (!item || raw === undefined) continue;
      const read = Operation.safeParse(raw);
      const { data: operation = {} as Operation } = read;
      const name = toolName(operation.operationId ?? `${method}_${path}`, taken);
      if (!read.success) {
        broken.push({
          name,
          method,
          path,
          summary: '',
          tags: [],
          isLeftOut: false,
          problem: 'It is not a valid operation.',
        });
        continue;
      }
      if (found.length === maxOperations)
        throw new UnusableDocument(`The OpenAPI document has more than ${maxOperations} operations.`);
      const shared = Array.isArray(item['parameters']) ? item['parameters'].slice(0, 1_000) : [];
      parameters += shared.length + (operation.parameters?.length ?? 0);
      if (parameters > maxParameters)
        throw new UnusableDocument(
          `The operations of the OpenAPI document have more than ${maxParameters} parameters.`,
        );
      const hasOwnServers = 'servers' in item || operation.servers !== undefined;
      found.push({ method, path, operation, shared, hasOwnServers, name });
    }
  }
  return found;
}

function pathItem(document: ApiDocument, value: unknown): Record<string, unknown> | undefined {
  try {
    const item = resolved(document.root, value);
    return isRecord(item) ? item : undefined;
  } catch (thrown) {
    if (thrown instanceof UnusableDocument) return undefined;
    throw thrown;
  }
}

const summaryOf = ({ summary, description }: Operation) => (summary ?? description ?? '').slice(0, 300);

function toOperation(document: ApiDocument, writer: SchemaWriter, found: Found): ApiOperation {
  const { method, path, operation, shared, hasOwnServers, name } = found;
  if (hasOwnServers)
    throw new UnusableDocument(
      'It has servers of its own, but all requests go to the address of the registered server.',
    );
  if (/[?#]/.test(path)) throw new UnusableDocument("Its path contains '?' or '#'.");
  const parameters = readParameters(document, [...shared, ...(operation.parameters ?? [])]);
  const placeholders = new Set([...path.matchAll(/\{([^{}]*)\}/g)].map(([, it = '']) => it));
  const inPath = new Set(parameters.filter((it) => it.in === 'path').map((it) => it.name));
  for (const it of placeholders)
    if (!inPath.has(it)) throw new UnusableDocument(`The parameter '${it}' of its path is not declared.`);
  const sent = parameters.filter((it) => it.in !== 'path' || placeholders.has(it.name));
  const body = readBody(document, operation.requestBody);
  const byArgument = new Map<string, ApiParameter>();
  const taken = new TakenNames();
  const places = new Map<string, number>();
  for (const it of sent) places.set(it.name, (places.get(it.name) ?? 0) + 1);
  const argument = body && argumentName('body', places.has('body') ? 'request_' : '', taken);
  for (const it of sent) {
    const isTwin = places.get(it.name) !== 1;
    byArgument.set(argumentName(it.name, isTwin ? `${it.in}_` : '', taken), it);
  }
  const schema = writer.fitting((write) =>
    inputSchema(byArgument, body && argument ? { ...body, argument } : undefined, write),
  );
  const text = JSON.stringify(schema);
  return {
    method,
    path,
    parameters: byArgument,
    body: body && argument ? { ...body, argument } : undefined,
    tool: toolOf(name, found, schema),
    known: { schema, text, hash: createHash('sha256').update(text).digest('hex') },
  };
}

function inputSchema(
  parameters: ReadonlyMap<string, ApiParameter>,
  body: ApiOperation['body'],
  write: (schema: unknown) => unknown,
): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  for (const [argument, { schema, description, isRequired, name }] of parameters) {
    const words = [argument === name ? undefined : `Sent as '${name}'.`, description?.slice(0, 2_000)]
      .filter(Boolean)
      .join(' ');
    properties[argument] = { ...asRecord(write(schema)), ...(words && { description: words }) };
    if (isRequired) required.push(argument);
  }
  if (body) {
    const { argument, description, isRequired } = body;
    properties[argument] = {
      ...asRecord(write(body.schema)),
      ...(description && { description: description.slice(0, 2_000) }),
    };
    if (isRequired) required.push(argument);
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
}

const asRecord = (schema: unknown): Record<string, unknown> => (isRecord(schema) ? schema : {});

function toolOf(name: string, { method, path, operation }: Found, inputSchema: Record<string, unknown>): Item {
  const { summary, description } = operation;
  const words = [summary, description === summary ? undefined : description].filter(Boolean).join('\n\n');
  const isRead = method === 'get' || method === 'head' || method === 'options';
  return {
    name,
    ...(summary && { title: summary.slice(0, 200) }),
    description: (words || `${method.toUpperCase()} ${path}`).slice(0, maxDescription),
    inputSchema,
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: method === 'delete' || method === 'put' || method === 'patch',
      idempotentHint: isRead || method === 'put' || method === 'delete',
      openWorldHint: true,
    },
  };
}

/** @throws {UnusableDocument} for one of a type that is not written */
function readBody(document: ApiDocument, value: unknown): ApiBody | undefined {
  const body = resolved(document.root, value);
  if (!isRecord(body)) return undefined;
  const content = isRecord(body['content']) ? body['content'] : {};
  const types = Object.keys(content);
  if (types.length === 0) return undefined;
  const json = types.find(isJsonType) ?? (types.includes('*/*') ? '*/*' : undefined);
  const form = types.find((it) => it.toLowerCase().startsWith('application/x-www-form-urlencoded'));
  const type = json ?? form ?? types.find((it) => /^text\/plain\b/i.test(it));
  if (type === undefined) {
    const words = types.some((it) => it.toLowerCase().startsWith('multipart/'))
      ? 'Its body is multipart/form-data, which tools cannot send.'
      : 'Its body has no type that tools can send, such as application/json.';
    throw new UnusableDocument(words);
  }
  if (!isHeaderValue(type)) throw new UnusableDocument('The type of its body is not valid.');
  const media = asRecord(content[type]);
  return {
    type: type === '*/*' ? 'application/json' : type,
    kind: type === json ? 'json' : type === form ? 'form' : 'text',
    isRequired: body['required'] === true,
    description: typeof body['description'] === 'string' ? body['description'] : undefined,
    schema: media['schema'],
    encoding: asRecord(media['encoding']),
  };
}
