import { createHash } from 'node:crypto';
import { Fault } from '../../platform/faults.ts';
import type { HttpResponse } from '../../platform/httpMessages.ts';
import { noteAgent, type Serving } from './call.ts';
import { cardAddress, isCard, rewriteCard } from './card.ts';
import { isReached } from './endpoints.ts';
import { fetchCard, freshFor } from './fetchCard.ts';
import { forbidden } from './refusal.ts';
import type { CardFile } from './routes.ts';

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
  const own = { card: registered, headers: { 'cache-control': freshFor() } };
  const shown = asked ?? (isCard(registered) ? own : undefined);
  if (!shown)
    throw new Fault(
      'unavailable',
      'The A2A agent did not return a card. Check that it is running and that its registered URL is correct.',
    );
  account.close({ status: 'success' });
  const address = cardAddress(context.baseUrl, found.agent.agent_id);
  const text = JSON.stringify(rewriteCard(shown.card, address, { isReached: (url) => isReached(url, found) }));
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  const headers = { etag, vary: 'A2A-Version', ...shown.headers };
  if (isSame(context.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers: { 'content-type': 'application/json', ...headers } });
}

/** Whether the caller already has this version of the card (RFC 9110 13.1.2). */
const isSame = (known: string | undefined, etag: string): boolean =>
  known?.split(',').some((it) => it.trim() === '*' || it.trim().replace(/^W\//, '') === etag) === true;
