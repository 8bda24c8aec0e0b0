import * as z from 'zod';
import { Uri } from './shared.ts';
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

/** Whether a tool call of an agent was allowed, and by whom. Kept when it was decided, and never changed. */
export const Decision = z.object({
  /** RFC 3339, UTC. */
  at: z.string(),
  session: Uri,
  chat: Uri,
  turnId: z.string(),
  toolCallId: z.string(),
  toolKind: z.string(),
  /** The command, or the words on the card. Without known secrets, and cut where it is long. */
  what: z.string(),
  allowed: z.boolean(),
  /** `dial`: the permissions of the session. `agent`: it asked nobody. */
  by: z.enum(['person', 'rule', 'dial', 'hook', 'untrusted', 'agent']),
  /** In words: the rule that decided, or the one that a person saved with the answer. */
  rule: z.string().exactOptional(),
  /** Where the rule is from. */
  source: z.enum(['user', 'workspace', 'granted']).exactOptional(),
  /** What a person wrote when denying. */
  reason: z.string().exactOptional(),
  /** The rule, in words, that would allow requests like this one, where a person allowed it once. */
  like: z.string().exactOptional(),
  /** A person changed the command before allowing it: `what` is the changed one. */
  edited: z.literal(true).exactOptional(),
});
export type Decision = z.infer<typeof Decision>;

export const DecisionsParams = z.object({
  /** Of this session only. */
  session: Uri.exactOptional(),
  limit: z.number().int().min(1).max(200).exactOptional(),
  /** The `next` of the page before. */
  before: z.number().int().positive().exactOptional(),
});
export const DecisionsResult = z.object({
  /** Newest first. `title` of a session that is still there. */
  items: z.array(Decision.extend({ title: z.string().exactOptional() })),
  next: z.number().int().positive().exactOptional(),
});
export type DecisionsParams = z.infer<typeof DecisionsParams>;
export type DecisionsResult = z.infer<typeof DecisionsResult>;
