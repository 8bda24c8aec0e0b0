import type { Answer, OfferedTool, Said } from './script.ts';

/** One API: how its requests are read, and an answer as its events. Without `stream: true` the last one is the whole. */
export interface Api {
  readonly read: (body: Record<string, unknown>) => {
    readonly conversation: readonly Said[];
    readonly tools: readonly OfferedTool[];
    /** JSON that the request asks for, instead of an answer to the conversation. */
    readonly wanted?: string;
  };
  /** The events of an answer, as text/event-stream lines; `whole` is the body without streaming. */
  readonly write: (
    answer: Answer,
    id: string,
    model: string,
  ) => { readonly events: readonly string[]; readonly whole: unknown };
}

/** An event of text/event-stream. */
export function sse(data: unknown, name?: string): string {
  return `${name ? `event: ${name}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** Words with the space behind them: what a stream is made of. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

export const usualUsage = { input: 10, output: 5 };

/** The names in a JSON schema's `properties`. */
export function parametersOf(schema: unknown): readonly string[] {
  const properties = (schema as { properties?: object } | undefined)?.properties;
  return properties ? Object.keys(properties) : [];
}

export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** A value that fits the schema. */
export function exampleOf({ type, enum: values, properties = {} }: Schema): unknown {
  if (values) return values[0];
  switch (type) {
    case 'object':
      return Object.fromEntries(Object.entries(properties).map(([name, it]) => [name, exampleOf(it)]));
    case 'array':
      return [];
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return 0;
    default:
      return 'a text';
  }
}
