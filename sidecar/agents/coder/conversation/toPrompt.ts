import type { Prompt, PromptMessage } from '../models/languageModel.ts';
import type { AssistantEntry, AssistantPart, Entry, ResultEntry, UserEntry } from './entries.ts';

const INTERRUPTED = 'The call was interrupted. It is not known whether it had an effect. Check before you repeat it.';
const cached = { anthropic: { cacheControl: { type: 'ephemeral' as const } } };
/** The number of messages at the end that are marked: the end of this call and of the previous one, which is in the cache. */
const MARKED = 2;

/**
 * The conversation as it is sent to a model. Each call has a result, even if the host was killed while the tool ran. Marks tell
 * Anthropic's models up to which messages to cache.
 */
export function toPrompt(system: string, entries: readonly Entry[], dialect: AssistantEntry['dialect']): Prompt {
  const messages: PromptMessage[] = [{ role: 'system', content: system, providerOptions: cached }];
  for (const [at, entry] of entries.entries()) {
    switch (entry.role) {
      case 'user':
        messages.push({ role: 'user', content: entry.parts.map(toUserPart) });
        break;
      case 'summary':
        messages.push({
          role: 'user',
          content: [{ type: 'text', text: `Summary of the conversation so far:\n\n${entry.text}` }],
        });
        break;
      case 'assistant': {
        const content = entry.parts.flatMap((it) => toAssistantPart(it, entry.dialect === dialect));
        if (content.length > 0) messages.push({ role: 'assistant', content });
        const results = resultsOf(entry, at, entries);
        if (results.length > 0) messages.push({ role: 'tool', content: results.map(toResultPart) });
        break;
      }
      case 'result': // sent with its call
    }
  }
  const from = Math.max(1, messages.length - MARKED);
  return messages.map((it, at) => (at >= from ? { ...it, providerOptions: cached } : it));
}

/** The result of each call of the entry at `index`, in the order of the calls. */
function resultsOf({ parts }: AssistantEntry, index: number, entries: readonly Entry[]): readonly ResultEntry[] {
  const results: ResultEntry[] = [];
  for (let at = index + 1; at < entries.length; at += 1) {
    const entry = entries[at]!;
    if (entry.role === 'assistant') break;
    if (entry.role === 'result') results.push(entry);
  }
  return parts.flatMap((it) => {
    if (it.type !== 'call') return [];
    const { id, name } = it;
    return [
      results.find((result) => result.id === id) ?? { role: 'result', id, name, text: INTERRUPTED, hasFailed: true },
    ];
  });
}

type Content<R extends PromptMessage['role']> = Extract<PromptMessage, { role: R }>['content'];

function toUserPart(part: UserEntry['parts'][number]): Content<'user'>[number] {
  return part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'file', mediaType: part.mediaType, data: { type: 'data', data: part.base64 } };
}

/** @param isOwn whether the part was written by a model with the same dialect */
function toAssistantPart(part: AssistantPart, isOwn: boolean): Content<'assistant'> {
  const more =
    isOwn && part.meta ? { providerOptions: part.meta as NonNullable<PromptMessage['providerOptions']> } : {};
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text, ...more }];
    case 'reasoning':
      // A provider accepts only its own reasoning, and only with its signature.
      return isOwn && part.meta ? [{ type: 'reasoning', text: part.text, ...more }] : [];
    case 'call':
      return [{ type: 'tool-call', toolCallId: part.id, toolName: part.name, input: inputOf(part.input), ...more }];
  }
}

/** Providers require valid JSON, and a model may write anything. */
export function inputOf(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text) as unknown;
  } catch {
    return { text };
  }
}

function toResultPart({ id, name, text, hasFailed }: ResultEntry): Content<'tool'>[number] {
  const value = text === '' ? '(no output)' : text;
  return {
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output: hasFailed ? { type: 'error-text', value } : { type: 'text', value },
  };
}
