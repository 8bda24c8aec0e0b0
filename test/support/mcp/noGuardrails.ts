import type { McpDeps } from '../../../sidecar/gateway/mcp/mcpDeps.ts';

/** What the MCP surface asks of guardrails, where none is configured. */
export const noGuardrails: Pick<
  McpDeps,
  | 'preMcpCall'
  | 'beforeSending'
  | 'duringMcpCall'
  | 'postMcpCall'
  | 'guards'
  | 'preMcpList'
  | 'toolsListed'
  | 'cleanTool'
> = {
  preMcpCall: () => Promise.resolve({}),
  beforeSending: () => Promise.resolve(undefined),
  duringMcpCall: () => Promise.resolve(undefined),
  postMcpCall: () => undefined,
  guards: () => false,
  preMcpList: () => Promise.resolve({}),
  toolsListed: (_target, tools) => Promise.resolve(tools),
  cleanTool: (tool) => tool,
};
