import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';
import { Answer, type OnText } from './answer.ts';
import type { CallOptions, LanguageModel } from './languageModel.ts';

/** With their pauses, about a minute. */
const MOST_TRIES = 6;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** An error of the AI SDK about a call, as far as it counts here. */
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
  /** @param attempt from 0: text of another attempt begins anew */
  readonly onText: (attempt: number) => OnText;
  /** Called before a pause. @param said whether a part of the answer had arrived */
  readonly onRetry: (reason: string, hasBegun: boolean) => void;
  /** Called with the answer as it begins, which is what is left if the signal aborts. */
  readonly onAnswer: (answer: Answer) => void;
}

/** The conversation does not fit into the model. */
export class ContextOverflow extends Error {
  override readonly name = 'ContextOverflow';
}

/**
 * Asks a model, again after a pause if that may help.
 *
 * @throws {Fault} `unavailable`, `budget_stopped` or `auth_required` with what the gateway said; {@link ContextOverflow}; the
 *   reason of the signal
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
      if (answer.finish === undefined) throw new Error('The response ended early.');
      return answer;
    } catch (thrown) {
      signal.throwIfAborted();
      const error = CallError.safeParse(thrown).data ?? { message: messageOf(thrown) };
      if (isOverflow(error)) throw new ContextOverflow(error.message);
      const mayHelp = error.isRetryable ?? (error.statusCode === undefined || error.statusCode >= 500);
      if (!mayHelp || attempt + 1 >= MOST_TRIES) throw toFault(error, thrown);
      onRetry(error.message, answer.parts.length > 0);
      await timers.wait(pauseMs(error, attempt), signal);
    }
  }
}

const messageOf = (thrown: unknown): string =>
  typeof thrown === 'string' ? thrown : 'The response could not be read.';

/** Providers say it in their own words; the numbers of the HTTP status are the same for other mistakes. */
function isOverflow({ statusCode, message, responseBody = '' }: CallError): boolean {
  if (statusCode === 413) return true;
  if (statusCode !== undefined && statusCode !== 400) return false;
  return /context[_ ](length|window)|maximum context|too many (input )?tokens|prompt is too long|input.{0,30}too long|exceeds?.{0,40}(token|context)/i.test(
    `${message} ${responseBody}`,
  );
}

function pauseMs({ responseHeaders = {} }: CallError, attempt: number): number {
  const { 'retry-after-ms': inMs, 'retry-after': inSeconds } = responseHeaders;
  const asked = inMs !== undefined ? Number(inMs) : Number(inSeconds) * 1_000;
  const usual = FIRST_PAUSE_MS * 2 ** attempt;
  return Math.min(LONGEST_PAUSE_MS, asked >= 0 ? Math.max(asked, usual) : usual);
}

function toFault({ message, statusCode, responseBody = '' }: CallError, cause: unknown): Fault {
  const said = /[.!?]$/.test(message) ? message : `${message}.`;
  if (/"(code|type)"\s*:\s*"budget_exceeded"/.test(responseBody)) return new Fault('budget_stopped', said, { cause });
  if (statusCode === 401 || statusCode === 403)
    return new Fault('unavailable', `The model refused the call: ${said} Check its key under Models + Endpoints.`, {
      cause,
    });
  return new Fault('unavailable', `The model did not answer: ${said}`, { cause });
}
