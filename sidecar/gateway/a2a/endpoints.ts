import { BoundedMap } from '../../platform/boundedMap.ts';
import type { Clock } from '../../platform/clock.ts';
import { isRecord } from '../../platform/isRecord.ts';
import type { AgentRecord } from '../../protocol/gateway/agent.ts';
import type { FoundAgent } from './a2aDeps.ts';
import { type Binding, type BindingName, bindingOf } from './bindings.ts';

/** An address in a card, at which an agent takes calls. */
interface Interface {
  readonly binding: BindingName;
  /** For A2A 0.3 and earlier. */
  readonly isLegacy: boolean;
  readonly url: string;
}

/** The maximum number of agents to remember. */
const maxAgents = 10_000;
const REMEMBERED_MS = 5 * 60_000;

/**
 * The addresses at which agents take calls. A registered address is trusted. An address in a card is used only if it has
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

  /** Whether {@link urlOf} does not need the agent's card, or the card was fetched recently. */
  knows({ agent }: FoundAgent, binding?: BindingName): boolean {
    if (binding && interfacesIn(agent.agent_card_params).some((it) => it.binding === binding)) return true;
    const endsMs = this.#cards.get(keyOf(agent))?.endsMs;
    return endsMs !== undefined && endsMs > this.#clock.monotonicMs();
  }

  /**
   * The address to call. JSON-RPC goes to the registered address, until {@link turn} was called for the agent.
   */
  urlOf(
    found: FoundAgent & { readonly url: string },
    { name: binding, isLegacy }: Pick<Binding, 'name' | 'isLegacy'>,
  ): string {
    const key = keyOf(found.agent);
    if (binding === 'JSONRPC' && !this.#turned.has(key)) return found.url;
    const registered = interfacesIn(found.agent.agent_card_params).filter(
      (it) => binding !== 'JSONRPC' || it.url !== found.url,
    );
    const named = this.#cards.get(key)?.named ?? [];
    return inStyle(registered, binding, isLegacy) ?? inStyle(named, binding, isLegacy) ?? found.url;
  }

  /** From now on, calls go to an address in the agent's card, because the registered address does not take JSON-RPC. */
  turn({ agent }: FoundAgent): void {
    this.#turned.set(keyOf(agent), true);
  }
}

/** A changed registration has a different key, so that nothing is known about it. */
const keyOf = ({ agent_id, updated_at }: AgentRecord) => `${agent_id} ${updated_at}`;

function inStyle(all: readonly Interface[], binding: BindingName, isLegacy: boolean): string | undefined {
  const fitting = all.filter((it) => it.binding === binding);
  return (fitting.find((it) => it.isLegacy === isLegacy) ?? fitting[0])?.url;
}

/** The addresses in a card of either style whose binding the gateway relays. */
function interfacesIn(card: Readonly<Record<string, unknown>>): readonly Interface[] {
  const found: Interface[] = [];
  const add = (url: unknown, named: unknown, isLegacy: boolean) => {
    const binding = bindingOf(named);
    if (typeof url === 'string' && binding) found.push({ binding, isLegacy, url });
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

/** Whether the gateway calls an address in a card. */
export const isReached = (url: unknown, found: FoundAgent): boolean =>
  typeof url === 'string' &&
  (isBelow(url, found) || interfacesIn(found.agent.agent_card_params).some((it) => it.url === url));
