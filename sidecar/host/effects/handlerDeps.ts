import type { AgentRuntimes } from '../agents/agentRuntimes.ts';
import type { KnownAgents } from '../agents/knownAgents.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import type { Resources } from '../resources/resources.ts';
import type { HostConfig } from '../sessions/hostConfig.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Terminals } from '../terminals/terminals.ts';
import type { ActiveClients } from '../tools/activeClients.ts';
import type { Customizations } from '../turns/customizations.ts';
import type { Turns } from '../turns/turns.ts';

/** The parts of the host that act for channels. */
export interface HandlerDeps {
  readonly effectDeps: EffectDeps;
  readonly config: HostConfig;
  readonly agents: KnownAgents;
  readonly runtimes: AgentRuntimes;
  readonly customizations: Customizations;
  readonly turns: Turns;
  readonly clients: ActiveClients;
  readonly sessions: Sessions;
  readonly terminals: Terminals;
  readonly resources: Resources;
}

/** Reports what fails in work that nobody waits for. */
export async function guard(effectDeps: EffectDeps, work: Promise<void>): Promise<void> {
  await work.catch((thrown: unknown) => effectDeps.report(effectDeps.newId(), thrown));
}
