import * as z from 'zod';
import { ProtectedResourceMetadata } from './shared.ts';

/**
 * What belongs to one window and travels with its connection, never in the host's argv or environment. Sent as
 * `initializationOptions.window` of `initialize` and again as `x-switchboard/windowChanged`.
 */
/** What an agent needs a token for, and the variable in which it gets it. Members of the metadata are kept as they are. */
const AgentResource = z.strictObject({
  env: z.string().regex(/^[A-Za-z_]\w*$/, 'the name of an environment variable'),
  metadata: z.looseObject({
    ...ProtectedResourceMetadata.shape,
    resource: z.string().refine(isResource, 'an https URL without a fragment; http is for this machine only'),
  }),
});

export const AgentSetting = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'lower case letters, digits and dashes'),
  displayName: z.string().min(1),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** Names of environment variables that the agent gets besides the plain ones (PATH, HOME, language, proxy). */
  env: z.array(z.string()).default([]),
  /** A codicon name, or a `data:` URI. */
  icon: z.string().optional(),
  /** The person signs in to these in the editor, and the agent gets the tokens. */
  protectedResources: z.array(AgentResource).exactOptional(),
  /** A person is told after so long without a word. Absent: a minute. */
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
  /** A person sits there who may be asked about files and folders. Absent: yes. */
  answersQuestions: z.boolean().exactOptional(),
  /** The user's folder of runbooks, as a URI. */
  runbooks: z.string().optional(),
});
export type WindowInfo = z.infer<typeof WindowInfo>;

/** Which build speaks. Builds are ordered by version, then by `builtAtMs`. */
export const Build = z.object({ version: z.string(), builtAtMs: z.int() });
export type Build = z.infer<typeof Build>;

/** What the host wants a person to know, besides the state of a session. One row and one button each. */
export const Notice = z.object({
  id: z.string(),
  kind: z.enum(['databaseSetAside', 'diskFull', 'cannotWrite', 'cannotSave', 'newerBuildWaiting']),
  message: z.string(),
  /** For databaseSetAside: the folder that holds the old file, as a URI. */
  folder: z.string().optional(),
});
export type Notice = z.infer<typeof Notice>;

export const ProcessInfo = z.object({
  pid: z.int(),
  role: z.enum(['host', 'agent', 'tool']),
  title: z.string(),
  startedAt: z.string(),
  memoryBytes: z.int().optional(),
  session: z.string().optional(),
});
export type ProcessInfo = z.infer<typeof ProcessInfo>;

/** An agent's own login, to be run in a terminal. */
export const AgentLogin = z.object({
  command: z.string().min(1),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()).exactOptional(),
});
export type AgentLogin = z.infer<typeof AgentLogin>;

/**
 * `_meta.problem` of a session and of its summary: a trouble of that session which a person can end with one click. The host
 * sets it with the event and takes it away when the session goes on.
 */
export const SessionProblem = z.object({
  kind: z.enum(['signInNeeded', 'agentSilent', 'agentMissing', 'forgotEarlierTurns', 'folderGone']),
  /** For a person: what happened, why, what to do. Absent: the client has words of its own. */
  message: z.string().exactOptional(),
  /** For signInNeeded, where the agent says how. */
  login: AgentLogin.exactOptional(),
  /** For signInNeeded: what wants a token. */
  resources: z.array(ProtectedResourceMetadata).exactOptional(),
});
export type SessionProblem = z.infer<typeof SessionProblem>;

function isResource(text: string): boolean {
  const url = /^(https?):\/\/(\[[^\]]*\]|[^/:?#]+)[^#\s]*$/.exec(text);
  return url?.[1] === 'https' || ['localhost', '127.0.0.1', '[::1]'].includes(url?.[2] ?? '');
}
