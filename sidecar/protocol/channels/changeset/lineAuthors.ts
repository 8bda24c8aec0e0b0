import * as z from 'zod';
import { Timestamp, Uri } from '../../shared.ts';
import { ROOT } from '../../uris.ts';
import { ToolCallConfirmed } from '../chat/toolCalls.ts';

const MOST_CHARACTERS = 4 * 1024 * 1024;

export const LineAuthorsParams = z.object({
  channel: Uri.default(ROOT),
  /** The file. */
  uri: Uri,
  /** What it holds now, as the person sees it. */
  text: z.string().max(MOST_CHARACTERS),
  /** One line alone, from zero. */
  line: z.int().nonnegative().exactOptional(),
});
export const LineAuthor = z.object({
  session: Uri,
  /** Of the session. */
  title: z.string(),
  provider: z.string(),
  chat: Uri,
  turnId: z.string(),
  at: Timestamp,
  model: z.string().exactOptional(),
  /** The beginning of it. */
  prompt: z.string(),
  /** The call that wrote it, where the host saw it write. */
  tool: z
    .object({
      name: z.string(),
      /** Absent: nobody was asked. */
      confirmed: ToolCallConfirmed.exactOptional(),
      /** What a person chose. */
      answer: z.string().exactOptional(),
    })
    .exactOptional(),
});
export type LineAuthor = z.infer<typeof LineAuthor>;
/** `start` and `end` are lines from zero, `end` is the one behind the last. Lines of nobody that is known are in none. */
export const LineAuthorsResult = z.object({
  ranges: z.array(z.object({ start: z.int(), end: z.int(), author: z.int() })),
  authors: z.array(LineAuthor),
});
export type LineAuthorsResult = z.infer<typeof LineAuthorsResult>;

/** Writes who wrote the lines of a commit into its note of `refs/notes/switchboard`. */
export const NoteAuthorsParams = z.object({
  channel: Uri.default(ROOT),
  /** A folder of the window, in the repository. */
  folder: Uri,
  /** What git takes for a commit. */
  commit: z.string().regex(/^[0-9A-Za-z][\w./~^-]{0,199}$/),
});
export const NoteAuthorsResult = z.object({ commit: z.string(), lines: z.int(), note: z.string() });
