import { Fault } from '../../platform/faults.ts';
import type { ModelAccess } from '../models.ts';
import { type HandOver, isTaken, type ModelRoute, modelRoutes, usableBy } from './modelRoutes.ts';
import { isSignedIn } from './ownSignIns.ts';
import { type AcpAgent, wellKnown } from './wellKnown.ts';

/** What connects an agent to the gateway's models for one start. */
export interface GatewayModels {
  /** Of the gateway, on this machine. */
  readonly url: string;
  /** Never shown in an error or a log. */
  readonly key: string;
  readonly meta: HandOver['meta'];
  /** Replaces the variables that lead to a provider with those that lead to the gateway. */
  environment(env: Readonly<Record<string, string>>): Record<string, string>;
}

/**
 * Decides whether an agent that is about to start calls models through the gateway.
 *
 * @param access absent: the agent uses its own keys and sign-in
 * @returns `undefined` if the agent uses its own keys and sign-in
 * @throws {Fault} `unavailable` if a person chose the gateway and the agent cannot use it, because there is no fallback
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
    url: models.url,
    key: models.key,
    meta,
    environment: (given) => ({ ...reaching(withoutProviders(route, given)), ...variables }),
  };
}

/** Found by the program or the registry ID, because a person can give any agent any ID. */
export function modelRouteOf({ command, registryId }: AcpAgent): ModelRoute | undefined {
  const program = command.replace(/^.*[\\/]/, '').replace(/\.(?:cmd|exe|m?js)$/i, '');
  const known = wellKnown.find(
    (it) => it.command === program || (registryId !== undefined && it.registryId === registryId),
  );
  return known && modelRoutes[known.id];
}

/** Also removes variables that hold a copy of a removed value under another name. */
function withoutProviders(route: ModelRoute, env: Readonly<Record<string, string>>): Record<string, string> {
  const all = Object.entries(env);
  const secrets = new Set(all.flatMap(([name, value]) => (isTaken(route, name) && value.length >= 12 ? [value] : [])));
  return Object.fromEntries(all.filter(([name, value]) => !isTaken(route, name) && !secrets.has(value)));
}

/** The gateway is on this machine. Bypassing the proxy keeps the key from it. */
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
