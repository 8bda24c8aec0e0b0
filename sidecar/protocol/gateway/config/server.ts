import * as z from 'zod';
import { described, shapeOf } from '../../building.ts';
import type { CredentialMember } from '../authTypes/definition.ts';
import { type CredentialMembers, credentialMembers } from '../authTypes/index.ts';
import { mcpServerShape } from '../mcpServer.ts';
import { Id } from '../stamps.ts';
import { SecretRef, TextOrSecret } from './secretRef.ts';

/** As the API takes them, but secrets by the place where they lie. */
const secretSchemas = { always: SecretRef.nullish(), possible: TextOrSecret.nullish() } as const;
type ConfigMember<M> = M extends { readonly secret: infer S extends keyof typeof secretSchemas }
  ? (typeof secretSchemas)[S]
  : M extends { readonly schema: infer Schema }
    ? Schema
    : never;
type ConfigShape = { readonly [K in keyof CredentialMembers]: ConfigMember<CredentialMembers[K]> };

const ConfigCredentials = z.strictObject(
  shapeOf<ConfigShape, CredentialMember>(credentialMembers, ({ schema, description, secret }) =>
    (secret ? secretSchemas[secret] : schema).describe(description),
  ),
);

const ConfigEnvVar = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'must be a name such as MY_TOKEN')
    .describe(`Variable name. static_headers can reference it as \${NAME}.`),
  value: TextOrSecret.default('').describe('Value of the variable if scope is global.'),
  scope: z
    .enum(['global', 'user'])
    .default('global')
    .describe('global: everyone uses this value. user: each person has their own value.'),
  description: z.string().nullish().describe('Description to show to people who enter a value.'),
});

/** An MCP server in the configuration file; its name is the member's. */
export const ConfigServer = z.strictObject(
  described(
    {
      server_id: Id.nullish(),
      ...mcpServerShape,
      transport: mcpServerShape.transport.default('http'),
      static_headers: z.record(z.string().max(256), TextOrSecret).nullish(),
      env: z.record(z.string(), TextOrSecret).nullish(),
      env_vars: z.array(ConfigEnvVar).max(256).nullish(),
      credentials: ConfigCredentials.nullish(),
    },
    {
      server_id: 'ID in the API. Default: the name of this entry.',
      server_name: 'Display name. Default: the name of this entry.',
      alias: 'Short name, used as the prefix of tool names and as the alias in x-mcp-{alias}-{header}.',
      description: 'Human-readable description.',
      url: 'Server URL if transport is http or sse. With spec_path: the address that operations are called at.',
      spec_path:
        'URL of an OpenAPI 3.0 or 3.1 document, or the path of a file relative to this file. Each operation is a tool. The gateway sends calls to url, or else to the server in the document if that is at the same address as the document.',
      openapi: 'Which operations of the OpenAPI document are tools. Default: all.',
      transport: 'http (streamable HTTP), sse (the older HTTP transport), or stdio (a local process).',
      auth_type: 'How the gateway authenticates to the server.',
      oauth2_flow:
        'OAuth flow if auth_type is oauth2: authorization_code (each person signs in) or client_credentials (the gateway has its own account).',
      mcp_info: 'Information to show about the server. The mcp_server_cost_info member sets tool prices.',
      mcp_access_groups:
        'Access groups that the server belongs to. Use these names in object_permission.mcp_access_groups.',
      listed_in_catalog:
        'Callers that are not allowed to use the server find it in the catalog and can request access.',
      owners: 'Whom to ask about the server. Shown in the catalog.',
      allowed_tools:
        'Original names of the tools that are listed and may be called. If absent or [], all tools are allowed.',
      disallowed_tools: 'Original names of the tools to hide and refuse. Overrides allowed_tools.',
      allowed_params:
        'For each tool, the parameters that may be sent. [] allows none. Tools that are not listed are not restricted.',
      tool_name_to_display_name: 'Tool names shown to clients, by original tool name.',
      tool_name_to_description: 'Tool descriptions shown to clients, by original tool name.',
      extra_headers: 'Names of caller headers to forward.',
      static_headers: `Headers to send with every request. They override the caller's headers. \${NAME} is replaced with the value of that variable in env_vars.`,
      env_vars: `Variables that static_headers can reference as \${NAME}.`,
      instructions: 'Server instructions sent to clients.',
      command:
        'Program to run if transport is stdio. A standalone gateway runs the program only if it is listed in stdio.allowed_commands.',
      args: 'Program arguments.',
      env: 'Environment variables for the program, in addition to basic ones such as PATH.',
      stdio: 'How the process is used if transport is stdio.',
      issuer: 'OAuth issuer.',
      authorization_url: 'OAuth authorization endpoint.',
      token_url: 'OAuth token endpoint.',
      registration_url: 'OAuth client registration endpoint.',
      token_exchange_endpoint: "Endpoint that exchanges the caller's token (RFC 8693).",
      audience: 'Audience of the exchanged token.',
      subject_token_type: "Type of the caller's token in the token exchange.",
      token_exchange_profile: 'Token exchange variant: rfc8693 (default) or entra_obo.',
      allow_all_keys: 'Make the server public. Every key may use it unless a permission level forbids it.',
      available_on_public_internet: 'Whether callers from public addresses can see the server. Default: true.',
      delegate_auth_to_upstream:
        "Let the server authenticate callers. The gateway forwards the server's sign-in requests and the callers' tokens.",
      oauth_passthrough: "Forward the caller's bearer token to the server.",
      is_byok: 'Require each person to provide their own credential.',
      source_url: "URL of the server's source code.",
      timeout:
        'How many seconds a request can go without data from the server before it fails. Default: limits.timeout_s.',
      max_concurrent_requests: 'Maximum number of concurrent requests to the server.',
      retry: 'When requests to the server are repeated. Default: never.',
      circuit_breaker:
        'When requests to a server that fails are refused at once. Each replica counts by itself. Default: never.',
      list_cache_ttl_s:
        'How many seconds the gateway keeps lists of tools, prompts, resources, and resource templates. 0: never. Default: as long as the ttlMs member of each list says.',
      allow_private_network: 'Allow URLs on loopback and private networks.',
      tags: 'If several servers have the same name, the gateway uses the one whose tags match the call.',
      guardrails: 'Names of the guardrails that check every call to the server.',
      credentials: 'Credentials that the gateway uses for the server. Secrets are references, never plain text.',
    },
  ),
);
export type ConfigServer = z.infer<typeof ConfigServer>;
