import type { OfferedResult, OutputContent, ToolDecision, ToolFacts } from '../../agents/provider.ts';
import { toolNames } from '../../agents/toolNames.ts';
import { Fault } from '../../platform/faults.ts';
import type { ToolCallState, ToolResultContent } from '../../protocol/channels/chat/toolCalls.ts';
import type { ToolDefinition } from '../../protocol/shared.ts';
import { activeTurn, toolCallOf } from '../context/chatAccess.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import type { PendingAnswers } from '../context/pendingAnswers.ts';
import type { SessionServers } from '../mcp/sessionServers.ts';
import type { NamedTool } from './offeredTools.ts';
import type { TurnWriter } from './turnWriter.ts';

export interface OfferedDeps {
  readonly effects: Pick<EffectDeps, 'store' | 'newId' | 'report'>;
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
  /** The client that started the turn. */
  readonly starter: string | undefined;
  /** Names of the tools that the chosen custom agent may use. Absent: all. */
  readonly allowed: readonly string[] | undefined;
  readonly writer: TurnWriter;
  /** What a tool put out, as a chat holds it: large things aside. */
  readonly keep: (content: readonly OutputContent[]) => Promise<ToolResultContent[]>;
  /** Decides as about every call. `introduce` puts it into the chat, under `toolName` for rules. */
  readonly confirm: (
    facts: ToolFacts,
    toolName: string,
    introduce: (isDenied: boolean) => void,
  ) => Promise<ToolDecision>;
  /** A call that was not denied is over. */
  readonly over: (toolCallId: string, result: OfferedResult) => Promise<void>;
  /** Woken under `<chat> <toolCallId>` whenever such a call took a step. */
  readonly steps: PendingAnswers<void>;
  /** Loaded with the first use. */
  readonly servers: () => Promise<Pick<SessionServers, 'call' | 'tokenFor'>>;
}

/** Puts the call into the chat, and has the host decide about it. @returns why it is denied, or its id */
export async function askForCall(
  { effects, confirm, writer }: OfferedDeps,
  tool: NamedTool,
  input: Readonly<Record<string, unknown>>,
): Promise<{ readonly toolCallId: string; readonly denied?: string }> {
  const toolCallId = effects.newId();
  const { contributor, definition } = tool;
  const facts: ToolFacts = {
    toolCallId,
    kind: 'other',
    invocationMessage: `Use ${wordsFor(tool)}`,
    toolInput: JSON.stringify(input),
    paths: [],
    ...(definition.annotations && { annotations: definition.annotations }),
  };
  const displayName = toolNames.other;
  const started = { kind: 'toolStarted', toolCallId, toolName: definition.name, displayName } as const;
  // A call that a rule denies never names its client: that would run it as soon as it saw the call.
  const decision = await confirm(facts, ruleName(contributor, definition), (isDenied) =>
    writer.toolStarted(started, isDenied ? undefined : contributor),
  );
  return { toolCallId, ...(!decision.allow && { denied: decision.reason ?? 'The user did not allow this call.' }) };
}

/** What a person reads: the name by which rules know the tool, and never the title that it gives itself (host.tools.name-by-kind). */
export function wordsFor({ contributor, definition }: NamedTool): string {
  const { server, name } = offeredAs(definition);
  return contributor.kind === 'client'
    ? `the tool ${definition.name} from a connected program`
    : `the tool ${name} from ${server === '' ? 'an MCP server' : server}`;
}

/** `client:<tool>`, or `mcp:<server>/<tool>` by the server's own name for it. */
function ruleName({ kind }: NamedTool['contributor'], definition: ToolDefinition): string {
  if (kind === 'client') return `client:${definition.name}`;
  const { server, name } = offeredAs(definition);
  return `mcp:${server}/${name}`;
}

function offeredAs({ name, _meta: meta = {} }: ToolDefinition): { readonly server: string; readonly name: string } {
  const { server, name: own } = meta;
  return { server: typeof server === 'string' ? server : '', name: typeof own === 'string' ? own : name };
}

/** Waits until the call is over, and until that is on disk. */
export async function ended(deps: OfferedDeps, toolCallId: string, signal: AbortSignal): Promise<ToolCallState> {
  const { store } = deps.effects;
  for (;;) {
    await store.settled();
    signal.throwIfAborted();
    const call = toolCallOf(activeTurn(store, deps.chat, deps.turnId), toolCallId);
    if (!call) throw new Fault('unavailable', 'the turn that this call belongs to has ended');
    if (call.status === 'completed' || call.status === 'cancelled') return call;
    await deps.steps.wait(`${deps.chat} ${toolCallId}`, signal);
  }
}

export function toResult(call: ToolCallState): OfferedResult {
  if (call.status !== 'completed') return failed('The user withheld the result of this call.');
  return {
    success: call.success,
    content: (call.content ?? []).flatMap((it) => toContent(it) ?? []),
    ...(call.structuredContent && { structuredContent: call.structuredContent }),
    ...(call.error && { error: call.error.message }),
  };
}

export function failed(error: string): OfferedResult {
  return { success: false, content: [], error };
}

/** Terminals, changes and worker chats are for people: an agent cannot open them. */
function toContent(content: ToolResultContent): OutputContent | undefined {
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
