import type { Entry } from './entries.ts';

/** Of the context, when the conversation is summarized. The rest is for the answer and for what tools return. */
const FULL = 0.8;
/** Of the context, what is kept as it is behind a summary. */
const KEPT = 0.15;
/** Of English text and code; providers tell the exact number after a call. */
const CHARACTERS_PER_TOKEN = 4;

export const SUMMARIZE = `Summarize the conversation so far, so that you can continue the work with only this summary. State:
- what the user wants, in their words where it matters, and what they decided or refused
- what was done: files that were read or changed, commands that were run, and their results
- what you learned about the code
- what is left to do, and what you were doing just now
Be exact about paths, names, and numbers. Write only the summary.`;

/** Tokens of the entries, estimated. */
export function estimate(entries: readonly Entry[]): number {
  return Math.ceil(entries.reduce((sum, it) => sum + sizeOf(it), 0) / CHARACTERS_PER_TOKEN);
}

const sizeOf = (entry: Entry): number =>
  entry.role === 'user' || entry.role === 'assistant'
    ? entry.parts.reduce(
        (sum, it) => sum + ('text' in it ? it.text.length : 'input' in it ? it.input.length : 6_000),
        20,
      )
    : entry.text.length + 20;

/** @param used tokens of the last call, or an estimate */
export const isFull = (used: number, context: number): boolean => used > context * FULL;

/**
 * What follows a summary: the last entries, as many as fit. Results stay with their calls.
 * @returns the entries that the summary stands for, and those that are kept
 */
export function split(
  entries: readonly Entry[],
  context: number,
): { readonly old: readonly Entry[]; readonly kept: readonly Entry[] } {
  const room = context * KEPT * CHARACTERS_PER_TOKEN;
  let size = 0;
  let from = entries.length;
  for (let at = entries.length - 1; at > 0; at -= 1) {
    const entry = entries[at]!;
    size += sizeOf(entry);
    if (size > room) break;
    if (entry.role !== 'result') from = at;
  }
  return { old: entries.slice(0, from), kept: entries.slice(from) };
}

/** Text of old entries that is longer than this is cut for the summary, so that it fits itself. */
const LONGEST = 4_000;

/** The old entries for the call that summarizes them: long results are cut. */
export function shortened(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((it) =>
    it.role === 'result' && it.text.length > LONGEST ? { ...it, text: `${it.text.slice(0, LONGEST)}… (cut off)` } : it,
  );
}
