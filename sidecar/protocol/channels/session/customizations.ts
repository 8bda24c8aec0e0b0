import * as z from 'zod';
import { openEnum, openUnion } from '../../building.ts';
import { ErrorInfo, Icon, Meta, TextRange, Uri } from '../../shared.ts';
import { McpAuthRequirement } from '../chat/toolCalls.ts';

/** Who turned something on or off. */
export const Enablement = z.looseObject({
  kind: openEnum('global', 'workspace', 'session'),
  enabled: z.boolean(),
  /** Of a workspace. */
  uri: Uri.exactOptional(),
});
export type Enablement = z.infer<typeof Enablement>;

const base = {
  /** Opaque, unique within the session. */
  id: z.string().min(1),
  uri: Uri,
  name: z.string(),
  icons: z.array(Icon).exactOptional(),
  range: TextRange.exactOptional(),
  /** All decisions, if the client stated them. Never empty. */
  enablement: z.array(Enablement).exactOptional(),
  _meta: Meta.exactOptional(),
};

export const CustomizationLoadState = openUnion('kind', {
  loading: z.object({ kind: z.literal('loading') }),
  loaded: z.object({ kind: z.literal('loaded') }),
  degraded: z.object({ kind: z.literal('degraded'), message: z.string() }),
  error: z.object({ kind: z.literal('error'), message: z.string() }),
});
export type CustomizationLoadState = z.infer<typeof CustomizationLoadState>;

export const McpServerState = openUnion('kind', {
  starting: z.object({ kind: z.literal('starting') }),
  ready: z.object({ kind: z.literal('ready') }),
  authRequired: z.object({ kind: z.literal('authRequired'), ...McpAuthRequirement.shape }),
  error: z.object({ kind: z.literal('error'), error: ErrorInfo }),
  stopped: z.object({ kind: z.literal('stopped') }),
});
export type McpServerState = z.infer<typeof McpServerState>;

const listChanged = z.object({ listChanged: z.boolean().exactOptional() }).exactOptional();
const McpUiHostCapabilities = z.object({
  serverTools: listChanged,
  serverResources: listChanged,
  logging: z.looseObject({}).exactOptional(),
  sampling: z.object({ tools: z.looseObject({}).exactOptional() }).exactOptional(),
});

export const McpServerCustomization = z.object({
  ...base,
  type: z.literal('mcpServer'),
  enabled: z.boolean(),
  state: McpServerState,
  channel: Uri.exactOptional(),
  mcpApp: z.object({ capabilities: McpUiHostCapabilities }).exactOptional(),
});
export type McpServerCustomization = z.infer<typeof McpServerCustomization>;

/** Absent `enabled` means enabled. Children never nest. */
const child = { ...base, enabled: z.boolean().exactOptional() };
const invocation = {
  disableModelInvocation: z.boolean().exactOptional(),
  disableUserInvocation: z.boolean().exactOptional(),
};
const description = z.string().exactOptional();
export const ChildCustomization = openUnion('type', {
  agent: z.object({
    ...child,
    ...invocation,
    type: z.literal('agent'),
    description,
    model: z.string().exactOptional(),
    tools: z.array(z.string()).exactOptional(),
  }),
  skill: z.object({ ...child, ...invocation, type: z.literal('skill'), description }),
  prompt: z.object({ ...child, type: z.literal('prompt'), description }),
  rule: z.object({
    ...child,
    type: z.literal('rule'),
    description,
    alwaysApply: z.boolean().exactOptional(),
    globs: z.array(z.string()).exactOptional(),
  }),
  hook: z.object({ ...child, type: z.literal('hook') }),
  mcpServer: McpServerCustomization,
});
export type ChildCustomization = z.infer<typeof ChildCustomization>;

/** A custom agent as it is chosen from. */
export const CustomAgentInfo = z.object({ uri: Uri, name: z.string(), description });
export type CustomAgentInfo = z.infer<typeof CustomAgentInfo>;

const container = {
  ...base,
  enabled: z.boolean(),
  clientId: z.string().exactOptional(),
  load: CustomizationLoadState.exactOptional(),
  /** Absent: not yet resolved. Empty: contributes nothing. */
  children: z.array(ChildCustomization).exactOptional(),
};
export const PluginCustomization = z.object({
  ...container,
  type: z.literal('plugin'),
  /** Provenance only. */
  version: z.string().exactOptional(),
});
export type PluginCustomization = z.infer<typeof PluginCustomization>;
export const ClientPluginCustomization = z.object({ ...PluginCustomization.shape, nonce: z.string().exactOptional() });
export type ClientPluginCustomization = z.infer<typeof ClientPluginCustomization>;
export const DirectoryCustomization = z.object({
  ...container,
  type: z.literal('directory'),
  contents: openEnum('agent', 'skill', 'prompt', 'rule', 'hook', 'mcpServer'),
  writable: z.boolean(),
});
export type DirectoryCustomization = z.infer<typeof DirectoryCustomization>;

/** What may stand at the top of a session's list. */
export const Customization = openUnion('type', {
  plugin: PluginCustomization,
  directory: DirectoryCustomization,
  mcpServer: McpServerCustomization,
});
export type Customization = z.infer<typeof Customization>;
