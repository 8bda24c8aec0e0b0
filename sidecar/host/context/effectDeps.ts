import type { SessionModels } from '../../agents/models.ts';
import type { AgentProvider, QuestionAnswers, QuestionSet } from '../../agents/provider.ts';
import type { RemoteAccess, RemoteService } from '../../agents/remoteAccess.ts';
import type { ToolProgram, ToolServer } from '../../agents/toolServers.ts';
import type { LimitReset } from '../../agents/usageLimits.ts';
import type { Children } from '../../platform/children/children.ts';
import type { Fault } from '../../platform/faults.ts';
import type { KnownSecrets } from '../../platform/redact.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { BudgetLimit, BudgetSettings, RunLimits } from '../../protocol/channels/session/budgets.ts';
import type { WindowInfo } from '../../protocol/window.ts';
import type { Changes } from '../changes/changes.ts';
import type { FileHolders } from '../changes/fileHolders.ts';
import type { Store } from '../state/store.ts';
import type { HostStorage } from '../storage/hostStorage.ts';
import type { CommandTerminals } from './commandTerminals.ts';
import type { PushedToken, Tokens } from './tokens.ts';

/** The window that asks: its settings now, and the tokens that it pushed. Lives on in memory after it closed. */
export interface Requester {
  readonly clientId: string;
  readonly window: WindowInfo | undefined;
  /** By resource. */
  readonly tokens: Map<string, PushedToken>;
}

/** Tool servers and models of sessions, each session with a key of its own. */
export interface SessionTools {
  /** Asked each time an agent starts. */
  open(session: string): Promise<readonly ToolServer[]>;
  /**
   * Models that the chat's agent may call with a chat key. Called only for an agent that can use them.
   * @throws {Fault} `unavailable` if the gateway fails
   */
  models(session: string, chat: string): Promise<SessionModels | undefined>;
  /**
   * Where the chat's agent is, if it is one of the gateway's, with a key of the chat.
   * @throws {Fault} `unavailable` if the gateway fails
   */
  agents(session: string, chat: string, service: RemoteService): Promise<RemoteAccess | undefined>;
  /**
   * Reports the calls of a chat's agent through the gateway, beginning with those that no listener has taken yet.
   * @param take returns false to leave a call to the next listener
   * @returns a function that stops listening
   */
  onCall(chat: string, take: (call: SessionCall) => boolean): () => void;
  /** The session is gone: its key opens nothing any more. */
  close(session: string): Promise<void>;
}

/** A call to a model or a remote agent as the gateway recorded it. */
export interface SessionCall {
  /** The name that the agent called. */
  readonly model: string;
  /** A sub-agent of the chat's agent made it. */
  readonly subAgent?: true;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars. */
  readonly cost: number;
}

/** A running turn, in which a person can be asked about budgets and limits. */
export interface BudgetedTurn {
  readonly session: string;
  readonly chat: string;
  /** The agent's display name. */
  readonly agent: string;
  readonly settings: () => BudgetSettings | undefined;
  readonly limits: () => RunLimits | undefined;
  /** Rejects when the signal aborts. */
  ask(questions: QuestionSet): Promise<QuestionAnswers>;
  /** Cancels a question that nobody has answered. */
  withdraw(id: string): void;
  /** Aborts when the turn is stopped. */
  readonly signal: AbortSignal;
}

/** Limits what sessions spend on calls to models. */
export interface SessionBudgets {
  /** @returns a function to call when the turn ends */
  turnBegan(turn: BudgetedTurn): () => void;
  /** @param limit `undefined`: the limit in the settings applies */
  set(session: string, limit: BudgetLimit | undefined): Promise<void>;
  /** The session is gone. What it spent still counts for its day, its folders, and the total. */
  closed(session: string): void;
}

/** Limits how many sub-agents the agent of a session starts. */
export interface SubAgents {
  /**
   * Settles when the tool call may start a sub-agent.
   * @throws {Fault} if a person refuses; the reason of the signal
   */
  admit(wanted: {
    readonly session: string;
    readonly chat: string;
    readonly by: 'toolCall';
    readonly id: string;
    readonly signal: AbortSignal;
  }): Promise<void>;
  /** The tool call was not allowed, for another reason. */
  denied(session: string, chat: string, toolCallId: string): void;
}

/** A turn whose agent has not been started. */
export interface StartingTurn {
  readonly session: string;
  readonly limits: () => RunLimits | undefined;
  /** Rejects when the signal aborts. */
  ask(questions: QuestionSet): Promise<QuestionAnswers>;
  /** Cancels a question that nobody has answered. */
  withdraw(id: string): void;
  /** Shows what the turn waits for. @param over aborts when it no longer waits */
  shows(words: string, over: AbortSignal): void;
  /** Aborts when the turn is stopped. */
  readonly signal: AbortSignal;
}

/** Limits how many sessions run a turn at the same time. */
export interface Places {
  /**
   * Settles when the turn may start.
   * @returns a function to call when the turn ends
   * @throws {Fault} if a person stops it or nobody answers in time; the reason of the signal
   */
  enter(turn: StartingTurn): Promise<() => void>;
  /** The limits may have changed. */
  look(): void;
}

/** Commands of a person that set up new worktrees. */
export interface TreeSetUps {
  /** Runs the command in the new worktree of a session. @param env of the window that made it */
  begin(session: string, command: string, env: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Settles when the worktree of the session is set up, if it is to be.
   * @returns what its chat says about a command that did not succeed, once for each session
   * @throws the reason of the turn's signal
   */
  over(turn: StartingTurn): Promise<string | undefined>;
  /** Ends the command of a session. */
  stop(session: string): Promise<void>;
}

/** Chats whose agents reached a usage limit. Each goes on when the limit ends. */
export interface ParkedChats {
  /** Looks after those that an earlier host left, and those to come. @param resume starts what waits in the chat's queue */
  begin(resume: (chat: string) => void): void;
  end(): void;
  /** Puts the message of the running turn back into the queue. Called right before the turn ends. */
  park(chat: string, turnId: string, reset: LimitReset | undefined): void;
  /** A turn of the chat started. */
  leave(chat: string): void;
  /** A message was taken out of the queue. @returns whether the chat was parked for it, which it no longer is */
  withdrawn(chat: string, message: string): boolean;
  /** Whether the queue of the chat waits for the end of a limit. */
  holds(chat: string): boolean;
  isParked(chat: string): boolean;
}

/** Sandboxes of sessions. All programs of a session with a sandbox start in it. */
export interface SessionSandboxes {
  isOn(session: string): boolean;
  /**
   * Starts the sandbox of a session that has one.
   * @throws {Fault} `unavailable` with the reason for the user if it cannot start
   */
  start(session: string, env: Readonly<Record<string, string>>): Promise<void>;
  /** The session no longer exists. */
  close(session: string): Promise<void>;
}

/** What the effects need of the rest of the host. */
export interface EffectDeps extends Pick<Runtime, 'clock' | 'timers' | 'newId' | 'random'> {
  readonly store: Store;
  readonly storage: HostStorage;
  /** Puts a bug into the log, under the id that the peer gets. */
  readonly report: (id: string, thrown: unknown) => void;
  /** Taken out of all texts and calls of an agent before they are kept: its own keys, and tokens that clients pushed. */
  readonly secrets: KnownSecrets;
  /** The agents that a window can use, in the order of the list. */
  readonly providers: (window: WindowInfo) => readonly AgentProvider[];
  /** Why an agent that sessions have is in nobody's list, where that is known. */
  readonly whyMissing: (provider: string) => Fault | undefined;
  readonly changes: Changes;
  /** Which session changes which file now. */
  readonly fileHolders: FileHolders;
  /** Protected resources, and what clients pushed for them. */
  readonly tokens: Tokens;
  readonly children: Pick<Children, 'spawn'>;
  /** Runs the commands of agents that request a terminal. */
  readonly commands: CommandTerminals;
  /** A folder with nothing in it, for an agent that is started only to declare what it offers. */
  readonly emptyFolder: () => string;
  /** No log, no error and no transcript shows this from now on. */
  readonly hide: (secret: string) => void;
  /** What sessions may use besides their agents' own tools. */
  readonly sessionTools: SessionTools;
  readonly budgets: SessionBudgets;
  readonly subAgents: SubAgents;
  readonly places: Places;
  readonly setUps: TreeSetUps;
  readonly parking: ParkedChats;
  readonly sandboxes: SessionSandboxes;
  /** A server over HTTP as a program, for agents that reach none otherwise. */
  readonly asProgram?: (server: ToolServer) => ToolProgram;
  /** How long deltas of a chat may be held back. */
  readonly latencyMs: (channel: string) => number;
  /** Whether anybody subscribed to the channel. */
  readonly isWatched: (channel: string) => boolean;
  /** Whether the client subscribed to the channel. */
  readonly isLooking: (clientId: string, channel: string) => boolean;
  /** Asks a client for something of its own. Rejects when it is not there, does not answer in time, or refuses. */
  readonly askClient: (
    clientId: string,
    method: string,
    params: object,
    options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ) => Promise<unknown>;
  /** A notification to everyone who subscribed to the root. */
  readonly notifyRoot: (method: string, params: object) => void;
  /** Ends all subscriptions of a channel that is gone. */
  readonly dropChannel: (channel: string) => void;
}

/** For clients that describe no window: a person's own tool on the same machine, with no settings. */
export const plainWindow: WindowInfo = {
  trusted: true,
  folders: [],
  env: {},
  agents: [],
  rules: [],
  idleExitMinutes: 10,
  durability: 'normal',
};
