import type { BackendSecrets, McpRegistration } from '../registration.ts';

/**
 * `resource` of RFC 8707: `upstream_resource`, where `auto` means the server's own address.
 *
 * @param found what the server's metadata calls itself: said where nothing is registered, as MCP wants it
 */
export function resourceOf(server: McpRegistration, secrets: BackendSecrets, found?: string): string | undefined {
  const named = secrets.upstream_resource?.trim();
  if (!named) return found;
  if (named !== 'auto') return named;
  if (!server.url) return undefined;
  const url = new URL(server.url);
  return `${url.origin}${url.pathname === '/' ? '' : url.pathname}`;
}

/** `scope` as it is sent; undefined where none is registered. */
export function scopeOf(secrets: BackendSecrets): string | undefined {
  const scopes = (secrets.scopes ?? []).map((it) => it.trim()).filter((it) => it !== '');
  return scopes.length > 0 ? scopes.join(' ') : undefined;
}

/** The parameters that have a value. */
export function present(parameters: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(parameters).filter((it): it is [string, string] => it[1] !== undefined && it[1] !== '');
  return Object.fromEntries(given);
}
