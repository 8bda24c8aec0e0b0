import type { RpcMessage } from '../../../../protocol/gateway/mcpWire.ts';
import type { McpTarget } from '../types.ts';

export type ListChanged = ((serverId: string) => void) | undefined;

const notices: ReadonlySet<string> = new Set(
  ['tools', 'prompts', 'resources'].map((it) => `notifications/${it}/list_changed`),
);

/** Where a server says that one of its lists changed, whoever reads it and whether anybody does. */
export function noteListChange(
  read: RpcMessage | 'ambiguous' | undefined,
  { target, onListChanged }: { readonly target: McpTarget; readonly onListChanged?: ListChanged },
): void {
  if (typeof read === 'object' && read.kind === 'notification' && notices.has(read.message.method))
    onListChanged?.(target.server_id);
}
