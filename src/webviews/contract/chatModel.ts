import type { Cost, TurnUsage, UsageModel } from './usageModel.ts';

/**
 * What the chat page draws. The extension makes it from the mirrors of a chat; the page holds a copy and never edits it.
 * Plain data: every value survives `structuredClone`.
 */
export interface ChatModel {
  readonly head: ChatHead;
  /** The transcript, oldest first. Ids are stable and unique. */
  readonly rows: readonly Row[];
}

/** Everything around the transcript. Sent whole whenever something in it changed. */
export interface ChatHead {
  /** `new` until the first prompt is sent; `gone` when the session was deleted elsewhere. */
  readonly phase: 'new' | 'creating' | 'ready' | 'failed' | 'gone';
  readonly title: string;
  /** The running turn. */
  readonly turn?: TurnHead;
  /** The id of a turn that a person looks for: the page shows and marks it, and says `found`. */
  readonly wanted?: string;
  /** True when the host holds older turns than the first row. */
  readonly hasOlder: boolean;
  readonly composer: ComposerModel;
  readonly queue: readonly QueuedMessage[];
  readonly steering?: QueuedMessage;
  /** The person stopped a turn, and messages wait until one is sent. */
  readonly isPaused: boolean;
  readonly banners: readonly Banner[];
  readonly usage?: UsageModel;
  readonly settings: { readonly showReasoning: boolean };
  /** The agent can continue a copy of the conversation from any finished turn. */
  readonly canFork?: true;
  /** Commands of an answer can be handed to a terminal: the window is trusted, and the session is of this machine. */
  readonly canRun?: true;
  /** The chat that is shown; absent until the session has one. */
  readonly chat?: string;
  /** The chats of the session, where there are several. */
  readonly chats?: readonly ChatTab[];
  /** The agent can have another chat in this session. */
  readonly canAddChat?: true;
  /** The agent can answer beside this chat, knowing what was said in it. */
  readonly canAskBeside?: true;
  /** What the page hands back to `setState`, so that the chat comes up again after a reload. */
  readonly restore: RestoreState;
}
/** One chat of a session that has several. */
export interface ChatTab {
  readonly id: string;
  /** Empty until its first prompt, or until a person names it. */
  readonly title: string;
  readonly state: 'idle' | 'working' | 'needsYou' | 'failed';
  /** The first one: it lives as long as the session. */
  readonly isMain?: true;
  /** It began beside another chat, with what was said there. */
  readonly isBeside?: true;
  readonly isUnread?: true;
  /** A person closed it: it is not among the tabs until they open it again. */
  readonly isClosed?: true;
}
export interface TurnHead {
  readonly id: string;
  readonly startedAt: string;
  /** True while a person must answer before the agent goes on. */
  readonly needsYou: boolean;
  readonly activity?: string;
  /** What the agent means to do, as it said last. */
  readonly plan?: readonly PlanItem[];
}
export interface PlanItem {
  readonly text: string;
  readonly state: 'open' | 'doing' | 'done';
}
export interface RestoreState {
  /** The address of the host whose session this is, or will be; absent: the one of this machine. */
  readonly host?: string;
  readonly session?: string;
  /** Which chat of the session; absent: the first one. */
  readonly chat?: string;
  readonly provider?: string;
  readonly folder?: string;
  readonly model?: string;
  /** The URI of the custom agent for the next message. */
  readonly customAgent?: string;
  /** Values for the model's own options, as they were given. */
  readonly modelConfig?: Readonly<Record<string, string | number | boolean | null>>;
  readonly config?: Readonly<Record<string, unknown>>;
  /** What is attached to the first message, while there is no session that could keep it. */
  readonly attachments?: readonly unknown[];
}
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
}

export interface ComposerModel {
  /** Why nothing can be sent. Absent: sending works. */
  readonly blocked?: 'untrusted' | 'noAgent' | 'offline' | 'readOnly' | 'gone';
  /** The text kept for this chat. The page reads it when it starts; later its own text counts. */
  readonly draft: string;
  readonly pickers: readonly Picker[];
  /** There is more to set than the pickers show: a form of the editor's own. */
  readonly hasOptions: boolean;
  readonly attachments: readonly AttachmentModel[];
  readonly hasSelection: boolean;
  readonly unsavedFiles: number;
  readonly canSteer: boolean;
}
export interface AttachmentModel {
  readonly id: string;
  readonly label: string;
  /** `image`, `document`, `directory`, `symbol`, `selection`, `problems`, `terminal`, `changes`, `transcript`, `paste` or another. */
  readonly kind: string;
  /** Of what is attached as it is now, where that is known. */
  readonly bytes?: number;
  readonly lines?: number;
  /** A small picture, as a `data:` URI. An image without one has none yet. */
  readonly thumbnail?: string;
  /** Its text can go back into the message. */
  readonly isText?: true;
  /** The agent does not take such contents and is told only the name. */
  readonly refusedBy?: string;
}
/** One choice in the composer: agent, folder, model, or an option of the agent such as its mode. */
export interface Picker {
  /** `agent`, `folder`, `model` or `option:<property id>`. */
  readonly id: string;
  readonly title: string;
  readonly value: string;
  readonly choices: readonly PickerChoice[];
  /** False once the session has begun and the choice holds for good. */
  readonly enabled: boolean;
  /** The product's own choice, whose words are translated, and which is shown with its name. */
  readonly isOwn?: boolean;
  /** What was chosen holds nothing, because the agent decides by itself, or not everything, because it ran something unasked. */
  readonly doubt?: 'agentDecides' | 'ranUnasked';
}
export interface PickerChoice {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** It is no choice: it leads to more of them. */
  readonly adds?: true;
  /** An agent that every host has. */
  readonly isBuiltIn?: true;
  /** Why it is shown and cannot be chosen. */
  readonly locked?: 'notAllowed' | 'notEnabled';
  /** For models: the group in the list. */
  readonly group?: 'pinned' | 'recent' | 'others';
  /** For models: whether it is pinned or can be pinned. */
  readonly pin?: 'pinned' | 'unpinned';
  /** For models: whether it is the agent's default. */
  readonly isDefault?: boolean;
  /** For models, if the agent reports it. */
  readonly contextTokens?: number;
  readonly seesImages?: boolean;
  /** In this mode the agent acts without asking: entered with a second click. */
  readonly agentDecides?: boolean;
}
export type BannerKind =
  | 'untrusted'
  | 'noFolder'
  | 'folderGone'
  | 'noAgent'
  | 'noModel'
  | 'commandMissing'
  | 'agentGone'
  | 'signIn'
  | 'silent'
  | 'offline'
  | 'stopped'
  | 'creationFailed'
  | 'refused'
  | 'notAttached'
  | 'restored'
  | 'parked'
  | 'ranUnasked'
  | 'gone';
/** One row and one button. The page asks for the button by the banner's id. */
export interface Banner {
  readonly id: string;
  readonly kind: BannerKind;
  /** Words of the host or agent, shown after the page's own. */
  readonly detail?: string;
  /** Name of the agent, or a count, for the page's own words. */
  readonly subject?: string;
  /** What a restore took away: turns of the chat, and files that went back. */
  readonly restored?: { readonly turns: number; readonly files: number };
  /** Tools that an agent ran without asking: in the session, and in all sessions. */
  readonly unasked?: { readonly here: number; readonly all: number };
  /** When a parked chat goes on, RFC 3339. */
  readonly until?: string;
  readonly canDismiss?: boolean;
}

export type Row = PromptRow | TextRow | NoticeRow | ToolRow | QuestionRow | EndRow | ErrorRow;
interface RowBase {
  readonly id: string;
  readonly turnId: string;
}
/** What went with a message. */
export type SentAttachment = Pick<AttachmentModel, 'label' | 'kind' | 'thumbnail'>;
export interface PromptRow extends RowBase {
  readonly kind: 'prompt';
  readonly text: string;
  readonly attachments: readonly SentAttachment[];
  /** RFC 3339, UTC. */
  readonly at?: string;
  /** Sent by an agent or tool rather than a person. */
  readonly byAgent?: boolean;
}
export interface TextRow extends RowBase {
  readonly kind: 'markdown' | 'reasoning';
  readonly text: string;
  /** Of reasoning that is over. */
  readonly durationMs?: number;
}
export interface NoticeRow extends RowBase {
  readonly kind: 'notice';
  readonly text: string;
  readonly isMarkdown: boolean;
  /** What the notice offers to do about it. */
  readonly offer?: 'attachTranscript';
  /** Something went wrong beside the agent. */
  readonly isFailure?: true;
}
export type ToolRowState =
  | 'preparing'
  | 'pending'
  | 'running'
  | 'reviewing'
  | 'signIn'
  | 'done'
  | 'failed'
  | 'denied'
  | 'skipped';
export interface ToolRow extends RowBase {
  readonly kind: 'tool';
  readonly toolCallId: string;
  readonly state: ToolRowState;
  /** `shell`, `edit`, `read`, `delete`, `move`, `search`, `fetch`, `think` or `other`. */
  readonly toolKind: string;
  readonly title: string;
  /** What the agent says of a call that waits, below the title. */
  readonly words?: string;
  readonly intention?: string;
  /** The folder it runs in, or nothing when that is the session's own. */
  readonly where?: string;
  /** The whole command line. Hidden characters are written out, as `‹U+202E›`. */
  readonly command?: string;
  /** The exact input of a tool without a command line. */
  readonly input?: string;
  readonly output?: ToolOutput;
  /** Where its command runs, or ran. */
  readonly terminal?: ToolTerminal;
  /** What the command ended with, where the call says so. */
  readonly exitCode?: number;
  /** How long it ran, once it is over. */
  readonly durationMs?: number;
  /** The row of the call on whose behalf this one is made. */
  readonly parentId?: string;
  readonly files: readonly FileLine[];
  /** Files of a call that waits, without those in `files`. */
  readonly paths: readonly string[];
  readonly error?: string;
  /** What the person said when denying. */
  readonly reason?: string;
  /** What the sub-agent used that the call started, once it is done. */
  readonly subAgentUsage?: SubAgentUsage;
  /** The sub-agent that the call started. */
  readonly subAgent?: SubAgentLink;
  /** What let it run without a question: a rule, in words, the dial of the session, or the agent itself. */
  readonly allowedBy?: AllowedBy;
  /** Present while `pending`. */
  readonly ask?: ToolAsk;
}
export interface SubAgentUsage {
  readonly tokens?: Pick<TurnUsage, 'inputTokens' | 'outputTokens'>;
  /** Absent: unknown. */
  readonly cost?: Cost;
}
/** A sub-agent with a chat of its own. */
export interface SubAgentLink extends SubAgentUsage {
  readonly chat: string;
  readonly title: string;
  readonly state: ChatTab['state'];
}
/** `call`: its call waits for it; `background`: nothing waits for it; `ended`: its output remains; `gone`: not even that. */
export interface ToolTerminal {
  readonly resource: string;
  readonly place: 'call' | 'background' | 'ended' | 'gone';
}
export type AllowedBy =
  | { readonly rule: string; readonly source: 'user' | 'granted' }
  | { readonly dial: 'acceptEdits' }
  | 'agent';
export interface ToolOutput {
  /** At most 200 lines and 64 KB from the end of what was printed. */
  readonly text: string;
  readonly lines: number;
  readonly isCut: boolean;
}
export interface FileLine {
  readonly label: string;
  readonly change: 'created' | 'deleted' | 'moved' | 'edited';
  readonly added?: number;
  readonly removed?: number;
}
export interface ToolAsk {
  readonly options: readonly { readonly id: string; readonly label: string; readonly approves: boolean }[];
  /** False: destructive or outside the workspace, so it needs a second click and offers nothing wider than once. */
  readonly oneClick: boolean;
  /** Why a person is asked although a rule might have decided. */
  readonly because?: 'destructive' | 'outside' | 'protected' | 'unclear';
  /** Other sessions that are changing files of the call. */
  readonly heldBy?: readonly { readonly title: string; readonly files: readonly string[] }[];
  /** What the tool says of itself. Shown, and no reason to allow anything. */
  readonly hints?: {
    readonly isReadOnly: boolean;
    readonly isDestructive: boolean;
    readonly isIdempotent: boolean;
    readonly isOpenWorld: boolean;
  };
  /** How often a person allowed requests like this one, where that is often enough to suggest its rule. */
  readonly timesAllowed?: number;
  /** The rule that a wider answer would save, in words. */
  readonly rule?: string;
  /** Every wider answer by the id of its option, with the rule that it saves. */
  readonly offers?: readonly {
    readonly option: string;
    readonly scope: 'session' | 'workspace' | 'always';
    /** What of the call the rule goes by. */
    readonly by: 'command' | 'path' | 'url' | 'tool' | 'server' | 'arguments';
    readonly rule: string;
  }[];
}
export type QuestionRowState = 'open' | 'accept' | 'decline' | 'cancel' | 'unanswered';
export interface QuestionRow extends RowBase {
  readonly kind: 'question';
  readonly requestId: string;
  readonly state: QuestionRowState;
  readonly message?: string;
  readonly url?: string;
  readonly questions: readonly QuestionModel[];
  /** Drafts while open, final values afterwards, by question id. */
  readonly answers: Readonly<Record<string, AnswerModel>>;
}
export interface QuestionModel {
  readonly id: string;
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'single-select' | 'multi-select';
  readonly message: string;
  readonly title?: string;
  readonly required: boolean;
  readonly format?: string;
  readonly min?: number;
  readonly max?: number;
  readonly defaultValue?: string | number | boolean;
  readonly options: readonly {
    readonly id: string;
    readonly label: string;
    readonly description?: string;
    readonly recommended?: boolean;
  }[];
  readonly allowsFreeform: boolean;
}
/** `value` by kind of question: text, number, boolean, chosen ids. `freeform` holds what was typed beside the options. */
export interface AnswerModel {
  readonly value?: string | number | boolean | string[];
  readonly freeform?: string;
  readonly isSkipped?: boolean;
}

export interface EndRow extends RowBase {
  readonly kind: 'end';
  readonly state: 'complete' | 'cancelled' | 'error';
  readonly durationMs?: number;
  readonly usage?: TurnUsage;
  readonly changes?: TurnChangesModel;
}
export interface TurnChangesModel {
  readonly files: number;
  /** Those of them that were not kept, if that is known. */
  readonly left?: number;
  readonly added: number;
  readonly removed: number;
  /** `undone` when nothing of it is left on the disk; then `files` is 0. */
  readonly status: 'computing' | 'open' | 'kept' | 'undone';
  /** Which of the host's operations can be asked for now, or when the agent has finished. The last undo can be taken back. */
  readonly canKeep: boolean | 'later';
  readonly canUndo: boolean | 'later';
  readonly canRedo: boolean | 'later';
}
export interface ErrorRow extends RowBase {
  readonly kind: 'error';
  readonly message: string;
  /** Nothing failed: the turn ended at a step, because the person chose so. */
  readonly isStopped?: true;
  /** What its button does: starts the turn again, repeats the step, or does first what is missing. */
  readonly action: 'retry' | 'step' | 'signIn' | 'configureAgents' | 'addAgent' | 'trust' | 'folder' | 'none';
}
