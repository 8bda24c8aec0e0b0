import * as z from 'zod';
import { shapeOf } from '../building.ts';
import type { CredentialMember } from './authTypes/definition.ts';
import { authTypeNames, type CredentialMembers, credentialMembers } from './authTypes/index.ts';
import { OpenApiOptions } from './openapi.ts';
import { CircuitBreakerSettings, RetrySettings } from './resilience.ts';
import { Id, Metadata, stampShape, Tags } from './stamps.ts';

const Headers = z.record(z.string().max(256), z.string().max(8192));
const Url = z.string().max(2048);
const ToolNames = z.array(z.string().max(256)).max(10_000);

type CredentialShape = { readonly [K in keyof CredentialMembers]: CredentialMembers[K]['schema'] };

/** Secrets that a person writes: what the auth types read. No answer contains them. */
export const McpCredentials = z.strictObject(
  shapeOf<CredentialShape, CredentialMember>(credentialMembers, ({ schema }) => schema),
);
export type McpCredentials = z.infer<typeof McpCredentials>;

const EnvVar = z.object({
  name: z.string().regex(/^[A-Za-z_]\w*$/, 'must be a name such as MY_TOKEN'),
  value: z.string().default(''),
  scope: z.enum(['global', 'user']).default('global'),
  description: z.string().nullish(),
});

/** Which sessions share the process of a stdio server. */
export const stdioShares = ['session', 'key', 'all'] as const;

/** What a person may set of a server (`gateway.server.…`). */
export const mcpServerShape = {
  server_name: Id.nullish(),
  alias: Id.nullish(),
  description: z.string().max(10_000).nullish(),
  url: Url.nullish(),
  transport: z.enum(['http', 'sse', 'stdio']),
  /** Address of an OpenAPI document, or a file of the configuration: its operations are the tools. */
  spec_path: z.string().min(1).max(4096).nullish(),
  openapi: OpenApiOptions.nullish(),
  auth_type: z.enum(authTypeNames).nullish(),
  oauth2_flow: z.enum(['authorization_code', 'client_credentials']).nullish(),
  mcp_info: Metadata.nullish(),
  mcp_access_groups: z.array(Id).max(1_000).nullish(),
  /** Callers that may not use it find it in the catalog, and can ask for access. */
  listed_in_catalog: z.boolean().nullish(),
  /** Whom to ask about it; shown in the catalog. */
  owners: Tags.nullish(),
  allowed_tools: ToolNames.nullish(),
  disallowed_tools: ToolNames.nullish(),
  /** Tool name to the parameters that may be sent; `[]` allows none. */
  allowed_params: z.record(z.string(), z.array(z.string())).nullish(),
  tool_name_to_display_name: z.record(z.string(), z.string()).nullish(),
  tool_name_to_description: z.record(z.string(), z.string()).nullish(),
  extra_headers: z.array(z.string().max(256)).max(256).nullish(),
  static_headers: Headers.nullish(),
  env_vars: z.array(EnvVar).max(256).nullish(),
  instructions: z.string().max(100_000).nullish(),
  command: z.string().max(4096).nullish(),
  args: z.array(z.string().max(8192)).max(256).nullish(),
  env: z.record(z.string(), z.string()).nullish(),
  stdio: z
    .strictObject({
      share: z
        .enum(stdioShares)
        .nullish()
        .describe(
          'Which sessions share one process. session: each has its own. key: sessions of one key whose clients have the same capabilities. all: sessions of all such clients; MCP tasks are not available. Default: session if the server asks its client for sampling, roots, or user input, or each person provides their own values; otherwise key.',
        ),
    })
    .nullish(),
  issuer: Url.nullish(),
  authorization_url: Url.nullish(),
  token_url: Url.nullish(),
  registration_url: Url.nullish(),
  token_exchange_endpoint: Url.nullish(),
  audience: z.string().nullish(),
  subject_token_type: z.string().nullish(),
  token_exchange_profile: z.string().nullish(),
  /** Public: every key may use it, as far as no ceiling forbids it. */
  allow_all_keys: z.boolean().nullish(),
  available_on_public_internet: z.boolean().nullish(),
  delegate_auth_to_upstream: z.boolean().nullish(),
  oauth_passthrough: z.boolean().nullish(),
  is_byok: z.boolean().nullish(),
  source_url: Url.nullish(),
  /** Seconds. */
  timeout: z.number().positive().max(86_400).nullish(),
  max_concurrent_requests: z.int().positive().nullish(),
  retry: RetrySettings.nullish(),
  circuit_breaker: CircuitBreakerSettings.nullish(),
  /** Seconds; 0: never. */
  list_cache_ttl_s: z.int().min(0).max(86_400).nullish(),
  /** May lead to loopback and private networks. Ours; an administrator's decision. */
  allow_private_network: z.boolean().nullish(),
  /** Among several backends with one name, the one whose tags match the call's is taken. */
  tags: Tags.nullish(),
  guardrails: z.array(Id).max(64).nullish(),
};

export const McpServerRecord = z.object({
  server_id: Id,
  ...mcpServerShape,
  approval_status: z.enum(['pending_review', 'active', 'rejected']).default('active'),
  submitted_by: z.string().nullish(),
  submitted_at: z.string().nullish(),
  reviewed_at: z.string().nullish(),
  review_notes: z.string().nullish(),
  /** From the configuration file: the API leaves it alone. */
  from_config: z.boolean().nullish(),
  ...stampShape,
});
export type McpServerRecord = z.infer<typeof McpServerRecord>;

/** Body of `POST /v1/mcp/server`. */
export const McpServerCreate = z.strictObject({
  server_id: Id.nullish(),
  ...mcpServerShape,
  transport: mcpServerShape.transport.default('http'),
  credentials: McpCredentials.nullish(),
});
export type McpServerCreate = z.infer<typeof McpServerCreate>;

/** Body of `PUT /v1/mcp/server`: only what is named changes. */
export const McpServerUpdate = z.strictObject({
  server_id: Id,
  ...mcpServerShape,
  transport: mcpServerShape.transport.nullish(),
  credentials: McpCredentials.nullish(),
});
export type McpServerUpdate = z.infer<typeof McpServerUpdate>;

export const toolsetShape = {
  toolset_name: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, 'may contain only letters, digits, "_", "-", and "."'),
  description: z.string().max(10_000).nullish(),
  tools: z
    .array(
      z.object({
        server_id: Id.describe('Server ID.'),
        tool_name: z.string().min(1).max(256).describe('Original tool name.'),
      }),
    )
    .max(10_000),
};
export const ToolsetRecord = z.object({
  toolset_id: Id,
  ...toolsetShape,
  /** From the configuration file: the API leaves it alone. */
  from_config: z.boolean().nullish(),
  ...stampShape,
});
export type ToolsetRecord = z.infer<typeof ToolsetRecord>;
