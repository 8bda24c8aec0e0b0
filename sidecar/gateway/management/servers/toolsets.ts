import * as z from 'zod';
import { ToolsetRecord, toolsetShape } from '../../../protocol/gateway/mcpServer.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { badField } from '../read.ts';
import { recordHandlers } from '../recordHandlers.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { remove } from '../writes.ts';

const tag = 'toolsets';
const Tools = toolsetShape.tools.default([]);

async function checkTools({ store }: ManagementDeps, { tools = [] }: Partial<ToolsetRecord>): Promise<void> {
  const ids = new Set((await store.mcp_server.all()).map((it) => it.server_id));
  if (tools.some((it) => !ids.has(it.server_id)))
    throw badField('tools', 'refers to an MCP server that does not exist');
}

const isGiven = ({ caller }: Call, { toolset_id, toolset_name }: ToolsetRecord) =>
  seesAll(caller) ||
  (caller.key.object_permission?.mcp_toolsets?.some((it) => it === toolset_id || it === toolset_name) ?? false);

const toolsets = recordHandlers({
  kind: 'toolset',
  id: 'toolset_id',
  check: checkTools,
  isVisible: isGiven,
  hidden: 'This key is not allowed to use this toolset.',
});

const newToolset = route({
  method: 'POST',
  path: '/v1/mcp/toolset',
  who: 'admin',
  tag,
  summary: 'Creates a toolset, which offers tools from several MCP servers at one address',
  status: 201,
  body: z.strictObject({
    toolset_name: toolsetShape.toolset_name,
    description: toolsetShape.description,
    tools: Tools,
  }),
  answer: ToolsetRecord,
  handle: toolsets.create(201),
});

const listToolsets = route({
  method: 'GET',
  path: '/v1/mcp/toolset',
  who: 'any',
  tag,
  summary: 'Lists toolsets. Administrators see all of them; others see those that their key can use',
  answer: z.array(ToolsetRecord),
  handle: toolsets.list,
});

const readToolset = route({
  method: 'GET',
  path: '/v1/mcp/toolset/{toolset_id}',
  who: 'any',
  tag,
  summary: 'Returns one toolset',
  answer: ToolsetRecord,
  handle: (call, deps) => toolsets.read(call, deps, call.params['toolset_id']!),
});

const updateToolset = route({
  method: 'PUT',
  path: '/v1/mcp/toolset',
  who: 'admin',
  tag,
  summary: 'Updates the given fields',
  body: z.strictObject({
    toolset_id: Id,
    toolset_name: toolsetShape.toolset_name.optional(),
    description: toolsetShape.description,
    tools: toolsetShape.tools.optional(),
  }),
  answer: ToolsetRecord,
  handle: toolsets.update,
});

const deleteToolset = route({
  method: 'DELETE',
  path: '/v1/mcp/toolset/{toolset_id}',
  who: 'admin',
  tag,
  summary: 'Deletes a toolset. Keys can no longer use it',
  status: 202,
  answer: ToolsetRecord,
  handle: async (call, deps) => ok(await remove(call, deps, 'toolset', call.params['toolset_id']!), 202),
});

export const toolsetRoutes: readonly Route[] = [newToolset, listToolsets, readToolset, updateToolset, deleteToolset];
