import { Fault } from '../../platform/faults.ts';
import type { ModelAccess } from '../models.ts';
import { type HandOver, isTaken, type ModelRoute, modelRoutes, usableBy } from './modelRoutes.ts';
import { isSignedIn } from './ownSignIns.ts';
import { type AcpAgent, wellKnown } from './wellKnown.ts';

/** The gateway's models, for one start of an agent. */
export interface GatewayModels {
  /** No error and no log shows it. */
  readonly key: string;
  readonly meta: HandOver['meta'];
  /** Takes away what leads to a provider, and puts in what leads to the gateway. */
  environment(env: Readonly<Record<string, string>>): Record<string, string>;
}

/**
 * Decides where the calls to models of an agent that starts now go.
 *
 * @param access absent: the agent's own way
 * @returns the gateway's models; `undefined` where the agent uses its own keys and sign-in
 * @throws {Fault} `unavailable` where a person chose the gateway and it cannot serve: nothing else is used instead
 */
export async function chooseModels(
  agent: AcpAgent,
  env: Readonly<Record<string, string>>,
  access: ModelAccess | undefined,
): Promise<GatewayModels | undefined> {
  if (!access || access.choice === 'own') return undefined;
  const isWanted = access.choice === 'gateway';
  const route = modelRouteOf(agent);
  const { displayName, id } = agent;
  if (!route) {
    if (!isWanted) return undefined;
    throw refused(
      agent,
      `${displayName} cannot use the gateway's models. Choose "own" for ${id} in the switchboard.agentModels setting.`,
    );
  }
  if (!isWanted || route.signIn.goesFirst) {
    const signedIn = await isSignedIn(route.signIn, { ...env, ...agent.variables });
    if (signedIn && !isWanted) return undefined;
    if (signedIn)
      throw refused(
        agent,
        `${displayName} uses its own sign-in before the gateway's models. Sign out in the agent, or choose "own" for ${id} in the switchboard.agentModels setting.`,
      );
  }
  const offered = await access.offered();
  const models = offered && usableBy(route, offered);
  if (!models) {
    if (!isWanted) return undefined;
    const needed = route.dialects.join(', ');
    throw refused(
      agent,
      `The gateway has no model that ${displayName} can use (format: ${needed}). Add one, or choose "own" for ${id} in the switchboard.agentModels setting.`,
    );
  }
  const { variables, meta } = route.handOver(models);
  return {
    key: models.key,
    meta,
    environment: (given) => ({ ...reaching(withoutProviders(route, given)), ...variables }),
  };
}

/** By its program, or where it was installed from: an id may stand for anything. */
export function modelRouteOf({ command, registryId }: AcpAgent): ModelRoute | undefined {
  const program = command.replace(/^.*[\\/]/, '').replace(/\.(?:cmd|exe|m?js)$/i, '');
  const known = wellKnown.find(
    (it) => it.command === program || (registryId !== undefined && it.registryId === registryId),
  );
  return known && modelRoutes[known.id];
}

/** Also without what has the value of something that is taken away under another name. */
function withoutProviders(route: ModelRoute, env: Readonly<Record<string, string>>): Record<string, string> {
  const all = Object.entries(env);
  const secrets = new Set(all.flatMap(([name, value]) => (isTaken(route, name) && value.length >= 12 ? [value] : [])));
  return Object.fromEntries(all.filter(([name, value]) => !isTaken(route, name) && !secrets.has(value)));
}

/** The gateway is on this machine: no proxy is asked for it, and none sees the key. */
function reaching(env: Readonly<Record<string, string>>): Record<string, string> {
  const hosts = '127.0.0.1,localhost';
  const names = Object.keys(env).filter((it) => /^no_proxy$/i.test(it));
  const hasProxy = Object.keys(env).some((it) => /^(?:https?|all)_proxy$/i.test(it));
  if (!hasProxy) return { ...env };
  const own = [...new Set([...names, 'NO_PROXY', 'no_proxy'])];
  const known = names.map((it) => env[it]).find((it) => it);
  return { ...env, ...Object.fromEntries(own.map((it) => [it, [env[it] || known, hosts].filter(Boolean).join(',')])) };
}

const refused = ({ id }: AcpAgent, message: string): Fault =>
  new Fault('unavailable', message, { data: { agent: id } });
