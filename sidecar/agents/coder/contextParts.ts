import type { ContextPart } from '../../protocol/usageMeta.ts';
import { sizeOf } from './conversation/compaction.ts';
import type { Entry } from './conversation/entries.ts';

/** What a call contains besides the conversation, in characters. */
export interface Fixed {
  readonly system: number;
  readonly instructions: number;
  readonly tools: number;
}

export const sizeOfFixed = ({ system, instructions, tools }: Fixed): number => system + instructions + tools;

/**
 * Estimates what the tokens of the context are used for: a provider counts only the whole, so each part gets its share by characters.
 *
 * @param used tokens, which the parts add up to
 */
export function contextParts(used: number, fixed: Fixed, entries: readonly Entry[]): ContextPart[] {
  const sizes: Record<ContextPart['kind'], number> = { ...fixed, messages: 0, attachments: 0, results: 0 };
  for (const it of entries) {
    if (it.role === 'result') sizes.results += sizeOf(it);
    else if (it.role !== 'user') sizes.messages += sizeOf(it);
    else {
      // The first part is what the user wrote.
      const own = sizeOf({ ...it, parts: it.parts.slice(0, 1) });
      sizes.messages += own;
      sizes.attachments += sizeOf(it) - own;
    }
  }
  const all = Object.entries(sizes) as [ContextPart['kind'], number][];
  const total = all.reduce((sum, [, size]) => sum + size, 0);
  if (total === 0) return [];
  let [seen, given] = [0, 0];
  return all.flatMap(([kind, size]) => {
    seen += size;
    const tokens = Math.round((used * seen) / total) - given;
    given += tokens;
    return tokens === 0 ? [] : [{ kind, tokens }];
  });
}
