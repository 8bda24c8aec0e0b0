import type * as z from 'zod';
import type {
  SessionContext,
  ToolContent,
  ToolDecision,
  ToolFacts,
  ToolKind,
  TurnEvent,
  TurnHost,
} from '../../provider.ts';

/** What a tool can use during one call. */
export interface ToolScope {
  readonly context: SessionContext;
  readonly host: TurnHost;
  readonly toolCallId: string;
  readonly signal: AbortSignal;
  /** Shows something other than the result. */
  emit(event: TurnEvent): void;
  /** Asks the host, which asks the user if necessary. @throws {NotAllowed} */
  confirm(facts: Omit<ToolFacts, 'toolCallId'>): Promise<Extract<ToolDecision, { allow: true }>>;
}

export interface ToolOutcome {
  /** For the model. */
  readonly text: string;
  /** For a person, in the past tense. */
  readonly past: string;
  readonly hasFailed?: boolean;
  /** For the card. Absent: the text. */
  readonly content?: readonly ToolContent[];
  readonly paths?: readonly string[];
}

/** A built-in tool of the agent. */
export interface CoderTool {
  readonly name: string;
  readonly kind: ToolKind;
  /** For the model. */
  readonly description: string;
  readonly input: z.ZodObject;
  /** The tool changes nothing, so it is offered in Plan mode, and its calls can run in parallel. */
  readonly isReading: boolean;
  /** The transcript has no card for the call, only the question or list that it shows. */
  readonly isSilent?: boolean;
  /** @throws {Fault} with a message for the model and the user; {@link NotAllowed} */
  run(input: unknown, scope: ToolScope): Promise<ToolOutcome>;
}

/** Creates a tool that gets only checked input. */
export function tool<Input extends z.ZodObject>(definition: {
  readonly name: string;
  readonly kind: ToolKind;
  readonly description: string;
  readonly input: Input;
  readonly isReading?: boolean;
  readonly isSilent?: boolean;
  readonly run: (input: z.infer<Input>, scope: ToolScope) => Promise<ToolOutcome>;
}): CoderTool {
  const { input, run, isReading = false, ...rest } = definition;
  return { ...rest, isReading, input, run: (given, scope) => run(input.parse(given) as z.infer<Input>, scope) };
}

/** A rule, a hook, or the user denied the call. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
  readonly isSkipped: boolean;

  constructor({ reason, skipped }: Extract<ToolDecision, { allow: false }>) {
    super(reason ?? '');
    this.isSkipped = skipped === true;
  }
}
