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

/** What a tool of the agent can use during one call. */
export interface ToolScope {
  readonly context: SessionContext;
  readonly host: TurnHost;
  readonly toolCallId: string;
  readonly signal: AbortSignal;
  /** Shows something besides the result. */
  emit(event: TurnEvent): void;
  /** Asks the host, and a person if need be. @throws {NotAllowed} */
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

/** A tool that the agent brings along. */
export interface CoderTool {
  readonly name: string;
  readonly kind: ToolKind;
  /** For the model. */
  readonly description: string;
  readonly input: z.ZodObject;
  /** It changes nothing: it is offered while the agent plans, and such calls run side by side. */
  readonly isReading: boolean;
  /** It is no card in the transcript: what it shows is a question or a list. */
  readonly isSilent?: boolean;
  /** @throws {Fault} with a sentence for the model and for the person; {@link NotAllowed} */
  run(input: unknown, scope: ToolScope): Promise<ToolOutcome>;
}

/** Checks the input once, before the tool gets it. */
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

/** A rule, a hook or a person said no. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
  readonly isSkipped: boolean;

  constructor({ reason, skipped }: Extract<ToolDecision, { allow: false }>) {
    super(reason ?? '');
    this.isSkipped = skipped === true;
  }
}
