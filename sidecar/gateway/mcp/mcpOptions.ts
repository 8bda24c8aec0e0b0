import { withMethods } from '../../protocol/gateway/mcpMethods.ts';
import { relayedMethods } from '../wire/mcpMessage.ts';
import { defaultMcpOptions, type McpOptions } from './mcpDeps.ts';

/** What the options of a gateway say of its MCP surface. */
interface Given {
  readonly limits?: Partial<McpOptions>;
  readonly version: string;
  readonly mcpMethods?: Parameters<typeof withMethods>[0];
  readonly separator?: string;
  readonly alwaysPrefix?: boolean;
  readonly toolSearchAbove?: number | undefined;
}

/** The options of the MCP surface, with the defaults of what is not given. */
export function mcpOptionsOf(options: Given): McpOptions {
  return {
    ...defaultMcpOptions,
    ...options.limits,
    version: options.version,
    ...(options.mcpMethods && { methods: relayedMethods(withMethods(options.mcpMethods)) }),
    ...(options.separator !== undefined && { separator: options.separator }),
    ...(options.alwaysPrefix !== undefined && { alwaysPrefix: options.alwaysPrefix }),
    ...(options.toolSearchAbove !== undefined && { toolSearchAbove: options.toolSearchAbove }),
  };
}
