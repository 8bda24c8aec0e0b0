import { promisedBy } from '../promised.ts';

const document = 'gateway specification';

export const routes = promisedBy(`${document}, Gateway routes`, {
  'gateway.route.mcp': '/mcp serves MCP over all servers.',
  'gateway.route.server-mcp': '/{server}/mcp serves MCP of one server.',
  'gateway.route.toolset-mcp': '/toolset/{name}/mcp serves MCP of a toolset.',
  'gateway.route.sse': '/sse serves the older transport.',
  'gateway.route.server-sse': '/{server}/sse serves the older transport for one server.',
  'gateway.route.mcp.own-authentication': 'These routes read a caller by rules of their own.',
  'gateway.route.v1-mcp': '/v1/mcp/… is served, and takes every header of a caller.',
  'gateway.route.mcp-rest': '/mcp-rest/… is served, and takes every header of a caller.',
  'gateway.route.a2a': 'POST /a2a/{agent_id} is served.',
  'gateway.route.a2a.send': '/a2a/{agent_id}/message/send is served.',
  'gateway.route.agents': '/v1/agents/… is served.',
  'gateway.route.agents.list': 'GET /v1/agents lists the agents that the caller may use.',
});

export const keyHeaders = promisedBy(`${document}, Caller to gateway (keys)`, {
  'gateway.header.key.mcp': 'x-gateway-api-key with Bearer is the preferred key on MCP.',
  'gateway.header.key.rest': 'x-gateway-api-key with Bearer is the preferred key on MCP REST and A2A.',
  'gateway.header.key.leaves-authorization':
    'With it Authorization carries another token, for OAuth passthrough, on-behalf-of or an agent.',
  'gateway.header.authorization.mcp': 'Authorization is the fallback on MCP, without its word Bearer.',
  'gateway.header.authorization.rest': 'Authorization is the fallback on MCP REST and A2A, without its word Bearer.',
  'gateway.header.API-Key.mcp-ignores': 'API-Key is not read on MCP.',
  'gateway.header.API-Key.rest': 'API-Key is read on MCP REST and A2A.',
  'gateway.header.x-api-key.mcp-ignores': 'x-api-key is not read on MCP.',
  'gateway.header.x-api-key.rest': 'x-api-key is read on MCP REST and A2A.',
  'gateway.header.vendor-api-key.mcp-ignores': 'x-<vendor>-api-key is not read on MCP.',
  'gateway.header.vendor-api-key.rest': 'x-<vendor>-api-key is read on MCP REST and A2A.',
  'gateway.header.subscription-key.mcp-ignores': 'A subscription-key header is not read on MCP.',
  'gateway.header.subscription-key.rest': 'A subscription-key header is read on MCP REST and A2A.',
});

export const identityHeaders = promisedBy(`${document}, Caller to gateway (identification)`, {
  'gateway.header.end-user.mcp': 'x-gateway-end-user-id is read on MCP.',
  'gateway.header.end-user.rest': 'x-gateway-end-user-id is read on MCP REST and A2A.',
  'gateway.header.customer.mcp': 'x-gateway-customer-id means the same on MCP.',
  'gateway.header.customer.rest': 'x-gateway-customer-id means the same on MCP REST and A2A.',
  'gateway.key.rotation-keeps-sessions':
    'A key that is rotated with a grace period keeps its MCP sessions: the old key goes on with them until the period ends, the new one from the start, on every replica; without a grace period nobody does.',
  'gateway.key.addresses':
    'A key is good only at the addresses that its list and that of its team hold; X-Forwarded-For counts from trusted proxies alone.',
  'gateway.key.service-account':
    'A key of a team and of no person is marked as a service account, and does not end when a person is disabled or deleted.',
  'gateway.header.end-user.once':
    'A call whose headers name the end user twice or differently is refused; no name is a way around another.',
  'gateway.header.agent-known': 'A call whose x-gateway-agent-id names no agent of the gateway is refused.',
  'gateway.header.end-user.budget': 'The budget of the end user holds on top of that of the key.',
  'gateway.header.end-user.access': 'The servers of the end user are intersected with those of the key.',
  'gateway.header.end-user.audit': 'The record of a call, also of one that was refused, names the end user.',
  'gateway.header.trace.mcp': 'x-gateway-trace-id is read on MCP.',
  'gateway.header.trace.rest': 'x-gateway-trace-id is read on MCP REST and A2A.',
  'gateway.header.trace.session': 'Without it the trace is x-gateway-session-id.',
  'gateway.header.trace.vendor': 'Without both it is an x-<vendor>-session-id.',
  'gateway.header.session.mcp': 'x-gateway-session-id groups calls on MCP.',
  'gateway.header.session.rest': 'x-gateway-session-id groups calls on MCP REST and A2A.',
  'gateway.header.session.lower': 'Of trace and session id the trace id comes first.',
  'gateway.header.tags.mcp-ignores': 'x-gateway-tags is not read on MCP.',
  'gateway.header.tags.rest': 'x-gateway-tags, separated by commas, labels records of MCP REST and A2A.',
  'gateway.header.tags.routing': 'Tags choose among backends that are registered under one name.',
  'gateway.header.tags.body': 'A tags field in the body comes before the header.',
  'gateway.header.debug.mcp': 'x-gateway-mcp-debug: true gets headers x-mcp-debug-… on MCP.',
  'gateway.header.debug.refused': 'A key without allow_debug is told that it may not have them.',
  'gateway.header.debug.signer': 'They say jwt-signer where the signed assertion is what authenticates.',
  'gateway.header.debug.masked': 'They hold no secret in full.',
  'gateway.header.debug.rest-ignores': 'x-gateway-mcp-debug is not read on MCP REST and A2A.',
  'gateway.header.x-mcp-servers.mcp': 'x-mcp-servers limits a request to the servers that it names, on MCP.',
  'gateway.header.x-mcp-servers.rest-ignores': 'x-mcp-servers is not read on MCP REST and A2A.',
});

export const signedTokens = promisedBy('GATEWAY.md, Signed tokens (JWT)', {
  'gateway.jwt.caller':
    'A signed token of a configured identity provider is a credential at MCP, A2A, models, and cloud agents, and with a mapped role at the management API.',
  'gateway.jwt.refused': 'A token that has expired, is not valid yet, or lacks what is required is refused with words.',
  'gateway.jwt.keys':
    'The keys of a provider are fetched when they are needed, shared, at most once an interval, and used for a bounded time while it is away.',
  'gateway.jwt.records':
    'A token stands for records of a user, a team, and an organization, which decide as for a key; their changes hold from the next call on.',
  'gateway.jwt.roles': 'Only a mapped role opens the management API to a token, and says how far.',
  'gateway.jwt.end-user': 'The end user that a token names cannot be replaced by a header.',
  'gateway.jwt.created': 'Users and teams that do not exist are created only where the configuration says so, once.',
});

export const provisioning = promisedBy('GATEWAY.md, Users and groups from your identity provider (SCIM)', {
  'gateway.scim.served':
    'An identity provider creates, reads, replaces, patches, deletes, finds and lists users and groups by SCIM 2.0, as Okta and Entra ID send it.',
  'gateway.scim.token': 'Only a SCIM token opens the SCIM routes, and it opens nothing else.',
  'gateway.scim.token-pages':
    'An administrator creates a SCIM token, which is shown once, and revokes it in the pages.',
  'gateway.scim.ends': 'A user whom the provider disables or deletes is refused from the next call on.',
  'gateway.scim.limits':
    'SCIM makes no administrators, takes over none, and sees and changes only users and teams that it manages.',
});
