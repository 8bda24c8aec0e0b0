import type { GuardedCall, GuardRefusal, PostVerdict, PreVerdict } from '../mcp/mcpDeps.ts';

export type { GuardedCall, GuardRefusal, PostVerdict, PreVerdict };

/** Who turns to which server. */
export type GuardedTarget = Pick<GuardedCall, 'context' | 'server'>;

/** A tool as a server's list gives it. */
export type ToolDefinition = Readonly<Record<string, unknown>>;

/** One configured guardrail at work. A throw is a refusal without words: nothing goes on. */
export interface Rule {
  pre?(call: GuardedCall): PreVerdict | Promise<PreVerdict>;
  /** Its arguments are somebody else's, and not the caller's with parts hidden: {@link recheck} is asked about them. */
  readonly replacesArguments?: true;
  /** What holds for every argument that is sent, also where a later guardrail replaced those that `pre` saw. */
  recheck?(call: GuardedCall): Promise<GuardRefusal | undefined>;
  /** When the call may be paid and is about to be sent: what has to ask its server something. */
  beforeSending?(call: GuardedCall): Promise<GuardRefusal | undefined>;
  during?(call: GuardedCall, signal: AbortSignal): GuardRefusal | undefined | Promise<GuardRefusal | undefined>;
  /** When the call ended with a result. */
  post?(call: GuardedCall, result: Readonly<Record<string, unknown>>): Promise<PostVerdict>;
  /** Before a server is asked for its tools: headers or a refusal. */
  list?(target: GuardedTarget): Promise<PreVerdict>;
}

/** Refuses in the name of a guardrail. */
export const violation = (guardrail_name: string, message: string): GuardRefusal => ({
  guardrail_name,
  error: 'guardrail_violation',
  message,
});
