import type { McpCredentials } from '../../protocol/gateway/mcpServer.ts';
import type { OpenApiOptions } from '../../protocol/gateway/openapi.ts';
import type { ApiSettings } from './openapi/documents.ts';
import type { EnvVar } from './variables.ts';

/** The members of a registered MCP server that this room reads. The whole record fits. */
export interface McpRegistration {
  readonly server_id: string;
  readonly server_name?: string | null | undefined;
  readonly alias?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly spec_path?: string | null | undefined;
  readonly openapi?: OpenApiOptions | null | undefined;
  readonly from_config?: boolean | null | undefined;
  /** Default `none`. */
  readonly auth_type?: string | null | undefined;
  readonly oauth2_flow?: string | null | undefined;
  readonly static_headers?: Readonly<Record<string, string>> | null | undefined;
  readonly extra_headers?: readonly string[] | null | undefined;
  readonly env_vars?: readonly EnvVar[] | null | undefined;
  readonly issuer?: string | null | undefined;
  readonly authorization_url?: string | null | undefined;
  readonly token_url?: string | null | undefined;
  readonly registration_url?: string | null | undefined;
  readonly token_exchange_endpoint?: string | null | undefined;
  readonly audience?: string | null | undefined;
  readonly subject_token_type?: string | null | undefined;
  readonly token_exchange_profile?: string | null | undefined;
  readonly delegate_auth_to_upstream?: boolean | null | undefined;
  readonly oauth_passthrough?: boolean | null | undefined;
  readonly max_concurrent_requests?: number | null | undefined;
  /** Ours: may lead to loopback and private networks. Set by an admin, never from a caller's input. */
  readonly allow_private_network?: boolean | null | undefined;
  /** Changes with every save: sockets and cached credentials of an older one are let go. */
  readonly updated_at?: string | null | undefined;
}

/** The write-only `credentials` of a server, in clear text. Read when needed, kept nowhere, never logged. */
export type BackendSecrets = {
  readonly [K in keyof McpCredentials]: NonNullable<McpCredentials[K]> extends string
    ? string | null | undefined
    : readonly string[] | null | undefined;
};

/** What a server is called towards people: alias, else name, else id. */
export const labelOf = ({ alias, server_name, server_id }: McpRegistration): string =>
  alias || server_name || server_id;

/** Whether a `spec_path` is an address and no file. */
export const isWebAddress = (spec: string): boolean => /^https?:\/\//i.test(spec);

/** For a server that is an OpenAPI service, what its connections need to know of its document. */
export const apiOf = (
  { spec_path, openapi, allow_private_network, from_config }: McpRegistration,
  maxAgeMs?: number,
): { readonly openapi?: ApiSettings } =>
  spec_path
    ? {
        openapi: {
          ...openapi,
          spec: spec_path,
          allowPrivate: allow_private_network === true,
          mayReadFiles: from_config === true,
          ...(maxAgeMs !== undefined && { maxAgeMs }),
        },
      }
    : {};
