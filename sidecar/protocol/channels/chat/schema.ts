import * as z from 'zod';
import { openEnum, openUnion } from '../../building.ts';
import { ContentRef, ErrorInfo, Message, Meta, StringOrMarkdown, Timestamp, Uri, UsageInfo } from '../../shared.ts';
import { SessionStatus } from '../../status.ts';
import { ChatInputRequest, ChatInputResponse } from './inputRequests.ts';
import { ToolCallState } from './toolCalls.ts';

/** Frozen when the side chat is accepted; `responsePartId` is provenance only. */
export const SideChatSelection = z.object({ text: z.string().min(1), responsePartId: z.string().exactOptional() });
export type SideChatSelection = z.infer<typeof SideChatSelection>;

/** A hint for showing, not a hierarchy. */
export const ChatOrigin = openUnion('kind', {
  user: z.object({ kind: z.literal('user') }),
  fork: z.object({ kind: z.literal('fork'), chat: Uri, turnId: z.string() }),
  sideChat: z.object({
    kind: z.literal('sideChat'),
    chat: Uri,
    turnId: z.string(),
    selection: SideChatSelection.exactOptional(),
  }),
  tool: z.object({ kind: z.literal('tool'), chat: Uri, toolCallId: z.string() }),
});
export type ChatOrigin = z.infer<typeof ChatOrigin>;

export const ChatSummary = z.object({
  resource: Uri,
  title: z.string(),
  status: SessionStatus,
  activity: z.string().exactOptional(),
  modifiedAt: Timestamp,
  origin: ChatOrigin.exactOptional(),
  /** Absent means `full`. */
  interactivity: openEnum('full', 'read-only', 'hidden').exactOptional(),
  /** A subset of the session's; absent: all of them, empty: none. */
  workingDirectories: z.array(Uri).exactOptional(),
  /** Fixed when the chat was created. */
  primaryWorkingDirectory: Uri.exactOptional(),
});
export type ChatSummary = z.infer<typeof ChatSummary>;

/**
 * What `session/chatUpdated` may change: an absent member is unchanged, `null` clears an optional one. A `resource` in
 * it is ignored, and the primary directory never changes.
 */
export const ChatSummaryChanges = z.object({
  resource: Uri.exactOptional(),
  title: z.string().exactOptional(),
  status: SessionStatus.exactOptional(),
  modifiedAt: Timestamp.exactOptional(),
  activity: z.string().nullable().exactOptional(),
  origin: ChatOrigin.nullable().exactOptional(),
  interactivity: ChatSummary.shape.interactivity.unwrap().nullable().exactOptional(),
  workingDirectories: z.array(Uri).nullable().exactOptional(),
});
export type ChatSummaryChanges = z.infer<typeof ChatSummaryChanges>;

const MarkdownPart = z.object({ kind: z.literal('markdown'), id: z.string(), content: z.string() });
const ReasoningPart = z.object({
  kind: z.literal('reasoning'),
  id: z.string(),
  content: z.string(),
  _meta: Meta.exactOptional(),
});
const ToolCallPart = z.object({ kind: z.literal('toolCall'), toolCall: ToolCallState });
const InputRequestPart = z.object({
  kind: z.literal('inputRequest'),
  request: ChatInputRequest,
  /** Absent: open, or never answered if the turn ended. */
  response: ChatInputResponse.exactOptional(),
});
export type ToolCallPart = z.infer<typeof ToolCallPart>;
export type InputRequestPart = z.infer<typeof InputRequestPart>;

export const ResponsePart = openUnion('kind', {
  markdown: MarkdownPart,
  reasoning: ReasoningPart,
  contentRef: z.object({ kind: z.literal('contentRef'), ...ContentRef.shape }),
  toolCall: ToolCallPart,
  systemNotification: z.object({
    kind: z.literal('systemNotification'),
    content: StringOrMarkdown,
    _meta: Meta.exactOptional(),
  }),
  inputRequest: InputRequestPart,
});
export type ResponsePart = z.infer<typeof ResponsePart>;

export const TurnState = z.enum(['complete', 'cancelled', 'error']);
export type TurnState = z.infer<typeof TurnState>;

export const Turn = z.object({
  id: z.string().min(1),
  startedAt: Timestamp.exactOptional(),
  /** Milliseconds by the producer's clock. */
  duration: z.number().exactOptional(),
  message: Message,
  responseParts: z.array(ResponsePart),
  usage: UsageInfo.exactOptional(),
  state: TurnState,
  error: ErrorInfo.exactOptional(),
});
export type Turn = z.infer<typeof Turn>;

export const ActiveTurn = z.object({
  id: z.string().min(1),
  startedAt: Timestamp,
  message: Message,
  responseParts: z.array(ResponsePart),
  usage: UsageInfo.exactOptional(),
});
export type ActiveTurn = z.infer<typeof ActiveTurn>;

export const PendingMessageKind = z.enum(['steering', 'queued']);
export type PendingMessageKind = z.infer<typeof PendingMessageKind>;
export const PendingMessage = z.object({ id: z.string().min(1), message: Message });
export type PendingMessage = z.infer<typeof PendingMessage>;

export const ChatState = z.object({
  ...ChatSummary.shape,
  /** Oldest first. */
  turns: z.array(Turn),
  /** Present: `turns` is only the tail. */
  turnsNextCursor: z.string().exactOptional(),
  activeTurn: ActiveTurn.exactOptional(),
  steeringMessage: PendingMessage.exactOptional(),
  /** Never empty: the key goes with the last one. */
  queuedMessages: z.array(PendingMessage).exactOptional(),
  draft: Message.exactOptional(),
  _meta: Meta.exactOptional(),
});
export type ChatState = z.infer<typeof ChatState>;
