/** What of JSON Schema a form understands; made from our zod schemas, or a tool's own `inputSchema`. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: FieldSchema | boolean;
  readonly anyOf?: readonly FieldSchema[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/**
 * How a field is asked for. `lines`: a list, one a line. `pairs`: a map, `name: value` a line. `lists`: a map of lists,
 * `name: a, b` a line. `grant`: inherit, or a list of the chosen. `picks`: a list of the ticked. `record`: the ID of a record,
 * chosen by its name. `rows`: a list of objects. `map`: a map, a row for each member. `toolPicks`: a map of servers to lists of
 * the ticked tools. `json`: whatever else.
 */
export type FieldKind =
  | 'text'
  | 'secret'
  | 'long'
  | 'number'
  | 'integer'
  | 'flag'
  | 'choice'
  | 'lines'
  | 'pairs'
  | 'lists'
  | 'grant'
  | 'picks'
  | 'record'
  | 'rows'
  | 'map'
  | 'toolPicks'
  | 'json';

export function isFieldSchema(value: unknown): value is FieldSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without the `null` that stands for "say nothing". */
export function plain(schema: FieldSchema): FieldSchema {
  const others = schema.anyOf?.filter((it) => it.type !== 'null');
  const only = others?.length === 1 ? others[0] : undefined;
  if (only) return { ...plain(only), ...(schema.description && { description: schema.description }) };
  if (Array.isArray(schema.type)) {
    const types = (schema.type as readonly string[]).filter((it) => it !== 'null');
    if (types.length === 1) return { ...schema, type: types[0]! };
  }
  return schema;
}

export function kindOf(given: FieldSchema): FieldKind {
  const schema = plain(given);
  if (schema.enum) return 'choice';
  switch (schema.type) {
    case 'string':
      return (schema.maxLength ?? 0) >= 10_000 ? 'long' : 'text';
    case 'number':
    case 'integer':
      return schema.type;
    case 'boolean':
      return 'flag';
    case 'array':
      return schema.items?.type === 'string' ? 'lines' : 'json';
    case 'object':
      return mapKind(schema);
    default:
      return 'json';
  }
}

function mapKind({ properties, additionalProperties }: FieldSchema): FieldKind {
  if (properties || typeof additionalProperties !== 'object') return 'json';
  if (additionalProperties.type === 'string') return 'pairs';
  return additionalProperties.type === 'array' && additionalProperties.items?.type === 'string' ? 'lists' : 'json';
}
