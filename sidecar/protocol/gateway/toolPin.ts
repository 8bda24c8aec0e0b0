import * as z from 'zod';
import { Id } from './stamps.ts';

const Definition = z.record(z.string(), z.unknown());

/** The definitions of one server's tools as they were approved, and those that are held back since. */
export const ToolPinRecord = z.object({
  server_id: Id,
  tools: z.array(
    z.object({
      tool: z.string(),
      /** SHA-256 in hex; null where none was approved yet. */
      hash: z.string().nullable(),
      approved_at: z.string().nullable(),
      definition: Definition.nullable(),
      held: z.object({ hash: z.string(), seen_at: z.string(), definition: Definition }).optional(),
    }),
  ),
  created_at: z.string(),
});
export type ToolPinRecord = z.infer<typeof ToolPinRecord>;
