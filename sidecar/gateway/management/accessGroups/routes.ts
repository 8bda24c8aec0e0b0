import * as z from 'zod';
import { AccessGroupRecord, accessGroupShape } from '../../../protocol/gateway/accessGroup.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { badField } from '../read.ts';
import { recordHandlers } from '../recordHandlers.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { remove } from '../writes.ts';

const tag = 'access groups';
const onePath = '/v1/access_group/{access_group_id}';

type Members = Pick<AccessGroupRecord, 'access_mcp_server_ids' | 'access_agent_ids' | 'access_model_names'>;

/** A name that nobody has would mean something else later. @throws {Fault} `invalid_params` naming the field */
async function checkMembers({ directory, store }: ManagementDeps, group: Partial<Members>): Promise<void> {
  const { catalogue } = await directory.registered();
  const waiting = new Set((await store.mcp_server.all()).map((it) => it.server_id));
  const isServer = (it: string) => waiting.has(it) || catalogue.serverIds(it).length > 0;
  if (!(group.access_mcp_server_ids ?? []).every(isServer))
    throw badField('access_mcp_server_ids', 'refers to an MCP server that does not exist');
  if (!(group.access_agent_ids ?? []).every((it) => catalogue.agentIds(it).length > 0))
    throw badField('access_agent_ids', 'refers to an A2A agent that does not exist');
}

const isGiven = ({ caller }: Call, { access_group_id }: AccessGroupRecord) =>
  seesAll(caller) || [caller.key, caller.team].some((it) => it?.access_group_ids?.includes(access_group_id) ?? false);

const groups = recordHandlers({
  kind: 'access_group',
  id: 'access_group_id',
  check: checkMembers,
  isVisible: isGiven,
  hidden: 'This key is not allowed to use this access group.',
});

const newGroup = route({
  method: 'POST',
  path: '/v1/access_group',
  who: 'admin',
  tag,
  summary:
    'Creates an access group of models, MCP servers, and A2A agents. Keys and teams refer to it in access_group_ids',
  status: 201,
  body: z.strictObject(accessGroupShape),
  answer: AccessGroupRecord,
  handle: groups.create(201),
});

const listGroups = route({
  method: 'GET',
  path: '/v1/access_group',
  who: 'any',
  tag,
  summary: 'Lists access groups. Administrators see all of them; others see those assigned to their key or its team',
  answer: z.array(AccessGroupRecord),
  handle: groups.list,
});

const readGroup = route({
  method: 'GET',
  path: onePath,
  who: 'any',
  tag,
  summary: 'Returns one access group',
  answer: AccessGroupRecord,
  handle: (call, deps) => groups.read(call, deps, call.params['access_group_id']!),
});

const updateGroup = route({
  method: 'PUT',
  path: onePath,
  who: 'admin',
  tag,
  summary: 'Updates the given fields. A null value clears a field',
  body: z.strictObject({ ...accessGroupShape, access_group_name: Id.optional() }),
  answer: AccessGroupRecord,
  handle: groups.update,
});

const deleteGroup = route({
  method: 'DELETE',
  path: onePath,
  who: 'admin',
  tag,
  summary: 'Deletes an access group. Keys and teams lose the access that it granted',
  answer: AccessGroupRecord,
  handle: async (call, deps) => ok(await remove(call, deps, 'access_group', call.params['access_group_id']!)),
});

export const accessGroupRoutes: readonly Route[] = [newGroup, listGroups, readGroup, updateGroup, deleteGroup];
