import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';
import { readReset, UsageLimitReached } from '../../usageLimits.ts';
import { Answer, type OnText } from './answer.ts';
import type { CallOptions, LanguageModel } from './languageModel.ts';

/** With the usual pauses, they take about half a minute. */
const MOST_TRIES = 6;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const UNREACHABLE = 'The gateway could not be reached.';
const UNREADABLE = 'The response ended early or could not be read.';

/** The parts of the AI SDK's errors that are used here. Errors in a stream have only a message. */
const CallError = z.object({
  message: z.string(),
  statusCode: z.int().optional(),
  isRetryable: z.boolean().optional(),
  responseHeaders: z.record(z.string(), z.string()).optional(),
  responseBody: z.string().optional(),
});
type CallError = z.infer<typeof CallError>;

export interface AskModel {
  readonly model: LanguageModel;
  readonly options: Omit<CallOptions, 'abortSignal'>;
  readonly timers: Pick<Timers, 'wait'>;
  readonly signal: AbortSignal;
  /** @param attempt from 0: the text of each attempt replaces that of the attempt before */
  readonly onText: (attempt: number) => OnText;
  /** Called before the pause. @param hasBegun whether a part of the answer had arrived */
  readonly onRetry: (reason: string, hasBegun: boolean) => void;
  /** Called with the answer before it is complete. If the signal aborts, it holds what has arrived. */
  readonly onAnswer: (answer: Answer) => void;
}

/** The conversation does not fit into the context of the model. */
export class ContextOverflow extends Error {
  override readonly name = 'ContextOverflow';
}

/**
 * Calls a model. Repeats a call that failed for a temporary reason.
 *
 * @throws {Fault} `unavailable`, `usage_limited`, or `budget_stopped`, with the message of the gateway; {@link ContextOverflow};
 *   the reason of the signal
 */
export async function askModel({
  model,
  options,
  timers,
  signal,
  onText,
  onRetry,
  onAnswer,
}: AskModel): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    const answer = new Answer(onText(attempt));
    onAnswer(answer);
    try {
      const { stream } = await model.doStream({ ...options, abortSignal: signal });
      for await (const part of stream) answer.take(part);
      if (answer.finish === undefined) throw new Error('the stream has no finish part');
      return answer;
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toCallError(thrown);
      if (isOverflow(error)) throw new ContextOverflow(error.message, { cause: thrown });
      const mayHelp = error.isRetryable ?? (error.statusCode === undefined || error.statusCode >= 500);
      if (!mayHelp || attempt + 1 >= MOST_TRIES || isLongLimit(error)) throw toFault(error, thrown);
      onRetry(asSentence(error.message), answer.parts.length > 0);
      await timers.wait(pauseMs(error, attempt), signal);
    }
  }
}

/** Only messages of the gateway and of providers are shown. Text of other exceptions can contain addresses. */
function toCallError(thrown: unknown): CallError {
  const error = CallError.safeParse(thrown).data ?? { message: typeof thrown === 'string' ? thrown : UNREADABLE };
  if (!(thrown instanceof Error) || error.statusCode !== undefined) return error;
  return { ...error, message: error.isRetryable === true ? UNREACHABLE : UNREADABLE };
}

/** There is no common error code: each provider has its own words, and the HTTP status is also used for other errors. */
function isOverflow({ statusCode, message, responseBody = '' }: CallError): boolean {
  if (statusCode === 413) return true;
  if (statusCode !== undefined && statusCode !== 400) return false;
  return /context[_ ](length|window)|maximum context|too many (input )?tokens|prompt is too long|input.{0,30}too long|exceeds?.{0,40}(token|context)/i.test(
    `${message} ${responseBody}`,
  );
}

/** The limit ends later than a pause may. */
function isLongLimit(error: CallError): boolean {
  return error.statusCode === 429 && askedMs(error) > LONGEST_PAUSE_MS;
}

/** `NaN` without a header. */
function askedMs({ responseHeaders = {} }: CallError): number {
  const { 'retry-after-ms': inMs, 'retry-after': inSeconds } = responseHeaders;
  return inMs !== undefined ? Number(inMs) : Number(inSeconds) * 1_000;
}

function pauseMs(error: CallError, attempt: number): number {
  const asked = askedMs(error);
  const usual = FIRST_PAUSE_MS * 2 ** attempt;
  return Math.min(LONGEST_PAUSE_MS, asked >= 0 ? Math.max(asked, usual) : usual);
}

function toFault(error: CallError, cause: unknown): Fault {
  const { message, statusCode, responseBody = '' } = error;
  const said = asSentence(message);
  if (/"(code|type)"\s*:\s*"budget_exceeded"/.test(responseBody)) return new Fault('budget_stopped', said, { cause });
  if (statusCode === 429) {
    const inMs = askedMs(error);
    return new UsageLimitReached('The model', said, inMs > 0 ? { inMs } : readReset(said), cause);
  }
  if (statusCode === 401 || statusCode === 403)
    return new Fault(
      'unavailable',
      `The model rejected the call: ${said} Check the key of the model under Models + Endpoints.`,
      {
        cause,
      },
    );
  return new Fault(
    'unavailable',
    `The model did not answer: ${said} Send the message again, or choose another model.`,
    {
      cause,
    },
  );
}

const asSentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`);
