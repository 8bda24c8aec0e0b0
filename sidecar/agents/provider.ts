import type { StepMeta } from '../protocol/channels/chat/stepMeta.ts';
import type { CloudMeta } from '../protocol/channels/session/cloudMeta.ts';
import type { ContextPart } from '../protocol/usageMeta.ts';
import type { Completion, CompletionContext } from './completion.ts';
import type { AgentConversations } from './conversations.ts';
import type { DelegatedReport, DelegatedTask } from './delegation.ts';
import type { ConversationMemory, Guidance } from './memory.ts';
import type { ModelAccess, ModelsThrough } from './models.ts';
import type { OptionQuery, OptionSuggestion, Primitive, SessionOptions } from './options.ts';
import type { RemoteAccess, RemoteService } from './remoteAccess.ts';
import type { ShippedFolder } from './shippedFolder.ts';
import type { SessionTerminals, ShownTerminal } from './terminals.ts';
import type { ToolProgram, ToolServer } from './toolServers.ts';

/**
 * What the host asks of an agent, and what an agent may ask of the host. A provider knows its own process or SDK and
 * nothing of channels, actions or JSON-RPC. An optional ability is a member that is there or not: no stub that throws.
 */
export interface AgentProvider {
  /** Stable, lower case, unique among providers: `runbook`, or the id of an entry of `switchboard.agents`. */
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  /** What it can do besides one conversation after another. Absent: several chats in a session, each by itself. */
  readonly capabilities?: ProviderCapabilities;
  /** Its models, known without opening it; the first is the default. Absent: they are known once it was opened. */
  readonly models?: readonly { readonly id: string; readonly name: string }[];
  /** What it needs tokens for. Clients get them as they stand here, and push the tokens. */
  readonly protectedResources?: readonly ProtectedResource[];
  /** It works in no session without a folder. One that needs a folder at times throws `folderNeeded()` then. */
  readonly needsFolder?: boolean;
  /** It works elsewhere and runs nothing here, so its sessions have no permissions, sandbox, worktree, or changes here. */
  readonly isRemote?: true;
  /** It runs the hooks of its folders itself, so the host runs none for it. */
  readonly runsHooks?: boolean;
  /** A person is notified when it sent nothing in a turn for so long. Absent: a minute. */
  readonly silentAfterMs?: number;
  /** Folders that it brings into each of its sessions. The host shows what is in them. */
  readonly folders?: readonly ShippedFolder[];
  /**
   * Starts what the session needs (a process, a connection) and answers once the agent said what it offers.
   * @throws {Fault} `command_missing`, `auth_required` or `unavailable`, each with a message for a person
   */
  open(context: SessionContext, signal: AbortSignal): Promise<AgentSession>;
  /** Conversations that it keeps, also those that began elsewhere. */
  readonly conversations?: AgentConversations;
  /** Suggestions for the text before a session exists or while it runs. `offset` counts UTF-16 units. */
  complete?(context: CompletionContext): Promise<readonly Completion[]>;
}

/** Metadata of RFC 9728 under its own names, whatever members there are. */
export interface ProtectedResource {
  /** An https URL without a fragment. */
  readonly resource: string;
  readonly resource_name?: string;
  /** Absent: true. With false the agent works without a token, and may do more with one. */
  readonly required?: boolean;
  readonly [member: string]: unknown;
}

/** Clients gate what they offer on these, and the host what it accepts (host.service.gated). */
export interface ProviderCapabilities {
  /** `fork` and `sideChat`: it reads what was said in another chat when that is attached to its first message. */
  readonly multipleChats?: { readonly fork?: boolean; readonly sideChat?: boolean };
  readonly multipleWorkingDirectories?: { readonly requiresPrimary?: boolean };
}

/** Where and with what a session runs. Fixed for the life of an {@link AgentSession}. */
export interface SessionContext {
  readonly sessionId: string;
  /** Absolute real paths, the first is the current directory; empty when no folder is open. */
  readonly folders: readonly string[];
  /** The environment of the window that opened the session, already stripped of the editor's own variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The programs of the session run in a sandbox. */
  readonly isSandboxed?: boolean;
  /** Values chosen for {@link SessionOptions.properties}. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The agent's own id of an earlier conversation (from {@link AgentSession.resumeId}), to go on with. */
  readonly resumeId?: string;
  /** The agent's own ID of a conversation to copy, if it can. Only without {@link resumeId}. */
  readonly forkOf?: string;
  /**
   * The token for a protected resource of whoever asks now. One that is read while the agent opens is taken to stay with it:
   * the agent is opened again before the turn that comes with another one.
   */
  token(resource: string): string | undefined;
  /** The gateway's models. Absent: the agent uses its own keys and sign-in. */
  readonly models?: ModelAccess;
  /** The gateway's agents. Absent: the agent is opened for its options alone. Asked anew for each turn. */
  remote?(service: RemoteService): Promise<RemoteAccess | undefined>;
  /** Tools that the agent may use besides its own. */
  readonly toolServers?: readonly ToolServer[];
  /** A server with the tools of {@link TurnHost.tools}, for agents that use tools in no other way. Asked once at most. */
  offeredServer?(): Promise<ToolServer>;
  /** The same server as a program on standard input and output, for agents that reach none over HTTP. */
  asProgram?(server: ToolServer): ToolProgram;
  /** Files of the session's folders. An agent without a process of its own that edits uses these, and not `node:fs`. */
  readonly files: SessionFiles;
  /** Terminals of the host, for an agent that has its commands run there. */
  readonly terminals: SessionTerminals;
  /** Stores the conversation of an agent that has no storage. Absent: nothing is stored. */
  readonly memory?: ConversationMemory;
  /** The rules and skills that are enabled now. */
  guidance?(): readonly Guidance[];
}
/**
 * Paths are absolute. During a turn only. `node:fs` is for what this cannot do (delete, restore after a failure): then the
 * paths must stand in the facts of the tool call, whose bytes the host keeps before it pulls the next event.
 */
export interface SessionFiles {
  /** UTF-8. @throws {Fault} `not_found` where there is none, `forbidden` outside the folders of the session */
  readText(path: string): Promise<string>;
  /**
   * Keeps what was there before, so that the change can be shown and undone. Makes the folders on the way. A file that no
   * call was allowed to edit is asked about first.
   * @throws {Fault} `forbidden` outside the folders of the session
   */
  writeText(path: string, content: string): Promise<void>;
}

export interface AgentSession {
  /** What can be chosen now; read again after `onOptions` fires. */
  readonly options: SessionOptions;
  /** What held in its new conversation before anything was set. Absent where it goes on with an earlier one. */
  readonly began?: SessionOptions;
  /** Of its program. Absent: it states none. */
  readonly version?: string | undefined;
  /** `undefined` until the agent named its conversation. It may change during a turn. */
  readonly resumeId?: string | undefined;
  /** What it calls its conversation. It may change at any time; `onOptions` fires then. */
  readonly title?: string | undefined;
  /** What the cloud-agents service last said about its agent: another object each time that changes. */
  readonly cloud?: CloudMeta | undefined;
  /** Where its calls to a model go; `undefined`: the one that is chosen. Absent: it calls none, or that is unknown. */
  modelsThrough?(model: string | undefined): ModelsThrough;
  /** Hosts to which its program connects by itself, although its work does not require them. */
  readonly needless?: readonly string[];
  /** It calls only through the gateway, whose records of its chat say what a turn cost. */
  readonly isCounted?: true;
  /** True when `resumeId` was asked for and the agent does not know that conversation any more. */
  readonly forgotEarlierTurns?: boolean;
  /** True when it copied the conversation `forkOf`, so it knows the earlier turns. */
  readonly isFork?: boolean;
  /**
   * Plays one turn. Ends by returning (complete) or throwing a `Fault` (failed); each `toolStarted` has its `toolEnded` before
   * that. Settles within 5 s of `signal` aborting.
   * The host does all it must (keep files, ask the person) before it pulls the next event.
   */
  run(turn: TurnRequest, host: TurnHost, signal: AbortSignal): AsyncIterable<TurnEvent>;
  /** Applies changed option values. */
  configure?(values: Readonly<Record<string, unknown>>): Promise<void>;
  /** Values of a field with `enumDynamic` that go with what was typed. */
  completeOption?(query: OptionQuery): Promise<readonly OptionSuggestion[]>;
  /** Adds a message to the running turn. Answers false when the agent cannot take it now. */
  steer?(text: string): Promise<boolean>;
  /** The last line that it wrote for whoever looks for a fault, without secrets. */
  lastWords?(): string | undefined;
  onOptions(listener: () => void): () => void;
  /** Called once when the agent is gone without being asked; `reason` is for a person. */
  onGone(listener: (reason: string) => void): () => void;
  close(): Promise<void>;
}

export interface TurnRequest {
  readonly turnId: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model?: string;
  /** Values for the model's form, as the person gave them. */
  readonly modelConfig?: Readonly<Record<string, Primitive>>;
  /** Whom the person chose for this message. Absent: the agent as it is. */
  readonly customAgent?: Pick<CustomAgent, 'name' | 'instructions'>;
  /** Another conversation with the agent delegated the message. */
  readonly isDelegated?: true;
}
/** Instructions under a name, from a file of the workspace or of a plugin. */
export interface CustomAgent {
  readonly name: string;
  readonly instructions: string;
  /** Id or name of a model that it asks for. */
  readonly model?: string;
  /** Names of the offered tools that it may use. Absent: all. */
  readonly tools?: readonly string[];
}
export type Attachment =
  | { readonly kind: 'text'; readonly label: string; readonly text: string }
  | { readonly kind: 'data'; readonly label: string; readonly base64: string; readonly contentType: string }
  | {
      readonly kind: 'file';
      readonly label: string;
      readonly path: string;
      readonly lines?: readonly [number, number];
    };

export type ToolKind = 'shell' | 'edit' | 'read' | 'delete' | 'move' | 'search' | 'fetch' | 'think' | 'other';

/** What a tool call is about to do, in words and in facts. The host judges the facts and shows the words. */
export interface ToolFacts {
  readonly toolCallId: string;
  readonly kind: ToolKind;
  /** Present tense, for a person: "Run npm test". */
  readonly invocationMessage: string;
  /** The exact input: the whole command for a shell, otherwise JSON text. */
  readonly toolInput?: string;
  /** The whole command line, for `shell`. */
  readonly command?: string;
  readonly cwd?: string;
  /** Absolute paths it may read or change. The host keeps their bytes before the tool runs. */
  readonly paths: readonly string[];
  /** For the card only; what really changed is what the disk says. */
  readonly preview?: readonly FilePreview[];
  /** What the tool says of itself; shown, and no more than that. */
  readonly annotations?: object;
  /** The tool starts another agent, which works on a part of the task. */
  readonly startsSubAgent?: true;
}
export interface FilePreview {
  readonly path: string;
  /** `undefined` for a file that is not there. */
  readonly before?: string;
  readonly after?: string;
}

export type ToolDecision =
  | { readonly allow: true; readonly editedInput?: string }
  | { readonly allow: false; readonly skipped?: boolean; readonly reason?: string };

/** Paths as they were given. */
export interface ReadLimits {
  readonly denied: ReadonlySet<string>;
  /** Each may be read only after a question about it. */
  readonly asking: ReadonlySet<string>;
}
export interface TurnHost {
  /** Settles when a rule or the person decided; rejects when `signal` of the turn aborts. */
  confirm(facts: ToolFacts): Promise<ToolDecision>;
  /**
   * Which of many files (absolute paths) rules keep from being read, for a tool that reads what it finds. Nobody is asked.
   * Rejects when the turn's signal aborts.
   */
  readLimits(paths: readonly string[]): Promise<ReadLimits>;
  /** Asks the person. Rejects when the turn's signal aborts. */
  ask(questions: QuestionSet): Promise<QuestionAnswers>;
  /**
   * A token for one of the agent's protected resources, from the requester: the client is notified, and the turn waits.
   * @param refused the token that the resource did not take any more
   * @throws when the turn's signal aborts
   */
  token(resource: string, refused?: string): Promise<string>;
  /**
   * Another conversation with the agent works on a task, in a chat of its own. The tool call was allowed with `startsSubAgent`.
   * @throws {Fault} `unavailable` if the chat cannot be made; the reason of the turn's signal, which also ends the sub-agent
   */
  delegate(task: DelegatedTask): Promise<DelegatedReport>;
  /** What the session offers beside the agent's own tools. */
  readonly tools: OfferedTools;
}

/** Tools of the session's clients and MCP servers. The host shows each call, and decides about it as about every other. */
export interface OfferedTools {
  /** As of now: clients and servers come and go during a turn. */
  list(): readonly OfferedTool[];
  /** A call that was denied or failed is a result. Rejects when the turn's signal aborts, and for a name that is not offered. */
  call(name: string, input: Readonly<Record<string, unknown>>): Promise<OfferedResult>;
}
export interface OfferedTool {
  /** Unique in the session. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema of an object. Absent: anything. */
  readonly inputSchema?: object;
  /** What the tool says of itself. Never a reason to trust it. */
  readonly annotations?: object;
}
export interface OfferedResult {
  readonly success: boolean;
  readonly content: readonly OutputContent[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  /** Why it did not succeed, for the agent. */
  readonly error?: string;
}

export interface QuestionSet {
  readonly id: string;
  readonly message?: string;
  /** A page of the web that the person is asked to open: `accept` says that it was opened. */
  readonly url?: string;
  readonly questions: readonly Question[];
}
interface QuestionBase {
  readonly id: string;
  readonly message: string;
  readonly title?: string;
  readonly required?: boolean;
}
interface Choice {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly recommended?: boolean;
}
/** The shapes of the protocol's `ChatInputQuestion`. */
export type Question = QuestionBase &
  (
    | {
        readonly kind: 'text';
        readonly format?: string;
        readonly min?: number;
        readonly max?: number;
        readonly defaultValue?: string;
      }
    | {
        readonly kind: 'number' | 'integer';
        readonly min?: number;
        readonly max?: number;
        readonly defaultValue?: number;
      }
    | { readonly kind: 'boolean'; readonly defaultValue?: boolean }
    | { readonly kind: 'single-select'; readonly options: readonly Choice[]; readonly allowFreeformInput?: boolean }
    | {
        readonly kind: 'multi-select';
        readonly options: readonly Choice[];
        readonly allowFreeformInput?: boolean;
        readonly min?: number;
        readonly max?: number;
      }
  );
export interface QuestionAnswers {
  readonly response: 'accept' | 'decline' | 'cancel';
  /** By question id; a skipped question is not in it. Several values for a multi-select. */
  readonly values: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

export type OutputContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'data'; readonly base64: string; readonly contentType: string };
export type ToolContent = OutputContent | { readonly kind: 'terminal'; readonly terminal: ShownTerminal };

export interface PlanStep {
  readonly text: string;
  readonly state: 'open' | 'doing' | 'done';
}

export type TurnEvent =
  | { readonly kind: 'text' | 'reasoning'; readonly partId: string; readonly text: string }
  /** `plan` where it is one: the Markdown says the same. */
  | { readonly kind: 'notice'; readonly markdown: string; readonly plan?: readonly PlanStep[] }
  /** The turn ends at a step, because the person chose so. */
  | { readonly kind: 'stepStopped'; readonly markdown: string; readonly step: StepMeta }
  | {
      readonly kind: 'toolStarted';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly displayName: string;
      readonly intention?: string;
      /** The call on whose behalf a worker of the agent makes this one. */
      readonly parentToolCallId?: string;
    }
  /**
   * The input of a call that does not run yet, as far as it is known: it grows until the call runs, or is asked about. `title`
   * says what the call is about, as far as that is known.
   */
  | { readonly kind: 'toolInput'; readonly toolCallId: string; readonly input: string; readonly title?: string }
  /** The tool runs without a question to the person: the agent decided, or it needs none. Never after `confirm`. */
  | {
      readonly kind: 'toolRunning';
      readonly facts: ToolFacts;
      /** It failed before it was ever said to run, so it did nothing. */
      readonly hasFailed?: boolean;
    }
  /** The whole output so far, not a piece of it. */
  | { readonly kind: 'toolContent'; readonly toolCallId: string; readonly content: readonly ToolContent[] }
  | {
      readonly kind: 'toolEnded';
      readonly toolCallId: string;
      readonly success: boolean;
      readonly pastTenseMessage: string;
      readonly content: readonly ToolContent[];
      readonly error?: string;
      /** Absolute paths it says it touched, besides those of its facts. */
      readonly paths?: readonly string[];
    }
  | UsageEvent;

/** All that is known of the turn so far, not what came since the last one. */
export interface UsageEvent {
  readonly kind: 'usage';
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly model?: string;
  /** Tokens that are in the model's context now, and how many it holds. */
  readonly context?: { readonly used: number; readonly size: number; readonly parts?: ContextPart[] };
  /** Of the whole session so far; `currency` is an ISO 4217 code or a unit of the agent's own. */
  readonly cost?: { readonly amount: number; readonly currency: string };
}
