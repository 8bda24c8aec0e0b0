import * as z from 'zod';
import type { Question, QuestionAnswers, QuestionSet } from '../provider.ts';

const words = z.string().nullish().catch(null);
const count = z.int().nonnegative().nullish();
const choice = z.object({ const: z.string(), title: z.string(), description: words });
const values = z.array(z.string());
const common = { title: words, description: words };

/** The fields of a form of the Agent Client Protocol. */
const Field = z.discriminatedUnion('type', [
  z.object({
    ...common,
    type: z.literal('string'),
    enum: values.nullish(),
    oneOf: z.array(choice).nullish(),
    minLength: count,
    maxLength: count,
    format: words,
    default: words,
  }),
  z.object({
    ...common,
    type: z.enum(['number', 'integer']),
    minimum: z.number().nullish(),
    maximum: z.number().nullish(),
    default: z.number().nullish().catch(null),
  }),
  z.object({ ...common, type: z.literal('boolean'), default: z.boolean().nullish().catch(null) }),
  z.object({
    ...common,
    type: z.literal('array'),
    items: z.union([z.object({ enum: values }), z.object({ anyOf: z.array(choice) })]),
    minItems: count,
    maxItems: count,
  }),
]);
type Field = z.infer<typeof Field>;

const WebAddress = z
  .string()
  .refine((it) => URL.canParse(it) && /^https?:$/.test(new URL(it).protocol))
  .transform((it) => new URL(it).href);

/** A form, or a page that a person is asked to open. Other modes are not declared, so no agent may use them. */
export const Elicitation = z.discriminatedUnion('mode', [
  z.object({
    mode: z.literal('form'),
    message: z.string(),
    requestedSchema: z.object({
      properties: z.record(z.string(), Field),
      required: values.nullish(),
    }),
  }),
  z.object({ mode: z.literal('url'), message: z.string(), url: WebAddress }),
]);
export type Elicitation = z.infer<typeof Elicitation>;

/** The answer to `elicitation/create`. */
export type Elicited =
  /** `content` of a form. A page that a person opened has none. */
  | { readonly action: 'accept'; readonly content?: QuestionAnswers['values'] }
  | { readonly action: 'decline' | 'cancel' };

/** @param id unique in the chat */
export function toQuestionSet(id: string, request: Elicitation): QuestionSet {
  const { message } = request;
  if (request.mode === 'url') return { id, message, url: request.url, questions: [] };
  const { properties, required: names } = request.requestedSchema;
  const required = new Set(names ?? []);
  return {
    id,
    message,
    questions: Object.entries(properties).map(([name, field]) => toQuestion(name, field, required.has(name))),
  };
}

export function toElicited({ mode }: Elicitation, { response, values: content }: QuestionAnswers): Elicited {
  if (response !== 'accept') return { action: response };
  return mode === 'url' ? { action: 'accept' } : { action: 'accept', content };
}

function toQuestion(id: string, field: Field, required: boolean): Question {
  const title = field.title ?? id;
  const base = { id, message: field.description ?? title, ...(field.description && { title }), required };
  switch (field.type) {
    case 'boolean':
      return { ...base, kind: 'boolean', ...(field.default != null && { defaultValue: field.default }) };
    case 'number':
    case 'integer':
      return {
        ...base,
        kind: field.type,
        ...(field.minimum != null && { min: field.minimum }),
        ...(field.maximum != null && { max: field.maximum }),
        ...(field.default != null && { defaultValue: field.default }),
      };
    case 'array':
      return {
        ...base,
        kind: 'multi-select',
        options: 'enum' in field.items ? untitled(field.items.enum) : titled(field.items.anyOf),
        ...(field.minItems != null && { min: field.minItems }),
        ...(field.maxItems != null && { max: field.maxItems }),
      };
    case 'string': {
      const options = field.oneOf ? titled(field.oneOf) : field.enum ? untitled(field.enum) : undefined;
      if (options) {
        const marked = options.map((it) => (it.id === field.default ? { ...it, recommended: true } : it));
        return { ...base, kind: 'single-select', options: marked };
      }
      return {
        ...base,
        kind: 'text',
        ...(field.format && { format: field.format }),
        ...(field.minLength != null && { min: field.minLength }),
        ...(field.maxLength != null && { max: field.maxLength }),
        ...(field.default != null && { defaultValue: field.default }),
      };
    }
  }
}

const untitled = (all: readonly string[]) => all.map((it) => ({ id: it, label: it }));
const titled = (all: readonly z.infer<typeof choice>[]) =>
  all.map((it) => ({ id: it.const, label: it.title, ...(it.description && { description: it.description }) }));
