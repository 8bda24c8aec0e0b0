import * as z from 'zod';
import { Fault } from '../../platform/faults.ts';
import type { HttpRequest } from '../../platform/httpMessages.ts';
import { nestsTooDeep, readBody } from '../../platform/requestBody.ts';

/** Of a management request. */
const MAX_BODY_BYTES = 4_000_000;
/** Of a parameter that is repeated to whoever sent it. */
const MAX_NAME = 64;

export const badField = (field: string, what: string): Fault =>
  new Fault('invalid_params', `'${field}' ${what}.`, { data: { field } });

/** @throws {Fault} `invalid_params` naming the first field that is wrong; the value is never repeated */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []), ...unknown].join('.');
  const problem = unknown.length > 0 ? 'is unknown' : `is invalid: ${issue?.message}`;
  throw badField(field === '' ? 'body' : field, problem);
}

/**
 * A filter that is not known is never ignored: the answer would be everything.
 * @throws {Fault} `invalid_params` naming the first parameter that the schema does not have
 */
export function checkParameters(schema: z.ZodType | undefined, query: unknown): void {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  for (const name of Object.keys(query as object)) {
    if (known.includes(name)) continue;
    const words =
      known.length === 0 ? 'this route does not accept parameters' : `this route accepts ${known.join(', ')}`;
    throw badField(name.slice(0, MAX_NAME), `is unknown: ${words}`);
  }
}

/** The JSON of a body; an empty one reads as `{}`. @throws {Fault} `invalid_params` naming `body`, `too_large` */
export async function readJson(request: HttpRequest): Promise<unknown> {
  const text = await readBody(request, MAX_BODY_BYTES);
  if (text === undefined)
    throw new Fault('too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`, { data: { field: 'body' } });
  if (text.trim() === '') return {};
  if (nestsTooDeep(text)) throw badField('body', 'is nested too deeply');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw badField('body', 'is not valid JSON');
  }
}

/** What comes more than once becomes a list. */
export function readQuery(parameters: URLSearchParams): Record<string, string | readonly string[]> {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? values[0]! : values];
    }),
  );
}

/** Parts of query schemas: everything there is text. */
export const Flag = z.enum(['true', 'false']).transform((it) => it === 'true');
export const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
/** `a,b` or `x=a&x=b`. */
export const Names = z
  .union([z.string(), z.array(z.string())])
  .transform((it) => [it].flat().flatMap((text) => text.split(',').flatMap((name) => name.trim() || [])));
export const Order = z.enum(['asc', 'desc']);
