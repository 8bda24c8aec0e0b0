import * as z from 'zod';
import { openEnum, openUnion } from './building.ts';

/** A string holding a URI. Channel URIs are opaque keys. */
export const Uri = z.string().min(1);
/** ISO 8601. */
export const Timestamp = z.string().refine((it) => !Number.isNaN(Date.parse(it)), 'expected an ISO 8601 timestamp');
/** Free JSON object, opaque to the protocol. */
export const Meta = z.record(z.string(), z.unknown());
export type Meta = z.infer<typeof Meta>;
export const JsonPrimitive = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type JsonPrimitive = z.infer<typeof JsonPrimitive>;

/** A plain string is shown literally. */
export const StringOrMarkdown = z.union([z.string(), z.object({ markdown: z.string() })]);
export type StringOrMarkdown = z.infer<typeof StringOrMarkdown>;

/** Zero-based; `character` counts UTF-16 units within the line. */
export const TextPosition = z.object({ line: z.number(), character: z.number() });
export type TextPosition = z.infer<typeof TextPosition>;
export const TextRange = z.object({ start: TextPosition, end: TextPosition });
export type TextRange = z.infer<typeof TextRange>;
export const TextSelection = z.object({ range: TextRange });
export type TextSelection = z.infer<typeof TextSelection>;

export const ContentRef = z.object({
  uri: Uri,
  /** Approximate bytes. */
  sizeHint: z.number().exactOptional(),
  contentType: z.string().exactOptional(),
  nonce: z.string().exactOptional(),
});
export type ContentRef = z.infer<typeof ContentRef>;

const FileSide = z.object({ uri: Uri, content: ContentRef });
/** Creation: only `after`. Deletion: only `before`. Rename: both, different `uri`. Edit: both, the same `uri`. */
export const FileEdit = z.object({
  before: FileSide.exactOptional(),
  after: FileSide.exactOptional(),
  /** Lines. */
  diff: z.object({ added: z.number().exactOptional(), removed: z.number().exactOptional() }).exactOptional(),
});
export type FileEdit = z.infer<typeof FileEdit>;

export const UsageInfo = z.object({
  inputTokens: z.number().exactOptional(),
  outputTokens: z.number().exactOptional(),
  model: z.string().exactOptional(),
  cacheReadTokens: z.number().exactOptional(),
  _meta: Meta.exactOptional(),
});
export type UsageInfo = z.infer<typeof UsageInfo>;

export const ErrorInfo = z.object({
  errorType: z.string(),
  message: z.string(),
  stack: z.string().exactOptional(),
  _meta: Meta.exactOptional(),
});
export type ErrorInfo = z.infer<typeof ErrorInfo>;

export const Icon = z.object({
  src: Uri,
  contentType: z.string().exactOptional(),
  sizes: z.array(z.string()).exactOptional(),
  theme: openEnum('light', 'dark').exactOptional(),
});
export type Icon = z.infer<typeof Icon>;

/** RFC 9728, hence snake_case. A missing `required` means true. */
export const ProtectedResourceMetadata = z.object({
  resource: z.string().min(1),
  resource_name: z.string().exactOptional(),
  authorization_servers: z.array(z.string()).exactOptional(),
  jwks_uri: z.string().exactOptional(),
  scopes_supported: z.array(z.string()).exactOptional(),
  bearer_methods_supported: z.array(z.string()).exactOptional(),
  resource_signing_alg_values_supported: z.array(z.string()).exactOptional(),
  resource_encryption_alg_values_supported: z.array(z.string()).exactOptional(),
  resource_encryption_enc_values_supported: z.array(z.string()).exactOptional(),
  resource_documentation: z.string().exactOptional(),
  resource_policy_uri: z.string().exactOptional(),
  resource_tos_uri: z.string().exactOptional(),
  required: z.boolean().exactOptional(),
});
export type ProtectedResourceMetadata = z.infer<typeof ProtectedResourceMetadata>;

export const ModelSelection = z.object({
  id: z.string(),
  config: z.record(z.string(), JsonPrimitive).exactOptional(),
});
export type ModelSelection = z.infer<typeof ModelSelection>;
/** The stable URI of a custom agent. */
export const AgentSelection = z.object({ uri: Uri });
export type AgentSelection = z.infer<typeof AgentSelection>;

const ToolSchema = z.object({
  type: z.literal('object'),
  properties: z.record(z.string(), z.looseObject({})).exactOptional(),
  required: z.array(z.string()).exactOptional(),
});
/** Advisory, never proof of what a tool does. */
export const ToolAnnotations = z.object({
  title: z.string().exactOptional(),
  readOnlyHint: z.boolean().exactOptional(),
  destructiveHint: z.boolean().exactOptional(),
  idempotentHint: z.boolean().exactOptional(),
  openWorldHint: z.boolean().exactOptional(),
});
export type ToolAnnotations = z.infer<typeof ToolAnnotations>;
export const ToolDefinition = z.object({
  name: z.string().min(1),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  inputSchema: ToolSchema.exactOptional(),
  outputSchema: ToolSchema.exactOptional(),
  annotations: ToolAnnotations.exactOptional(),
  _meta: Meta.exactOptional(),
});
export type ToolDefinition = z.infer<typeof ToolDefinition>;

const attachmentBase = {
  label: z.string(),
  /** Span in the message's text. */
  range: TextRange.exactOptional(),
  displayKind: openEnum('image', 'document', 'symbol', 'directory', 'selection').exactOptional(),
  _meta: Meta.exactOptional(),
};
/** `endTurn` of a chat attachment is the last completed turn that is included. Absent: the last one of the chat. */
export const MessageAttachment = openUnion('type', {
  simple: z.object({ ...attachmentBase, type: z.literal('simple'), modelRepresentation: z.string().exactOptional() }),
  embeddedResource: z.object({
    ...attachmentBase,
    type: z.literal('embeddedResource'),
    /** Base64. */
    data: z.string(),
    contentType: z.string(),
    selection: TextSelection.exactOptional(),
  }),
  resource: z.object({
    ...attachmentBase,
    ...ContentRef.shape,
    type: z.literal('resource'),
    selection: TextSelection.exactOptional(),
  }),
  annotations: z.object({
    ...attachmentBase,
    type: z.literal('annotations'),
    resource: Uri,
    annotationIds: z.array(z.string()).exactOptional(),
  }),
  chat: z.object({ ...attachmentBase, type: z.literal('chat'), resource: Uri, endTurn: z.string().exactOptional() }),
});
export type MessageAttachment = z.infer<typeof MessageAttachment>;

/** Clients may send only the kind `user`. */
export const Message = z.object({
  text: z.string(),
  origin: z.object({ kind: openEnum('user', 'agent', 'tool', 'systemNotification') }),
  attachments: z.array(MessageAttachment).exactOptional(),
  model: ModelSelection.exactOptional(),
  agent: AgentSelection.exactOptional(),
  _meta: Meta.exactOptional(),
});
export type Message = z.infer<typeof Message>;
