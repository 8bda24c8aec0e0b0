import * as z from 'zod';
import { EditorModel } from './channels/root/editorModels.ts';
import { BudgetSettings, RunLimits } from './channels/session/budgets.ts';
import { ProtectedResourceMetadata } from './shared.ts';

/** What an agent needs a token for, and the variable in which it gets it. Members of the metadata are kept as they are. */
const AgentResource = z.strictObject({
  env: z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable'),
  metadata: z.looseObject({
    ...ProtectedResourceMetadata.shape,
    resource: z
      .string()
      .refine(isResource, 'must be an https URL without a fragment. http is allowed only for this machine'),
  }),
});

export const AgentSetting = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'must contain only lowercase letters, digits, and hyphens'),
  displayName: z.string().min(1),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** Names of environment variables that the agent gets besides the plain ones (PATH, HOME, language, proxy). */
  env: z.array(z.string()).default([]),
  /** A codicon name, or a `data:` URI. */
  icon: z.string().optional(),
  /** The person signs in to these in the editor, and the agent gets the tokens. */
  protectedResources: z.array(AgentResource).exactOptional(),
  /** A person is notified after so long without a message. Absent: a minute. */
  silentAfterSeconds: z.number().min(1).max(86_400).exactOptional(),
});
export type AgentSetting = z.infer<typeof AgentSetting>;

/** `deny` wins over `ask`, `ask` over `allow`. `pattern` is a command prefix with `*`, a glob of paths, or a tool name. */
export const PermissionRule = z.strictObject({
  id: z.string().min(1),
  effect: z.enum(['allow', 'ask', 'deny']),
  target: z.enum(['shell', 'edit', 'read', 'fetch', 'tool']),
  pattern: z.string().min(1),
  source: z.enum(['user', 'workspace', 'granted']),
  /** Present for a rule that holds in one session only. */
  session: z.string().exactOptional(),
  /** Path of the folder, for a rule that holds only in sessions of this one folder. */
  folder: z.string().exactOptional(),
  /** For the target `tool`: only calls with exactly this input. */
  input: z.string().min(1).max(4096).exactOptional(),
});
export type PermissionRule = z.infer<typeof PermissionRule>;

/** Everything because of which something runs without a question, or is asked or denied, for the client that asks. */
export const Approvals = z.object({
  /** Of the settings, and granted ones, with the title of their session. An `allow` of the workspace settings does nothing: those only narrow. */
  items: z.array(PermissionRule.extend({ sessionTitle: z.string().exactOptional() })),
  /** What holds without a rule: what needs no question, and what no rule allows. */
  defaults: z.array(
    z.object({
      effect: z.enum(['allow', 'ask', 'deny']),
      what: z.enum(['read', 'search', 'think', 'danger', 'untrusted']),
    }),
  ),
  /** Sessions in whose mode the agent decides by itself. */
  modes: z.array(z.object({ session: z.string(), title: z.string(), mode: z.string() })),
});
export type Approvals = z.infer<typeof Approvals>;

/** A request that nobody made, about which a person wants to know what would happen to it. */
export const RuleTrial = z.object({
  kind: z.enum(['shell', 'edit', 'read', 'fetch', 'other']),
  /** The command, the path (absolute, or from the first folder), the address, or the name of the tool. */
  what: z.string().min(1).max(4096),
});
export type RuleTrial = z.infer<typeof RuleTrial>;
/** What the host would do in a new session in the window's folders, and the rule that decides it. */
export const RuleVerdict = z.object({
  verdict: z.enum(['allow', 'ask', 'deny']),
  because: z.enum(['rule', 'default', 'untrusted', 'destructive', 'outside', 'protected', 'unclear']),
  rule: PermissionRule.exactOptional(),
});
export type RuleVerdict = z.infer<typeof RuleVerdict>;

/** By agent ID. `gateway`: the gateway's models, with a chat key; `own`: the agent's own keys and sign-in. */
export const AgentModels = z.record(z.string(), z.enum(['auto', 'gateway', 'own']));
export type AgentModels = z.infer<typeof AgentModels>;

/**
 * What belongs to one window and travels with its connection, never in the host's argv or environment. Sent as
 * `initializationOptions.window` of `initialize` and again as `x-switchboard/windowChanged`.
 */
export const WindowInfo = z.object({
  trusted: z.boolean(),
  /** The open folders, as URIs. */
  folders: z.array(z.string()),
  /** The window's environment. Kept in memory only, never logged or stored. */
  env: z.record(z.string(), z.string()),
  agents: z.array(AgentSetting),
  rules: z.array(PermissionRule),
  idleExitMinutes: z.number().min(0),
  durability: z.enum(['normal', 'full']),
  /** Agents get the tools of the gateway. Absent: yes. */
  sessionTools: z.boolean().exactOptional(),
  /** Where agents get their models. Absent: `auto`. */
  agentModels: AgentModels.exactOptional(),
  /** Absolute path of the editor's ripgrep. Absent: it has none. */
  ripgrep: z.string().exactOptional(),
  /** Models of the editor that the person lets agents use, each called through this window. Absent: none. */
  editorModels: z.array(EditorModel).exactOptional(),
  /** What agents may spend before a person is asked. Absent: no limit. */
  budgets: BudgetSettings.exactOptional(),
  /** How many sub-agents and sessions may run before a person is asked. Absent: no limit. */
  runLimits: RunLimits.exactOptional(),
  /** Whether new sessions start in a sandbox. Absent: they do not. */
  sandbox: z.boolean().exactOptional(),
  /** Ignored folders of a repository to which its new worktrees get links, relative to it. Absent: none. */
  linkedFolders: z.array(z.string()).exactOptional(),
  /** Sets up new worktrees. For a POSIX shell. Absent: none. */
  setUpCommand: z.string().exactOptional(),
  /** A person sits there who may be asked about files and folders. Absent: yes. */
  answersQuestions: z.boolean().exactOptional(),
  /** The user's folder of runbooks, as a URI. */
  runbooks: z.string().optional(),
  /** Where the list of agents that can be added is. Absent: the public one; empty: nothing is fetched. */
  agentRegistry: z.string().exactOptional(),
});
export type WindowInfo = z.infer<typeof WindowInfo>;

function isResource(text: string): boolean {
  const url = /^(https?):\/\/(\[[^\]]*\]|[^/:?#]+)[^#\s]*$/.exec(text);
  return url?.[1] === 'https' || ['localhost', '127.0.0.1', '[::1]'].includes(url?.[2] ?? '');
}
