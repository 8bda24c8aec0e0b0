import type { ResponsePart, Turn } from './channels/chat/schema.ts';
import type { StringOrMarkdown } from './shared.ts';

/** A prompt grows by this at most; the oldest words go first. */
const MAX_CHARACTERS = 200_000;

/** Turns in words, for an agent that was not there or does not remember them. One that runs counts as far as it is. */
export function transcriptOf(turns: readonly Pick<Turn, 'message' | 'responseParts'>[]): string {
  const text = turns.map(turnText).join('\n\n');
  return text.length <= MAX_CHARACTERS ? text : `[earlier turns omitted]\n${text.slice(-MAX_CHARACTERS)}`;
}

function turnText({ message, responseParts }: Pick<Turn, 'message' | 'responseParts'>): string {
  const answer = responseParts.map(partText).filter(Boolean).join('\n\n');
  return `## Person\n\n${message.text}\n\n## Agent\n\n${answer}`;
}

function partText(part: ResponsePart): string {
  switch (part.kind) {
    case 'markdown':
      return part.content;
    case 'toolCall': {
      const call = part.toolCall;
      const words =
        'pastTenseMessage' in call ? call.pastTenseMessage : 'invocationMessage' in call ? call.invocationMessage : '';
      return `[${call.displayName}: ${plain(words)}]`;
    }
    default:
      return '';
  }
}

function plain(words: StringOrMarkdown | undefined): string {
  return typeof words === 'string' ? words : (words?.markdown ?? '');
}
