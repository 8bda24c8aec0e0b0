import * as z from 'zod';
import { McpServerCreate, McpServerRecord } from '../../../protocol/gateway/mcpServer.ts';
import { withoutSecrets } from '../mask.ts';
import { personOf } from '../person.ts';
import { badField } from '../read.ts';
import { ok, type Route, route } from '../route.ts';
import { audit, created, named } from '../writes.ts';
import { tag } from './crud.ts';
import { checkServer } from './save.ts';

/**
 * A server that is not saved, to sign in to and to try. Its id goes to `POST /v1/mcp/server/{id}/sign-in`, to
 * `GET …/oauth-user-credential/status` and, as `server_id`, to `/mcp-rest/test/…`, for the administrator who made it.
 * The rules for its addresses are those of saved servers.
 */
export const beginOAuthSession: Route = route({
  method: 'POST',
  path: '/v1/mcp/server/oauth/session',
  who: 'admin',
  tag,
  summary: 'Keeps an MCP server in memory for 300 seconds so that you can try a sign-in before you save it',
  body: McpServerCreate.omit({ server_id: true }),
  answer: McpServerRecord.extend({ expires_at: z.string() }),
  async handle(call, deps) {
    const { credentials, ...fields } = call.body;
    const { auth_type, oauth2_flow, transport } = fields;
    if (transport === 'stdio')
      throw badField('transport', 'must be http or sse because stdio servers do not support sign-in');
    if (auth_type !== 'oauth2') throw badField('auth_type', 'must be oauth2');
    if (oauth2_flow === 'client_credentials') throw badField('oauth2_flow', 'must be authorization_code');
    const active = { approval_status: 'active' as const };
    const draft: McpServerRecord = { server_id: deps.newId(), ...named(fields), ...active, ...created(call, deps) };
    await checkServer(deps, draft, credentials ?? {});
    const { server, untilMs } = deps.drafts.begin(draft, credentials ?? {}, personOf(call.caller));
    await audit(call, deps, 'created', 'oauth_session', server.server_id, { after: server });
    return ok({ ...(withoutSecrets(server) as McpServerRecord), expires_at: new Date(untilMs).toISOString() });
  },
});
