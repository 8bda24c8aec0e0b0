import type { ResponsePart, Turn } from '../../sidecar/protocol/channels/chat/schema.ts';
import { plain } from './chatTools.ts';

/** A prompt grows by this at most; the oldest words go first. */
const maxCharacters = 200_000;

/** Earlier turns in words, for an agent that does not remember them. */
export function transcriptOf(turns: readonly Turn[]): string {
  const text = turns.map(turnText).join('\n\n');
  return text.length <= maxCharacters ? text : `[earlier turns left out]\n${text.slice(-maxCharacters)}`;
}

function turnText({ message, responseParts }: Turn): string {
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
      return `[${call.displayName}: ${plain(words) ?? ''}]`;
    }
    default:
      return '';
  }
}
