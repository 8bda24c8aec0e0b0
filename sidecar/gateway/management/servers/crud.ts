import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { McpServerCreate, type McpServerRecord, McpServerUpdate } from '../../../protocol/gateway/mcpServer.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { Access } from '../../access/access.ts';
import { permissionOf } from '../../auth/permissions.ts';
import { notFound } from '../../storage/records.ts';
import { userSealed } from '../../storage/userValues.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { type Answer, type Call, ok, type Route, route } from '../route.ts';
import { isMember, seesAll } from '../standing.ts';
import { existing, remove } from '../writes.ts';
import { addServer, updateServer } from './save.ts';
import { ServerView, seesWhole, serverViews } from './view.ts';

export const tag = 'mcp servers';

/** Active servers that the caller may use. Read from the store: what calls are served from holds secrets in clear. */
export async function usableServers(call: Call, { store, permissions }: ManagementDeps) {
  const access = await permissions.of(call.caller);
  const isWhole = seesWhole(call, access);
  const active = (await store.mcp_server.all()).filter((it) => it.approval_status === 'active');
  return { isWhole, servers: isWhole ? active : active.filter((it) => access.servers.has(it.server_id)) };
}

/** @throws {Fault} `not_found` for those who see all; `forbidden` for others, whether there is such a server or not */
export async function usableServer(call: Call, deps: ManagementDeps, id: string): Promise<McpServerRecord> {
  const { servers } = await usableServers(call, deps);
  const found = servers.find((it) => it.server_id === id);
  if (found) return found;
  if (seesAll(call.caller)) throw notFound('mcp_server', id);
  throw new Fault('forbidden', 'This key is not allowed to use this MCP server.', { data: { field: 'server_id' } });
}

export async function answer(call: Call, deps: ManagementDeps, server: McpServerRecord, status = 200): Promise<Answer> {
  const [view] = await serverViews(call, deps, [server], { isWhole: true });
  return ok(view, status);
}

const listServers = route({
  method: 'GET',
  path: '/v1/mcp/server',
  who: 'any',
  tag,
  summary: 'Lists the MCP servers that you are allowed to use. Only administrators see connection details',
  query: z.object({ team_id: Id.optional() }),
  answer: z.array(ServerView),
  async handle(call, deps) {
    const { isWhole, servers } = await usableServers(call, deps);
    const ofTeam = await teamServers(call, deps, call.query.team_id);
    const shown = servers.filter((it) => !ofTeam || ofTeam.has(it.server_id));
    return ok(await serverViews(call, deps, shown, { isWhole }));
  },
});

async function teamServers(call: Call, deps: ManagementDeps, teamId: string | undefined) {
  if (!teamId) return undefined;
  const team = await deps.store.team.get(teamId);
  const isTheirs = team && (seesAll(call.caller) || isMember(call.caller, team) || call.caller.key.team_id === teamId);
  if (!isTheirs) throw notFound('team', teamId);
  const { catalogue } = await deps.directory.registered();
  return new Access({ team: permissionOf(team) }, catalogue, deps.permissions.options).servers;
}

const newServer = route({
  method: 'POST',
  path: '/v1/mcp/server',
  who: 'admin',
  tag,
  summary: 'Registers an MCP server. Its credentials are encrypted and never shown',
  status: 201,
  body: McpServerCreate,
  answer: ServerView,
  handle: async (call, deps) => answer(call, deps, await addServer(call, deps, call.body), 201),
});

const changeServer = route({
  method: 'PUT',
  path: '/v1/mcp/server',
  who: 'admin',
  tag,
  summary: 'Updates the given fields. A null value clears a field, and a value shown as ******** is left unchanged',
  status: 202,
  body: McpServerUpdate,
  answer: ServerView,
  handle: async (call, deps) => answer(call, deps, await updateServer(call, deps, call.body), 202),
});

const readServer = route({
  method: 'GET',
  path: '/v1/mcp/server/{server_id}',
  who: 'any',
  tag,
  summary: 'Returns one MCP server and checks its health',
  answer: ServerView,
  async handle(call, deps) {
    const id = call.params['server_id']!;
    const waiting = call.caller.isAdmin ? await deps.store.mcp_server.get(id) : undefined;
    const isActive = !waiting || waiting.approval_status === 'active';
    const server = isActive ? await usableServer(call, deps, id) : waiting;
    const isWhole = seesWhole(call, await deps.permissions.of(call.caller));
    const health = isActive ? await deps.health([id]) : [];
    const [view] = await serverViews(call, deps, [server], { isWhole, health });
    return ok(view);
  },
});

/** Kinds of secrets that belong to a server and go with it. */
const sealedFor = ['mcp_server', 'user_token', 'oauth_client', userSealed.credential, userSealed.variables];

const deleteServer = route({
  method: 'DELETE',
  path: '/v1/mcp/server/{server_id}',
  who: 'admin',
  tag,
  summary: 'Deletes an MCP server and all its credentials',
  status: 202,
  answer: z.object({ server_id: z.string() }),
  async handle(call, deps) {
    const server_id = call.params['server_id']!;
    await existing(deps, 'mcp_server', server_id);
    await remove(call, deps, 'mcp_server', server_id, async (transaction) => {
      const secrets = deps.store.secrets.within(transaction);
      for (const it of sealedFor) await secrets.remove(it, server_id);
    });
    await deps.pins.unpin(server_id);
    await deps.backends.forget(server_id);
    return ok({ server_id }, 202);
  },
});

export const serverRoutes: readonly Route[] = [listServers, newServer, changeServer, readServer, deleteServer];
