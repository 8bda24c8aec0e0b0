import type { TemplateResult } from 'lit';
import * as z from 'zod';
import { humanised } from '../kit/format.ts';
import type { Option } from '../kit/select.ts';
import type { Draft } from './drafts.ts';
import { type FieldKind, type FieldSchema, isFieldSchema, kindOf, plain } from './fieldSchema.ts';
import type { RowColumn } from './rows.ts';

export interface FormField {
  /** As on the API, with dots for members: `credentials.client_id`. */
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly help?: string | undefined;
  readonly isRequired?: boolean;
  readonly placeholder?: string | undefined;
  /** Of a choice: what it means to choose none. */
  readonly unset?: string | undefined;
  /** Of a choice: all of them. Of text: what is offered. Of a grant: what there is. */
  readonly options?: readonly Option[] | undefined;
  /** Of a grant: names that are not among the options can be added, and this describes them. */
  readonly others?: string | undefined;
  /** Of rows. */
  readonly columns?: readonly RowColumn[] | undefined;
}
export interface FormGroup {
  readonly title: string;
  readonly fields: readonly FormField[];
  /** Said above the fields. */
  readonly note?: TemplateResult | undefined;
  /** Folded away at first: what few need. */
  readonly isFolded?: boolean;
  /** Whether it is shown with what was entered so far. Default: always. Fields that are not shown are not sent. */
  readonly isFor?: (current: (name: string) => Draft) => boolean;
}

export interface FieldLabels {
  readonly label?: string;
  readonly help?: string;
  readonly placeholder?: string;
  readonly unset?: string;
  readonly kind?: FieldKind;
  readonly isRequired?: boolean;
  readonly options?: readonly Option[];
  readonly others?: string;
  readonly columns?: readonly RowColumn[];
}

const known = new WeakMap<z.ZodType, FieldSchema>();

/** The fields of a schema by name, in the order asked for: kind, choices and bounds are the schema's own. */
export function fieldsOf(schema: z.ZodType, words: Readonly<Record<string, FieldLabels>>): FormField[] {
  const root = known.get(schema) ?? (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as FieldSchema);
  known.set(schema, root);
  return Object.entries(words).map(([name, own]) => fieldOf(name, schemaAt(root, name), own));
}

function schemaAt(root: FieldSchema, name: string): FieldSchema {
  const found = name.split('.').reduce<FieldSchema | undefined>((at, part) => at && plain(at).properties?.[part], root);
  if (!found) throw new Error(`the schema has no field ${name}`);
  return found;
}

export function fieldOf(name: string, given: FieldSchema, own: FieldLabels = {}): FormField {
  const schema = plain(given);
  const choices = schema.enum?.map((it) => ({ value: String(it), label: String(it) }));
  return {
    name,
    label: own.label ?? schema.title ?? humanised(name),
    kind: own.kind ?? kindOf(schema),
    help: own.help ?? schema.description,
    isRequired: own.isRequired ?? false,
    placeholder: own.placeholder,
    unset: own.unset,
    options: own.options ?? choices,
    others: own.others,
    columns: own.columns,
  };
}

/** A form for a tool's arguments. Members of objects are asked for as JSON: schemas of others nest as they like. */
export function fieldsOfTool(inputSchema: unknown): FormField[] {
  if (!isFieldSchema(inputSchema)) return [];
  const required = new Set(inputSchema.required ?? []);
  return Object.entries(inputSchema.properties ?? {}).map(([name, schema]) => {
    const field = fieldOf(name, isFieldSchema(schema) ? schema : {}, { isRequired: required.has(name), label: name });
    // An empty list is a value too, and JSON is the only way to say it.
    return field.kind === 'pairs' || field.kind === 'lists' ? { ...field, kind: 'json' } : field;
  });
}
