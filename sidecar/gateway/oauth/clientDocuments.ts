import * as z from 'zod';
import { BoundedMap } from '../../platform/boundedMap.ts';
import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults.ts';
import { parsedJson } from '../../platform/json.ts';
import { type Client, shownName } from './clients.ts';
import { MAX_REDIRECT_CHARACTERS } from './redirects.ts';
import { OAuthRefusal } from './refusal.ts';

/** Asks an https address of the public internet: guarded, without redirects, within 256 KB and 10 s. @throws {Fault} */
export type FetchDocument = (url: string) => Promise<{ readonly status: number; readonly text: string }>;

/** How long a document is believed, and how many are. */
const KEPT_MS = 5 * 60_000;
const KEPT = 256;
const MAX_CHARACTERS = 16_384;

const Document = z.object({
  client_id: z.string(),
  client_name: z.string().max(1_024).optional(),
  redirect_uris: z.array(z.string().max(MAX_REDIRECT_CHARACTERS)).min(1).max(32),
  token_endpoint_auth_method: z.literal('none').default('none'),
});

/** Client ID metadata documents (MCP 2026-07-28): a client whose id is the address where it says what it is. */
export class ClientDocuments {
  readonly #fetch: FetchDocument;
  readonly #clock: Clock;
  readonly #kept = new BoundedMap<string, { readonly client: Promise<Client>; readonly untilMs: number }>(KEPT);

  constructor(fetch: FetchDocument, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** @throws {OAuthRefusal} `invalid_client` for an address that cannot be one, or a document that is not this client's */
  read(id: string): Promise<Client> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#kept.get(id);
    if (known && nowMs < known.untilMs) return known.client;
    checkAddress(id);
    const client = this.#ask(id);
    client.catch(() => this.#kept.delete(id));
    this.#kept.set(id, { client, untilMs: nowMs + KEPT_MS });
    return client;
  }

  async #ask(id: string): Promise<Client> {
    const { status, text } = await this.#fetch(id).catch((thrown: unknown) => {
      if (thrown instanceof Fault) throw refused('cannot be read');
      throw thrown;
    });
    const read =
      status === 200 && text.length <= MAX_CHARACTERS ? Document.safeParse(parsedJson(text)).data : undefined;
    if (!read) throw refused('does not contain valid metadata for a public client');
    if (read.client_id !== id) throw refused('describes a different client');
    return { id, name: shownName(read.client_name), redirectUris: read.redirect_uris, authMethod: 'none' };
  }
}

function checkAddress(id: string): void {
  const url = URL.canParse(id) ? new URL(id) : undefined;
  // Its one spelling, so that two ids are never one client.
  const isPlain = url?.href === id && url.protocol === 'https:' && url.pathname !== '/' && !id.includes('#');
  if (!isPlain || url.username !== '' || url.password !== '')
    throw refused('has a URL that cannot be used as a client ID');
}

const refused = (why: string) => new OAuthRefusal('invalid_client', `This client's metadata document ${why}.`);
