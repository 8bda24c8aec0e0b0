import type {
  AgentSession,
  Attachment,
  CustomAgent,
  ToolFacts,
  TurnEvent,
  TurnHost,
  TurnRequest,
} from '../../agents/provider.ts';
import { Fault, toFault } from '../../platform/faults.ts';
import type { ChatAction } from '../../protocol/channels/chat/actions.ts';
import type { ToolResultContent } from '../../protocol/channels/chat/toolCalls.ts';
import type { FileEdit, Message } from '../../protocol/shared.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { pathOf } from '../context/paths.ts';
import { problemFrom } from '../context/problems.ts';
import { type KeepBytes, textOf, toEndedContent } from '../context/toolContent.ts';
import type { TurnHooks } from '../hooks/turnHooks.ts';
import type { TurnWriter } from '../tools/turnWriter.ts';
import { toolMeta } from './confirmTool.ts';

/** How long an agent may take to end after it was told to. */
export const SETTLE_LIMIT_MS = 5_000;
/** After this silence a person is told, where the agent has no time of its own; the turn goes on until it is stopped. */
const SILENCE_MS = 60_000;
/** Events in a row without giving others a turn. */
const EVENTS_PER_BREATH = 64;

export interface TurnDeps {
  readonly effects: EffectDeps;
  readonly writer: TurnWriter;
  readonly chat: string;
  /** Opens the agent, and what the turn needs besides. */
  readonly prepare: () => Promise<PreparedTurn>;
  /** Why the turn failed, before it is closed. */
  readonly failed: (fault: Fault) => void;
  /** True while a question waits for a person: that is no silence of the agent. */
  readonly isAsking: () => boolean;
}
export interface PreparedTurn {
  readonly agent: AgentSession;
  readonly displayName: string;
  readonly silentAfterMs?: number;
  readonly host: TurnHost;
  /** What the agent has to know of before, in front of what the person attached. */
  readonly earlier: readonly Attachment[];
  /** Whom the message chose. Absent: the agent as it is. */
  readonly customAgent?: CustomAgent;
  /** What the session's hooks say of its tools, and of its end. Absent: there are none. */
  readonly hooks?: Pick<TurnHooks, 'beforeTool' | 'afterTool' | 'turnEnds'>;
  /** What is to be said first. */
  readonly notice?: { readonly markdown: string; readonly meta: Record<string, unknown> };
  /** Keeps the bytes of what a tool may change, before it does. */
  readonly capture: (facts: ToolFacts) => Promise<void>;
  /** What the disk says now about the files of a tool call, and about `paths`. */
  readonly settle: (toolCallId: string, paths: readonly string[]) => Promise<readonly FileEdit[]>;
  /** Keeps large output for as long as the session lives. */
  readonly keep: KeepBytes;
  /** The last look at the disk. */
  readonly end: () => Promise<void>;
  /** The agent did not end in time. */
  readonly abandon: () => Promise<void>;
}

/**
 * Plays one turn into its chat. Every turn gets exactly one closing action, and it is the last: one of the two below, or
 * the `chat/turnCancelled` whose commit aborted `signal`. A chat never shows a turn that nobody is running.
 */
export async function runTurn(deps: TurnDeps, request: TurnRequest, signal: AbortSignal): Promise<void> {
  const { effects, writer, chat } = deps;
  const startedMs = effects.nowMs();
  let closing: (duration: number) => ChatAction = (duration) => ({
    type: 'chat/turnComplete',
    turnId: request.turnId,
    duration,
  });
  let prepared: PreparedTurn | undefined;
  try {
    prepared = await deps.prepare();
    signal.throwIfAborted();
    writer.problem(prepared.notice && { kind: 'forgotEarlierTurns' });
    if (prepared.notice) writer.notice(prepared.notice.markdown, prepared.notice.meta);
    const attachments = [...prepared.earlier, ...request.attachments];
    let next: TurnRequest | undefined = asCustomAgent({ ...request, attachments }, prepared);
    while (next) {
      await pull(deps, prepared, next, signal);
      signal.throwIfAborted();
      const text: string | undefined = await prepared.hooks?.turnEnds();
      next = text === undefined ? undefined : { ...next, text, attachments: [] };
    }
    writer.flush();
    await prepared.end();
  } catch (thrown) {
    await prepared?.end().catch((failed: unknown) => effects.report(effects.newId(), failed));
    if (!signal.aborted) {
      const fault = toFault(thrown, effects.report);
      deps.failed(fault);
      writer.problem(problemFrom(fault));
      closing = (duration) => ({ type: 'chat/error', turnId: request.turnId, duration, error: toErrorInfo(fault) });
    }
  }
  writer.flush();
  if (!effects.store.has(chat) || !writer.isOpen) return;
  writer.activity(undefined);
  writer.commit(closing(Math.max(0, Math.round(effects.nowMs() - startedMs))));
}

/** The model that a custom agent asks for counts where the message names none, and the agent has it. */
function asCustomAgent(request: TurnRequest, { agent, customAgent }: PreparedTurn): TurnRequest {
  if (!customAgent) return request;
  const { name, instructions, model: wanted } = customAgent;
  const known = agent.options.models.find((it) => it.id === wanted || it.name === wanted);
  const isChosen = request.model !== undefined && request.model !== agent.options.model;
  const { modelConfig: _ofAnother, ...own } = request;
  return {
    ...(known && !isChosen ? { ...own, model: known.id } : request),
    customAgent: { name, instructions },
  };
}

async function pull(deps: TurnDeps, prepared: PreparedTurn, request: TurnRequest, signal: AbortSignal): Promise<void> {
  const { effects, writer } = deps;
  const iterator = prepared.agent.run(request, prepared.host, signal)[Symbol.asyncIterator]();
  const aborted = whenAborted(signal);
  const watchdog = watchSilence(deps, prepared);
  try {
    for (let count = 1; ; count += 1) {
      const next = iterator.next();
      next.catch(() => undefined); // an answer that comes after the abort is nobody's any more
      const result = await Promise.race([next, aborted]);
      if (result === 'aborted') return await settle(effects, prepared, iterator);
      watchdog.heard();
      if (result.done) return;
      await apply(deps, prepared, result.value);
      if (effects.store.isStalled) await Promise.race([effects.store.whenWritable(), aborted]);
      if (count % EVENTS_PER_BREATH === 0) await new Promise<void>((resolve) => void effects.timers.soon(resolve));
    }
  } finally {
    watchdog.stop();
    writer.flush();
  }
}

async function apply(deps: TurnDeps, prepared: PreparedTurn, event: TurnEvent): Promise<void> {
  const { writer } = deps;
  switch (event.kind) {
    case 'text':
    case 'reasoning':
      return writer.text(event.kind, event.partId, event.text);
    case 'notice':
      return writer.notice(event.markdown);
    case 'toolStarted':
      return writer.toolStarted(event);
    case 'toolRunning':
      await prepared.capture(event.facts);
      writer.toolRuns(event.facts, 'not-needed', { ...toolMeta(event.facts), agentDecided: true });
      return forbidRunning(deps, prepared, event.facts);
    case 'toolContent':
      return writer.toolContent(event.toolCallId, event.content);
    case 'toolEnded':
      writer.toolEnded(event, await outputOf(deps, prepared, event));
      return prepared.hooks?.afterTool(event.toolCallId, event.success, textOf(event.content));
    case 'usage':
      return writer.usage(event);
  }
}

/** The agent runs this tool without asking. Where a hook says no, nothing else helps: the agent is ended. */
async function forbidRunning({ writer }: TurnDeps, prepared: PreparedTurn, facts: ToolFacts): Promise<void> {
  const said = await prepared.hooks?.beforeTool({ facts, toolName: writer.toolName(facts.toolCallId) ?? facts.kind });
  if (said?.verdict !== 'deny') return;
  await prepared.abandon();
  throw new Fault('forbidden', `${said.reason} ${prepared.displayName} ran the tool without asking, so it was ended.`);
}

/** What the tool put out, and what the disk says that it changed. */
async function outputOf(
  { effects }: TurnDeps,
  prepared: PreparedTurn,
  event: Extract<TurnEvent, { kind: 'toolEnded' }>,
): Promise<ToolResultContent[]> {
  const edits = await prepared.settle(event.toolCallId, event.paths ?? []);
  const output = await toEndedContent(effects.secrets.within(event.content), prepared.keep);
  return [...output, ...edits.map((it) => ({ type: 'fileEdit', ...it }) as const)];
}

/** Gives the agent its time to end; one that does not is closed. */
async function settle(effects: EffectDeps, prepared: PreparedTurn, iterator: AsyncIterator<TurnEvent>): Promise<void> {
  let stop: () => void = () => undefined;
  const limit = new Promise<'late'>((resolve) => {
    stop = effects.timers.after(SETTLE_LIMIT_MS, () => resolve('late'));
  });
  const ended = Promise.resolve(iterator.return?.()).then(
    () => 'ended' as const,
    () => 'ended' as const, // throwing is ending too
  );
  const outcome = await Promise.race([ended, limit]);
  stop();
  if (outcome === 'late') await prepared.abandon();
}

function whenAborted(signal: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('aborted');
    else signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
}

/** Says in the chat's activity that the agent is silent, and takes it back when it is heard again. */
function watchSilence(
  { effects, writer, isAsking }: TurnDeps,
  { displayName, silentAfterMs = SILENCE_MS }: PreparedTurn,
): { heard(): void; stop(): void } {
  let isTold = false;
  const arm = () => effects.timers.after(silentAfterMs, check);
  let stop = arm();
  function end(): void {
    if (!isTold) return;
    isTold = false;
    writer.activity(undefined);
    writer.problem(undefined);
  }
  function check(): void {
    stop = arm();
    if (isTold || isAsking()) return;
    isTold = true;
    const howLong = silentAfterMs === 60_000 ? 'a minute' : `${silentAfterMs / 1_000} seconds`;
    writer.activity(`${displayName} has been silent for ${howLong}.`);
    writer.problem({ kind: 'agentSilent' });
  }
  return {
    heard() {
      stop();
      stop = arm();
      end();
    },
    stop: () => {
      stop();
      end();
    },
  };
}

const errorTypes: Partial<Record<Fault['code'], string>> = {
  auth_required: 'authRequired',
  command_missing: 'commandMissing',
  folder_gone: 'folderGone',
  folder_needed: 'folderNeeded',
  not_trusted: 'notTrusted',
  provider_not_found: 'providerNotFound',
  internal: 'internal',
};
/** `errorType` chooses the button that a person is offered; `_meta` says for what. */
export function toErrorInfo(fault: Fault): { errorType: string; message: string; _meta?: Record<string, unknown> } {
  const { data } = fault;
  const meta = typeof data === 'object' && data !== null ? { _meta: { ...data } as Record<string, unknown> } : {};
  return { errorType: errorTypes[fault.code] ?? 'provider', message: fault.message, ...meta };
}

/** A message as the agent gets it. */
export function toTurnRequest(turnId: string, message: Message, model: string | undefined): TurnRequest {
  const attachments = (message.attachments ?? []).map((it) => toAttachment(it)).filter((it) => it !== undefined);
  const chosen = message.model?.id ?? model;
  const modelConfig = message.model?.config;
  return {
    turnId,
    text: message.text,
    attachments,
    ...(chosen !== undefined && { model: chosen }),
    ...(modelConfig && { modelConfig }),
  };
}

function toAttachment(attachment: NonNullable<Message['attachments']>[number]): Attachment | undefined {
  const { label } = attachment;
  switch (attachment.type) {
    case 'simple':
      return { kind: 'text', label, text: attachment.modelRepresentation ?? label };
    case 'embeddedResource':
      return { kind: 'data', label, base64: attachment.data, contentType: attachment.contentType };
    case 'resource': {
      const path = pathOf(attachment.uri);
      const range = attachment.selection?.range;
      const lines = range && ([range.start.line + 1, range.end.line + 1] as const);
      return path === undefined
        ? { kind: 'text', label, text: attachment.uri }
        : { kind: 'file', label, path, ...(lines && { lines }) };
    }
    default:
      return undefined; // a kind of a later version: remarks and chats have become text before
  }
}
