import { Fault } from '../../platform/faults.ts';
import type { AgentConversations, EarlierTurn } from '../conversations.ts';
import { accessTo } from '../gatewayCall.ts';
import type { SessionContext, TurnEvent } from '../provider.ts';
import { CloudClient } from './client.ts';
import { resumeIdFor } from './conversation.ts';
import type { CloudDeps } from './provider.ts';
import type { CloudMessage } from './wire.ts';

/** The agents of the account, also those that another program launched. */
export function cloudConversations(
  name: string,
  { timers }: CloudDeps,
): Pick<AgentConversations, 'list' | 'read' | 'delete'> {
  const client = async (context: SessionContext) =>
    new CloudClient({ name, access: await accessTo(context, 'cloud', name), timers });
  return {
    async list({ context }, signal) {
      const agents = await (await client(context)).list(signal);
      return agents.map(({ id, name: title, summary: _summary, ...cloud }) => ({ id, title, cloud }));
    },
    async read({ context }, id, signal) {
      const service = await client(context);
      const { name: _name, summary: _summary, id: _id, ...cloud } = await service.agent(id, signal);
      const messages = await service.messages(id, signal).catch((thrown: unknown) => {
        if (thrown instanceof Fault && thrown.code === 'conflict') return []; // it was archived
        throw thrown;
      });
      return { resumeId: resumeIdFor(id, messages.at(-1)?.id), turns: toTurns(messages), cloud };
    },
    delete: async ({ context }, id, signal) => (await client(context)).delete(id, signal),
  };
}

/** A message of the person begins each. */
function toTurns(messages: readonly CloudMessage[]): readonly EarlierTurn[] {
  const turns: { text: string; events: TurnEvent[] }[] = [];
  for (const { id, isUser, text } of messages) {
    if (isUser || turns.length === 0) turns.push({ text: isUser ? text : '', events: [] });
    if (!isUser) turns.at(-1)!.events.push({ kind: 'text', partId: id, text });
  }
  return turns;
}
