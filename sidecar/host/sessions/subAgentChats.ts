import type { DelegatedReport } from '../../agents/delegation.ts';
import { Fault } from '../../platform/faults.ts';
import type { ChatState, Turn } from '../../protocol/channels/chat/schema.ts';
import type { SubAgentMeta } from '../../protocol/channels/chat/subAgentMeta.ts';
import { chatUri } from '../../protocol/uris.ts';
import { UsageMeta } from '../../protocol/usageMeta.ts';
import type { AgentRuntimes } from '../agents/agentRuntimes.ts';
import { activeTurn, commitChat } from '../context/chatAccess.ts';
import type { Delegation, SubAgentContent } from '../context/delegating.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { elapsed } from '../context/elapsed.ts';
import type { NewChats } from './newChats.ts';

const ends: ReadonlySet<string> = new Set(['chat/turnComplete', 'chat/turnCancelled', 'chat/error']);

/**
 * Sub-agents, each in a read-only chat of its own: its calls, questions, and costs are in that chat, and the chat's `origin` names the
 * tool call that started it. A sub-agent has one turn, which ends with the turn that delegated it at the latest.
 */
export class SubAgentChats {
  readonly #deps: EffectDeps;
  readonly #runtimes: Pick<AgentRuntimes, 'leaveUnused'>;
  readonly #chats: Pick<NewChats, 'add'>;

  constructor(deps: EffectDeps, runtimes: Pick<AgentRuntimes, 'leaveUnused'>, chats: Pick<NewChats, 'add'>) {
    this.#deps = deps;
    this.#runtimes = runtimes;
    this.#chats = chats;
  }

  /** @see Delegate */
  async play({ session, chat: parent, task, customAgent, signal, shows }: Delegation): Promise<DelegatedReport> {
    signal.throwIfAborted();
    const { store, clock, newId } = this.#deps;
    const { toolCallId, title, text, model } = task;
    const chat = chatUri(newId());
    this.#chats.add(session, chat, {
      title,
      origin: { kind: 'tool', chat: parent, toolCallId },
      interactivity: 'read-only',
      ...foldersOf(store.state('chat', parent)),
    });
    const content = { type: 'subagent', resource: chat, title } as const;
    shows(content);
    const turnId = newId();
    const ended = this.#ended(chat, turnId, signal);
    ended.catch(() => undefined); // awaited below, unless the chat could not be saved
    const message = {
      text,
      origin: { kind: 'agent' as const },
      model: { id: model },
      ...(customAgent && { agent: customAgent }),
    };
    commitChat(store, chat, { type: 'chat/turnStarted', turnId, startedAt: clock.now(), message });
    if (!(await store.settled())) throw new Fault('unavailable', store.failureReason);
    await ended;
    this.#runtimes.leaveUnused(chat);
    const turn = store.state('chat', chat)?.turns.find((it) => it.id === turnId);
    if (!turn) return { outcome: 'stopped', text: '' }; // its chat was deleted
    shows({ ...content, ...costOf(turn) });
    return reportOf(turn);
  }

  /** Settles when the turn is over. When the signal aborts, it stops the turn, and rejects. */
  #ended(chat: string, turnId: string, signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    return new Promise((resolve, reject) => {
      const stop = store.onWritten(({ envelope: { channel, action } }) => {
        if (channel !== chat || !ends.has(action.type) || activeTurn(store, chat, turnId)) return;
        done();
        resolve();
      });
      const abort = () => {
        done();
        const turn = activeTurn(store, chat, turnId);
        const duration = turn ? elapsed(this.#deps, turn.startedAt) : 0;
        if (turn) commitChat(store, chat, { type: 'chat/turnCancelled', turnId, duration });
        reject(signal.reason as Error);
      };
      const done = () => {
        stop();
        signal.removeEventListener('abort', abort);
      };
      signal.addEventListener('abort', abort, { once: true });
    });
  }
}

/** A sub-agent works where the chat works that delegates. */
function foldersOf(parent: ChatState | undefined): Partial<ChatState> {
  const { workingDirectories, primaryWorkingDirectory } = parent ?? {};
  return {
    ...(workingDirectories && { workingDirectories }),
    ...(primaryWorkingDirectory !== undefined && { primaryWorkingDirectory }),
  };
}

function costOf({ usage }: Turn): Pick<SubAgentContent, '_meta'> {
  if (!usage) return {};
  const { cost } = UsageMeta.parse(usage._meta ?? {});
  const meta: SubAgentMeta = {
    ...(usage.inputTokens !== undefined && { inputTokens: usage.inputTokens }),
    ...(usage.outputTokens !== undefined && { outputTokens: usage.outputTokens }),
    ...(cost && { cost }),
  };
  return { _meta: meta };
}

/** The text after the last tool call. */
function reportOf({ state, responseParts, error }: Turn): DelegatedReport {
  const last = responseParts.findLastIndex((it) => it.kind === 'toolCall');
  const text = responseParts
    .slice(last + 1)
    .map((it) => (it.kind === 'markdown' ? it.content : ''))
    .join('')
    .trim();
  if (state === 'complete') return { outcome: 'complete', text };
  if (state === 'cancelled') return { outcome: 'stopped', text };
  return { outcome: 'failed', text, ...(error && { error: error.message }) };
}
