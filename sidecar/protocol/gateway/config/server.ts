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
    .describe('Used in static_headers, in a dollar sign and braces.'),
  value: TextOrSecret.default('').describe('The value, where scope is global.'),
  scope: z
    .enum(['global', 'user'])
    .default('global')
    .describe('global: this value for everybody; user: each person has an own one.'),
  description: z.string().nullish().describe('For the people who are asked for it.'),
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
      server_id: 'Id in the API. Default: the name.',
      server_name: 'Name towards people. Default: the name of this entry.',
      alias: 'Short name: the prefix of tools, and the word in x-mcp-{alias}-{header}.',
      description: 'For people.',
      url: 'Address of the server, for http and sse.',
      transport: 'http (streamable HTTP), sse (its older form) or stdio (a process of this machine).',
      auth_type: 'How the gateway proves itself to the server.',
      oauth2_flow:
        'authorization_code (people sign in) or client_credentials (machine to machine), where auth_type is oauth2.',
      mcp_info: 'Shown beside the server; mcp_server_cost_info prices its tools.',
      mcp_access_groups: 'Groups that object_permission.mcp_access_groups can name.',
      allowed_tools: 'The only tools that are shown and may be called, by their own names. Absent or []: all.',
      disallowed_tools: 'Tools that are hidden and refused. Wins over allowed_tools.',
      allowed_params: 'Tool to the parameters that may be sent. [] allows none; a tool that is not named is free.',
      tool_name_to_display_name: 'Other names of tools, towards clients.',
      tool_name_to_description: 'Other descriptions of tools, towards clients.',
      extra_headers: 'Headers of the caller that are handed on.',
      static_headers:
        'Headers that are always sent, and win over those of callers. A name in a dollar sign and braces takes a value of env_vars.',
      env_vars: 'Values that static_headers name in a dollar sign and braces.',
      instructions: 'Sent to clients as the instructions of the server.',
      command: 'The program, for stdio. For a gateway that runs alone it has to be in stdio.allowed_commands.',
      args: 'Arguments of the program.',
      env: 'Environment variables of the program, beside PATH and the like.',
      issuer: 'OAuth issuer.',
      authorization_url: 'OAuth authorization endpoint.',
      token_url: 'OAuth token endpoint.',
      registration_url: 'OAuth client registration endpoint.',
      token_exchange_endpoint: 'Where the token of the caller is exchanged (RFC 8693).',
      audience: 'Audience of the exchanged token.',
      subject_token_type: "Type of the caller's token in an exchange.",
      token_exchange_profile: 'Dialect of the token exchange.',
      allow_all_keys: 'Public: every key may use it, as far as no level forbids it.',
      available_on_public_internet: 'Whether callers from public addresses see it.',
      delegate_auth_to_upstream: 'The server itself asks callers to sign in.',
      oauth_passthrough: 'The bearer token of the caller goes through to the server.',
      is_byok: 'Every person brings an own credential.',
      source_url: 'Where the source of the server is.',
      timeout: 'Seconds that the server may be silent during a request.',
      max_concurrent_requests: 'Requests to it at the same time.',
      allow_private_network: 'May lead to loopback and private networks.',
      tags: 'Among several servers of one name, the one whose tags match the call is taken.',
      guardrails: 'Guardrails that look at every call of it.',
      credentials: 'What the gateway proves itself with. Secrets by their place only.',
    },
  ),
);
export type ConfigServer = z.infer<typeof ConfigServer>;
