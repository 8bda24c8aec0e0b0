import type { SessionOptions } from '../../sidecar/agents/options.ts';
import type { AgentProvider, AgentSession, TurnEvent, TurnHost, TurnRequest } from '../../sidecar/agents/provider.ts';

export type Script = (turn: TurnRequest, host: TurnHost, signal: AbortSignal) => AsyncIterable<TurnEvent>;

/** An agent that does what a test says. */
export function scriptedProvider(
  script: Script,
  more: Partial<AgentSession> & { options?: SessionOptions } = {},
): AgentProvider {
  return {
    id: 'scripted',
    displayName: 'Scripted',
    description: 'Does what a test says.',
    open: async () => ({
      options: { models: [], properties: [], commands: [] },
      run: script,
      onOptions: () => () => undefined,
      onGone: () => () => undefined,
      close: async () => undefined,
      ...more,
    }),
  };
}
