import type { OfferedResult } from '../../../sidecar/agents/provider.ts';
import type { ToolCallState } from '../../../sidecar/protocol/channels/chat/toolCalls.ts';
import type { AnyAction } from '../../../sidecar/protocol/envelope.ts';
import type { ToolDefinition } from '../../../sidecar/protocol/shared.ts';
import { scriptedProvider } from '../scriptedProvider.ts';
import type { HostPeer } from './hostPeer.ts';

/** An agent that uses the tool that its prompt names, and keeps what it got. */
export function toolUser(results: OfferedResult[], names: string[][] = []) {
  return scriptedProvider(async function* (turn, host) {
    names.push(host.tools.list().map((it) => it.name));
    const result = await host.tools.call(turn.text, { n: 1 });
    results.push(result);
    yield { kind: 'text', partId: 'a', text: result.success ? 'it worked' : `no: ${result.error}` };
  });
}

export function offer(peer: HostPeer, session: string, tools: readonly Partial<ToolDefinition>[], more: object = {}) {
  const activeClient = { clientId: peer.clientId, tools, ...more };
  return peer.act(session, { type: 'session/activeClientSet', activeClient } as AnyAction);
}

/** The only tool call of the running turn, or of the last one. */
export function onlyCall(peer: HostPeer, chat: string): ToolCallState {
  const { activeTurn, turns } = peer.chat(chat);
  const parts = (activeTurn ?? turns.at(-1))?.responseParts ?? [];
  const calls = parts.flatMap((it) => (it.kind === 'toolCall' ? [it.toolCall] : []));
  if (calls.length !== 1 || !calls[0]) throw new Error(`there are ${calls.length} tool calls`);
  return calls[0];
}

/** Settles with the entry of the kind, once the session has it. */
export async function entryOf(peer: HostPeer, session: string, kind: string) {
  const find = () => peer.session(session).inputNeeded?.find((it) => it.kind === kind);
  await peer.until(() => find() !== undefined);
  return find()!;
}

/** Says yes to the call that waits for it, and answers its id. */
export async function approve(peer: HostPeer, session: string, chat: string, turnId: string): Promise<string> {
  await entryOf(peer, session, 'toolConfirmation');
  const { toolCallId } = onlyCall(peer, chat);
  const yes = { approved: true, confirmed: 'user-action', selectedOptionId: 'allow-once' };
  await peer.act(chat, { type: 'chat/toolCallConfirmed', turnId, toolCallId, ...yes } as AnyAction);
  return toolCallId;
}

export const textResult = (text: string) => ({
  success: true,
  pastTenseMessage: 'Did it',
  content: [{ type: 'text', text }],
});
