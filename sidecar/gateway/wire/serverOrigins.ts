import type { McpServerRecord } from '../../protocol/gateway/mcpServer.ts';

const originOf = (address: string | null | undefined) =>
  address && URL.canParse(address) ? new URL(address).origin : '';

/** Where what is kept for a server is sent to: empty for a program of this machine. */
export const serverOrigin = ({ url, spec_path }: Partial<Pick<McpServerRecord, 'url' | 'spec_path'>>): string =>
  originOf(url ?? spec_path);

/** Where a token for a server goes, and where it is renewed, as far as the registration says so. */
export const tokenOrigins = (server: Pick<McpServerRecord, 'url' | 'spec_path' | 'issuer' | 'token_url'>): string =>
  [serverOrigin(server), ...[server.issuer, server.token_url].map(originOf)].join(' ');
