import type { McpServerRecord } from '../../../protocol/gateway/mcpServer.ts';
import { badField } from '../read.ts';

/** What clients may show before a tool's name (SEP-986), and a space, which is shown as `_`. */
const characters = /^[A-Za-z0-9_. -]{1,64}$/;
/** Words of permission lists, which no server may be called. */
const reservedIds = /^(all-team-|all-proxy-|no-mcp-servers$)/;
/** First or last segments of addresses. */
const reservedNames: ReadonlySet<string> = new Set(['mcp', 'proxy', 'toolset', 'sse', 'v1']);

const shown = (name: string) => name.replaceAll(' ', '_');
const canonical = (name: string) => shown(name).toLowerCase();

/** @throws {Fault} `invalid_params` naming `server_id`, `server_name` or `alias` */
export function checkNames(
  server: McpServerRecord,
  others: readonly McpServerRecord[],
  { separator }: { readonly separator: string },
): void {
  if (reservedIds.test(server.server_id)) throw badField('server_id', 'is a reserved word');
  for (const field of ['server_name', 'alias'] as const) {
    const name = server[field];
    if (!name) continue;
    if (!characters.test(name))
      throw badField(
        field,
        'must be at most 64 characters long and contain only letters, digits, "_", "-", ".", and spaces',
      );
    if (reservedIds.test(name) || reservedNames.has(canonical(name))) throw badField(field, 'is a reserved word');
    // The first separator parts a name from a tool's, so it must not begin inside of the name.
    if (`${shown(name)}${separator}`.indexOf(separator) !== shown(name).length)
      throw badField(field, `must not contain the separator '${separator}' or end with part of it`);
    if (others.some((it) => isTaken(canonical(name), server, it)))
      throw badField(field, 'is already used by another MCP server');
  }
}

/** Several servers may share a name where their tags decide which one a call is for. */
function isTaken(name: string, server: McpServerRecord, other: McpServerRecord): boolean {
  if (other.server_id === server.server_id || other.approval_status === 'rejected') return false;
  if (canonical(other.server_id) === name) return true;
  const isSame = [other.server_name, other.alias].some((it) => it && canonical(it) === name);
  if (!isSame) return false;
  const tags = server.tags ?? [];
  return tags.length === 0 || tags.some((it) => other.tags?.includes(it));
}
