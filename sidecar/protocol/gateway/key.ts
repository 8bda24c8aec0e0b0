import * as z from 'zod';
import { AccessGroupIds } from './accessGroup.ts';
import { Duration } from './duration.ts';
import { limitShape } from './limits.ts';
import { ObjectPermission } from './objectPermission.ts';
import { AllowedIps, Id, Metadata, stampShape, Tags } from './stamps.ts';

/** What a person may set of a virtual key. */
export const keyShape = {
  /** Unique among keys. */
  key_alias: Id.nullish(),
  ...limitShape,
  budget_id: Id.nullish(),
  user_id: Id.nullish(),
  /** The budget's owner: a team's key does not count against the user. */
  team_id: Id.nullish(),
  organization_id: Id.nullish(),
  /** The agent that owns the key: what it does counts as the agent's doing. */
  agent_id: Id.nullish(),
  object_permission: ObjectPermission.nullish(),
  access_group_ids: AccessGroupIds,
  /** Paths, paths that end in `*`, or names of groups as `mcp_routes`. Absent or empty: all. */
  allowed_routes: z.array(z.string().min(1).max(512)).max(256).nullish(),
  /** Below `/cloudagents`. */
  allowed_passthrough_routes: z.array(z.string().min(1).max(512)).max(256).nullish(),
  allowed_ips: AllowedIps.nullish(),
  /** Requests a minute, by server. */
  mcp_rpm_limit: z.record(z.string(), z.int().min(0)).nullish(),
  models: z.array(z.string()).nullish(),
  metadata: Metadata.nullish(),
  tags: Tags.nullish(),
  /** Guardrails that run for this key beside those that always run. */
  guardrails: z.array(Id).max(64).nullish(),
  /** May ask for debug headers. */
  allow_debug: z.boolean().nullish(),
  /** Requests and responses of its calls are never stored. */
  no_content_log: z.boolean().nullish(),
  blocked: z.boolean().nullish(),
  auto_rotate: z.boolean().nullish(),
  rotation_interval: Duration.nullish(),
};

/** Who a key may act as on the management routes. */
export const Role = z.enum(['proxy_admin', 'proxy_admin_viewer', 'internal_user']);
export type Role = z.infer<typeof Role>;

export const KeyRecord = z.object({
  /** SHA-256 of the key, hex: the key itself is kept nowhere. */
  token: z.string().regex(/^[0-9a-f]{64}$/),
  /** Stays the same when the key is rotated: budgets count by it. */
  token_id: z.string(),
  /** `sk-...` and the last four characters, for people. */
  key_name: z.string(),
  ...keyShape,
  role: Role.nullish(),
  expires: z.string().nullish(),
  rotation_count: z.int().default(0),
  /** Hash of the key under which its MCP sessions began: kept where it is rotated with a grace period, given up otherwise. */
  sessions_of: z.string().nullish(),
  ...stampShape,
});
export type KeyRecord = z.infer<typeof KeyRecord>;

/** A key of a team, and of no person or agent: it does not end with anybody. */
export const isServiceAccount = ({ team_id, user_id, agent_id }: Pick<KeyRecord, 'team_id' | 'user_id' | 'agent_id'>) =>
  Boolean(team_id) && !user_id && !agent_id;

/** The hash of a key that was rotated, and how long it still stands for the new one. */
export const KeyGrace = z.object({ token: z.string(), current: z.string(), expires: z.string() });
export type KeyGrace = z.infer<typeof KeyGrace>;

/** Body of `POST /key/generate`. */
export const KeyGenerate = z.strictObject({
  ...keyShape,
  role: Role.nullish(),
  /** One that a person chose. */
  key: z.string().nullish(),
  duration: Duration.nullish(),
  key_type: z.enum(['default', 'llm_api', 'management', 'read_only']).nullish(),
});
export type KeyGenerate = z.infer<typeof KeyGenerate>;

/** Body of `POST /key/update`: only what is named changes; null takes away. */
export const KeyUpdate = z.strictObject({
  ...keyShape,
  role: Role.nullish(),
  /** The key or its hash. */
  key: z.string().min(1),
  duration: Duration.nullish(),
});
export type KeyUpdate = z.infer<typeof KeyUpdate>;
