import type { Children } from '../platform/children/children.ts';
import { findCommand } from '../platform/children/findCommand.ts';
import type { Runtime } from '../platform/runtime.ts';
import type { EditorModel } from '../protocol/channels/root/editorModels.ts';
import type { RemoteAgent } from './a2a/client.ts';
import { a2aProvider } from './a2a/provider.ts';
import { acpProvider } from './acp/provider.ts';
import { type AcpAgent, wellKnown } from './acp/wellKnown.ts';
import { cloudProvider } from './cloud/provider.ts';
import { coderProvider } from './coder/provider.ts';
import type { SessionModels } from './models.ts';
import type { AgentProvider } from './provider.ts';
import { runbookProvider } from './runbook/provider.ts';

/** An entry in `switchboard.agents`. */
export interface AgentSettingLike {
  readonly id: string;
  readonly displayName: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly icon?: string | undefined;
  readonly protectedResources?: AcpAgent['protectedResources'];
  readonly silentAfterSeconds?: number;
}

export interface ProviderChoice extends Pick<Runtime, 'timers' | 'newId'> {
  readonly agents: readonly AgentSettingLike[];
  /** The window's environment: its PATH decides which well-known agents are there. */
  readonly env: Readonly<Record<string, string>>;
  /** Those that were installed from a registry. */
  readonly installed?: readonly AcpAgent[];
  /** Those that are registered in the gateway, and its cloud-agents service. */
  readonly remote?: readonly (RemoteAgent & { readonly isCloud?: true })[];
  /** Those that the built-in agent can use. Absent: none is known. */
  readonly models?: SessionModels['models'];
  /** Those that the window offers it. Absent: none. */
  readonly editorModels?: readonly EditorModel[] | undefined;
  /** Absolute path of the editor's ripgrep. Absent: it has none. */
  readonly ripgrep?: string | undefined;
  /** Whether agents that nobody declared are offered when their command is found. */
  readonly wellKnown: boolean;
  readonly children: Children;
  /** The user's own folder of runbooks; an absolute path. */
  readonly userRunbooks?: string | undefined;
}

/**
 * All agents of a window, in the order in which they are offered. The first is the default for a new session, so the runbooks and
 * the built-in agent are last, and the built-in agent is before the runbooks if it has a model. If two agents have the same ID, the
 * first one wins. The IDs of the runbooks and of the built-in agent are reserved. Providers are registered only here.
 */
export function providersFor(choice: ProviderChoice): readonly AgentProvider[] {
  const { agents, installed = [], remote = [], models = [], env, children, timers, newId, userRunbooks } = choice;
  const found = choice.wellKnown ? agentsFound(env) : [];
  const runbooks = runbookProvider({
    children,
    timers,
    ...(userRunbooks !== undefined && { userFolder: userRunbooks }),
  });
  const coder = coderProvider({ children, timers, newId, ripgrep: choice.ripgrep }, models, choice.editorModels);
  const builtIn = coder.models?.length ? [coder, runbooks] : [runbooks, coder];
  const all = [...agents.map(fromSetting), ...installed, ...found].filter(({ id }) =>
    builtIn.every((it) => it.id !== id),
  );
  const own = all.filter((it, index) => all.findIndex((other) => other.id === it.id) === index);
  const here = own.map((it) => acpProvider(it, { children, timers }));
  const elsewhere = remote.map((it) => (it.isCloud ? cloudProvider(it, { timers }) : a2aProvider(it, { timers })));
  return [...here, ...elsewhere.filter((it) => own.every(({ id }) => id !== it.id)), ...builtIn];
}

/** Names of the variables that agents get besides the plain ones: those declared, and the well-known. */
export function variableNames(agents: readonly AgentSettingLike[]): readonly string[] {
  return [...agents, ...wellKnown].flatMap((it) => it.env);
}

/** The well-known agents whose command is on PATH. */
export function agentsFound(env: Readonly<Record<string, string>>): readonly AcpAgent[] {
  return wellKnown.filter((it) => findCommand(it.command, env) !== undefined);
}

/** A declared agent that is a well-known one too brings along how it is installed and signed in to. */
function fromSetting(setting: AgentSettingLike): AcpAgent {
  const { id, displayName, command, args, env, icon, protectedResources, silentAfterSeconds } = setting;
  const known = wellKnown.find((it) => it.command === command || it.id === id);
  return {
    id,
    displayName,
    command,
    args,
    env,
    ...(icon !== undefined && { icon }),
    ...(protectedResources && { protectedResources }),
    ...(silentAfterSeconds !== undefined && { silentAfterSeconds }),
    ...(known?.defaults && { defaults: known.defaults }),
    ...(known?.install !== undefined && { install: known.install }),
    ...(known?.login !== undefined && { login: known.login }),
    ...(known?.usageLimit !== undefined && { usageLimit: known.usageLimit }),
  };
}
