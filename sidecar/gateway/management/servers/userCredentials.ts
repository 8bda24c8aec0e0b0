import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { McpServerRecord } from '../../../protocol/gateway/mcpServer.ts';
import { refOf } from '../../backends/oauth/stores.ts';
import { readUserCredential, userSealed, writeUserCredential } from '../../storage/userValues.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { personOf } from '../person.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { audit } from '../writes.ts';
import { usableServer, usableServers } from './crud.ts';

const tag = 'own credentials';
const Held = z.object({ server_id: z.string(), has_credential: z.boolean() });
const Status = Held.extend({
  /** RFC 3339, UTC. */
  expires_at: z.string().nullable(),
  is_expired: z.boolean(),
  connected_at: z.string().nullable(),
});

const serverOf = (call: Call, deps: ManagementDeps) => usableServer(call, deps, call.params['server_id']!);

/** What a person does with credentials of their own; the audit says that, and nothing of what they are. */
const note = (call: Call, deps: ManagementDeps, kind: string, id: string, has: boolean) =>
  audit(call, deps, has ? 'updated' : 'deleted', kind, id, { after: { person: personOf(call.caller), has } });

const saveCredential = route({
  method: 'POST',
  path: '/v1/mcp/server/{server_id}/user-credential',
  who: 'any',
  tag,
  summary: 'Stores your own credential for an MCP server that requires one',
  body: z.strictObject({ credential: z.string().min(1).max(16_384), save: z.boolean().default(true) }),
  answer: Held,
  async handle(call, deps) {
    const server = await serverOf(call, deps);
    const { server_id, is_byok } = server;
    if (!is_byok)
      throw new Fault('conflict', 'This MCP server does not accept credentials from individual users.', {
        data: { field: 'server_id' },
      });
    const { secrets } = deps.store;
    const person = personOf(call.caller);
    if (call.body.save) {
      await writeUserCredential(secrets, server, person, call.body.credential);
      deps.backends.forgetToken(server_id, person);
      await note(call, deps, userSealed.credential, server_id, true);
    }
    return ok({ server_id, has_credential: (await readUserCredential(secrets, server, person)) !== undefined });
  },
});

const removeCredential = route({
  method: 'DELETE',
  path: '/v1/mcp/server/{server_id}/user-credential',
  who: 'any',
  tag,
  summary: 'Deletes your own credential for an MCP server',
  answer: Held,
  async handle(call, deps) {
    const { server_id } = await serverOf(call, deps);
    await deps.store.secrets.remove(userSealed.credential, server_id, personOf(call.caller));
    deps.backends.forgetToken(server_id, personOf(call.caller));
    await note(call, deps, userSealed.credential, server_id, false);
    return ok({ server_id, has_credential: false });
  },
});

const saveToken = route({
  method: 'POST',
  path: '/v1/mcp/server/{server_id}/oauth-user-credential',
  who: 'any',
  tag,
  summary: 'Stores a token that you obtained elsewhere',
  body: z.strictObject({
    access_token: z.string().min(1).max(16_384),
    refresh_token: z.string().min(1).max(16_384).nullish(),
    /** Seconds from now. */
    expires_in: z.int().positive().max(315_360_000).nullish(),
    scopes: z.array(z.string().max(256)).max(256).nullish(),
  }),
  answer: Status,
  async handle(call, deps) {
    const server = await serverOf(call, deps);
    const { server_id, auth_type } = server;
    if (auth_type !== 'oauth2')
      throw new Fault('conflict', 'This MCP server does not use OAuth.', { data: { field: 'server_id' } });
    const { access_token, refresh_token, expires_in, scopes } = call.body;
    const issued = refresh_token ? await deps.backends.issuerOf(server) : undefined;
    const nowMs = deps.clock.nowMs();
    const user = personOf(call.caller);
    await deps.tokens.write(refOf(server, user), {
      access_token,
      connected_at_ms: nowMs,
      ...(refresh_token && { refresh_token }),
      ...issued,
      ...(expires_in && { expires_at_ms: nowMs + expires_in * 1_000 }),
      ...(scopes && { scopes }),
    });
    deps.backends.forgetToken(server_id, user);
    await note(call, deps, 'user_token', server_id, true);
    return ok(await status(call, deps, server));
  },
});

const removeToken = route({
  method: 'DELETE',
  path: '/v1/mcp/server/{server_id}/oauth-user-credential',
  who: 'any',
  tag,
  summary: 'Disconnects you from an MCP server',
  answer: Status,
  async handle(call, deps) {
    const server = await serverOf(call, deps);
    const { server_id } = server;
    await deps.tokens.remove({ server_id, user: personOf(call.caller) });
    deps.backends.forgetToken(server_id, personOf(call.caller));
    await note(call, deps, 'user_token', server_id, false);
    return ok(await status(call, deps, server));
  },
});

const tokenStatus = route({
  method: 'GET',
  path: '/v1/mcp/server/{server_id}/oauth-user-credential/status',
  who: 'any',
  tag,
  summary: 'Returns whether you are connected to an MCP server',
  answer: Status,
  async handle(call, deps) {
    const tried = deps.drafts.find(call.params['server_id']!, personOf(call.caller))?.server;
    return ok(await status(call, deps, tried ?? (await serverOf(call, deps))));
  },
});

async function status(call: Call, { tokens, clock }: ManagementDeps, server: McpServerRecord) {
  const { server_id } = server;
  const token = await tokens.read(refOf(server, personOf(call.caller)));
  const at = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    server_id,
    has_credential: token !== undefined,
    expires_at: at(token?.expires_at_ms),
    is_expired: token?.expires_at_ms !== undefined && token.expires_at_ms <= clock.nowMs(),
    connected_at: at(token?.connected_at_ms),
  };
}

const Listed = Status.extend({
  server_name: z.string().nullable(),
  alias: z.string().nullable(),
  credential_type: z.enum(['oauth2', 'byok']),
});

const listCredentials = route({
  method: 'GET',
  path: '/v1/mcp/user-credentials',
  who: 'any',
  tag,
  summary: 'Lists the MCP servers that you can connect to and shows whether you are connected',
  answer: z.array(Listed),
  async handle(call, deps) {
    const { servers } = await usableServers(call, deps);
    const personal = servers.filter((it) => it.is_byok || isInteractive(it));
    return ok(await Promise.all(personal.map((it) => listed(call, deps, it))));
  },
});

const isInteractive = ({ auth_type, oauth2_flow }: McpServerRecord) =>
  auth_type === 'oauth2' && oauth2_flow !== 'client_credentials';

async function listed(call: Call, deps: ManagementDeps, server: McpServerRecord) {
  const { server_name = null, alias = null, is_byok } = server;
  const state = await status(call, deps, server);
  if (!is_byok) return { ...state, server_name, alias, credential_type: 'oauth2' };
  const has_credential = (await readUserCredential(deps.store.secrets, server, personOf(call.caller))) !== undefined;
  return { ...state, has_credential, server_name, alias, credential_type: 'byok' };
}

export const userCredentialRoutes: readonly Route[] = [
  saveCredential,
  removeCredential,
  saveToken,
  removeToken,
  tokenStatus,
  listCredentials,
];
