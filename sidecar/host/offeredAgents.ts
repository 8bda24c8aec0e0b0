import { URI } from 'vscode-uri';
import { providersFor } from '../agents/index.ts';
import type { AgentProvider } from '../agents/provider.ts';
import type { AgentInstalls, AgentInstallsDeps } from '../agents/registry/agentInstalls.ts';
import type { InstalledAgents } from '../agents/registry/installedAgents.ts';
import type { Children } from '../platform/children/children.ts';
import type { Log } from '../platform/logger.ts';
import type { Timers } from '../platform/timers.ts';
import type { WindowInfo } from '../protocol/window.ts';
import type { Effects } from './effects/effects.ts';

/** The agents of each window, made anew when others are installed. */
export function providersOf(
  children: Children,
  timers: Timers,
  installed: InstalledAgents,
): (window: WindowInfo) => readonly AgentProvider[] {
  let known = new WeakMap<WindowInfo, readonly AgentProvider[]>();
  let shown = installed.all;
  return (window) => {
    if (shown !== installed.all) known = new WeakMap();
    shown = installed.all;
    const cached = known.get(window);
    if (cached) return cached;
    const { agents, env, runbooks } = window;
    const userRunbooks = runbooks === undefined ? undefined : URI.parse(runbooks).fsPath;
    const chosen = { agents, installed: installed.agents, env, wellKnown: true };
    const found = providersFor({ ...chosen, children, timers, userRunbooks });
    known.set(window, found);
    return found;
  };
}

interface InstallsParts extends Pick<AgentInstallsDeps, 'installed' | 'children' | 'clock' | 'timers' | 'newId'> {
  readonly effects: Effects;
  readonly log: Pick<Log, 'report'>;
}

/** What installs agents, once it was asked for. */
export function installsOf({ effects, log, ...deps }: InstallsParts): () => Promise<AgentInstalls> {
  let opened: Promise<AgentInstalls> | undefined;
  const open = async (): Promise<AgentInstalls> => {
    const { AgentInstalls } = await import('../agents/registry/agentInstalls.ts');
    const installs = new AgentInstalls({
      ...deps,
      working: (agent) => effects.workingChats(agent),
      letGo: (agent) => effects.letGo(agent),
      changed: () => effects.agents.refresh(),
    });
    await installs.sweep().catch((thrown: unknown) => log.report(deps.newId(), thrown));
    return installs;
  };
  return () => (opened ??= open());
}
