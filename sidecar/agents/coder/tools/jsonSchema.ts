import * as z from 'zod';
import type { FunctionTool } from '../models/languageModel.ts';

/** The parameters of a tool as models get them. */
export function toJsonSchema(input: z.ZodObject): FunctionTool['inputSchema'] {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema as FunctionTool['inputSchema'];
}
