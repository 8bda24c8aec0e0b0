import * as z from 'zod';
import { actionTable } from '../../building.ts';
import { ErrorInfo, Message, Meta, StringOrMarkdown, Timestamp, Uri, UsageInfo } from '../../shared.ts';
import { ChatInputAnswer, ChatInputAnswers, ChatInputRequest, ChatInputResponse } from './inputRequests.ts';
import { PendingMessageKind, ResponsePart, Turn } from './schema.ts';
import {
  McpAuthRequirement,
  pendingFields,
  ToolCallConfirmed,
  ToolCallContributor,
  ToolCallResult,
  ToolResultContent,
} from './toolCalls.ts';

const turn = { turnId: z.string().min(1), _meta: Meta.exactOptional() };
const call = { ...turn, toolCallId: z.string().min(1) };
/** Milliseconds. New producers always send it; old ones may leave it out. */
const ended = { ...turn, duration: z.number().exactOptional() };

const confirmed = { ...call, type: z.literal('chat/toolCallConfirmed'), selectedOptionId: z.string().exactOptional() };
const ToolCallConfirmedAction = z.discriminatedUnion('approved', [
  z.object({
    ...confirmed,
    approved: z.literal(true),
    confirmed: ToolCallConfirmed,
    editedToolInput: z.string().exactOptional(),
  }),
  z.object({
    ...confirmed,
    approved: z.literal(false),
    reason: z.enum(['denied', 'skipped']),
    userSuggestion: Message.exactOptional(),
    reasonMessage: StringOrMarkdown.exactOptional(),
  }),
]);

/** The actions of a chat channel (`host.action.chat/…`). */
export const chatActions = actionTable(
  {
    'chat/turnStarted': {
      ...turn,
      /** Required of new producers; the time of the reduction stands in for it. */
      startedAt: Timestamp.exactOptional(),
      message: Message,
      queuedMessageId: z.string().exactOptional(),
    },
    'chat/delta': { ...turn, partId: z.string(), content: z.string() },
    'chat/reasoning': { ...turn, partId: z.string(), content: z.string() },
    'chat/responsePart': { ...turn, part: ResponsePart },
    'chat/usage': { ...turn, usage: UsageInfo },
    'chat/turnComplete': ended,
    'chat/turnCancelled': ended,
    'chat/error': { ...ended, error: ErrorInfo },
    'chat/isReadChanged': { isRead: z.boolean() },
    'chat/isArchivedChanged': { isArchived: z.boolean() },
    'chat/activityChanged': { activity: z.string().exactOptional() },
    'chat/workingDirectorySet': { directory: Uri },
    'chat/workingDirectoryRemoved': { directory: Uri },
    'chat/toolCallStart': {
      ...call,
      toolName: z.string(),
      displayName: z.string(),
      intention: z.string().exactOptional(),
      contributor: ToolCallContributor.exactOptional(),
    },
    'chat/toolCallDelta': { ...call, content: z.string(), invocationMessage: StringOrMarkdown.exactOptional() },
    'chat/toolCallReady': {
      ...call,
      ...pendingFields,
      invocationMessage: StringOrMarkdown,
      toolInput: z.string().exactOptional(),
      confirmed: ToolCallConfirmed.exactOptional(),
    },
    'chat/toolCallComplete': {
      ...call,
      result: ToolCallResult,
      requiresResultConfirmation: z.boolean().exactOptional(),
    },
    'chat/toolCallResultConfirmed': { ...call, approved: z.boolean() },
    'chat/toolCallContentChanged': { ...call, content: z.array(ToolResultContent) },
    'chat/toolCallAuthRequired': { ...call, auth: McpAuthRequirement },
    'chat/toolCallAuthResolved': call,
    'chat/inputRequested': { request: ChatInputRequest },
    'chat/inputAnswerChanged': {
      requestId: z.string(),
      questionId: z.string(),
      answer: ChatInputAnswer.exactOptional(),
    },
    'chat/inputCompleted': {
      requestId: z.string(),
      response: ChatInputResponse,
      answers: ChatInputAnswers.exactOptional(),
    },
    'chat/truncated': { turnId: z.string().exactOptional() },
    'chat/turnsLoaded': { turns: z.array(Turn), turnsNextCursor: z.string().exactOptional() },
    'chat/pendingMessageSet': { kind: PendingMessageKind, id: z.string().min(1), message: Message },
    'chat/pendingMessageRemoved': { kind: PendingMessageKind, id: z.string() },
    'chat/queuedMessagesReordered': { order: z.array(z.string()) },
    'chat/draftChanged': { draft: Message.exactOptional() },
  },
  { 'chat/toolCallConfirmed': ToolCallConfirmedAction },
);
export type ChatAction = z.output<(typeof chatActions)[keyof typeof chatActions]>;
export type ChatActionOf<T extends ChatAction['type']> = Extract<ChatAction, { type: T }>;
