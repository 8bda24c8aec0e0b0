import * as z from 'zod';
import { visibleText } from './visibleText.ts';

/**
 * All that a rule allows, for a person: the pattern of a command or tool by itself, that of files, addresses and
 * every command with what it is about.
 * @param input of the one call of a tool that it allows
 */
export function ruleWords(target: string | undefined, pattern: string, input?: string): string {
  const words = input === undefined ? visibleText(pattern) : `${visibleText(pattern)} ${visibleText(input)}`;
  const isNamed = target === 'edit' || target === 'read' || target === 'fetch' || (target === 'shell' && words === '*');
  return isNamed ? `${target} ${words}` : words;
}

/** `_meta.offers` of a call that waits: what each wider answer would save. Its id is one of the call's options. */
const RuleOffers = z.array(
  z.object({
    option: z.string().regex(/^allow-(?:session|workspace|always)(?::\d+)?$/),
    scope: z.enum(['session', 'workspace', 'always']),
    /** What of the call the rule goes by. */
    by: z.enum(['command', 'path', 'url', 'tool', 'server', 'arguments']),
    /** The rule, in words. */
    rule: z.string().min(1),
  }),
);
export type OfferedRule = z.infer<typeof RuleOffers>[number];

/** @returns none where it says nothing that can be read: an answer that cannot be shown is not offered */
export function offeredRules(meta: Readonly<Record<string, unknown>> | undefined): readonly OfferedRule[] {
  return RuleOffers.safeParse(meta?.['offers']).data ?? [];
}

/** `_meta.allowedBy` of a call that ran without a question: the rule, in words, or the dial of the session. */
const AllowedBy = z.union([
  z.object({ rule: z.string().min(1), source: z.enum(['user', 'granted']) }),
  z.object({ dial: z.literal('acceptEdits') }),
]);
export type AllowedBy = z.infer<typeof AllowedBy>;

/** @returns nothing where it says nothing that can be read; `agent` where the agent asked nobody */
export function allowedBy(meta: Readonly<Record<string, unknown>> | undefined): AllowedBy | 'agent' | undefined {
  return meta?.['agentDecided'] === true ? 'agent' : AllowedBy.safeParse(meta?.['allowedBy']).data;
}
