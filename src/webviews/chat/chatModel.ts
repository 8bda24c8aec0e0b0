import { isPaused } from '../../../sidecar/protocol/channels/chat/chatStatus.ts';
import type { ChatState, Turn } from '../../../sidecar/protocol/channels/chat/schema.ts';
import type { RootState } from '../../../sidecar/protocol/channels/root/schema.ts';
import type { CustomAgentInfo } from '../../../sidecar/protocol/channels/session/customizations.ts';
import type { SessionState } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { SessionConfigState } from '../../../sidecar/protocol/configSchemas.ts';
import type { Message, MessageAttachment } from '../../../sidecar/protocol/shared.ts';
import { activityOf, status } from '../../../sidecar/protocol/status.ts';
import { visibleText } from '../../../sidecar/protocol/visibleText.ts';
import type {
  Banner,
  ChatHead,
  ChatModel,
  ComposerModel,
  QueuedMessage,
  RestoreState,
  TurnChangesModel,
  TurnHead,
} from '../contract/chatModel.ts';
import { attachedOf, toAttachment } from './attach/attachmentModels.ts';
import { problemKindOf, toBanners } from './chatBanners.ts';
import type { EditorFacts } from './chatDeps.ts';
import { hasOptions, type PickerInput, toPickers } from './chatPickers.ts';
import { planOf, type RowBuilder, toPromptRow } from './chatRows.ts';
import { toChats } from './chats/chatTabs.ts';
import { toUsage } from './chatUsage.ts';

/** Everything a chat is drawn from. */
export interface ChatInput {
  /** `undefined` until the host answered. */
  readonly root: RootState | undefined;
  /** Absent before the first prompt, and `undefined` in it until the host answered. */
  readonly session: SessionState | undefined;
  readonly chat: ChatState | undefined;
  /** `_meta` of the session's summary, where the host names troubles. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly isGone: boolean;
  readonly editor: EditorFacts;
  readonly chosen: RestoreState;
  /** What the agent offers before there is a session. */
  readonly config: SessionConfigState | undefined;
  /** The custom agents of the folder in which a new session would work. */
  readonly folderAgents: readonly CustomAgentInfo[];
  readonly favorites: PickerInput['favorites'];
  /** Nothing was sent yet. */
  readonly isNew: boolean;
  readonly attachments: readonly KeptAttachment[];
  /** A prompt whose session is being created. */
  readonly starting: StartingTurn | undefined;
  /** What this window noticed by itself: a refused action, a host that is away. */
  readonly ownBanners: readonly Banner[];
  readonly dismissed: ReadonlySet<string>;
  /** How many of the newest turns are shown. */
  readonly shownTurns: number;
  /** The id of a turn that a person looks for. */
  readonly wanted: string | undefined;
  readonly changesOf: (turn: Turn) => TurnChangesModel | undefined;
}
export interface KeptAttachment {
  readonly id: string;
  readonly attachment: MessageAttachment;
}
export interface StartingTurn {
  readonly id: string;
  readonly message: Message;
  readonly startedAt: string;
}

/** Pure but for the builder's memory of rows it made before. */
export function toModel(input: ChatInput, builder: RowBuilder): ChatModel {
  const { chat, starting } = input;
  const from = Math.max(0, (chat?.turns.length ?? 0) - input.shownTurns);
  const rows = chat ? builder.rows(chat, from, input.changesOf) : [];
  const isStarting = starting && !hasTurn(chat, starting.id);
  return { head: toHead(input, from), rows: isStarting ? [...rows, toPromptRow(starting)] : rows };
}

/** What a chat is called before the host named its session: the first line of the prompt. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() ?? '';
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function toHead(input: ChatInput, from: number): ChatHead {
  const { session, chat, starting, chosen } = input;
  const agent = input.root?.agents.find((it) => it.provider === chosen.provider);
  const turn = toTurnHead(input);
  const usage = toUsage(input, agent);
  const steering = chat?.steeringMessage;
  return {
    phase: phaseOf(input),
    title: session?.title || (starting ? titleOf(starting.message.text) : '') || 'New session',
    hasOlder: from > 0 || chat?.turnsNextCursor !== undefined,
    composer: toComposer(input),
    queue: (chat?.queuedMessages ?? []).map(toQueued),
    isPaused: chat !== undefined && isPaused(chat),
    banners: [...toBanners(input, agent), ...input.ownBanners].filter((it) => !input.dismissed.has(it.id)),
    settings: { showReasoning: false },
    restore: chosen.session === undefined ? { ...chosen, ...attachedOf(input.attachments) } : chosen,
    ...(agent?.capabilities?.multipleChats?.fork && chosen.session !== undefined && { canFork: true as const }),
    ...(input.editor.isTrusted && chosen.host === undefined && { canRun: true as const }),
    ...(input.wanted !== undefined && hasTurn(chat, input.wanted) && { wanted: input.wanted }),
    ...toChats(session, agent, chat?.resource),
    ...(turn && { turn }),
    ...(steering && { steering: toQueued(steering) }),
    ...(usage && { usage }),
  };
}

function phaseOf({ isNew, session, starting, isGone }: ChatInput): ChatHead['phase'] {
  if (isGone) return 'gone';
  if (session?.lifecycle === 'creationFailed') return 'failed';
  if (starting) return 'creating';
  if (isNew) return 'new';
  return session?.lifecycle === 'creating' ? 'creating' : 'ready';
}

function toTurnHead({ chat, session, starting }: ChatInput): TurnHead | undefined {
  const turn = chat?.activeTurn;
  if (turn && chat) {
    // That an agent is silent is in a banner, with what can be done about it.
    const isSilent = problemKindOf(session?._meta) === 'agentSilent';
    const activity = isSilent ? undefined : (chat.activity ?? session?.activity);
    const plan = turn.responseParts.map(planOf).findLast((it) => it !== undefined);
    return {
      id: turn.id,
      startedAt: turn.startedAt,
      needsYou: activityOf(chat.status) === status.InputNeeded,
      ...(activity && { activity }),
      ...(plan && { plan: plan.map(({ text, state }) => ({ text: visibleText(text), state })) }),
    };
  }
  if (!starting || hasTurn(chat, starting.id)) return undefined;
  return { id: starting.id, startedAt: starting.startedAt, needsYou: false };
}

function toComposer(input: ChatInput): ComposerModel {
  const { editor, chat, chosen, session } = input;
  const blocked = blockedOf(input);
  const agent = input.root?.agents.find((it) => it.provider === (session?.provider ?? chosen.provider));
  const choice = {
    agents: input.root?.agents ?? [],
    editor,
    chosen: { ...chosen, ...lastModel(chat, chosen) },
    config: session?.config ?? input.config,
    session,
    folderAgents: input.folderAgents,
    favorites: input.favorites,
    isNew: input.isNew,
  };
  return {
    draft: chat?.draft?.text ?? '',
    pickers: toPickers(choice),
    hasOptions: hasOptions(choice),
    attachments: input.attachments.map((it) => toAttachment(it, agent, choice.chosen.model)),
    hasSelection: editor.hasSelection,
    unsavedFiles: editor.unsavedFiles,
    canSteer: chat?.activeTurn !== undefined && chat.steeringMessage === undefined,
    ...(blocked && { blocked }),
  };
}

function blockedOf({ editor, isGone, chat, root }: ChatInput): ComposerModel['blocked'] {
  if (!editor.isTrusted) return 'untrusted';
  if (isGone) return 'gone';
  if (chat?.interactivity === 'read-only') return 'readOnly';
  if (root && root.agents.length === 0) return 'noAgent';
  return undefined;
}

function lastModel(chat: ChatState | undefined, chosen: RestoreState): { readonly model?: string } {
  const last = chat?.activeTurn?.message.model ?? chat?.turns.at(-1)?.message.model;
  const model = chosen.model ?? last?.id;
  return model === undefined ? {} : { model };
}

function toQueued({ id, message }: { readonly id: string; readonly message: Message }): QueuedMessage {
  return { id, text: message.text };
}

function hasTurn(chat: ChatState | undefined, turnId: string): boolean {
  return chat?.activeTurn?.id === turnId || chat?.turns.some((it) => it.id === turnId) === true;
}
