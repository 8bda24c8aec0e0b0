import { promisedBy } from '../promised.ts';

const document = 'gateway specification';

export const authTypes = promisedBy(`${document}, Gateway to backend (MCP)`, {
  'gateway.backend.known-way':
    'Headers and credential of a call are worked out once for calls of one user with the same headers to the same server, and anew when any of these or the registered servers change.',
  'gateway.auth.nine': 'There are exactly nine auth types.',
  'gateway.auth.none': 'none adds no header.',
  'gateway.auth.api_key': 'api_key sends its value on each call.',
  'gateway.auth.bearer_token': 'bearer_token sends its value on each call.',
  'gateway.auth.basic': 'basic sends its value on each call.',
  'gateway.auth.authorization': 'authorization sends its value on each call.',
  'gateway.auth.token': 'token sends its value on each call.',
  'gateway.auth.oauth2.pkce': 'oauth2 sends the token of a person who signed in under PKCE.',
  'gateway.auth.oauth2.disconnected':
    'Who disconnects from a server or signs in anew while a token is being renewed has done so: the renewal undoes neither.',
  'gateway.auth.oauth2.one-at-a-time':
    'Of the renewals of one token, in one process or in several, each begins when the one before has ended.',
  'gateway.auth.oauth2.one-client':
    'Sign-ins to a server that begin at the same time, at one replica or several, share the client that is registered for them, so that each can end.',
  'gateway.auth.oauth2.application-type':
    'The gateway registers as a native client for a sign-in address on this machine, and else as a web client.',
  'gateway.auth.oauth2.client-credentials': 'oauth2 sends a token of client_credentials.',
  'gateway.auth.oauth2.chosen': 'oauth2_flow decides which of both.',
  'gateway.auth.oauth2_token_exchange':
    "oauth2_token_exchange trades the caller's bearer for a token of the server (RFC 8693).",
  'gateway.auth.cloud_sigv4': 'cloud_sigv4 signs each request.',
  'gateway.auth.flowing-body':
    'An auth type that signs the body refuses one that flows, before anything is sent; every other one sends it as it is.',
  'gateway.auth.cloud_sigv4.own-chain': 'Its credentials are those of MCP registrations, by a chain of their own.',
});

export const agentModes = promisedBy(`${document}, Gateway to backend (A2A)`, {
  'gateway.a2a.no-auth_type': 'An agent has no auth_type; its parameters decide.',
  'gateway.a2a.bearer': 'With api_key the agent gets Authorization: Bearer and that key.',
  'gateway.a2a.sigv4': 'Without api_key calls to the cloud agent-runtime provider are signed.',
  'gateway.a2a.sigv4.chain': 'They are signed with the whole chain of cloud credentials.',
  'gateway.a2a.sigv4.only-there': 'No other agent without api_key gets a signature.',
  'gateway.a2a.provider': 'Any other provider gets its own kind of credential.',
});

export const signer = promisedBy(`${document}, Zero-trust add-on`, {
  'gateway.signer.each-call': 'mcp_jwt_signer, in mode pre_mcp_call, signs each outgoing tool call with RS256.',
  'gateway.signer.short-lived': 'What it signs is good for a short time.',
  'gateway.signer.jwks': 'The key to verify it is published as JWKS.',
  'gateway.signer.composes': 'It goes along with every auth type.',
  'gateway.signer.mcp-only': 'Calls to agents are not signed by it.',
});

export const passthrough = promisedBy(`${document}, Per-user header passthrough`, {
  'gateway.passthrough.mcp': 'x-mcp-{alias}-{header} goes to that server as {header}.',
  'gateway.passthrough.mcp.alias-first': 'The alias of a server is tried before the server_name of another.',
  'gateway.passthrough.mcp.server_name': 'server_name is tried too.',
  'gateway.passthrough.mcp.case': 'Letters may be large or small.',
  'gateway.passthrough.a2a.uuid': 'x-a2a-{uuid}-{header} goes to that agent as {header}.',
  'gateway.passthrough.a2a.name': 'x-a2a-{name}-{header} goes to that agent as {header}.',
  'gateway.passthrough.mcp.static-wins': 'static_headers of a server are always sent, and win over it.',
  'gateway.passthrough.a2a.static-wins': 'static_headers of an agent are always sent, and win over it.',
  'gateway.passthrough.mcp.extra': 'extra_headers are the allow-list of a server for headers as they came.',
  'gateway.passthrough.a2a.extra': 'extra_headers are the allow-list of an agent for headers as they came.',
});

export const openApiServices = promisedBy('GATEWAY, OpenAPI services', {
  'gateway.openapi.tools':
    'The tools of a server with an OpenAPI document are its operations, each with a valid and unique name, a schema without references, and hints that follow from its method. An operation that cannot be a tool is left out, and administrators see why.',
  'gateway.openapi.filters': 'Operations can be chosen by ID, tag, method, and path.',
  'gateway.openapi.documents':
    'A document that is not OpenAPI 3.0 or 3.1, or is too large or too deep, is refused with a sentence. Without a registered address, calls go only to a server with the address of the document.',
  'gateway.openapi.references':
    'References lead to places in the document. Those that multiply, repeat, or lead elsewhere are cut or refused.',
  'gateway.openapi.request':
    'A request is written from arguments that match the schema of the tool, in the styles of OpenAPI. No argument changes the host, climbs in the path, or adds a header.',
  'gateway.openapi.answers':
    'An answer is text, and structured content if it is JSON. An error of the API, an argument that does not match, and an answer that is too long are errors of the tool.',
  'gateway.openapi.governed':
    'Calls to an OpenAPI service have the credential, headers, access rules, guardrails, and records of other servers.',
  'gateway.openapi.network':
    'The document and the operations are reached through the guard of addresses, and no redirect is followed.',
  'gateway.openapi.refreshed':
    'A document is fetched anew by health checks and after a while, with its ETag. If it has changed, clients are notified that the tools have changed. A document that cannot be fetched keeps its tools.',
  'gateway.openapi.page':
    'The page of servers registers an API by its document, and shows which of its operations are tools and why others are not, before it is saved.',
  'gateway.openapi.files': 'Only the configuration file can name a file as a document.',
});

export const secretStores = promisedBy('GATEWAY, Secret stores', {
  'gateway.secrets.stores':
    'Secrets of the configuration file can be in HashiCorp Vault, AWS Secrets Manager, Google Cloud Secret Manager, and Azure Key Vault. Each is reached through the guard of addresses, and no message or log contains a secret.',
  'gateway.secrets.vault-sign-in':
    'The gateway signs in to Vault with a token, AppRole, or a Kubernetes account, and again if its token is rejected.',
  'gateway.secrets.refresh':
    'A secret is read again after refresh_s and when a server rejects the credential. If its store does not respond, the last value is used for keep_s.',
});
