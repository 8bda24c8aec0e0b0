import * as z from 'zod';
import { attachmentBytes } from './attachmentLimits.ts';
import type { ChatHead, ChatModel, Row } from './chatModel.ts';
import type { InlineDiff } from './inlineDiff.ts';

const Id = z.string().min(1).max(500);
/** Longer prompts are attached as files; the limit keeps a broken page from filling the wire. */
const Text = z.string().max(1_000_000);
const Unsaved = z.enum(['ask', 'save', 'ignore']);
const Answer = z.strictObject({
  value: z.union([Text, z.number(), z.boolean(), z.array(Id).max(500)]).optional(),
  freeform: Text.optional(),
  isSkipped: z.boolean().optional(),
});

/** What can be attached besides what is pasted and dropped. */
export const AttachKind = z.enum([
  'file',
  'folder',
  'image',
  'symbol',
  'selection',
  'problems',
  'terminal',
  'changes',
  'session',
]);
export type AttachKind = z.infer<typeof AttachKind>;

/**
 * What the chat page may ask of the extension. The page shows agents' words and is untrusted: every message is parsed,
 * names things by id only, and carries no command, path or URI to act on besides a link the person clicked and what
 * they dropped.
 */
export const ChatFromPage = z.discriminatedUnion('type', [
  /** The page is empty or missed a patch: answer with the whole model. */
  z.strictObject({ type: z.literal('ready') }),
  /** Whether the browser keeps the style and the script of the page. If not, the page waits for them. */
  z.strictObject({ type: z.literal('kept'), isKept: z.boolean() }),
  /** The style and the script that the page got are damaged or of another build, so it stays empty. */
  z.strictObject({ type: z.literal('wrongParts') }),
  /** The person pressed **Reload Window** in the message that is shown in place of such a page. */
  z.strictObject({ type: z.literal('reload') }),
  z.strictObject({
    type: z.literal('send'),
    text: Text,
    how: z.enum(['send', 'queue', 'steer']),
    /** What to do with unsaved files: `ask` refuses while there are some. */
    unsaved: Unsaved,
  }),
  /** Asks the agent to summarize the conversation. The draft stays. */
  z.strictObject({ type: z.literal('compact') }),
  /** An edited prompt takes the place of its turn and of every turn after it. */
  z.strictObject({ type: z.literal('resend'), turnId: Id, text: Text, unsaved: Unsaved }),
  /** The toolbar of a prompt. From `edit` to `leaveEdit` the composer holds what is attached to that prompt. */
  z.strictObject({
    type: z.literal('turn'),
    turnId: Id,
    what: z.enum(['again', 'fork', 'forkChat', 'beside', 'restore', 'edit', 'leaveEdit']),
  }),
  /** The toolbar of a code block. */
  z.strictObject({
    type: z.literal('code'),
    what: z.enum(['apply', 'insert', 'newFile', 'run']),
    text: Text,
    language: z.string().max(100),
  }),
  z.strictObject({ type: z.literal('stop') }),
  /** `chat`: the one that it is written for, which may be left by now. */
  z.strictObject({ type: z.literal('draft'), text: Text, chat: Id.exactOptional() }),
  /** A tab, or what its menu offers. */
  z.strictObject({ type: z.literal('chat'), chat: Id, what: z.enum(['show', 'rename', 'close', 'reopen', 'delete']) }),
  /** Asks where words are in the whole chat, and then for a turn that is not shown. */
  z.strictObject({ type: z.literal('find'), requestId: z.int(), text: z.string().max(1000) }),
  z.strictObject({ type: z.literal('reveal'), turnId: Id }),
  z.strictObject({ type: z.literal('newChat') }),
  z.strictObject({ type: z.literal('askBeside') }),
  z.strictObject({ type: z.literal('choose'), picker: Id, choice: z.string().max(2000) }),
  /** Puts a model at the top of the list, or back among the others. */
  z.strictObject({ type: z.literal('pinModel'), model: z.string().min(1).max(2000), isPinned: z.boolean() }),
  /** Shows the form of what the agent and the model can be set to. */
  z.strictObject({ type: z.literal('options') }),
  z.strictObject({ type: z.literal('attach'), what: AttachKind }),
  /** Pasted, or dropped from outside the editor. */
  z.strictObject({
    type: z.literal('attachBytes'),
    name: z.string().min(1).max(255),
    contentType: z.string().max(200),
    data: z.base64().max(Math.ceil(attachmentBytes / 3) * 4),
  }),
  /** Dropped from a view of the editor. They are shown and attached, and nothing else is done with them. */
  z.strictObject({ type: z.literal('attachUris'), uris: z.array(z.string().min(1).max(4000)).min(1).max(100) }),
  /** A paste of so many lines that it would hide the message. */
  z.strictObject({ type: z.literal('attachText'), text: Text }),
  /** The text of an attachment comes back into the field. */
  z.strictObject({ type: z.literal('asText'), attachmentId: Id }),
  /** The page draws an image that it has no small picture of: it gets the bytes, and answers with `thumbnail`. */
  z.strictObject({ type: z.literal('preview'), attachmentId: Id }),
  z.strictObject({
    type: z.literal('thumbnail'),
    attachmentId: Id,
    src: z.string().max(20_000).startsWith('data:image/'),
  }),
  /** The page could not take something, and says why in the person's language. */
  z.strictObject({ type: z.literal('refused'), why: z.string().max(1000) }),
  z.strictObject({ type: z.literal('detach'), attachmentId: Id }),
  z.strictObject({ type: z.literal('complete'), requestId: z.int(), text: Text, offset: z.int().min(0) }),
  z.strictObject({ type: z.literal('completed'), requestId: z.int(), index: z.int().min(0) }),
  z.strictObject({
    type: z.literal('decide'),
    turnId: Id,
    toolCallId: Id,
    optionId: Id,
    reason: z.string().max(10_000).optional(),
  }),
  z.strictObject({
    type: z.literal('answerDraft'),
    requestId: Id,
    questionId: Id,
    answer: Answer.optional(),
  }),
  z.strictObject({
    type: z.literal('answer'),
    requestId: Id,
    response: z.enum(['accept', 'decline', 'cancel']),
    answers: z.record(Id, Answer),
  }),
  z.strictObject({ type: z.literal('changes'), turnId: Id, what: z.enum(['review', 'keep', 'undo', 'redo']) }),
  z.strictObject({
    type: z.literal('tool'),
    turnId: Id,
    toolCallId: Id,
    what: z.enum(['preview', 'file', 'output', 'signIn', 'terminal', 'background']),
    /** Which of the row's files; 0 is the first. */
    index: z.int().min(0).optional(),
  }),
  /** What changes in one of the row's files: answered with `diff`. */
  z.strictObject({ type: z.literal('diff'), turnId: Id, toolCallId: Id, index: z.int().min(0) }),
  /** The first button of a failed turn. The extension decides by the error what it does. */
  z.strictObject({ type: z.literal('retry'), turnId: Id }),
  /** Continues after the step that failed. */
  z.strictObject({ type: z.literal('skip'), turnId: Id }),
  z.strictObject({ type: z.literal('showLog') }),
  z.strictObject({ type: z.literal('attachTranscript') }),
  z.strictObject({ type: z.literal('older') }),
  z.strictObject({ type: z.literal('found'), turnId: Id }),
  /** One of the messages that a stopped turn left waiting begins; the others follow it. */
  z.strictObject({ type: z.literal('sendQueued'), messageId: Id }),
  /** The message leaves the queue and comes into the composer. */
  z.strictObject({ type: z.literal('editQueued'), messageId: Id }),
  z.strictObject({ type: z.literal('unqueue'), messageId: Id }),
  z.strictObject({ type: z.literal('reorder'), order: z.array(Id).max(500) }),
  z.strictObject({
    type: z.literal('banner'),
    bannerId: Id,
    what: z.enum(['act', 'dismiss', 'retry', 'log', 'otherAgent', 'cancel']),
  }),
  z.strictObject({ type: z.literal('link'), href: z.string().max(4000) }),
  z.strictObject({ type: z.literal('copy'), text: Text }),
]);
export type ChatFromPage = z.infer<typeof ChatFromPage>;
/** What a button of a banner does. */
export type BannerButton = Extract<ChatFromPage, { type: 'banner' }>['what'];

/**
 * What the extension posts to the page. `seq` rises by one with every `model` and `patch`; a page that sees a gap asks with
 * `ready`. At most one of them is sent for each frame, and none while the page is hidden.
 */
export type ChatToPage =
  /** The style and the script of the page, compressed. A page that the browser kept them for does not need them. */
  | { readonly type: 'parts'; readonly parts: Uint8Array }
  | ModelMessage
  | ({ readonly type: 'patch'; readonly seq: number } & ChatPatch)
  /** Goes into the field where the cursor is. */
  | { readonly type: 'insert'; readonly text: string }
  /** Base64 of an image that the page asked for. */
  | { readonly type: 'preview'; readonly attachmentId: string; readonly contentType: string; readonly data: string }
  | { readonly type: 'completions'; readonly requestId: number; readonly items: readonly CompletionModel[] }
  /** The answer to `find`, oldest first. */
  | {
      readonly type: 'matches';
      readonly requestId: number;
      readonly matches: readonly ChatMatch[];
      readonly isMore: boolean;
    }
  | {
      readonly type: 'diff';
      readonly turnId: string;
      readonly toolCallId: string;
      readonly index: number;
      readonly diff: InlineDiff;
    }
  /** `heldFor` is there when the text came back because files are unsaved: how it was to be sent. */
  | {
      readonly type: 'compose';
      readonly text?: string;
      readonly focus: boolean;
      readonly heldFor?: 'send' | 'queue' | 'steer';
      /** The text was sent and refused: it comes back before what was typed since. */
      readonly isReturned?: true;
      /** The text is that of the edited prompt of this turn, which could not be sent. */
      readonly editing?: string;
    };

export interface ModelMessage {
  readonly type: 'model';
  readonly seq: number;
  readonly model: ChatModel;
  /** Translated strings by their English text; absent where the editor's language has none. */
  readonly strings?: Readonly<Record<string, string>>;
}

/** The model that a page contains when the editor gets it. */
export interface FirstModel {
  /** The editor loads a page that was hidden from the same text again. The page must not draw an outdated model. */
  readonly id: string;
  readonly message: ModelMessage;
}

/** What changed between two models. Members are applied in this order: splice, rows, texts, head. */
export interface ChatPatch {
  /** The order of rows: `remove` ids at `at` give way to `insert`. */
  readonly splice?: { readonly at: number; readonly remove: number; readonly insert: readonly string[] };
  /** New and changed rows, whole. */
  readonly rows?: readonly Row[];
  /** Text that a streaming row gained. `offset` counts UTF-16 units and must equal what the page holds. */
  readonly texts?: readonly { readonly partId: string; readonly offset: number; readonly text: string }[];
  readonly head?: ChatHead;
}

/** One place where words were found: the `nth` of its row, from 0. */
export interface ChatMatch {
  readonly rowId: string;
  readonly turnId: string;
  readonly nth: number;
}

export interface CompletionModel {
  readonly label: string;
  readonly insertText: string;
  readonly description?: string;
  /** Choosing it asks for something of this kind to attach. */
  readonly attaches?: AttachKind;
  /** Half-open range of the input that it replaces, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}
