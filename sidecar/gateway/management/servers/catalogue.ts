import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { ProcessesAnswer } from '../../../protocol/gateway/answers.ts';
import { CircuitAnswer } from '../../../protocol/gateway/resilience.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { ToolPinRecord } from '../../../protocol/gateway/toolPin.ts';
import { Names } from '../read.ts';
import { ok, type Route, route } from '../route.ts';
import { audit, change, checkOurs, existing } from '../writes.ts';
import { tag, usableServers } from './crud.ts';
import { discoverServers, listApis } from './discover.ts';
import { beginOAuthSession } from './oauthSession.ts';
import { circuitFact, processesFact, seesWhole } from './view.ts';

const serverHealth = route({
  method: 'GET',
  path: '/v1/mcp/server/health',
  who: 'any',
  tag,
  summary: 'Checks the health of MCP servers',
  query: z.object({ server_ids: Names.optional() }),
  answer: z.array(
    z.object({
      server_id: z.string(),
      status: z.enum(['healthy', 'unhealthy', 'unknown']),
      /** Only for callers that see how servers are reached, because an error can contain the address. */
      last_health_check: z.string().nullish(),
      health_check_error: z.string().nullish(),
      /** Only for stdio servers. */
      processes: ProcessesAnswer.optional(),
      /** Only for servers with a circuit breaker that were asked. */
      circuit: CircuitAnswer.optional(),
    }),
  ),
  async handle(call, deps) {
    const { servers } = await usableServers(call, deps);
    const wanted = call.query.server_ids;
    const ids = servers.map((it) => it.server_id).filter((it) => !wanted || wanted.includes(it));
    const found = await deps.health(ids);
    const isWhole = seesWhole(call, await deps.permissions.of(call.caller));
    const byId = new Map(servers.map((it) => [it.server_id, it]));
    const running = deps.processes();
    const states = deps.resilience();
    return ok(
      found.map(({ server_id, status, ...why }) => ({
        server_id,
        status,
        ...(isWhole && { ...why, ...processesFact(byId.get(server_id), running), ...circuitFact(server_id, states) }),
      })),
    );
  },
});

const accessGroups = route({
  method: 'GET',
  path: '/v1/mcp/access_groups',
  who: 'any',
  tag,
  summary: 'Lists the groups for the MCP servers that you are allowed to use',
  answer: z.object({ access_groups: z.array(z.string()) }),
  async handle(call, deps) {
    const { servers } = await usableServers(call, deps);
    return ok({ access_groups: [...new Set(servers.flatMap((it) => it.mcp_access_groups ?? []))].toSorted() });
  },
});

const makePublic = route({
  method: 'POST',
  path: '/v1/mcp/make_public',
  who: 'admin',
  tag,
  summary: 'Sets which MCP servers are public. Everyone can discover them, but access to them does not change',
  status: 202,
  body: z.strictObject({ mcp_server_ids: z.array(Id).max(10_000) }),
  answer: z.object({ message: z.string(), public_mcp_servers: z.array(z.string()), updated_by: z.string() }),
  async handle(call, deps) {
    const ids = call.body.mcp_server_ids;
    for (const it of ids) checkOurs(await existing(deps, 'mcp_server', it));
    for (const { server_id, mcp_info, from_config } of await deps.store.mcp_server.all()) {
      const is_public = ids.includes(server_id);
      if ((mcp_info?.['is_public'] === true) === is_public || from_config) continue;
      await change(call, deps, 'mcp_server', server_id, (it) => ({ ...it, mcp_info: { ...it.mcp_info, is_public } }));
    }
    const message = `Servers made public: ${ids.length}.`;
    return ok({ message, public_mcp_servers: ids, updated_by: call.actor.id }, 202);
  },
});

const registry = route({
  method: 'GET',
  path: '/v1/mcp/registry.json',
  who: 'any',
  tag,
  summary: 'Lists, in MCP registry format, the MCP servers that you are allowed to use. Off by default',
  answer: z.object({ servers: z.array(z.object({ server: z.record(z.string(), z.unknown()) })) }),
  async handle(call, deps) {
    if (!deps.options.isRegistryOn) throw new Fault('not_found', 'No such address.');
    const { servers } = await usableServers(call, deps);
    const entries = servers.map((it) => {
      const name = it.alias || it.server_name || it.server_id;
      const url = `${call.context.baseUrl}/${encodeURIComponent(name.replaceAll(' ', '_'))}/mcp`;
      const remotes = [{ type: 'streamable-http', url }];
      const { version } = deps.options;
      return {
        server: { name, title: it.server_name ?? name, description: it.description ?? '', version, remotes },
      };
    });
    return ok({ servers: entries });
  },
});

const clientIp = route({
  method: 'GET',
  path: '/v1/mcp/network/client-ip',
  who: 'any',
  tag,
  summary: 'Returns your IP address as seen by the gateway',
  answer: z.object({ ip: z.string() }),
  handle: (call) => Promise.resolve(ok({ ip: call.context.clientAddress })),
});

const pinPath = '/v1/mcp/server/{server_id}/pin';
const Pinned = z.object({ server_id: z.string(), pinned: z.boolean(), tools: z.int().optional() });

const pin = route({
  method: 'POST',
  path: pinPath,
  who: 'admin',
  tag,
  summary: "Approves an MCP server's current tools. A tool that changes later is held",
  answer: Pinned,
  async handle(call, deps) {
    const server = await existing(deps, 'mcp_server', call.params['server_id']!);
    const { tools } = await deps.pins.pin(server);
    await audit(call, deps, 'updated', 'pin', server.server_id, { after: { tools } });
    return ok({ server_id: server.server_id, pinned: true, tools });
  },
});

const unpin = route({
  method: 'DELETE',
  path: pinPath,
  who: 'admin',
  tag,
  summary: "Allows an MCP server's tools to change again",
  answer: Pinned,
  async handle(call, deps) {
    const { server_id } = await existing(deps, 'mcp_server', call.params['server_id']!);
    await deps.pins.unpin(server_id);
    await audit(call, deps, 'deleted', 'pin', server_id);
    return ok({ server_id, pinned: false });
  },
});

const readPin = route({
  method: 'GET',
  path: pinPath,
  who: 'viewer',
  tag,
  summary: "Lists an MCP server's approved and held tools",
  answer: ToolPinRecord.pick({ server_id: true, tools: true }),
  async handle(call, deps) {
    const { server_id } = await existing(deps, 'mcp_server', call.params['server_id']!);
    const kept = await deps.store.tool_pin.get(server_id);
    return ok({ server_id, tools: kept?.tools ?? [] });
  },
});

export const catalogueRoutes: readonly Route[] = [
  serverHealth,
  discoverServers,
  listApis,
  beginOAuthSession,
  accessGroups,
  makePublic,
  registry,
  clientIp,
  readPin,
  pin,
  unpin,
];
