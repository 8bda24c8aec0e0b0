import { BoundedMap } from '../../platform/boundedMap.ts';
import type { Clock } from '../../platform/clock.ts';
import { isRecord } from '../../platform/isRecord.ts';
import type { AgentRecord } from '../../protocol/gateway/agent.ts';
import type { FoundAgent } from './a2aDeps.ts';

/** An address in a card at which an agent takes JSON-RPC. */
interface Interface {
  /** For A2A 0.3 and earlier. */
  readonly isLegacy: boolean;
  readonly url: string;
}

/** The maximum number of agents to remember. */
const maxAgents = 10_000;
const REMEMBERED_MS = 5 * 60_000;

/**
 * The addresses at which agents take JSON-RPC. A registered address is trusted. An address in a card is used only if it has
 * the same origin as the registered address, because nobody approved any other (`gateway.a2a.endpoint`). The network of an
 * address is checked on each call.
 */
export class Endpoints {
  readonly #cards = new BoundedMap<string, { readonly named: readonly Interface[]; readonly endsMs: number }>(
    maxAgents,
  );
  /** Agents that do not take JSON-RPC at their registered address. */
  readonly #turned = new BoundedMap<string, true>(maxAgents);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers the addresses in a card. @param card absent if the agent has none */
  learn(found: FoundAgent, card: Readonly<Record<string, unknown>> | undefined): void {
    const named = card ? interfacesIn(card).filter((it) => isBelow(it.url, found)) : [];
    this.#cards.set(keyOf(found.agent), { named, endsMs: this.#clock.monotonicMs() + REMEMBERED_MS });
  }

  /** Whether the agent's card was fetched recently. */
  knows({ agent }: FoundAgent): boolean {
    const endsMs = this.#cards.get(keyOf(agent))?.endsMs;
    return endsMs !== undefined && endsMs > this.#clock.monotonicMs();
  }

  /** The address to call: the registered one, until {@link turn} was called for the agent. */
  urlOf(found: FoundAgent & { readonly url: string }, isLegacy: boolean): string {
    const key = keyOf(found.agent);
    if (!this.#turned.has(key)) return found.url;
    const registered = interfacesIn(found.agent.agent_card_params).filter((it) => it.url !== found.url);
    const named = this.#cards.get(key)?.named ?? [];
    return inStyle(registered, isLegacy) ?? inStyle(named, isLegacy) ?? found.url;
  }

  /** From now on, calls go to an address in the agent's card, because the registered address does not take JSON-RPC. */
  turn({ agent }: FoundAgent): void {
    this.#turned.set(keyOf(agent), true);
  }
}

/** A changed registration has a different key, so that nothing is known about it. */
const keyOf = ({ agent_id, updated_at }: AgentRecord) => `${agent_id} ${updated_at}`;

const inStyle = (all: readonly Interface[], isLegacy: boolean): string | undefined =>
  (all.find((it) => it.isLegacy === isLegacy) ?? all[0])?.url;

/** The addresses for JSON-RPC in a card of either style. */
function interfacesIn(card: Readonly<Record<string, unknown>>): readonly Interface[] {
  const found: Interface[] = [];
  const add = (url: unknown, binding: unknown, isLegacy: boolean) => {
    if (typeof url === 'string' && String(binding).toUpperCase() === 'JSONRPC') found.push({ isLegacy, url });
  };
  const { url, preferredTransport, additionalInterfaces, supportedInterfaces } = card;
  for (const it of listed(supportedInterfaces))
    add(it['url'], it['protocolBinding'], String(it['protocolVersion']).startsWith('0.'));
  add(url, preferredTransport, true);
  for (const it of listed(additionalInterfaces)) add(it['url'], it['transport'], true);
  return found;
}

const listed = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);

/** Whether an address has the origin of the registered one, and consists of an origin and a path. */
function isBelow(text: string, { url: registered }: FoundAgent): boolean {
  if (registered === undefined || !URL.canParse(registered) || !URL.canParse(text)) return false;
  const { origin, username, password, search, hash } = new URL(text);
  return origin !== 'null' && origin === new URL(registered).origin && !username && !password && !search && !hash;
}
