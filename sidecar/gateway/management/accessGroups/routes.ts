import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { AccessGroupRecord, accessGroupShape } from '../../../protocol/gateway/accessGroup.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { notFound } from '../../storage/records.ts';
import type { ManagementDeps } from '../deps.ts';
import { badField } from '../read.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { change, create, created, named, remove } from '../writes.ts';

const tag = 'access groups';
const onePath = '/v1/access_group/{access_group_id}';

type Members = Pick<AccessGroupRecord, 'access_mcp_server_ids' | 'access_agent_ids'>;

/** A name that nobody has would mean something else later. @throws {Fault} `invalid_params` naming the field */
async function checkMembers({ directory, store }: ManagementDeps, group: Members): Promise<void> {
  const { catalogue } = await directory.registered();
  const waiting = new Set((await store.mcp_server.all()).map((it) => it.server_id));
  const isServer = (it: string) => waiting.has(it) || catalogue.serverIds(it).length > 0;
  if (!(group.access_mcp_server_ids ?? []).every(isServer))
    throw badField('access_mcp_server_ids', 'names a server that is not there');
  if (!(group.access_agent_ids ?? []).every((it) => catalogue.agentIds(it).length > 0))
    throw badField('access_agent_ids', 'names an agent that is not there');
}

const newGroup = route({
  method: 'POST',
  path: '/v1/access_group',
  who: 'admin',
  tag,
  summary: 'Bundles models, servers and agents, for keys and teams to name by access_group_ids',
  status: 201,
  body: z.strictObject(accessGroupShape),
  answer: AccessGroupRecord,
  async handle(call, deps) {
    await checkMembers(deps, call.body);
    const id = deps.newId();
    const record = { access_group_id: id, ...named(call.body), ...created(call, deps) };
    return ok(await create(call, deps, 'access_group', id, record), 201);
  },
});

const isGiven = ({ caller }: Call, { access_group_id }: AccessGroupRecord) =>
  seesAll(caller) || [caller.key, caller.team].some((it) => it?.access_group_ids?.includes(access_group_id) ?? false);

const listGroups = route({
  method: 'GET',
  path: '/v1/access_group',
  who: 'any',
  tag,
  summary: 'Access groups: all for administrators, else those that your key or its team names',
  answer: z.array(AccessGroupRecord),
  handle: async (call, { store }) => ok((await store.access_group.all()).filter((it) => isGiven(call, it))),
});

const readGroup = route({
  method: 'GET',
  path: onePath,
  who: 'any',
  tag,
  summary: 'One access group',
  answer: AccessGroupRecord,
  async handle(call, { store }) {
    const id = call.params['access_group_id']!;
    const found = await store.access_group.get(id);
    if (found && isGiven(call, found)) return ok(found);
    if (seesAll(call.caller)) throw notFound('access_group', id);
    throw new Fault('forbidden', 'This key may not use such an access group.', { data: { field: 'access_group_id' } });
  },
});

const updateGroup = route({
  method: 'PUT',
  path: onePath,
  who: 'admin',
  tag,
  summary: 'Changes what is named; null takes away',
  body: z.strictObject({ ...accessGroupShape, access_group_name: Id.optional() }),
  answer: AccessGroupRecord,
  async handle(call, deps) {
    await checkMembers(deps, call.body);
    const next = (it: AccessGroupRecord) => ({ ...it, ...named(call.body) });
    return ok(await change(call, deps, 'access_group', call.params['access_group_id']!, next));
  },
});

const deleteGroup = route({
  method: 'DELETE',
  path: onePath,
  who: 'admin',
  tag,
  summary: 'Deletes an access group; keys and teams that name it may use nothing by it any more',
  answer: AccessGroupRecord,
  handle: async (call, deps) => ok(await remove(call, deps, 'access_group', call.params['access_group_id']!)),
});

export const accessGroupRoutes: readonly Route[] = [newGroup, listGroups, readGroup, updateGroup, deleteGroup];
