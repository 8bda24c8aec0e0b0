import * as z from 'zod';
import { actionTable, openEnum, openUnion } from '../../building.ts';
import { ConfigValues, SessionConfigState } from '../../configSchemas.ts';
import { ErrorInfo, Meta, Timestamp, ToolDefinition, Uri } from '../../shared.ts';
import { SessionStatus } from '../../status.ts';
import { ChatInputRequest } from '../chat/inputRequests.ts';
import { ChatSummary, ChatSummaryChanges } from '../chat/schema.ts';
import { ToolCallAuthRequiredState, ToolCallConfirmationState, ToolCallState } from '../chat/toolCalls.ts';
import { ClientPluginCustomization, Customization, Enablement, McpServerState } from './customizations.ts';

export const ProjectInfo = z.object({ uri: Uri, displayName: z.string() });
export type ProjectInfo = z.infer<typeof ProjectInfo>;
export const AnnotationsSummary = z.object({ resource: Uri, annotationCount: z.number(), entryCount: z.number() });
export type AnnotationsSummary = z.infer<typeof AnnotationsSummary>;
export const ChangesSummary = z.object({
  additions: z.number().exactOptional(),
  deletions: z.number().exactOptional(),
  files: z.number().exactOptional(),
});
export type ChangesSummary = z.infer<typeof ChangesSummary>;

/** Shared by state and summary. */
const metadata = {
  provider: z.string(),
  title: z.string(),
  status: SessionStatus,
  activity: z.string().exactOptional(),
  project: ProjectInfo.exactOptional(),
  workingDirectories: z.array(Uri).exactOptional(),
  annotations: AnnotationsSummary.exactOptional(),
};

/** A chat in the session list, including hidden ones. */
export const SessionChatSummary = z.object({
  resource: Uri,
  title: z.string(),
  status: SessionStatus,
  origin: ChatSummary.shape.origin,
  interactivity: ChatSummary.shape.interactivity,
});
export type SessionChatSummary = z.infer<typeof SessionChatSummary>;

/** The catalogue's entry. */
export const SessionSummary = z.object({
  ...metadata,
  resource: Uri,
  createdAt: Timestamp,
  modifiedAt: Timestamp,
  changes: ChangesSummary.exactOptional(),
  /** In the session's order. */
  chats: z.array(SessionChatSummary).exactOptional(),
  defaultChat: Uri.exactOptional(),
  _meta: Meta.exactOptional(),
});
export type SessionSummary = z.infer<typeof SessionSummary>;

export const SessionActiveClient = z.object({
  clientId: z.string().min(1),
  displayName: z.string().exactOptional(),
  tools: z.array(ToolDefinition),
  customizations: z.array(ClientPluginCustomization).exactOptional(),
});
export type SessionActiveClient = z.infer<typeof SessionActiveClient>;

/** A view of file changes. Clients expand `uriTemplate` before they subscribe (`host.session.changesets`). */
export const Changeset = z.object({
  label: z.string(),
  uriTemplate: z.string().min(1),
  changeKind: openEnum('session', 'branch', 'uncommitted', 'turn', 'compare-turns'),
  description: z.string().exactOptional(),
  capabilities: z.object({ review: z.looseObject({}).exactOptional() }).exactOptional(),
});
export type Changeset = z.infer<typeof Changeset>;

const requestBase = {
  /** Opaque, the upsert key. */
  id: z.string().min(1),
  chat: Uri,
};
/**
 * A request that blocks the session. Clients answer it on `chat`, all but a toolAuthentication (`host.input.variants`).
 */
export const SessionInputRequest = openUnion('kind', {
  chatInput: z.object({ ...requestBase, kind: z.literal('chatInput'), request: ChatInputRequest }),
  toolConfirmation: z.object({
    ...requestBase,
    kind: z.literal('toolConfirmation'),
    turnId: z.string(),
    toolCall: ToolCallConfirmationState,
  }),
  toolClientExecution: z.object({
    ...requestBase,
    kind: z.literal('toolClientExecution'),
    turnId: z.string(),
    clientId: z.string(),
    toolCall: ToolCallState,
  }),
  toolAuthentication: z.object({
    ...requestBase,
    kind: z.literal('toolAuthentication'),
    turnId: z.string(),
    toolCall: ToolCallAuthRequiredState,
  }),
});
export type SessionInputRequest = z.infer<typeof SessionInputRequest>;

export const SessionLifecycle = z.enum(['creating', 'ready', 'creationFailed']);
export type SessionLifecycle = z.infer<typeof SessionLifecycle>;

export const SessionState = z.object({
  ...metadata,
  lifecycle: SessionLifecycle,
  creationError: ErrorInfo.exactOptional(),
  serverTools: z.array(ToolDefinition).exactOptional(),
  activeClients: z.array(SessionActiveClient),
  chats: z.array(ChatSummary),
  defaultChat: Uri.exactOptional(),
  config: SessionConfigState.exactOptional(),
  customizations: z.array(Customization).exactOptional(),
  changesets: z.array(Changeset).exactOptional(),
  /** Never empty: the key goes with the last one. */
  inputNeeded: z.array(SessionInputRequest).exactOptional(),
  _meta: Meta.exactOptional(),
});
export type SessionState = z.infer<typeof SessionState>;

const byId = { id: z.string() };
/** The actions of a session channel (`host.action.session/…`). */
export const sessionActions = actionTable({
  'session/ready': {},
  'session/creationFailed': { error: ErrorInfo },
  'session/chatAdded': { summary: ChatSummary },
  'session/chatRemoved': { chat: Uri },
  'session/chatUpdated': { chat: Uri, changes: ChatSummaryChanges },
  'session/defaultChatChanged': { defaultChat: Uri.exactOptional() },
  'session/titleChanged': { title: z.string() },
  'session/isReadChanged': { isRead: z.boolean() },
  'session/isArchivedChanged': { isArchived: z.boolean() },
  'session/activityChanged': { activity: z.string().exactOptional() },
  'session/changesetsChanged': { changesets: z.array(Changeset).exactOptional() },
  'session/serverToolsChanged': { tools: z.array(ToolDefinition) },
  'session/activeClientSet': { activeClient: SessionActiveClient },
  'session/activeClientRemoved': { clientId: z.string() },
  'session/workingDirectorySet': { directory: Uri },
  'session/workingDirectoryRemoved': { directory: Uri },
  'session/inputNeededSet': { request: SessionInputRequest },
  'session/inputNeededRemoved': byId,
  'session/customizationsChanged': { customizations: z.array(Customization) },
  'session/customizationToggled': { ...byId, enabled: z.boolean(), enablement: z.array(Enablement).exactOptional() },
  'session/customizationUpdated': { customization: Customization },
  'session/customizationRemoved': byId,
  'session/mcpServerStateChanged': { ...byId, state: McpServerState, channel: Uri.exactOptional() },
  'session/mcpServerStartRequested': byId,
  'session/mcpServerStopRequested': byId,
  'session/configChanged': { config: ConfigValues, replace: z.boolean().exactOptional() },
  'session/metaChanged': { _meta: Meta.exactOptional() },
});
export type SessionAction = z.output<(typeof sessionActions)[keyof typeof sessionActions]>;
