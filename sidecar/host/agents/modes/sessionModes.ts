import type { AgentSession } from '../../../agents/provider.ts';
import { Fault } from '../../../platform/faults.ts';
import type { SessionState } from '../../../protocol/channels/session/schema.ts';
import type { ConfigValues } from '../../../protocol/configSchemas.ts';
import { toSetBack } from './askingModes.ts';

type Configured = Pick<AgentSession, 'configure' | 'options'>;

/** How often an agent is set to a mode that asks before it is ended. */
const TRIES = 3;

/** What was chosen in each session, and agents held to it: none comes to decide by itself where nobody chose that. */
export class SessionModes {
  readonly #chosen = new Map<string, ConfigValues>();
  readonly #held = new WeakSet<Configured>();

  /** A client chose values. */
  chose(session: string, config: ConfigValues): void {
    this.#chosen.set(session, { ...this.#chosen.get(session), ...config });
  }
  /** The values in the state hold what was chosen before this host started, or when the session was made. */
  chosen(session: string, state: SessionState | undefined): ConfigValues {
    return { ...state?.config?.values, ...this.#chosen.get(session) };
  }
  forget(session: string): void {
    this.#chosen.delete(session);
  }

  /**
   * An agent changed its own mode: where nobody chose that, it is set back.
   * @param end for an agent that does not go back
   */
  async hold(agent: Configured, chosen: () => ConfigValues, end: () => Promise<void>): Promise<void> {
    if (this.#held.has(agent)) return;
    this.#held.add(agent);
    const isBack = await setBack(agent, chosen).finally(() => this.#held.delete(agent));
    if (!isBack) await end();
  }
}

/**
 * Before an agent is used: wherever it would decide by itself and nobody chose that, it is set to ask.
 * @throws {Fault} `unavailable` for one that does not take that
 */
export async function openAsking(agent: Configured, displayName: string, chosen: ConfigValues): Promise<void> {
  if (await setBack(agent, () => chosen)) return;
  throw new Fault(
    'unavailable',
    `${displayName} started in a mode that does not ask for approval and could not be switched to one that does. ` +
      "Change the mode in the agent's settings, and then try again.",
  );
}

async function setBack(agent: Configured, chosen: () => ConfigValues): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const back = toSetBack(agent.options, chosen());
    if (Object.keys(back).length === 0) return true;
    if (!agent.configure) return false;
    try {
      await agent.configure(back);
    } catch {
      return false; // its reason is no use to a person: the mode is not what was asked for
    }
  }
  return Object.keys(toSetBack(agent.options, chosen())).length === 0;
}
