import { legacyVersions, modernVersions } from '../../../protocol/gateway/mcpWire.ts';
import { type McpRequest, targetOf } from '../mcpRequest.ts';

const isModern = (version: string): boolean => modernVersions.some((it) => it === version);

/**
 * The versions at an address: those that all its servers speak. One that speaks only older versions makes clients fall
 * back. `server/discover` and the error for an unknown version both list these.
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
