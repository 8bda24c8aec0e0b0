import type { CompletionItem } from '../../../sidecar/protocol/commands.ts';
import { ensureSession, showCreationFailure } from './chatPrompts.ts';
import type { OpenChat } from './openChat.ts';

const maxItems = 50;

/**
 * What may follow in the message. Only an agent with a session knows its commands, so the first `/` or `@` creates one.
 * @returns nothing when the host has no answer: suggestions are a help and never in the way
 */
export async function completionsFor(chat: OpenChat, text: string, offset: number): Promise<readonly CompletionItem[]> {
  if (!chat.deps.editor().isTrusted) return [];
  let channel: string;
  try {
    channel = await ensureSession(chat);
  } catch (error) {
    showCreationFailure(chat, error);
    return [];
  }
  try {
    const params = { channel, kind: 'userMessage', text, offset: Math.min(offset, text.length) } as const;
    return (await chat.deps.port.request('completions', params)).items.slice(0, maxItems);
  } catch (error) {
    chat.deps.warn(`no suggestions: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}
