import * as z from 'zod';
import { Id, stampShape } from '../stamps.ts';

export const AccessRequestStatus = z.enum(['pending', 'granted', 'refused']);

/** What somebody with a key asked for, and what became of it. One for each key and server. */
export const AccessRequestRecord = z.object({
  request_id: Id,
  server_id: Id,
  /** Hash of the key. */
  token: Id,
  reason: z.string().nullish(),
  status: AccessRequestStatus,
  decided_at: z.string().nullish(),
  decided_by: z.string().nullish(),
  /** Said to who asked. */
  decision_notes: z.string().nullish(),
  ...stampShape,
});
export type AccessRequestRecord = z.infer<typeof AccessRequestRecord>;

/** `POST /v1/mcp/access-request`. */
export const AccessRequestCreate = z.strictObject({
  server_id: Id,
  reason: z.string().max(1_000).nullish().describe('Shown to administrators'),
});

/** A request as administrators see it. */
export const AccessRequestAnswer = AccessRequestRecord.extend({
  server_name: z.string(),
  key_alias: z.string().nullable(),
  team_id: z.string().nullable(),
  user_id: z.string().nullable(),
});
export type AccessRequestAnswer = z.infer<typeof AccessRequestAnswer>;
/** `GET /v1/mcp/access-request`. */
export const AccessRequestListAnswer = z.object({ requests: z.array(AccessRequestAnswer), pending: z.int() });

/** A server as everybody may see it who may use it or ask for it: nothing about how it is reached. */
export const CatalogServer = z.object({
  server_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  owners: z.array(z.string()),
  status: z.enum(['healthy', 'unhealthy', 'unknown']),
  last_health_check: z.string().nullable(),
  may_use: z.boolean(),
  tools: z.int().nullable().describe('Number of tools that it listed last; null if it is not known'),
  request: z
    .object({ status: AccessRequestStatus, created_at: z.string(), decision_notes: z.string().nullable() })
    .nullable()
    .describe('The last request of the key that asks'),
});
export type CatalogServer = z.infer<typeof CatalogServer>;
/** `GET /v1/mcp/catalog`. */
export const CatalogAnswer = z.object({ servers: z.array(CatalogServer) });
