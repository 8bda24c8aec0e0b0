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
    .regex(/^[A-Za-z_]\w*$/, 'must be a name as MY_TOKEN')
    .describe('Name of the variable, as used in static_headers.'),
  value: TextOrSecret.default('').describe('The value, if scope is global.'),
  scope: z
    .enum(['global', 'user'])
    .default('global')
    .describe('global: everyone uses this value. user: each user provides a value.'),
  description: z.string().nullish().describe('Shown to users when they enter a value.'),
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
      alias: 'Short name, used as the prefix of tools and in x-mcp-{alias}-{header}.',
      description: 'Shown to people.',
      url: 'Address of the server, for http and sse.',
      transport: 'http (streamable HTTP), sse (the older HTTP transport) or stdio (a process on this machine).',
      auth_type: 'How the gateway authenticates to the server.',
      oauth2_flow:
        'For auth_type oauth2: authorization_code (each user signs in) or client_credentials (machine to machine).',
      mcp_info: 'Information shown with the server. mcp_server_cost_info sets the prices of its tools.',
      mcp_access_groups: 'Access groups of the server, for object_permission.mcp_access_groups.',
      allowed_tools: "Tools to show and allow, by the server's names. If absent or []: all tools.",
      disallowed_tools: 'Tools to hide and refuse. Overrides allowed_tools.',
      allowed_params:
        'Allowed parameters by tool name. [] allows none. Tools that are not listed accept all parameters.',
      tool_name_to_display_name: "Tool names shown to clients, by the server's names.",
      tool_name_to_description: "Tool descriptions shown to clients, by the server's names.",
      extra_headers: 'Request headers of the caller to forward.',
      static_headers:
        "Headers that are always sent. They override the caller's headers. A name in a dollar sign and braces is replaced by the value from env_vars.",
      env_vars: 'Variables that static_headers can refer to with a dollar sign and braces.',
      instructions: 'Sent to clients as the instructions of the server.',
      command: 'Program of a stdio server. On a standalone gateway, it must be listed in stdio.allowed_commands.',
      args: 'Arguments of the program.',
      env: 'Environment variables of the program, in addition to basic ones such as PATH.',
      issuer: 'OAuth issuer.',
      authorization_url: 'OAuth authorization endpoint.',
      token_url: 'OAuth token endpoint.',
      registration_url: 'OAuth client registration endpoint.',
      token_exchange_endpoint: "Endpoint that exchanges the caller's token (RFC 8693).",
      audience: 'Audience of the exchanged token.',
      subject_token_type: "Type of the caller's token in an exchange.",
      token_exchange_profile: 'Vendor profile of the token exchange.',
      allow_all_keys: 'Every key can use the server unless an upper limit forbids it.',
      available_on_public_internet: 'Whether callers from public IP addresses can see the server.',
      delegate_auth_to_upstream: 'The server itself, not the gateway, asks callers to sign in.',
      oauth_passthrough: "Forward the caller's bearer token to the server.",
      is_byok: 'Each user provides their own credential.',
      source_url: "URL of the server's source code.",
      timeout: 'Seconds without data from the server before a request fails.',
      max_concurrent_requests: 'Maximum number of concurrent requests to the server.',
      allow_private_network: 'Allow addresses on this machine and in private networks.',
      tags: 'If several servers have the same name, the gateway uses the one whose tags match the call.',
      guardrails: 'Guardrails that apply to every call of the server.',
      credentials: 'Credentials for the server. Refer to secrets by environment variable or file.',
    },
  ),
);
export type ConfigServer = z.infer<typeof ConfigServer>;
