import * as z from 'zod';
import { Id, stampShape } from './stamps.ts';

const Names = z.array(Id).max(10_000).nullish();

/** Models, servers and agents under one name, which keys and teams refer to by `access_group_ids`. */
export const accessGroupShape = {
  /** Unique among access groups. */
  access_group_name: Id,
  description: z.string().max(10_000).nullish(),
  access_model_names: Names,
  /** By id, name or alias. Absent or null: the group says nothing about servers. */
  access_mcp_server_ids: Names,
  /** By UUID or name. Absent or null: the group says nothing about agents. */
  access_agent_ids: Names,
};
export const AccessGroupRecord = z.object({ access_group_id: Id, ...accessGroupShape, ...stampShape });
export type AccessGroupRecord = z.infer<typeof AccessGroupRecord>;

/** Of a key or a team: what it may use beside its `object_permission`. Absent says nothing, `[]` allows nothing. */
export const AccessGroupIds = z.array(Id).max(256).nullish();
