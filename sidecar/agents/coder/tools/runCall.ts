import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { isRecord } from '../../../platform/isRecord.ts';
import type { EventQueue } from '../../eventQueue.ts';
import type { SessionContext, TurnHost } from '../../provider.ts';
import { toolNames } from '../../toolNames.ts';
import type { CallPart, ResultEntry } from '../conversation/entries.ts';
import { callOffered, type NamedOffers } from './offered.ts';
import { type CoderTool, NotAllowed, type ToolOutcome, type ToolScope } from './tool.ts';

export interface CallDeps {
  readonly context: SessionContext;
  readonly host: TurnHost;
  readonly queue: EventQueue;
  readonly signal: AbortSignal;
  readonly tools: readonly CoderTool[];
  readonly offers: NamedOffers;
  readonly newCallId: () => string;
}

type Played = Pick<ResultEntry, 'text'> & { readonly hasFailed?: boolean };

/**
 * Runs one tool call of the model, and shows it in the transcript. A failure is a result for the model.
 * @throws the reason of the signal; unexpected errors
 */
export async function runCall(call: CallPart, deps: CallDeps): Promise<ResultEntry> {
  const { text, hasFailed } = await playCall(call, deps);
  return { role: 'result', id: call.id, name: call.name, text, ...(hasFailed && { hasFailed }) };
}

async function playCall(call: CallPart, deps: CallDeps): Promise<Played> {
  const input = parsed(call.input);
  if (input === undefined) return failed('The input is not a JSON object. Send the call again.');
  const own = deps.tools.find((it) => it.name === call.name);
  if (own) return playOwn(own, input, deps);
  const offered = deps.offers.names.get(call.name);
  if (offered === undefined) return failed(`The tool "${call.name}" does not exist or is not available in this mode.`);
  const { host, queue, signal } = deps;
  await queue.reached();
  try {
    return await callOffered(host.tools, offered, input);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof Fault) return failed(thrown.message);
    throw thrown;
  }
}

async function playOwn(own: CoderTool, input: object, deps: CallDeps): Promise<Played> {
  const { context, host, queue, signal } = deps;
  const toolCallId = deps.newCallId();
  const scope: ToolScope = {
    context,
    host,
    toolCallId,
    signal,
    emit: (event) => queue.push(event),
    async confirm(facts) {
      const decision = await host.confirm({ ...facts, toolCallId });
      signal.throwIfAborted();
      if (!decision.allow) throw new NotAllowed(decision);
      return decision;
    },
  };
  if (own.isSilent !== true)
    queue.push({
      kind: 'toolStarted',
      toolCallId,
      toolName: own.name,
      displayName: toolNames[own.kind],
    });
  await queue.reached();
  let outcome = refused('The tool failed because of an internal error.');
  try {
    outcome = await outcomeOf(own, input, scope);
  } finally {
    if (own.isSilent !== true) queue.push(ended(toolCallId, outcome));
  }
  signal.throwIfAborted();
  return { text: outcome.text, ...(outcome.hasFailed && { hasFailed: true }) };
}

function ended(toolCallId: string, { text, past, content, paths, hasFailed = false }: ToolOutcome) {
  return {
    kind: 'toolEnded',
    toolCallId,
    success: !hasFailed,
    pastTenseMessage: past,
    content: content ?? [{ kind: 'text', text }],
    ...(hasFailed && { error: firstLineOf(text) }),
    ...(paths && { paths }),
  } as const;
}

async function outcomeOf(own: CoderTool, input: object, scope: ToolScope): Promise<ToolOutcome> {
  try {
    return await own.run(input, scope);
  } catch (thrown) {
    if (scope.signal.aborted) return { text: 'Stopped.', past: 'Stopped', hasFailed: true, content: [] };
    if (thrown instanceof NotAllowed) return notAllowed(thrown);
    if (thrown instanceof z.ZodError) return refused(`The input is not valid. ${thrown.issues.map(toLine).join('; ')}`);
    if (thrown instanceof Fault) return refused(thrown.message);
    throw thrown;
  }
}

const toLine = ({ path, message }: z.core.$ZodIssue): string => `${path.join('.')}: ${message}`;
const refused = (text: string): ToolOutcome => ({ text, past: 'Failed', hasFailed: true });

function notAllowed({ message, isSkipped }: NotAllowed): ToolOutcome {
  const reason = message === '' ? '' : ` The reason: ${message}`;
  const text = isSkipped ? `The user skipped this call.${reason}` : `This call was denied.${reason}`;
  return { text, past: isSkipped ? 'Skipped' : 'Denied', hasFailed: true, content: [] };
}

const failed = (text: string): Played => ({ text, hasFailed: true });
const firstLineOf = (text: string): string => text.split('\n')[0]!.slice(0, 200);

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // the model is told
  }
}
