import * as z from 'zod';
import { openEnum, openUnion } from '../../building.ts';
import { ContentRef, FileEdit, Message, Meta, ProtectedResourceMetadata, StringOrMarkdown, Uri } from '../../shared.ts';

/** What a token for an MCP server must fulfil. It never holds a token itself. */
export const McpAuthRequirement = z.object({
  reason: openEnum('required', 'expired', 'insufficientScope'),
  resource: ProtectedResourceMetadata,
  oauthClient: z.object({ clientId: z.string(), clientSecret: z.string().exactOptional() }).exactOptional(),
  requiredScopes: z.array(z.string()).exactOptional(),
  description: z.string().exactOptional(),
});
export type McpAuthRequirement = z.infer<typeof McpAuthRequirement>;

const clientContributor = z.object({ kind: z.literal('client'), clientId: z.string() });
const mcpContributor = z.object({ kind: z.literal('mcp'), customizationId: z.string() });
/** Absent: a tool of the host. */
export const ToolCallContributor = openUnion('kind', { client: clientContributor, mcp: mcpContributor });
export type ToolCallContributor = z.infer<typeof ToolCallContributor>;

export const ConfirmationOption = z.object({
  id: z.string(),
  label: z.string(),
  kind: z.enum(['approve', 'deny']),
  /** A divider goes between groups. */
  group: z.number().exactOptional(),
});
export type ConfirmationOption = z.infer<typeof ConfirmationOption>;

/** Advisory. `safety` runs from 0 (unsafe) to 1 (safe). */
export const RiskAssessment = openUnion('status', {
  loading: z.object({ kind: z.literal('judge'), status: z.literal('loading') }),
  complete: z.object({
    kind: z.literal('judge'),
    status: z.literal('complete'),
    reason: StringOrMarkdown,
    safety: z.number(),
  }),
});
export type RiskAssessment = z.infer<typeof RiskAssessment>;

export const ToolResultContent = openUnion('type', {
  text: z.object({ type: z.literal('text'), text: z.string() }),
  /** `data` is base64. */
  embeddedResource: z.object({ type: z.literal('embeddedResource'), data: z.string(), contentType: z.string() }),
  resource: z.object({ type: z.literal('resource'), ...ContentRef.shape }),
  fileEdit: z.object({ type: z.literal('fileEdit'), ...FileEdit.shape }),
  terminal: z.object({
    type: z.literal('terminal'),
    resource: Uri,
    title: z.string(),
    isPty: z.boolean().exactOptional(),
    result: z
      .object({
        exitCode: z.number().exactOptional(),
        preview: z.string().exactOptional(),
        truncated: z.boolean().exactOptional(),
      })
      .exactOptional(),
  }),
  /** `resource` is the worker's chat. */
  subagent: z.object({
    type: z.literal('subagent'),
    resource: Uri,
    title: z.string(),
    agentName: z.string().exactOptional(),
    description: z.string().exactOptional(),
    _meta: Meta.exactOptional(),
  }),
});
export type ToolResultContent = z.infer<typeof ToolResultContent>;

const result = {
  success: z.boolean(),
  pastTenseMessage: StringOrMarkdown,
  content: z.array(ToolResultContent).exactOptional(),
  structuredContent: z.record(z.string(), z.unknown()).exactOptional(),
  error: z.object({ message: z.string(), code: z.string().exactOptional() }).exactOptional(),
};
export const ToolCallResult = z.object(result);
export type ToolCallResult = z.infer<typeof ToolCallResult>;

export const ToolCallConfirmed = z.enum(['not-needed', 'user-action', 'setting']);
export type ToolCallConfirmed = z.infer<typeof ToolCallConfirmed>;

const base = {
  toolCallId: z.string().min(1),
  /** Internal. */
  toolName: z.string(),
  displayName: z.string(),
  intention: z.string().exactOptional(),
  contributor: ToolCallContributor.exactOptional(),
  _meta: Meta.exactOptional(),
};
const parameters = { invocationMessage: StringOrMarkdown, toolInput: z.string().exactOptional() };
const confirmation = { confirmed: ToolCallConfirmed, selectedOption: ConfirmationOption.exactOptional() };
const partialContent = z.array(ToolResultContent).exactOptional();

/** What a person is asked about; kept only while the call is pending-confirmation. */
export const pendingFields = {
  confirmationTitle: StringOrMarkdown.exactOptional(),
  riskAssessment: RiskAssessment.exactOptional(),
  edits: z.object({ items: z.array(FileEdit) }).exactOptional(),
  editable: z.boolean().exactOptional(),
  options: z.array(ConfirmationOption).exactOptional(),
};

export const ToolCallStreamingState = z.object({
  ...base,
  status: z.literal('streaming'),
  partialInput: z.string().exactOptional(),
  invocationMessage: StringOrMarkdown.exactOptional(),
});
export type ToolCallStreamingState = z.infer<typeof ToolCallStreamingState>;

export const ToolCallPendingConfirmationState = z.object({
  ...base,
  ...parameters,
  ...pendingFields,
  status: z.literal('pending-confirmation'),
});
export type ToolCallPendingConfirmationState = z.infer<typeof ToolCallPendingConfirmationState>;

export const ToolCallRunningState = z.object({
  ...base,
  ...parameters,
  ...confirmation,
  status: z.literal('running'),
  /** What it put out so far. */
  content: partialContent,
});
export type ToolCallRunningState = z.infer<typeof ToolCallRunningState>;

export const ToolCallAuthRequiredState = z.object({
  ...base,
  ...parameters,
  ...confirmation,
  status: z.literal('auth-required'),
  contributor: mcpContributor,
  auth: McpAuthRequirement,
  content: partialContent,
});
export type ToolCallAuthRequiredState = z.infer<typeof ToolCallAuthRequiredState>;

export const ToolCallPendingResultConfirmationState = z.object({
  ...base,
  ...parameters,
  ...confirmation,
  ...result,
  status: z.literal('pending-result-confirmation'),
});
export type ToolCallPendingResultConfirmationState = z.infer<typeof ToolCallPendingResultConfirmationState>;

export const ToolCallCompletedState = z.object({
  ...base,
  ...parameters,
  ...confirmation,
  ...result,
  status: z.literal('completed'),
});
export type ToolCallCompletedState = z.infer<typeof ToolCallCompletedState>;

export const ToolCallCancelledState = z.object({
  ...base,
  ...parameters,
  status: z.literal('cancelled'),
  reason: z.enum(['denied', 'skipped', 'result-denied']),
  reasonMessage: StringOrMarkdown.exactOptional(),
  userSuggestion: Message.exactOptional(),
  selectedOption: ConfirmationOption.exactOptional(),
});
export type ToolCallCancelledState = z.infer<typeof ToolCallCancelledState>;

/** A tool call by its status (`host.call.states`). The reducer has the moves between them. */
export const ToolCallState = openUnion('status', {
  streaming: ToolCallStreamingState,
  'pending-confirmation': ToolCallPendingConfirmationState,
  running: ToolCallRunningState,
  'auth-required': ToolCallAuthRequiredState,
  'pending-result-confirmation': ToolCallPendingResultConfirmationState,
  completed: ToolCallCompletedState,
  cancelled: ToolCallCancelledState,
});
export type ToolCallState = z.infer<typeof ToolCallState>;

export const ToolCallConfirmationState = z.discriminatedUnion('status', [
  ToolCallPendingConfirmationState,
  ToolCallPendingResultConfirmationState,
]);
export type ToolCallConfirmationState = z.infer<typeof ToolCallConfirmationState>;
