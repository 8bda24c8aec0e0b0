import { accessTo } from '../gatewayCall.ts';
import type { AgentSession, SessionContext } from '../provider.ts';
import { CloudClient } from './client.ts';
import { CloudConversation } from './conversation.ts';
import type { CloudDeps } from './provider.ts';
import { CloudTurn } from './turn.ts';

const commands = [
  { name: 'agents', description: 'Continue a cloud agent of the account' },
  { name: 'refresh', description: 'Show what the cloud agent did' },
  { name: 'delete', description: 'Delete the cloud agent from the service' },
] as const;

/** @see cloudProvider */
export function openCloudSession(name: string, { timers }: CloudDeps, context: SessionContext): AgentSession {
  const conversation = new CloudConversation(context.resumeId);
  const closed = new AbortController();
  return {
    options: { models: [], properties: [], commands, prompts: { images: true, files: false } },
    get resumeId() {
      return conversation.resumeId;
    },
    get cloud() {
      return conversation.meta;
    },
    async *run(request, host, signal) {
      if (signal.aborted) return;
      const access = await accessTo(context, 'cloud', name);
      const client = new CloudClient({ name, access, timers });
      const { files, folders } = context;
      const leaves = closed.signal;
      const deps = { client, name, conversation, folder: folders[0], files, timers, request, host, signal, leaves };
      yield* new CloudTurn(deps).events();
    },
    onOptions: () => () => undefined, // the options never change
    onGone: () => () => undefined, // it has no process
    close: async () => closed.abort(),
  };
}
