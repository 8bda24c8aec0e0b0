import type { CompletionItem } from '../../../sidecar/protocol/commands.ts';
import type { MessageAttachment } from '../../../sidecar/protocol/shared.ts';
import { whyOf } from '../../platform/whyOf.ts';
import { AttachKind, type CompletionModel } from '../contract/chat.ts';
import { ensureSession, showCreationFailure } from './chatPrompts.ts';
import type { OpenChat } from './openChat.ts';

const maxItems = 50;

/** One line of the list, and what choosing it does. */
export interface Completion {
  readonly model: CompletionModel;
  readonly kind?: AttachKind;
  readonly attachment?: MessageAttachment;
}

/** What may follow in the message: after a bare `@` the kinds first, after letters what is called so. */
export async function completionsFor(chat: OpenChat, text: string, offset: number): Promise<readonly Completion[]> {
  if (!chat.deps.editor().isTrusted) return [];
  const typed = /(?:^|\s)@([a-z]*)$/.exec(text.slice(0, offset))?.[1];
  const named = typed === undefined ? [] : kindsFor(typed, offset);
  const items = (await hostItems(chat, text, offset)).map((it) => toCompletion(it, offset));
  return typed === '' ? [...named, ...items] : [...items, ...named];
}

/**
 * Only an agent with a session knows its commands, so the first `/` or `@` creates one.
 * @returns nothing when the host has no answer: suggestions are a help and never in the way
 */
async function hostItems(chat: OpenChat, text: string, offset: number): Promise<readonly CompletionItem[]> {
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
    chat.deps.warn(`no suggestions: ${whyOf(error)}`);
    return [];
  }
}

/** One that is chosen leaves nothing in the text. */
function kindsFor(typed: string, offset: number): readonly Completion[] {
  const start = offset - typed.length - 1;
  return AttachKind.options
    .filter((it) => it.startsWith(typed))
    .map((kind) => ({ kind, model: { label: `@${kind}`, insertText: '', attaches: kind, start, end: offset } }));
}

function toCompletion({ insertText, rangeStart, rangeEnd, attachment }: CompletionItem, offset: number): Completion {
  const description = attachment._meta?.['description'];
  const model = {
    label: insertText,
    insertText,
    start: rangeStart ?? offset,
    end: rangeEnd ?? offset,
    ...(typeof description === 'string' && { description }),
  };
  return { model, attachment };
}
