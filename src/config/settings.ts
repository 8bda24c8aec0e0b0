import * as z from 'zod';
import { type BudgetSettings, MOST_AT_ONCE, type RunLimits } from '../../sidecar/protocol/channels/session/budgets.ts';
import { ConnectionLimits, defaultLimits } from '../../sidecar/protocol/limits.ts';
import { AgentModels, AgentSetting, type PermissionRule } from '../../sidecar/protocol/window.ts';
import { settingIds } from '../manifest/manifest.ts';
import { type RemoteHostSetting, RemoteHostSettings } from './remoteHosts.ts';

const Rule = z.strictObject({
  effect: z.enum(['allow', 'ask', 'deny']),
  target: z.enum(['shell', 'edit', 'read', 'fetch', 'tool']),
  pattern: z.string().min(1),
});
type Rule = z.infer<typeof Rule>;

const schemas = {
  agents: z.array(AgentSetting).superRefine((agents, context) => {
    const seen = new Set<string>();
    agents.forEach(({ id }, index) => {
      if (seen.has(id)) context.addIssue({ code: 'custom', path: [index, 'id'], message: `"${id}" is used twice` });
      seen.add(id);
    });
  }),
  idleExitMinutes: z.number().min(0),
  durability: z.enum(['normal', 'full']),
  publicPort: z.int().min(0).max(65_535),
  chatLocation: z.enum(['editor', 'sideBar']),
  inputNeeded: z.enum(['never', 'whenChatHidden', 'always']),
  finished: z.enum(['never', 'unfocusedOnly', 'always']),
  systemNotifications: z.enum(['off', 'needsInput', 'needsInputAndFailed', 'all']),
  quietHours: z.string().regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d)?$/),
  gatewayEnabled: z.boolean(),
  sessionTools: z.boolean(),
  agentModels: AgentModels,
  editorModels: z.boolean(),
  sandbox: z.enum(['off', 'on']),
  linkedFolders: z.array(z.string().min(1)),
  setUpCommand: z.string().max(10_000),
  budget: z.number().min(0).max(1_000_000),
  runLimit: z.int().min(0).max(MOST_AT_ONCE),
  allowedCommands: z.array(z.string().min(1)),
  agentRegistry: z.string().regex(/^$|^https:\/\/|^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/]/, {
    error: 'must be an https URL. http is allowed only for this machine',
  }),
} as const;

export type LimitName = keyof ConnectionLimits;
/** The limits of a connection: each is a setting of its own, `switchboard.host.limits.<name>`. */
export const limitNames = Object.keys(ConnectionLimits.shape) as readonly LimitName[];

/** Each is a setting of its own, in US dollars; 0: none. */
export const budgetIds = {
  session: settingIds.sessionBudget,
  day: settingIds.dayBudget,
  folder: settingIds.folderBudget,
  all: settingIds.allBudget,
} as const satisfies Record<keyof BudgetSettings, string>;
export type BudgetName = keyof typeof budgetIds;
export const budgetNames = Object.keys(budgetIds) as readonly BudgetName[];

/** Each is a setting of its own; 0: none. */
export const runLimitIds = {
  subAgents: settingIds.subAgentLimit,
  sessions: settingIds.sessionLimit,
  sessionsInFolder: settingIds.folderSessionLimit,
} as const satisfies Record<keyof RunLimits, string>;
export type RunLimitName = keyof typeof runLimitIds;
export const runLimitNames = Object.keys(runLimitIds) as readonly RunLimitName[];

export interface Settings {
  readonly agents: readonly AgentSetting[];
  readonly rules: readonly PermissionRule[];
  readonly idleExitMinutes: number;
  readonly durability: 'normal' | 'full';
  /** Where other programs are served on this machine; 0: nowhere. */
  readonly publicPort: number;
  /** Hosts elsewhere that this window attaches to. */
  readonly remoteHosts: readonly RemoteHostSetting[];
  readonly chatLocation: 'editor' | 'sideBar';
  readonly inputNeeded: 'never' | 'whenChatHidden' | 'always';
  /** When the end of a turn is told in the window. */
  readonly finished: 'never' | 'unfocusedOnly' | 'always';
  /** What the operating system tells. */
  readonly systemNotifications: 'off' | 'needsInput' | 'needsInputAndFailed' | 'all';
  /** `22:00-07:00`, in which the operating system tells nothing; empty: never. */
  readonly quietHours: string;
  readonly gatewayEnabled: boolean;
  /** What this window may cost the host; counts from the next connection on. */
  readonly limits: ConnectionLimits;
  /** Agents of sessions get the tools of the gateway. */
  readonly sessionTools: boolean;
  /** By agent id: where its calls to models go. */
  readonly agentModels: AgentModels;
  /** The built-in agent may use the editor's models. */
  readonly editorModels: boolean;
  /** New sessions are in a sandbox. */
  readonly sandbox: boolean;
  /** Ignored folders to which new worktrees get links. */
  readonly linkedFolders: readonly string[];
  /** Sets up new worktrees; empty: nothing does. */
  readonly setUpCommand: string;
  /** What agents may spend before the person is asked. */
  readonly budgets: BudgetSettings;
  /** How many sub-agents and sessions may run before the person is asked. */
  readonly runLimits: RunLimits;
  /** Programs that MCP servers of the gateway may run. */
  readonly allowedCommands: readonly string[];
  /** Where the list of agents that can be added is; empty: nothing is fetched. Absent: the public one. */
  readonly agentRegistry: string | undefined;
}

/** What stands in settings.json, not yet judged. Rules come per source, because a workspace may only narrow. */
export interface RawSettings {
  readonly agents: unknown;
  readonly userRules: unknown;
  readonly workspaceRules: unknown;
  /** Absent: none. */
  readonly linkedFolders?: unknown;
  /** Absent: none. */
  readonly setUpCommand?: unknown;
  readonly idleExitMinutes: unknown;
  readonly durability: unknown;
  readonly publicPort: unknown;
  /** Absent: none. */
  readonly remoteHosts?: unknown;
  readonly chatLocation: unknown;
  readonly inputNeeded: unknown;
  readonly finished: unknown;
  readonly systemNotifications: unknown;
  readonly quietHours: unknown;
  readonly gatewayEnabled: unknown;
  readonly sessionTools: unknown;
  readonly allowedCommands: unknown;
  /** Each budget by its name. Absent: none is set. */
  readonly budgets?: Readonly<Record<BudgetName, unknown>>;
  /** Each limit on a number by its name. Absent: none is set. */
  readonly runLimits?: Readonly<Record<RunLimitName, unknown>>;
  /** Absent: off. */
  readonly userSandbox?: unknown;
  readonly workspaceSandbox?: unknown;
  /** Absent: `auto` for all. */
  readonly agentModels?: unknown;
  /** Absent: they are not used. */
  readonly editorModels?: unknown;
  /** Absent: the public one. */
  readonly agentRegistry?: unknown;
  /** Each limit of a connection by its name; absent: none is set. */
  readonly limits?: Readonly<Record<LimitName, unknown>>;
}

/** Whole sentences for a person; each begins with the key, as `switchboard.agents[1].comand`. */
export interface ReadSettings {
  readonly settings: Settings;
  readonly problems: readonly string[];
}

/**
 * Judges the settings. A value that does not fit is reported and replaced by its default. A list of rules that does
 * not fit is dropped as a whole, so that no half of it widens what agents may do.
 */
export function parseSettings(raw: RawSettings): ReadSettings {
  const problems: string[] = [];
  const read = <T>(key: string, schema: z.ZodType<T>, value: unknown, fallback: T): T => {
    if (value === undefined) return fallback;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    problems.push(...parsed.error.issues.map((it) => describe(key, it)));
    return fallback;
  };
  const limits = Object.fromEntries(
    limitNames.map((it) => [
      it,
      read<number>(settingIds[it], ConnectionLimits.shape[it], raw.limits?.[it], defaultLimits[it]),
    ]),
  ) as Record<LimitName, number>;
  const budgets = budgetNames.flatMap((it) => {
    const dollars = read<number>(budgetIds[it], schemas.budget, raw.budgets?.[it], 0);
    return dollars === 0 ? [] : [[it, dollars] as const];
  });
  const runLimits = runLimitNames.flatMap((it) => {
    const count = read<number>(runLimitIds[it], schemas.runLimit, raw.runLimits?.[it], 0);
    return count === 0 ? [] : [[it, count] as const];
  });
  const rules = (value: unknown, source: 'user' | 'workspace'): PermissionRule[] =>
    read(settingIds.permissionRules, z.array(Rule), value, []).map((rule) => ({
      ...rule,
      source,
      id: ruleId(source, rule),
    }));

  return {
    settings: {
      agents: read(settingIds.agents, schemas.agents, raw.agents, []),
      rules: [...rules(raw.userRules, 'user'), ...rules(raw.workspaceRules, 'workspace')],
      idleExitMinutes: read(settingIds.idleExitMinutes, schemas.idleExitMinutes, raw.idleExitMinutes, 10),
      durability: read(settingIds.durability, schemas.durability, raw.durability, 'normal'),
      publicPort: read(settingIds.publicPort, schemas.publicPort, raw.publicPort, 0),
      remoteHosts: read<readonly RemoteHostSetting[]>(settingIds.remoteHosts, RemoteHostSettings, raw.remoteHosts, []),
      chatLocation: read(settingIds.chatLocation, schemas.chatLocation, raw.chatLocation, 'editor'),
      inputNeeded: read(settingIds.inputNeeded, schemas.inputNeeded, raw.inputNeeded, 'whenChatHidden'),
      finished: read(settingIds.finished, schemas.finished, raw.finished, 'unfocusedOnly'),
      systemNotifications: read(
        settingIds.systemNotifications,
        schemas.systemNotifications,
        raw.systemNotifications,
        'off',
      ),
      quietHours: read(settingIds.quietHours, schemas.quietHours, raw.quietHours, ''),
      limits,
      gatewayEnabled: read(settingIds.gatewayEnabled, schemas.gatewayEnabled, raw.gatewayEnabled, true),
      sessionTools: read(settingIds.sessionTools, schemas.sessionTools, raw.sessionTools, true),
      agentModels: read<AgentModels>(settingIds.agentModels, schemas.agentModels, raw.agentModels, {}),
      editorModels: read(settingIds.editorModels, schemas.editorModels, raw.editorModels, false),
      // A workspace can turn it on, but not off.
      sandbox: [raw.userSandbox, raw.workspaceSandbox].some(
        (it) => read<'off' | 'on'>(settingIds.sandbox, schemas.sandbox, it, 'off') === 'on',
      ),
      linkedFolders: read(settingIds.linkedFolders, schemas.linkedFolders, raw.linkedFolders, []),
      setUpCommand: read(settingIds.setUpCommand, schemas.setUpCommand, raw.setUpCommand, '').trim(),
      budgets: Object.fromEntries(budgets),
      runLimits: Object.fromEntries(runLimits),
      allowedCommands: read(settingIds.allowedCommands, schemas.allowedCommands, raw.allowedCommands, []),
      agentRegistry: read<string | undefined>(
        settingIds.agentRegistry,
        schemas.agentRegistry,
        raw.agentRegistry,
        undefined,
      ),
    },
    problems,
  };
}

/** The same rule keeps its id over reloads and windows. */
function ruleId(source: string, { effect, target, pattern }: Rule): string {
  return `${source}:${effect}:${target}:${pattern}`;
}

function describe(key: string, issue: z.core.$ZodIssue): string {
  const path = issue.path.map((it) => (typeof it === 'number' ? `[${it}]` : `.${String(it)}`)).join('');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((it) => `${key}${path}.${it}: is not a known key`).join('; ');
  return `${key}${path}: ${issue.message}`;
}
