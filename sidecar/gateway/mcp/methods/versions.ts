import { legacyVersions, modernVersions } from '../../../protocol/gateway/mcpWire.ts';
import { isModern } from '../../backends/mcp/bridge/discovery.ts';
import { type McpRequest, targetOf } from '../mcpRequest.ts';

/**
 * The versions that all servers at an address speak. If one of them speaks only versions of the legacy era, clients must use
 * that era. `server/discover` and the error for an unknown version both list these versions.
 */
export async function versionsOf({
  deps,
  scope,
  context,
}: Pick<McpRequest, 'deps' | 'scope' | 'context'>): Promise<readonly string[]> {
  const asked = await Promise.allSettled(
    scope.servers.map(async ({ server }) => {
      const outbound = await deps.outbound(server, context, { method: 'server/discover' });
      return deps.eras.versionsOf(targetOf(server, deps), outbound);
    }),
  );
  const [first = modernVersions, ...others] = asked.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []));
  const common = first.filter((version) => others.every((it) => it.includes(version)));
  return common.some(isModern) ? common : legacyVersions;
}
