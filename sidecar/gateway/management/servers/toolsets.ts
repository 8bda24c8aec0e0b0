import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { ToolsetRecord, toolsetShape } from '../../../protocol/gateway/mcpServer.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { notFound } from '../../storage/records.ts';
import type { ManagementDeps } from '../deps.ts';
import { badField } from '../read.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { change, create, created, named, remove } from '../writes.ts';

const tag = 'toolsets';
const Tools = toolsetShape.tools.default([]);

async function checkTools({ store }: ManagementDeps, tools: ToolsetRecord['tools']): Promise<void> {
  const ids = new Set((await store.mcp_server.all()).map((it) => it.server_id));
  if (tools.some((it) => !ids.has(it.server_id))) throw badField('tools', 'names a server that is not there');
}

const newToolset = route({
  method: 'POST',
  path: '/v1/mcp/toolset',
  who: 'admin',
  tag,
  summary: 'Puts tools of several servers behind one address',
  status: 201,
  body: z.strictObject({
    toolset_name: toolsetShape.toolset_name,
    description: toolsetShape.description,
    tools: Tools,
  }),
  answer: ToolsetRecord,
  async handle(call, deps) {
    await checkTools(deps, call.body.tools);
    const id = deps.newId();
    const record = { toolset_id: id, ...named(call.body), ...created(call, deps) };
    return ok(await create(call, deps, 'toolset', id, record), 201);
  },
});

const isGiven = ({ caller }: Call, { toolset_id, toolset_name }: ToolsetRecord) =>
  seesAll(caller) ||
  (caller.key.object_permission?.mcp_toolsets?.some((it) => it === toolset_id || it === toolset_name) ?? false);

const listToolsets = route({
  method: 'GET',
  path: '/v1/mcp/toolset',
  who: 'any',
  tag,
  summary: 'Toolsets: all for administrators, else those that your key names',
  answer: z.array(ToolsetRecord),
  handle: async (call, { store }) => ok((await store.toolset.all()).filter((it) => isGiven(call, it))),
});

const readToolset = route({
  method: 'GET',
  path: '/v1/mcp/toolset/{toolset_id}',
  who: 'any',
  tag,
  summary: 'One toolset',
  answer: ToolsetRecord,
  async handle(call, { store }) {
    const id = call.params['toolset_id']!;
    const found = await store.toolset.get(id);
    if (found && isGiven(call, found)) return ok(found);
    if (seesAll(call.caller)) throw notFound('toolset', id);
    throw new Fault('forbidden', 'This key may not use such a toolset.', { data: { field: 'toolset_id' } });
  },
});

const updateToolset = route({
  method: 'PUT',
  path: '/v1/mcp/toolset',
  who: 'admin',
  tag,
  summary: 'Changes what is named',
  body: z.strictObject({
    toolset_id: Id,
    toolset_name: toolsetShape.toolset_name.optional(),
    description: toolsetShape.description,
    tools: toolsetShape.tools.optional(),
  }),
  answer: ToolsetRecord,
  async handle(call, deps) {
    const { toolset_id, ...fields } = call.body;
    await checkTools(deps, fields.tools ?? []);
    return ok(await change(call, deps, 'toolset', toolset_id, (it) => ({ ...it, ...named(fields) })));
  },
});

const deleteToolset = route({
  method: 'DELETE',
  path: '/v1/mcp/toolset/{toolset_id}',
  who: 'admin',
  tag,
  summary: 'Deletes a toolset; keys that name it can use it no more',
  status: 202,
  answer: ToolsetRecord,
  handle: async (call, deps) => ok(await remove(call, deps, 'toolset', call.params['toolset_id']!), 202),
});

export const toolsetRoutes: readonly Route[] = [newToolset, listToolsets, readToolset, updateToolset, deleteToolset];
