import { Fault } from '../../platform/faults.ts';
import type { HttpResponse } from '../../platform/httpMessages.ts';
import type { BackendResponse } from '../backends/net/exchange.ts';
import { readBody } from '../backends/net/readBody.ts';
import type { FoundAgent } from './a2aDeps.ts';
import { noteAgent, type Serving } from './call.ts';
import { cardAddress, isCard, rewriteCard } from './card.ts';
import { forbidden } from './refusal.ts';
import { type CardFile, cardFiles } from './routes.ts';
import { contentType, isPacked, passedBack, sendToAgent } from './send.ts';

interface FoundCard {
  readonly card: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The card of an agent, asked of its registered address, else as it was registered. @throws {Fault} */
export async function serveCard(serving: Serving, file: CardFile): Promise<HttpResponse> {
  const { deps, context, agent, account } = serving;
  account.note({ call_type: 'a2a:agent_card' });
  const found = await deps.agent(context, agent);
  if (!found) throw new Fault('not_found', 'A2A agent not found.');
  noteAgent(serving, found);
  if (!found.allowed) throw forbidden(agent);
  const registered = found.agent.agent_card_params;
  const asked = await fetchCard(serving, found, file);
  const shown = asked ?? (isCard(registered) ? { card: registered, headers: {} } : undefined);
  if (!shown)
    throw new Fault(
      'unavailable',
      'The A2A agent did not return a card. Check that it is running and that its registered URL is correct.',
    );
  account.close({ status: 'success' });
  return Response.json(rewriteCard(shown.card, cardAddress(context.baseUrl, found.agent.agent_id)), {
    headers: { 'cache-control': 'no-cache', vary: 'A2A-Version', ...shown.headers },
  });
}

async function fetchCard(
  { deps, context }: Serving,
  found: FoundAgent,
  file: CardFile,
): Promise<FoundCard | undefined> {
  if (found.url === undefined || !URL.canParse(found.url)) return undefined;
  const signal = AbortSignal.any([context.signal, deps.timers.deadline(deps.options.cardTimeoutMs)]);
  try {
    for (const url of cardUrls(new URL(found.url), file)) {
      const sending = { method: 'GET', url, accept: 'application/json' } as const;
      const response = await sendToAgent(deps, context, found, sending, signal);
      const card = await readCard(response, deps.options.maxCardBytes);
      if (card) return { card, headers: passedBack(response) };
    }
  } catch (thrown) {
    if (context.signal.aborted) throw new Fault('unavailable', 'the caller disconnected');
    deps.log.warn({ agent: found.agent.agent_id, thrown }, "An A2A agent's card could not be read.");
  }
  return undefined;
}

/** Below the agent's address, then at its origin; the file asked for, then the other. */
export function cardUrls(agent: URL, file: CardFile): readonly string[] {
  const bases = [`${agent.origin}${agent.pathname.replace(/\/+$/, '')}`, agent.origin];
  const files = [file, ...cardFiles.filter((it) => it !== file)];
  return [...new Set(files.flatMap((it) => bases.map((base) => `${base}/.well-known/${it}`)))];
}

/** @returns `undefined` for an answer that is no card */
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
    return undefined; // not JSON: the next address is asked
  }
}
