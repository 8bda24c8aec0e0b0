import * as z from 'zod';
import type { FunctionTool } from '../models/languageModel.ts';

/** The JSON Schema of a tool's parameters. */
export function toJsonSchema(input: z.ZodObject): FunctionTool['inputSchema'] {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema as FunctionTool['inputSchema'];
}
