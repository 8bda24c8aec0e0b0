import * as z from 'zod';
import type { McpServerRecord } from '../../../protocol/gateway/mcpServer.ts';
import { readUserVariables, userSealed, writeUserVariables } from '../../storage/userValues.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { personOf } from '../person.ts';
import { badField } from '../read.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { audit } from '../writes.ts';
import { usableServer, usableServers } from './crud.ts';

const tag = 'own credentials';
const Short = z.object({
  server_id: z.string(),
  missing_count: z.int(),
  /** The page where a person sets them. */
  setup_url: z.string(),
});
const Status = Short.extend({
  env_vars: z.array(z.object({ name: z.string(), description: z.string().nullable(), is_set: z.boolean() })),
});

const variablesOf = ({ env_vars }: McpServerRecord) => (env_vars ?? []).filter((it) => it.scope === 'user');

/** Which are set: never what they say. */
async function status(call: Call, { store }: ManagementDeps, server: McpServerRecord) {
  const { server_id } = server;
  const values = await readUserVariables(store.secrets, server, personOf(call.caller));
  const env_vars = variablesOf(server).map(({ name, description = null }) => ({
    name,
    description,
    is_set: Object.hasOwn(values, name),
  }));
  const setup_url = `${call.context.baseUrl}/ui/?page=mcp-servers&server_id=${encodeURIComponent(server_id)}`;
  return { server_id, env_vars, missing_count: env_vars.filter((it) => !it.is_set).length, setup_url };
}

const path = '/v1/mcp/server/{server_id}/user-env-vars';
const serverOf = (call: Call, deps: ManagementDeps) => usableServer(call, deps, call.params['server_id']!);

const readVariables = route({
  method: 'GET',
  path,
  who: 'any',
  tag,
  summary: 'Lists your variables for an MCP server and shows whether they are set',
  answer: Status,
  handle: async (call, deps) => ok(await status(call, deps, await serverOf(call, deps))),
});

const writeVariables = route({
  method: 'POST',
  path,
  who: 'any',
  tag,
  summary: 'Sets your own variables for an MCP server. Their values are never shown',
  body: z.strictObject({ env_vars: z.record(z.string().max(256), z.string().max(16_384)) }),
  answer: Status,
  async handle(call, deps) {
    const server = await serverOf(call, deps);
    const known = variablesOf(server).map((it) => it.name);
    const unknown = Object.keys(call.body.env_vars).find((it) => !known.includes(it));
    if (unknown !== undefined) throw badField('env_vars', 'contains a variable that this MCP server does not require');
    const person = personOf(call.caller);
    const { secrets } = deps.store;
    const values = { ...(await readUserVariables(secrets, server, person)), ...call.body.env_vars };
    await writeUserVariables(secrets, server, person, values);
    const names = Object.keys(call.body.env_vars);
    await audit(call, deps, 'updated', userSealed.variables, server.server_id, { after: { person, names } });
    return ok(await status(call, deps, server));
  },
});

const removeVariables = route({
  method: 'DELETE',
  path,
  who: 'any',
  tag,
  summary: 'Deletes your own variables for an MCP server',
  answer: Status,
  async handle(call, deps) {
    const server = await serverOf(call, deps);
    const person = personOf(call.caller);
    await writeUserVariables(deps.store.secrets, server, person, {});
    await audit(call, deps, 'deleted', userSealed.variables, server.server_id, { after: { person } });
    return ok(await status(call, deps, server));
  },
});

const listVariables = route({
  method: 'GET',
  path: '/v1/mcp/user-env-vars/status',
  who: 'any',
  tag,
  summary: 'Lists the MCP servers that require variables from you and shows how many are missing',
  answer: z.array(Short.extend({ server_name: z.string().nullable() })),
  async handle(call, deps) {
    const { servers } = await usableServers(call, deps);
    const asking = servers.filter((it) => variablesOf(it).length > 0);
    const all = asking.map(async (it) => {
      const { env_vars: _, ...short } = await status(call, deps, it);
      return { ...short, server_name: it.server_name ?? null };
    });
    return ok(await Promise.all(all));
  },
});

export const userVariableRoutes: readonly Route[] = [readVariables, writeVariables, removeVariables, listVariables];
