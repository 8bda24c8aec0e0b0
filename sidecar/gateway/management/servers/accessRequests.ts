import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import type { McpServerRecord } from '../../../protocol/gateway/mcpServer.ts';
import {
  AccessRequestAnswer,
  AccessRequestCreate,
  AccessRequestListAnswer,
  type AccessRequestRecord,
  CatalogAnswer,
} from '../../../protocol/gateway/pages/accessRequest.ts';
import { Access } from '../../access/access.ts';
import { notFound } from '../../storage/records.ts';
import { levelsOfKey } from '../keys/levels.ts';
import { updateKey } from '../keys/update.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { change, create, created, existing } from '../writes.ts';
import { tag } from './crud.ts';

const nameOf = (it: McpServerRecord): string => it.alias || it.server_name || it.server_id;

/** A key keeps its requests when it is rotated. */
const requestIdOf = ({ token_id }: KeyRecord, serverId: string): string => `${token_id}.${serverId}`.slice(0, 256);

/** The active servers that the caller may use or may ask for. */
async function inSight(call: Call, deps: ManagementDeps) {
  const { servers: usable } = await deps.permissions.of(call.caller);
  const active = (await deps.store.mcp_server.all()).filter((it) => it.approval_status === 'active');
  return active
    .filter((it) => usable.has(it.server_id) || it.listed_in_catalog === true)
    .map((server) => ({ server, mayUse: usable.has(server.server_id) }));
}

const catalog = route({
  method: 'GET',
  path: '/v1/mcp/catalog',
  who: 'any',
  tag,
  summary:
    'Lists the MCP servers that you may use and those that you may request access to, without how they are reached',
  answer: CatalogAnswer,
  async handle(call, deps) {
    const found = await inSight(call, deps);
    const health = await deps.store.serverHealth.of(found.map(({ server }) => server.server_id));
    const byId = new Map(health.map((it) => [it.server_id, it]));
    const servers = await Promise.all(
      found.map(async ({ server, mayUse }) => {
        const { server_id, description, owners } = server;
        const request = await deps.store.access_request.get(requestIdOf(call.caller.key, server_id));
        const { status = 'unknown', last_health_check = null } = byId.get(server_id) ?? {};
        return {
          server_id,
          name: nameOf(server),
          description: description ?? null,
          owners: owners ?? [],
          status,
          last_health_check,
          may_use: mayUse,
          tools: mayUse ? (deps.listedTools(server_id)?.length ?? null) : null,
          request: request
            ? { status: request.status, created_at: request.created_at, decision_notes: request.decision_notes ?? null }
            : null,
        };
      }),
    );
    return ok({ servers });
  },
});

const requestAccess = route({
  method: 'POST',
  path: '/v1/mcp/access-request',
  who: 'any',
  tag,
  summary: 'Requests access to an MCP server of the catalog for the key that asks',
  status: 201,
  body: AccessRequestCreate,
  answer: z.object({ request_id: z.string(), status: z.string() }),
  async handle(call, deps) {
    const { server_id, reason = null } = call.body;
    const { key } = call.caller;
    const found = (await inSight(call, deps)).find(({ server }) => server.server_id === server_id);
    if (!found) throw notFound('mcp_server', server_id);
    if (found.mayUse) throw new Fault('conflict', 'Your key is already allowed to use this MCP server.');
    const id = requestIdOf(key, server_id);
    const before = await deps.store.access_request.get(id);
    if (before?.status === 'pending')
      throw new Fault('already_exists', 'This request is already waiting for a decision.');
    const asked = { token: key.token, reason, status: 'pending' as const };
    const fresh = { ...asked, decided_at: null, decided_by: null, decision_notes: null };
    const record = { request_id: id, server_id, ...fresh, ...created(call, deps) };
    if (before) await change(call, deps, 'access_request', id, () => record);
    else await create(call, deps, 'access_request', id, record);
    return ok({ request_id: id, status: 'pending' }, 201);
  },
});

const listRequests = route({
  method: 'GET',
  path: '/v1/mcp/access-request',
  who: 'viewer',
  tag,
  summary: 'Lists requests for access to MCP servers, those that wait for a decision first',
  answer: AccessRequestListAnswer,
  async handle(_call, deps) {
    const all = await deps.store.access_request.all();
    const servers = new Map((await deps.store.mcp_server.all()).map((it) => [it.server_id, nameOf(it)]));
    const isPending = (it: AccessRequestRecord) => it.status === 'pending';
    const requests = await Promise.all(
      all
        .toSorted((a, b) => Number(isPending(b)) - Number(isPending(a)) || (a.created_at < b.created_at ? 1 : -1))
        .slice(0, SHOWN)
        .map(async (it) => {
          const key = await deps.store.key.get(it.token);
          return {
            ...it,
            server_name: servers.get(it.server_id) ?? it.server_id,
            key_alias: key?.key_alias ?? null,
            team_id: key?.team_id ?? null,
            user_id: key?.user_id ?? null,
          };
        }),
    );
    return ok({ requests, pending: all.filter(isPending).length });
  },
});
/** Decided requests are history: the audit has all of it. */
const SHOWN = 200;

const deciding = (verb: 'grant' | 'refuse', status: 'granted' | 'refused', summary: string) =>
  route({
    method: 'POST',
    path: `/v1/mcp/access-request/{request_id}/${verb}`,
    who: 'admin',
    tag,
    summary,
    body: z.strictObject({ decision_notes: z.string().max(1_000).nullish() }),
    answer: AccessRequestAnswer.pick({ request_id: true, status: true }),
    async handle(call, deps) {
      const id = call.params['request_id']!;
      const request = pending(await existing(deps, 'access_request', id));
      const allow = verb === 'grant' ? await allowing(call, deps, request) : undefined;
      const decided = { decided_at: deps.clock.now(), decided_by: call.actor.id };
      const decision_notes = call.body.decision_notes ?? null;
      const next = { status, ...decided, decision_notes };
      const action = verb === 'grant' ? 'approved' : 'rejected';
      // Decided first: of two administrators who decide at the same time, only one does.
      await change(call, deps, 'access_request', id, (it) => ({ ...pending(it), ...next }), action);
      try {
        await allow?.();
      } catch (thrown) {
        await change(call, deps, 'access_request', id, () => request);
        throw thrown;
      }
      return ok({ request_id: id, status });
    },
  });

/** @throws {Fault} `conflict` */
function pending(request: AccessRequestRecord): AccessRequestRecord {
  if (request.status === 'pending') return request;
  throw new Fault('conflict', 'This request was already decided.');
}

/**
 * What adds a server to those that a key names. A key that inherits its servers names from then on what it has now, and the new one.
 * @throws {Fault} `conflict` where a level above would not allow it
 */
async function allowing(
  call: Call,
  deps: ManagementDeps,
  { token, server_id: serverId }: AccessRequestRecord,
): Promise<() => Promise<unknown>> {
  const key = await deps.store.key.get(token);
  if (!key)
    throw new Fault('conflict', 'The key of this request was rotated or deleted. Its owner can request access again.');
  await existing(deps, 'mcp_server', serverId);
  const { catalogue } = await deps.directory.registered();
  const accessOf = async (it: KeyRecord) =>
    new Access(await levelsOfKey(deps, it), catalogue, deps.permissions.options);
  const now = await accessOf(key);
  // A server of which it may use single tools stays one of these.
  const before = key.object_permission?.mcp_servers ?? [...now.servers].filter((it) => now.allowsWhole(it));
  const mcp_servers = [...new Set([...before, serverId])];
  const object_permission = { ...key.object_permission, mcp_servers };
  const after = await accessOf({ ...key, object_permission });
  if (!after.servers.has(serverId))
    throw new Fault(
      'conflict',
      "The key's team or organization does not allow this MCP server. Allow it there first, and then grant the request.",
    );
  return () => updateKey(call, deps, token, { object_permission });
}

export const accessRequestRoutes: readonly Route[] = [
  catalog,
  requestAccess,
  listRequests,
  deciding('grant', 'granted', 'Grants a request: the key may use the MCP server'),
  deciding('refuse', 'refused', 'Refuses a request for access to an MCP server'),
];
