import { Fault } from '../../platform/faults.ts';
import { isPacked } from '../../platform/httpMessages.ts';
import type { CallContext } from '../auth/caller.ts';
import type { BackendResponse } from '../backends/net/exchange.ts';
import { readBody } from '../backends/net/readBody.ts';
import type { A2aDeps, FoundAgent } from './a2aDeps.ts';
import { isCard } from './card.ts';
import type { Endpoints } from './endpoints.ts';
import { type CardFile, cardFiles } from './routes.ts';
import { contentType, passedBack, sendToAgent } from './send.ts';

export interface CardDeps {
  readonly deps: A2aDeps;
  readonly context: CallContext;
  readonly endpoints: Endpoints;
}

export interface FoundCard {
  readonly card: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Fetches an agent's card, and remembers the endpoints in it. `undefined` if the agent does not serve a card.
 * @throws {Fault} if the caller disconnects
 */
export async function fetchCard(
  { deps, context, endpoints }: CardDeps,
  found: FoundAgent,
  file: CardFile = cardFiles[0],
): Promise<FoundCard | undefined> {
  if (found.url === undefined || !URL.canParse(found.url)) return undefined;
  const signal = AbortSignal.any([context.signal, deps.timers.deadline(deps.options.cardTimeoutMs)]);
  try {
    for (const url of cardUrls(new URL(found.url), file)) {
      const sending = { method: 'GET', url, accept: 'application/json' } as const;
      const response = await sendToAgent(deps, context, found, sending, signal);
      const card = await readCard(response, deps.options.maxCardBytes);
      if (!card) continue;
      endpoints.learn(found, card);
      return { card, headers: { 'cache-control': freshness(response), ...passedBack(response) } };
    }
  } catch (thrown) {
    if (context.signal.aborted) throw new Fault('unavailable', 'the caller disconnected');
    deps.log.warn({ agent: found.agent.agent_id, thrown }, "An A2A agent's card could not be read.");
  }
  endpoints.learn(found, undefined);
  return undefined;
}

/** How long clients may cache a card if its agent does not say, in seconds. */
const defaultFreshness = 300;
const maxFreshness = 3_600;

/** As long as the agent says, up to a limit. The cache is private, because other callers may not have access to the agent. */
function freshness({ headers }: BackendResponse): string {
  const said = String(headers['cache-control'] ?? '').toLowerCase();
  if (/\bno-(?:store|cache)\b/.test(said)) return 'no-cache';
  const seconds = Number(/\bmax-age=(\d{1,9})\b/.exec(said)?.[1] ?? defaultFreshness);
  return freshFor(Math.min(seconds, maxFreshness));
}

export const freshFor = (seconds = defaultFreshness): string => `private, max-age=${seconds}`;

/** Below the agent's address, then at its origin. The requested file comes first, then the other one. */
export function cardUrls(agent: URL, file: CardFile): readonly string[] {
  const bases = [`${agent.origin}${agent.pathname.replace(/\/+$/, '')}`, agent.origin];
  const files = [file, ...cardFiles.filter((it) => it !== file)];
  return [...new Set(files.flatMap((it) => bases.map((base) => `${base}/.well-known/${it}`)))];
}

/** @returns `undefined` for an answer that is not a card */
export async function readCard(
  response: BackendResponse,
  maxBytes: number,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (response.status !== 200 || isPacked(response) || !contentType(response).endsWith('json')) {
    response.body.destroy();
    return undefined;
  }
  const text = await readBody(response.body, maxBytes);
  try {
    const value: unknown = JSON.parse(text);
    return isCard(value) ? value : undefined;
  } catch {
    return undefined; // not JSON: the next address is tried
  }
}
