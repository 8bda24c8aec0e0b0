import * as z from 'zod';
import type { ResponsePart, Turn } from './channels/chat/schema.ts';
import { type StringOrMarkdown, Timestamp, Uri } from './shared.ts';
import { ROOT } from './uris.ts';

/** All transcripts of a host, newest turns first. */
export const SearchTranscriptsParams = z.object({
  channel: Uri.default(ROOT),
  /** Words, and phrases in quotation marks. A line matches that has all of them, in capital or small letters. */
  query: z.string().min(1).max(256),
  limit: z.int().min(1).max(50).exactOptional(),
  cursor: z
    .string()
    .regex(/^\d{1,19}$/)
    .exactOptional(),
});
/** One for each turn: its first line that matches. */
export const TranscriptMatch = z.object({
  session: Uri,
  /** Of the session. */
  title: z.string(),
  chat: Uri,
  turnId: z.string(),
  line: z.string(),
  /** UTF-16 positions in the line, in their order. */
  ranges: z.array(z.object({ start: z.int(), end: z.int() })),
  /** When the turn began. */
  at: Timestamp,
});
export type TranscriptMatch = z.infer<typeof TranscriptMatch>;
export const SearchTranscriptsResult = z.object({
  items: z.array(TranscriptMatch),
  /** There may be more, also where a page has few items or none. */
  nextCursor: z.string().exactOptional(),
  /** Turns from before there was an index are still being added. */
  isIndexing: z.boolean(),
});

/** A prompt grows by this at most; the oldest words go first. */
const MAX_CHARACTERS = 200_000;

/** Turns in words, for an agent that was not there or does not remember them. One that runs counts as far as it is. */
export function transcriptOf(turns: readonly Pick<Turn, 'message' | 'responseParts'>[]): string {
  return newestOf(turns.map(turnText).join('\n\n'));
}

/** As much of the end of a transcript as a prompt may have. */
export function newestOf(transcript: string): string {
  if (transcript.length <= MAX_CHARACTERS) return transcript;
  return `[earlier turns omitted]\n${transcript.slice(-MAX_CHARACTERS)}`;
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
