import type { Entry } from './entries.ts';

/** The part of the context at which the conversation is summarized. The rest is for the answer and tool results. */
const FULL = 0.8;
/** The part of the context for the latest entries, which are not summarized. */
const KEPT = 0.15;
/** An estimate for English text and code. Providers report the exact number after a call. */
const CHARACTERS_PER_TOKEN = 4;

export const SUMMARIZE = `Summarize the conversation so far, so that you can continue the work with only this summary. State:
- what the user wants, in their words where it matters, and what they decided or refused
- what was done: files that were read or changed, commands that were run, and their results
- what you learned about the code
- what is left to do, and what you were doing just now
Be exact about paths, names, and numbers. Call no tools. Write only the summary.`;

/** The estimated tokens of the entries. */
export function estimate(entries: readonly Entry[]): number {
  return tokensOf(entries.reduce((sum, it) => sum + sizeOf(it), 0));
}

export const tokensOf = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);

/** In characters. A file counts as much as a page of text. */
export const sizeOf = (entry: Entry): number =>
  entry.role === 'user' || entry.role === 'assistant'
    ? entry.parts.reduce(
        (sum, it) => sum + ('text' in it ? it.text.length : 'input' in it ? it.input.length : 6_000),
        20,
      )
    : entry.text.length + 20;

/** @param used tokens of the last call, or an estimate */
export const isFull = (used: number, context: number): boolean => used > context * FULL;

/**
 * Divides a conversation before it is summarized. Results stay with their calls.
 * @returns the entries to summarize, and the latest ones, which are kept
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

/** Longer results are cut, so that the call that summarizes them fits into the context. */
const LONGEST = 4_000;

/** The entries with long results cut. */
export function shortened(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((it) =>
    it.role === 'result' && it.text.length > LONGEST ? { ...it, text: `${it.text.slice(0, LONGEST)}… (cut off)` } : it,
  );
}
