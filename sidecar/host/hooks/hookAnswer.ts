import * as z from 'zod';
import type { Hook } from './hookFile.ts';

/** How a hook's process ended. */
export interface HookRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a hook answered. There is no "allow": what a hook allows is no more than the person's rules permit anyway. */
export interface HookAnswer {
  /** `deny`: it may not be done. `ask`: a person is to decide. */
  readonly verdict?: 'deny' | 'ask';
  /** Why; with `deny` always. */
  readonly reason?: string;
  /** For the agent. */
  readonly context?: string;
  /** For the person. */
  readonly message?: string;
}
export type ReadAnswer = HookAnswer | { readonly failure: string };

const Decision = z.enum(['allow', 'deny', 'ask', 'approve', 'block']);
const HookOutput = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  systemMessage: z.string().optional(),
  decision: Decision.optional(),
  reason: z.string().optional(),
  permissionDecision: Decision.optional(),
  permissionDecisionReason: z.string().optional(),
  additionalContext: z.string().optional(),
  updatedInput: z.unknown().optional(),
  modifiedArgs: z.unknown().optional(),
});
const Answer = HookOutput.extend({ hookSpecificOutput: HookOutput.optional() });

/** 2: the hook denies, with the reason on its standard error. */
const BLOCKED = 2;

export function readAnswer({ event }: Pick<Hook, 'event'>, { code, stdout, stderr }: HookRun): ReadAnswer {
  if (code === BLOCKED) return { verdict: 'deny', reason: stderr.trim() || 'No reason was given.' };
  if (code !== 0) return { failure: [`exit code ${code}`, stderr.trim()].filter(Boolean).join(': ') };
  const text = stdout.trim();
  if (!text.startsWith('{')) {
    const isForAgent = event === 'sessionStart' || event === 'promptSubmitted';
    return text !== '' && isForAgent ? { context: text } : {};
  }
  const parsed = Answer.safeParse(json(text));
  if (parsed.success) return toAnswer(parsed.data, parsed.data.hookSpecificOutput ?? {});
  const [issue] = parsed.error.issues;
  return { failure: `its output cannot be read: ${issue?.path.join('.') || 'JSON'}: ${issue?.message ?? ''}` };
}

/** Of members that stand twice the inner ones count, and the decision that narrows more. */
function toAnswer(outer: z.infer<typeof HookOutput>, inner: z.infer<typeof HookOutput>): HookAnswer {
  const answer = { ...outer, ...inner };
  const { systemMessage: message, additionalContext: context } = answer;
  const more = { ...(message !== undefined && { message }), ...(context !== undefined && { context }) };
  const reason = answer.permissionDecisionReason ?? answer.reason;
  const decisions = [outer, inner].flatMap((it) => [it.decision, it.permissionDecision]);
  if (outer.continue === false || inner.continue === false)
    return { ...more, verdict: 'deny', reason: answer.stopReason ?? reason ?? 'No reason was given.' };
  if (decisions.includes('deny') || decisions.includes('block'))
    return { ...more, verdict: 'deny', reason: reason ?? 'No reason was given.' };
  // Another input was judged by nobody: a person is to look at what really runs.
  const wantsOther = answer.updatedInput !== undefined || answer.modifiedArgs !== undefined;
  if (wantsOther)
    return { ...more, verdict: 'ask', reason: 'The hook tried to change the tool input, which is not supported.' };
  return decisions.includes('ask') ? { ...more, verdict: 'ask', ...(reason !== undefined && { reason }) } : more;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // which the schema refuses
  }
}
