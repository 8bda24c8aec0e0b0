import type { RedactionAction } from '../../../protocol/gateway/guardrails/redaction.ts';
import type { Finder, Span } from './finder.ts';

/** One kind that is looked for, and what happens to it. */
export interface Search {
  readonly kind: string;
  readonly action: RedactionAction;
  readonly find: Finder;
}

/** A text without what was looked for, or the kind that must not be sent at all. */
export type Redacted = { readonly text: string } | { readonly blocked: string };

/** What is taken out may bring out something next to it. Text that goes on like that was made to, and is blocked. */
const maxPasses = 4;

/**
 * Puts `[redacted:<kind>]` where a kind was found. Doing it again changes nothing.
 * @returns the same text where nothing was found
 */
export function redactText(text: string, searches: readonly Search[]): Redacted {
  let clean = text;
  for (let pass = 0; ; pass += 1) {
    const found = searches.flatMap((search) => search.find(clean).map((span) => ({ ...span, ...search })));
    if (found.length === 0) return { text: clean };
    const blocked = pass < maxPasses ? found.find((it) => it.action === 'block') : found[0];
    if (blocked) return { blocked: blocked.kind };
    clean = replaced(clean, found);
  }
}

/** Spans that overlap are one, under the name of the one that begins first, or else is longer. */
function replaced(text: string, found: readonly (Span & { readonly kind: string })[]): string {
  let clean = '';
  let copied = 0;
  for (const { start, end, kind } of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (start >= copied) clean += `${text.slice(copied, start)}[redacted:${kind}]`;
    copied = Math.max(copied, end);
  }
  return clean + text.slice(copied);
}
