import * as z from 'zod';
import { actionTable, openEnum } from '../../building.ts';
import { ConfigSchema, ConfigValues, RootConfigState } from '../../configSchemas.ts';
import { Meta, ProtectedResourceMetadata } from '../../shared.ts';
import { Customization } from '../session/customizations.ts';
import { TerminalInfo } from '../terminal/schema.ts';

export const SessionModelInfo = z.object({
  id: z.string(),
  provider: z.string(),
  name: z.string(),
  maxContextWindow: z.number().exactOptional(),
  maxOutputTokens: z.number().exactOptional(),
  maxPromptTokens: z.number().exactOptional(),
  supportsVision: z.boolean().exactOptional(),
  policyState: openEnum('enabled', 'disabled', 'unconfigured').exactOptional(),
  configSchema: ConfigSchema.exactOptional(),
  _meta: Meta.exactOptional(),
});
export type SessionModelInfo = z.infer<typeof SessionModelInfo>;

/** Presence means supported; clients gate features on these, never on the provider's id. */
export const AgentCapabilities = z.object({
  multipleChats: z.object({ fork: z.boolean().exactOptional(), sideChat: z.boolean().exactOptional() }).exactOptional(),
  multipleWorkingDirectories: z.object({ requiresPrimary: z.boolean().exactOptional() }).exactOptional(),
  /** What a message may attach besides text and links to files. Ours; absent until the agent was started. */
  prompts: z.object({ images: z.boolean(), files: z.boolean() }).exactOptional(),
  /** It works elsewhere and has no files of this machine. Ours. */
  remote: z.object({}).exactOptional(),
  /** It lists the conversations that it keeps. Ours; may be absent until the agent was started. */
  conversations: z.object({ deletes: z.boolean() }).exactOptional(),
});
export type AgentCapabilities = z.infer<typeof AgentCapabilities>;

export const AgentInfo = z.object({
  provider: z.string().min(1),
  displayName: z.string(),
  description: z.string(),
  models: z.array(SessionModelInfo),
  protectedResources: z.array(ProtectedResourceMetadata).exactOptional(),
  customizations: z.array(Customization).exactOptional(),
  capabilities: AgentCapabilities.exactOptional(),
});
export type AgentInfo = z.infer<typeof AgentInfo>;

export const RootState = z.object({
  agents: z.array(AgentInfo),
  /** Sessions that are not disposed. */
  activeSessions: z.number().exactOptional(),
  terminals: z.array(TerminalInfo).exactOptional(),
  config: RootConfigState.exactOptional(),
  _meta: Meta.exactOptional(),
});
export type RootState = z.infer<typeof RootState>;

/** The actions of the root channel (`host.action.root/…`). */
export const rootActions = actionTable({
  'root/agentsChanged': { agents: z.array(AgentInfo) },
  'root/activeSessionsChanged': { activeSessions: z.number() },
  'root/terminalsChanged': { terminals: z.array(TerminalInfo) },
  'root/configChanged': { config: ConfigValues, replace: z.boolean().exactOptional() },
});
export type RootAction = z.output<(typeof rootActions)[keyof typeof rootActions]>;
