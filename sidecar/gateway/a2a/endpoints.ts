import { BoundedMap } from '../../platform/boundedMap.ts';
import type { Clock } from '../../platform/clock.ts';
import { isRecord } from '../../platform/isRecord.ts';
import type { AgentRecord } from '../../protocol/gateway/agent.ts';
import type { FoundAgent } from './a2aDeps.ts';
import { NoAnswer } from './answers.ts';
import { type BindingName, bindingOf } from './bindings.ts';

/** One address of an agent, as a card names it. */
interface Interface {
  readonly binding: BindingName;
  /** Of A2A 0.3 and before. */
  readonly isLegacy: boolean;
  readonly url: string;
}

/** Nothing takes calls at an address of an agent. */
export class NoEndpoint extends NoAnswer {}

/** Why an answer that is none of JSON-RPC is none. */
export function noRpc(status: number): NoAnswer {
  const words = `HTTP ${status} without a JSON-RPC response`;
  if (status === 404 || status === 405) return new NoEndpoint('status', words);
  return new NoAnswer(status >= 400 ? 'status' : 'garbage', words);
}

/** Agents whose cards are remembered at a time. */
const maxAgents = 10_000;
const REMEMBERED_MS = 5 * 60_000;

/**
 * Where agents take calls. What was registered is believed; of what a card names, only what has the origin of the registered
 * address: everything else nobody judged (`gateway.a2a.endpoint`). The network of each address is judged when it is called.
 */
export class Endpoints {
  readonly #cards = new BoundedMap<string, { readonly named: readonly Interface[]; readonly endsMs: number }>(
    maxAgents,
  );
  /** Agents whose registered address takes no JSON-RPC. */
  readonly #turned = new BoundedMap<string, true>(maxAgents);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers what a card names. @param card absent: there is none */
  learn(found: FoundAgent, card: Readonly<Record<string, unknown>> | undefined): void {
    const named = card ? usable(card, found) : [];
    this.#cards.set(keyOf(found.agent), { named, endsMs: this.#clock.monotonicMs() + REMEMBERED_MS });
  }

  /** Whether a card was seen lately. */
  knows({ agent }: FoundAgent): boolean {
    const endsMs = this.#cards.get(keyOf(agent))?.endsMs;
    return endsMs !== undefined && endsMs > this.#clock.monotonicMs();
  }

  /** Where calls go. JSON-RPC goes to the registered address, unless that turned out to be none. */
  urlOf(found: FoundAgent & { readonly url: string }, binding: BindingName, isLegacy: boolean): string {
    if (binding === 'JSONRPC' && !this.#turned.has(keyOf(found.agent))) return found.url;
    const registered = interfacesIn(found.agent.agent_card_params).filter((it) => it.url !== found.url);
    const named = this.#cards.get(keyOf(found.agent))?.named ?? [];
    return inStyle(registered, binding, isLegacy) ?? inStyle(named, binding, isLegacy) ?? found.url;
  }

  /** The registered address takes no JSON-RPC: what a card names is called from now on. */
  turn({ agent }: FoundAgent): void {
    this.#turned.set(keyOf(agent), true);
  }
}

/** A registration that changes begins anew. */
const keyOf = ({ agent_id, updated_at }: AgentRecord) => JSON.stringify([agent_id, updated_at]);

function inStyle(all: readonly Interface[], binding: BindingName, isLegacy: boolean): string | undefined {
  const fitting = all.filter((it) => it.binding === binding);
  return (fitting.find((it) => it.isLegacy === isLegacy) ?? fitting[0])?.url;
}

/** Every address in a card, of either style, that is named with its binding. */
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

/** What of a card may be called: what has the origin of the registered address, and nothing in it but a path. */
function usable(card: Readonly<Record<string, unknown>>, found: FoundAgent): readonly Interface[] {
  return interfacesIn(card).filter((it) => isBelow(it.url, found));
}

function isBelow(text: string, { url: registered }: FoundAgent): boolean {
  if (registered === undefined || !URL.canParse(registered) || !URL.canParse(text)) return false;
  const { origin, username, password, search, hash } = new URL(text);
  return origin !== 'null' && origin === new URL(registered).origin && !username && !password && !search && !hash;
}

/** Whether callers may reach this address of a card through the gateway. */
const isReached = (url: unknown, found: FoundAgent): boolean =>
  typeof url === 'string' &&
  (isBelow(url, found) || interfacesIn(found.agent.agent_card_params).some((it) => it.url === url));
