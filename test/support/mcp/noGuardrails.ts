import type { GuardHooks } from '../../../sidecar/gateway/guardrails/openGuardrails.ts';

/** Where no guardrail is configured. */
export const noGuardrails: GuardHooks = {
  preMcpCall: () => Promise.resolve({}),
  beforeSending: () => Promise.resolve(undefined),
  duringMcpCall: () => Promise.resolve(undefined),
  postMcpCall: () => undefined,
  guards: () => false,
  preMcpList: () => Promise.resolve({}),
  toolsListed: (_target, tools) => Promise.resolve(tools),
  cleanTool: (tool) => tool,
};
