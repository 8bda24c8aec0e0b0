import type { OfferedResult, OfferedTools, ToolContent, ToolDecision, ToolFacts } from '../../agents/provider.ts';
import { Fault } from '../../platform/faults.ts';
import type { ToolCallState, ToolResultContent } from '../../protocol/channels/chat/toolCalls.ts';
import { activeTurn, sessionState, toolCallOf } from './chatAccess.ts';
import type { EffectDeps } from './effectDeps.ts';
import { type NamedTool, offeredTools } from './offeredTools.ts';
import type { PendingAnswers } from './pendingAnswers.ts';
import type { TurnWriter } from './turnWriter.ts';

export interface OfferedDeps {
  readonly effects: Pick<EffectDeps, 'store' | 'newId'>;
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
  /** The client that started the turn. */
  readonly starter: string | undefined;
  /** Names of the tools that the chosen custom agent may use. Absent: all. */
  readonly allowed: readonly string[] | undefined;
  readonly writer: TurnWriter;
  /** Decides as about every call. `introduce` puts it into the chat, under `toolName` for rules. */
  readonly confirm: (
    facts: ToolFacts,
    toolName: string,
    introduce: (isDenied: boolean) => void,
  ) => Promise<ToolDecision>;
  /** Woken under `<chat> <toolCallId>` whenever such a call took a step. */
  readonly steps: PendingAnswers<void>;
}

/** The tools that a session's clients offer, as an agent uses them during one turn. */
export function offeredCalls(deps: OfferedDeps, signal: AbortSignal): OfferedTools {
  const list = () => {
    const state = sessionState(deps.effects.store, deps.session);
    const all = state ? offeredTools(state, deps.starter) : [];
    return deps.allowed ? all.filter((it) => deps.allowed?.includes(it.name)) : all;
  };
  return {
    list: () =>
      list().map(({ name, definition: { title, description, inputSchema, annotations } }) => ({
        name,
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        ...(inputSchema && { inputSchema }),
        ...(annotations && { annotations }),
      })),
    async call(name, input) {
      const tool = list().find((it) => it.name === name);
      if (!tool) throw new Fault('not_found', `there is no tool ${name} in this session`);
      return runAtClient(deps, tool, input, signal);
    },
  };
}

async function runAtClient(
  deps: OfferedDeps,
  { contributor, definition }: NamedTool,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<OfferedResult> {
  const toolCallId = deps.effects.newId();
  const displayName = definition.title ?? definition.annotations?.title ?? definition.name;
  const facts: ToolFacts = {
    toolCallId,
    kind: 'other',
    invocationMessage: `Use ${displayName}`,
    toolInput: JSON.stringify(input),
    paths: [],
    ...(definition.annotations && { annotations: definition.annotations }),
  };
  const started = { kind: 'toolStarted', toolCallId, toolName: definition.name, displayName } as const;
  // A call that a rule denies never names its client: that would run it as soon as it saw the call.
  const decision = await deps.confirm(facts, `client:${definition.name}`, (isDenied) =>
    deps.writer.toolStarted(started, isDenied ? undefined : contributor),
  );
  if (!decision.allow) return failed(decision.reason ?? 'The person did not allow it.');
  return toResult(await ended(deps, toolCallId, signal));
}

/** Waits until the call is over, and until that is on disk. */
async function ended(deps: OfferedDeps, toolCallId: string, signal: AbortSignal): Promise<ToolCallState> {
  const { store } = deps.effects;
  for (;;) {
    await store.settled();
    signal.throwIfAborted();
    const call = toolCallOf(activeTurn(store, deps.chat, deps.turnId), toolCallId);
    if (!call) throw new Fault('unavailable', 'the turn of this call is over');
    if (call.status === 'completed' || call.status === 'cancelled') return call;
    await deps.steps.wait(`${deps.chat} ${toolCallId}`, signal);
  }
}

function toResult(call: ToolCallState): OfferedResult {
  if (call.status !== 'completed') return failed('The person kept the result of this call back.');
  return {
    success: call.success,
    content: (call.content ?? []).flatMap((it) => toContent(it) ?? []),
    ...(call.structuredContent && { structuredContent: call.structuredContent }),
    ...(call.error && { error: call.error.message }),
  };
}

function failed(error: string): OfferedResult {
  return { success: false, content: [], error };
}

/** Terminals, changes and worker chats are for people: an agent cannot open them. */
function toContent(content: ToolResultContent): ToolContent | undefined {
  switch (content.type) {
    case 'text':
      return { kind: 'text', text: content.text };
    case 'embeddedResource':
      return { kind: 'data', base64: content.data, contentType: content.contentType };
    case 'resource':
      return { kind: 'text', text: content.uri };
    default:
      return undefined;
  }
}
