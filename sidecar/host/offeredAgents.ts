import { URI } from 'vscode-uri';
import { isA2aProvider } from '../agents/a2a/provider.ts';
import { CLOUD_PROVIDER } from '../agents/cloud/provider.ts';
import { providersFor } from '../agents/index.ts';
import type { AgentProvider } from '../agents/provider.ts';
import type { AgentInstalls, AgentInstallsDeps } from '../agents/registry/agentInstalls.ts';
import type { InstalledAgents } from '../agents/registry/installedAgents.ts';
import type { EmbeddedGateway, OfferedAgent, OfferedModel } from '../launch/gateway/gatewayContract.ts';
import type { Children } from '../platform/children/children.ts';
import { Fault } from '../platform/faults.ts';
import type { Log } from '../platform/logger.ts';
import type { Runtime } from '../platform/runtime.ts';
import type { WindowInfo } from '../protocol/window.ts';
import type { Effects } from './effects/effects.ts';

/** The A2A agents and the models that are registered in the gateway, and its cloud-agents service. */
export class GatewayOffers {
  #agents: readonly OfferedAgent[] = [];
  #models: readonly OfferedModel[] = [];

  get agents(): readonly OfferedAgent[] {
    return this.#agents;
  }
  get models(): readonly OfferedModel[] {
    return this.#models;
  }

  /** @param changed called after each change */
  follow(gateway: Pick<EmbeddedGateway, 'onAgents' | 'onModels'> | undefined, changed: () => void): void {
    gateway?.onAgents((agents) => {
      this.#agents = agents;
      changed();
    });
    gateway?.onModels((models) => {
      this.#models = models;
      changed();
    });
  }

  whyMissing(provider: string): Fault | undefined {
    if (!isA2aProvider(provider) && provider !== CLOUD_PROVIDER) return undefined;
    return new Fault(
      'provider_not_found',
      "This session's agent is not available. Either the gateway is not running, or the agent was removed from it. Start the gateway or add the agent again, and then try again.",
    );
  }
}

/** The agents of each window. They are cached until an agent is installed, or an agent or a model is registered or removed. */
export function providersOf(
  children: Children,
  { timers, newId }: Pick<Runtime, 'timers' | 'newId'>,
  installed: InstalledAgents,
  offers: Pick<GatewayOffers, 'agents' | 'models'>,
): (window: WindowInfo) => readonly AgentProvider[] {
  let known = new WeakMap<WindowInfo, readonly AgentProvider[]>();
  let shown: readonly unknown[] = [];
  return (window) => {
    const now = [installed.all, offers.agents, offers.models];
    if (now.some((it, index) => it !== shown[index])) known = new WeakMap();
    shown = now;
    const cached = known.get(window);
    if (cached) return cached;
    const { agents, env, runbooks, editorModels, ripgrep } = window;
    const userRunbooks = runbooks === undefined ? undefined : URI.parse(runbooks).fsPath;
    const chosen = {
      agents,
      installed: installed.agents,
      remote: offers.agents,
      models: offers.models,
      editorModels,
      ripgrep,
      env,
      wellKnown: true,
    };
    const found = providersFor({ ...chosen, children, timers, newId, userRunbooks });
    known.set(window, found);
    return found;
  };
}

interface InstallsParts extends Pick<AgentInstallsDeps, 'installed' | 'children' | 'clock' | 'timers' | 'newId'> {
  readonly effects: Effects;
  readonly log: Pick<Log, 'report'>;
}

/** Opens the agent installer when it is first needed. */
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
