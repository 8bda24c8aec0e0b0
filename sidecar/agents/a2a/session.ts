import { accessTo } from '../gatewayCall.ts';
import type { AgentSession, SessionContext } from '../provider.ts';
import { A2aClient, type RemoteAgent } from './client.ts';
import { Conversation } from './conversation.ts';
import type { A2aDeps } from './provider.ts';
import { A2aTurn } from './turn.ts';

/** @see a2aProvider */
export function openA2aSession(agent: RemoteAgent, { timers }: A2aDeps, context: SessionContext): AgentSession {
  const conversation = new Conversation(context.resumeId);
  const closed = new AbortController();
  return {
    options: { models: [], properties: [], commands: [] },
    isCounted: true,
    get resumeId() {
      return conversation.resumeId;
    },
    async *run(request, host, signal) {
      if (signal.aborted) return;
      const access = await accessTo(context, 'agents', agent.name);
      const client = new A2aClient({ agent, access, timers });
      const { files } = context;
      const leaves = closed.signal;
      yield* new A2aTurn({ agent, client, conversation, files, timers, request, host, signal, leaves }).events();
    },
    onOptions: () => () => undefined, // the options never change
    onGone: () => () => undefined, // it has no process
    close: async () => closed.abort(),
  };
}
