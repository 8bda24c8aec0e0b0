import * as z from 'zod';
import {
  LineAuthorsParams,
  LineAuthorsResult,
  NoteAuthorsParams,
  NoteAuthorsResult,
} from './channels/changeset/lineAuthors.ts';
import { RestorePreview, RestoreWhat } from './channels/chat/restore.ts';
import { AgentOffer, InstalledAgentInfo, RegistryAnswer } from './channels/root/agentRegistry.ts';
import { ConversationOpenParams, ConversationsParams, ConversationsResult } from './channels/root/conversations.ts';
import { BudgetLimit } from './channels/session/budgets.ts';
import { CustomAgentInfo } from './channels/session/customizations.ts';
import {
  RaceChangesResult,
  RaceKeepParams,
  RaceKeepResult,
  RaceParams,
  RaceStartParams,
} from './channels/session/race.ts';
import { SessionSummary } from './channels/session/schema.ts';
import { ExportSessionParams, ExportSessionResult, ImportSessionParams } from './channels/session/sessionFile.ts';
import {
  WorktreeSize,
  WorktreeSizeParams,
  WorktreesParams,
  WorktreesRemoveParams,
  WorktreesRemoveResult,
  WorktreesResult,
} from './channels/session/worktrees.ts';
import * as command from './commands.ts';
import { ActionEnvelope, DispatchParams } from './envelope.ts';
import { Build, Notice, ProcessInfo } from './hostInfo.ts';
import { attachmentBytes } from './limits.ts';
import { AccessQuestion, resourceMethods } from './resources.ts';
import { DecisionsParams, DecisionsResult } from './rules.ts';
import { ContentRef, Meta, Uri } from './shared.ts';
import { ExportLogs } from './telemetry.ts';
import { SearchTranscriptsParams, SearchTranscriptsResult } from './transcript.ts';
import { Approvals, RuleTrial, RuleVerdict, WindowInfo } from './window.ts';

/** As a person writes it: one line that says something. */
const ChatTitle = z.string().trim().min(1).max(200);

const onRoot = { channel: command.RootChannel };
const onChannel = { channel: Uri };
const listSessions = { params: command.ListSessionsParams, result: command.ListSessionsResult };

/** Client to host requests. A row here without a handler, or a handler without a row, does not compile. */
export const methods = {
  initialize: { params: command.InitializeParams, result: command.InitializeResult },
  ping: { params: z.object(onRoot).prefault({}), result: z.null() },
  reconnect: { params: command.ReconnectParams, result: command.ReconnectResult },
  subscribe: { params: command.SubscribeParams, result: command.SubscribeResult },
  createSession: { params: command.CreateSessionParams, result: z.null() },
  disposeSession: { params: z.object(onChannel), result: z.null() },
  'root/listSessions': listSessions,
  listSessions,
  createChat: { params: command.CreateChatParams, result: z.null() },
  disposeChat: { params: z.object(onChannel), result: z.null() },
  fetchTurns: { params: z.object({ ...onChannel, cursor: z.string().exactOptional() }), result: z.object({}) },
  completions: { params: command.CompletionsParams, result: z.object({ items: z.array(command.CompletionItem) }) },
  resolveSessionConfig: {
    params: command.ResolveSessionConfigParams,
    result: command.ResolveSessionConfigResult,
  },
  sessionConfigCompletions: {
    params: command.SessionConfigCompletionsParams,
    result: command.SessionConfigCompletionsResult,
  },
  authenticate: {
    params: z.object({
      ...onRoot,
      resource: z.string().min(1),
      token: z.string().min(1),
      /** What it really grants, so that nobody needs to decode it. */
      scopes: z.array(z.string()).exactOptional(),
      /** Seconds that it is good for. An addition of later versions of the protocol; absent: until it is refused. */
      expiresIn: z.number().positive().exactOptional(),
    }),
    result: z.object({}),
  },
  resourceRead: { params: command.ResourceReadParams, result: command.ResourceReadResult },
  ...resourceMethods,
  createTerminal: { params: command.CreateTerminalParams, result: z.null() },
  disposeTerminal: { params: z.object(onChannel), result: z.null() },
  invokeChangesetOperation: {
    params: command.InvokeChangesetOperationParams,
    result: command.InvokeChangesetOperationResult,
  },
  'x-switchboard/processes': {
    params: z.object(onRoot).prefault({}),
    result: z.object({ items: z.array(ProcessInfo), build: Build }),
  },
  /** The custom agents that a new session in this folder would have, before there is one. None for windows without trust. */
  'x-switchboard/customAgents': {
    params: z.object({ ...onRoot, workingDirectory: Uri }),
    result: z.object({ items: z.array(CustomAgentInfo) }),
  },
  /** No action changes the title of a chat. Its session says the new one (`session/chatUpdated`), as all see it there. */
  'x-switchboard/renameChat': { params: z.object({ ...onChannel, title: ChatTitle }), result: z.null() },
  /** What a restore to before a turn would change: nothing is done. `channel` is a chat. */
  'x-switchboard/restorePreview': {
    params: z.object({ ...onChannel, turnId: z.string().min(1) }),
    result: RestorePreview,
  },
  /** Puts files, chat or both back to what they were before a turn; until the next one begins it can be taken back. */
  'x-switchboard/restore': {
    params: z.object({ ...onChannel, turnId: z.string().min(1), what: RestoreWhat }),
    result: command.InvokeChangesetOperationResult,
  },
  'x-switchboard/restoreRedo': { params: z.object(onChannel), result: command.InvokeChangesetOperationResult },
  /** The agents of the registry, with those that are installed. These five are for trusted windows of this machine alone. */
  'x-switchboard/agentRegistry': { params: z.object(onRoot).prefault({}), result: RegistryAnswer },
  'x-switchboard/agentOffer': { params: z.object({ ...onRoot, id: z.string().min(1) }), result: AgentOffer },
  /** Takes an offer. Ended by `$/cancelRequest`, it leaves nothing behind; `root/progress` has a phase as its message. */
  'x-switchboard/agentInstall': {
    params: z.object({ ...onRoot, token: z.string().min(1), progressToken: z.string().exactOptional() }),
    result: InstalledAgentInfo,
  },
  /** Runs the install scripts of packages that a person named, as `name@version`. */
  'x-switchboard/agentScripts': {
    params: z.object({
      ...onRoot,
      id: z.string().min(1),
      packages: z.array(z.string().min(1)).min(1),
      progressToken: z.string().exactOptional(),
    }),
    result: InstalledAgentInfo,
  },
  'x-switchboard/agentRemove': { params: z.object({ ...onRoot, id: z.string().min(1) }), result: z.null() },
  /** The conversations that an agent keeps and that began elsewhere. These three are for trusted windows alone. */
  'x-switchboard/conversations': { params: ConversationsParams, result: ConversationsResult },
  /** Makes a session that goes on with such a conversation, with its turns as far as the agent says them. */
  'x-switchboard/conversationOpen': { params: ConversationOpenParams, result: z.null() },
  /** The agents of a session delete the conversations with which its chats go on. The session stays. */
  'x-switchboard/conversationDelete': { params: z.object({ ...onChannel }), result: z.null() },
  /** Keeps bytes for as long as the session lives, so that messages and drafts attach them by their address. */
  'x-switchboard/keepContent': {
    params: z.object({
      /** The session, or one of its chats. */
      ...onChannel,
      name: z.string().min(1).max(255),
      data: z.base64().max(Math.ceil(attachmentBytes / 3) * 4),
    }),
    result: ContentRef,
  },
  'x-switchboard/searchTranscripts': { params: SearchTranscriptsParams, result: SearchTranscriptsResult },
  'x-switchboard/lineAuthors': { params: LineAuthorsParams, result: LineAuthorsResult },
  'x-switchboard/noteAuthors': { params: NoteAuthorsParams, result: NoteAuthorsResult },
  /** Merges the branch of a session's own worktree into the branch that is checked out in its repository. */
  'x-switchboard/mergeWorktree': {
    params: z.object({ ...onChannel }),
    result: z.object({ branch: z.string(), into: z.string(), commits: z.int() }),
  },
  /** The worktrees that the host made for sessions, and what is in them. These three are for trusted windows alone. */
  'x-switchboard/worktrees': { params: WorktreesParams, result: WorktreesResult },
  /** Measured once and kept for a minute, unless `again` is set. */
  'x-switchboard/worktreeSize': { params: WorktreeSizeParams, result: WorktreeSize },
  /** Removes those in which nothing is lost. Their sessions are archived, and branches with own commits stay. */
  'x-switchboard/worktreesRemove': { params: WorktreesRemoveParams, result: WorktreesRemoveResult },
  /** Makes sessions a race: one prompt, each in a worktree of its own. These four are for trusted windows alone. */
  'x-switchboard/raceStart': { params: RaceStartParams, result: z.null() },
  'x-switchboard/raceChanges': { params: RaceParams, result: RaceChangesResult },
  /** Begins to run the check of a race in each worktree; the results are in the sessions. */
  'x-switchboard/raceCheck': { params: RaceParams, result: z.null() },
  /** Ends a race: what is chosen goes into the person's folder, and its worktrees go. */
  'x-switchboard/raceKeep': { params: RaceKeepParams, result: RaceKeepResult },
  /** Sets what a session's agents may spend before a person is asked. `null`: the settings apply. */
  'x-switchboard/setBudget': { params: z.object({ ...onChannel, limit: BudgetLimit.nullable() }), result: z.null() },
  'x-switchboard/exportSession': { params: ExportSessionParams, result: ExportSessionResult },
  'x-switchboard/importSession': { params: ImportSessionParams, result: z.null() },
  'x-switchboard/stopHost': {
    params: z.object({ ...onRoot, restart: z.boolean(), force: z.boolean().exactOptional() }),
    result: z.null(),
  },
  /** Settles when this client may renew the token of a resource: one client at a time. */
  'x-switchboard/refreshLease': {
    params: z.object({ ...onRoot, resource: z.string().min(1) }),
    result: z.object({ lease: z.string() }),
  },
  'x-switchboard/refreshLeaseEnd': { params: z.object({ ...onRoot, lease: z.string().min(1) }), result: z.null() },
  /** The person signed out: the host drops what this client pushed. */
  'x-switchboard/forgetToken': { params: z.object({ ...onRoot, resource: z.string().min(1) }), result: z.null() },
  /** The gateway of this user: started once, found again by every window. */
  'x-switchboard/gatewayStart': {
    params: z.object({
      ...onRoot,
      /**
       * Base64 of 32 bytes or more, from the editor's secret storage. Absent where that does not outlive a window, as in a
       * browser: the gateway keeps one in a file that only its user can read.
       */
      secret: z.base64().min(44).exactOptional(),
      /** The key with which windows talk to the gateway. */
      adminKey: z.string().min(16),
      /** Programs that MCP servers may run, by name or absolute path. Replaces what was said before; absent: as it was. */
      allowedCommands: z.array(z.string().min(1)).exactOptional(),
    }),
    result: z.object({ baseUrl: z.string() }),
  },
  /** What a person says to a question of `x-switchboard/accessQuestions`. For windows only. */
  'x-switchboard/accessAnswer': {
    params: z.object({ ...onRoot, id: z.string().min(1), allow: z.boolean() }),
    result: z.null(),
  },
  'x-switchboard/rules': {
    params: z.object(onRoot).prefault({}),
    result: Approvals,
  },
  /** Asks the function that decides about every call. Nothing runs, and nothing is kept. */
  'x-switchboard/ruleTest': { params: z.object({ ...onRoot, ...RuleTrial.shape }), result: RuleVerdict },
  /** What was allowed and denied, by whom, newest first. */
  'x-switchboard/decisions': {
    params: z.object({ ...onRoot, ...DecisionsParams.shape }).prefault({}),
    result: DecisionsResult,
  },
  'x-switchboard/ruleRemove': { params: z.object({ ...onRoot, id: z.string().min(1) }), result: z.null() },
} as const satisfies Record<string, { params: z.ZodType; result: z.ZodType }>;

/** Client to host notifications: no answer, so a refused action travels back as a rejected envelope instead. */
export const clientNotifications = {
  unsubscribe: { params: z.object(onChannel) },
  dispatchAction: { params: DispatchParams },
  'x-switchboard/windowChanged': { params: z.object({ ...onRoot, window: WindowInfo }) },
} as const satisfies Record<string, { params: z.ZodType }>;

/** Changes of a summary. Required members are never null; `null` clears an optional one. */
export const SummaryChanges = z.object({
  title: z.string().exactOptional(),
  status: SessionSummary.shape.status.exactOptional(),
  modifiedAt: SessionSummary.shape.modifiedAt.exactOptional(),
  activity: z.string().nullable().exactOptional(),
  project: SessionSummary.shape.project.unwrap().nullable().exactOptional(),
  workingDirectories: SessionSummary.shape.workingDirectories.unwrap().nullable().exactOptional(),
  annotations: SessionSummary.shape.annotations.unwrap().nullable().exactOptional(),
  changes: SessionSummary.shape.changes.unwrap().nullable().exactOptional(),
  /** All chats of the session, if one of them changed. */
  chats: SessionSummary.shape.chats,
  defaultChat: SessionSummary.shape.defaultChat.unwrap().nullable().exactOptional(),
  _meta: SessionSummary.shape._meta.unwrap().nullable().exactOptional(),
});
export type SummaryChanges = z.infer<typeof SummaryChanges>;

/** Host to client notifications. All but `action` carry no number, are not kept and not replayed. */
export const hostNotifications = {
  action: { params: ActionEnvelope },
  'root/sessionAdded': { params: z.object({ ...onRoot, summary: SessionSummary }) },
  /** `_meta.worktreeKept`: URI of the session's own worktree, which holds what is not committed. */
  'root/sessionRemoved': { params: z.object({ ...onRoot, session: Uri, _meta: Meta.exactOptional() }) },
  'root/sessionSummaryChanged': { params: z.object({ ...onRoot, session: Uri, changes: SummaryChanges }) },
  'root/progress': {
    params: z.object({
      ...onRoot,
      progressToken: z.string(),
      progress: z.number(),
      total: z.number().exactOptional(),
      message: z.string().exactOptional(),
    }),
  },
  'auth/required': {
    /** `channel`: the session that needs it, or the root. */
    params: z.object({ channel: Uri, resource: z.string(), reason: z.enum(['required', 'expired']).or(z.string()) }),
  },
  /** To those who follow the log; `channel` is the address that they subscribed to. */
  'otlp/exportLogs': { params: z.object({ ...onChannel, payload: ExportLogs }) },
  /** To windows: all that is open now. */
  'x-switchboard/accessQuestions': { params: z.object({ ...onRoot, items: z.array(AccessQuestion) }) },
  'x-switchboard/noticesChanged': { params: z.object({ ...onRoot, items: z.array(Notice) }) },
} as const satisfies Record<string, { params: z.ZodType }>;

export type MethodName = keyof typeof methods;
/** What a handler gets. */
export type Params<M extends MethodName> = z.output<(typeof methods)[M]['params']>;
/** What a handler answers. */
export type Result<M extends MethodName> = z.input<(typeof methods)[M]['result']>;
/** What a caller gives; `channel` may be left out where it is the root. */
export type RequestParams<M extends MethodName> = z.input<(typeof methods)[M]['params']>;

export type ClientNotificationName = keyof typeof clientNotifications;
export type ClientNotificationParams<N extends ClientNotificationName> = z.output<
  (typeof clientNotifications)[N]['params']
>;
export type HostNotificationName = keyof typeof hostNotifications;
export type HostNotificationParams<N extends HostNotificationName> = z.output<(typeof hostNotifications)[N]['params']>;
