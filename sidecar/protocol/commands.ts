import * as z from 'zod';
import { openEnum } from './building.ts';
import { SideChatSelection } from './channels/chat/schema.ts';
import { SessionActiveClient, SessionSummary } from './channels/session/schema.ts';
import { TerminalClaim } from './channels/terminal/schema.ts';
import { ConfigValues, SessionConfigSchema } from './configSchemas.ts';
import { ActionEnvelope, Snapshot } from './envelope.ts';
import { Build } from './hostInfo.ts';
import { ContentRef, Message, MessageAttachment, Meta, StringOrMarkdown, TextRange, Uri } from './shared.ts';
import { ROOT } from './uris.ts';
import { WindowInfo } from './window.ts';

/** Connection-level methods belong to the root channel. Some clients leave it out. */
export const RootChannel = Uri.default(ROOT);

/** For logs, never for feature detection. */
export const Implementation = z.object({
  name: z.string(),
  version: z.string().exactOptional(),
  title: z.string().exactOptional(),
});
export type Implementation = z.infer<typeof Implementation>;

/** Members that our own extension adds; other clients leave them out. */
const InitializationOptions = z.looseObject({
  build: Build.exactOptional(),
  window: WindowInfo.exactOptional(),
  /** The editor has the JSON schema of the gateway's configuration: what that says is not said a second time. */
  knowsSchema: z.boolean().exactOptional(),
  /** Asks `switchboard serve` for the window of whoever serves: a window elsewhere knows no programs of that machine. */
  servedWindow: z.boolean().exactOptional(),
});

/**
 * The protocol's own params, or those of the language client with the protocol's beside them. Members that only the
 * language client knows (`processId`, `rootUri`, `trace` and others) are let through unread.
 */
export const InitializeParams = z.looseObject({
  channel: RootChannel,
  /** SemVer, most preferred first. */
  protocolVersions: z.array(z.string()).min(1),
  clientId: z.string().min(1),
  clientInfo: Implementation.exactOptional(),
  initialSubscriptions: z.array(Uri).exactOptional(),
  /** BCP 47. */
  locale: z.string().exactOptional(),
  capabilities: z.looseObject({ mcpApps: z.looseObject({}).exactOptional() }).exactOptional(),
  initializationOptions: InitializationOptions.nullish(),
  _meta: Meta.exactOptional(),
});
export type InitializeParams = z.output<typeof InitializeParams>;

export const InitializeResult = z.looseObject({
  protocolVersion: z.string(),
  serverSeq: z.int().nonnegative(),
  serverInfo: Implementation.exactOptional(),
  snapshots: z.array(Snapshot),
  defaultDirectory: Uri.exactOptional(),
  completionTriggerCharacters: z.array(z.string()).exactOptional(),
  terminalCommandPrefix: z.string().exactOptional(),
  telemetry: z
    .object({
      logs: z.string().exactOptional(),
      traces: z.string().exactOptional(),
      metrics: z.string().exactOptional(),
    })
    .exactOptional(),
  /** For the language client: what it may ask about documents. */
  capabilities: z.looseObject({}).exactOptional(),
  /** `messageBytes`: the largest message that this connection may send; a larger one ends it. */
  _meta: z
    .looseObject({ build: Build.exactOptional(), messageBytes: z.int().positive().exactOptional() })
    .exactOptional(),
});
export type InitializeResult = z.infer<typeof InitializeResult>;

export const ReconnectParams = z.looseObject({
  channel: RootChannel,
  clientId: z.string().min(1),
  lastSeenServerSeq: z.int().nonnegative(),
  subscriptions: z.array(Uri),
  initializationOptions: InitializationOptions.nullish(),
  _meta: Meta.exactOptional(),
});
export type ReconnectParams = z.output<typeof ReconnectParams>;
export const ReconnectResult = z.discriminatedUnion('type', [
  /** `missing` cannot be resumed: drop them. */
  z.object({ type: z.literal('replay'), actions: z.array(ActionEnvelope), missing: z.array(Uri) }),
  /** What was listed and has no snapshot is gone. */
  z.object({ type: z.literal('snapshot'), snapshots: z.array(Snapshot) }),
]);
export type ReconnectResult = z.infer<typeof ReconnectResult>;

export const SubscribeParams = z.object({
  channel: Uri,
  /** Upper bound of deliberate buffering; 0: no coalescing. */
  delivery: z.object({ maxLatencyMs: z.number().nonnegative().exactOptional() }).exactOptional(),
  /** Chats only: about how many recent turns; absent: all of them. */
  view: z.object({ turns: z.int().nonnegative().exactOptional() }).exactOptional(),
});
export type SubscribeParams = z.output<typeof SubscribeParams>;
/** Empty for a stateless channel. */
export const SubscribeResult = z.object({ snapshot: Snapshot.exactOptional() });
export type SubscribeResult = z.infer<typeof SubscribeResult>;

export const CreateSessionParams = z.object({
  /** Chosen by the client. */
  channel: Uri,
  provider: z.string().exactOptional(),
  workingDirectories: z.array(Uri).exactOptional(),
  primaryWorkingDirectory: Uri.exactOptional(),
  /** Copies that session up to a completed turn. Copied turns keep their ids: an id names a turn within its chat alone. */
  fork: z.object({ session: Uri, turnId: z.string() }).exactOptional(),
  config: ConfigValues.exactOptional(),
  activeClient: SessionActiveClient.exactOptional(),
  progressToken: z.string().exactOptional(),
});
export type CreateSessionParams = z.output<typeof CreateSessionParams>;

export const ListSessionsParams = z.object({
  channel: RootChannel,
  limit: z.int().positive().exactOptional(),
  cursor: z.string().exactOptional(),
});
export const ListSessionsResult = z.object({ items: z.array(SessionSummary), nextCursor: z.string().exactOptional() });
export type ListSessionsResult = z.infer<typeof ListSessionsResult>;

/**
 * A fork's turn must be completed, and copied turns keep their ids; a side chat's may be the active one
 * (`host.side-chat.turn-id`).
 */
export const ChatSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fork'), chat: Uri, turnId: z.string() }),
  z.object({
    kind: z.literal('sideChat'),
    chat: Uri,
    turnId: z.string(),
    selection: SideChatSelection.exactOptional(),
  }),
]);
export type ChatSource = z.infer<typeof ChatSource>;
export const CreateChatParams = z.object({
  /** The session. */
  channel: Uri,
  /** Chosen by the client. */
  chat: Uri,
  /** Goes before the name that its first message or its source gives it. An addition of later versions. */
  title: z.string().exactOptional(),
  initialMessage: Message.exactOptional(),
  source: ChatSource.exactOptional(),
  workingDirectories: z.array(Uri).exactOptional(),
  primaryWorkingDirectory: Uri.exactOptional(),
});
export type CreateChatParams = z.output<typeof CreateChatParams>;

export const CompletionsParams = z
  .object({ channel: Uri, kind: z.literal('userMessage'), text: z.string(), offset: z.int().nonnegative() })
  .refine((it) => it.offset <= it.text.length, {
    path: ['offset'],
    message: 'is past the end of text (in UTF-16 code units)',
  });
/** `rangeStart` and `rangeEnd`: half-open, UTF-16 units of the input; absent: insert at the cursor. */
export const CompletionItem = z.object({
  insertText: z.string(),
  rangeStart: z.number().exactOptional(),
  rangeEnd: z.number().exactOptional(),
  attachment: MessageAttachment,
});
export type CompletionItem = z.infer<typeof CompletionItem>;

const configContext = {
  channel: RootChannel,
  provider: z.string().exactOptional(),
  workingDirectory: Uri.exactOptional(),
  config: ConfigValues.exactOptional(),
};
export const ResolveSessionConfigParams = z.object(configContext);
export const ResolveSessionConfigResult = z.object({ schema: SessionConfigSchema, values: ConfigValues });
export type ResolveSessionConfigResult = z.infer<typeof ResolveSessionConfigResult>;
export const SessionConfigCompletionsParams = z.object({
  ...configContext,
  property: z.string(),
  query: z.string().exactOptional(),
});
export const SessionConfigCompletionsResult = z.object({
  items: z.array(z.object({ value: z.string(), label: z.string(), description: z.string().exactOptional() })),
});

export const ResourceReadParams = z.object({
  channel: RootChannel,
  uri: Uri,
  encoding: z.enum(['base64', 'utf-8']).exactOptional(),
});
/** Binary content is always base64, whatever was asked for. */
export const ResourceReadResult = z.object({
  data: z.string(),
  encoding: z.enum(['base64', 'utf-8']),
  contentType: z.string().exactOptional(),
});
export type ResourceReadResult = z.infer<typeof ResourceReadResult>;

/** Columns and rows of a terminal. */
const cells = z.int().min(1).max(1_000);
export const CreateTerminalParams = z.object({
  /** Chosen by the client. */
  channel: Uri,
  claim: TerminalClaim,
  name: z.string().exactOptional(),
  cwd: Uri.exactOptional(),
  cols: cells.exactOptional(),
  rows: cells.exactOptional(),
});

const side = openEnum('before', 'after').exactOptional();
export const ChangesetTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('resource'), resource: Uri, side }),
  z.object({ kind: z.literal('range'), resource: Uri, side, range: TextRange }),
]);
export type ChangesetTarget = z.infer<typeof ChangesetTarget>;
export const InvokeChangesetOperationParams = z.object({
  /** The expanded changeset URI. */
  channel: Uri,
  operationId: z.string().min(1),
  /** Required for the scopes `resource` and `range`, omitted for `changeset`. */
  target: ChangesetTarget.exactOptional(),
});
export const InvokeChangesetOperationResult = z.object({
  message: StringOrMarkdown.exactOptional(),
  followUp: z.object({ content: ContentRef, external: z.boolean().exactOptional() }).exactOptional(),
  /** May be {@link LeftFiles}. */
  _meta: Meta.exactOptional(),
});
export type InvokeChangesetOperationResult = z.infer<typeof InvokeChangesetOperationResult>;

/** Ours: what an operation left as it is, in the answer's `_meta`, an error's `data` and the `_meta` of the operation's error. */
export const LeftFiles = z.object({
  left: z.array(
    z.object({
      uri: Uri,
      name: z.string(),
      /** Only the files that hold something else by now can be overwritten. */
      reason: openEnum('conflict', 'notKept', 'refused', 'notWritten'),
      /** What follows the name in a sentence. */
      message: z.string(),
    }),
  ),
});
export type LeftFiles = z.infer<typeof LeftFiles>;
