import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { Sealer } from '../../platform/seal.ts';
import type { ClientDocuments } from './clientDocuments.ts';
import { authMethods } from './documents.ts';
import { OAuthRefusal } from './refusal.ts';

/** A program that asks for access on a person's behalf. It proves nothing by its name. */
export interface Client {
  readonly id: string;
  /** As it calls itself; fit to be shown. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly authMethod: (typeof authMethods)[number];
}

const PREFIX = 'swb_cl_';
const SUBJECT = 'oauth client';
const Sealed = z.object({ r: z.array(z.string()), n: z.string(), m: z.enum(authMethods) });

export interface ClientsDeps {
  readonly sealer: Sealer;
  /** Makes the secrets of clients that want one; the same on all replicas. */
  readonly secretKey: Uint8Array;
  readonly documents: ClientDocuments;
}

/** Clients, of which nothing is stored: what one registered is sealed in its id, and its secret follows from that id. */
export class Clients {
  readonly #deps: ClientsDeps;

  constructor(deps: ClientsDeps) {
    this.#deps = deps;
  }

  make(client: Omit<Client, 'id'>): Client {
    const sealed = { r: client.redirectUris, n: client.name, m: client.authMethod };
    return { ...client, id: PREFIX + this.#deps.sealer.seal(sealed, SUBJECT) };
  }

  secretOf(id: string): string {
    return createHmac('sha256', this.#deps.secretKey).update(id).digest('base64url');
  }

  /**
   * One that registered here, or whose id is the https address of its metadata document.
   *
   * @throws {OAuthRefusal} `invalid_client`
   */
  async find(id: string): Promise<Client> {
    if (id.startsWith('https://')) return this.#deps.documents.read(id);
    const sealed = id.startsWith(PREFIX) ? this.#deps.sealer.open(id.slice(PREFIX.length), SUBJECT) : undefined;
    const read = Sealed.safeParse(sealed).data;
    if (!read) throw new OAuthRefusal('invalid_client', 'This client is not registered with this gateway.');
    return { id, name: read.n, redirectUris: read.r, authMethod: read.m };
  }

  /**
   * Whether a request to the token endpoint comes from the client: by its secret, where it has one.
   *
   * @throws {OAuthRefusal} `invalid_client`
   */
  check(client: Client, secret: string | undefined): void {
    if (client.authMethod === 'none') return;
    if (secret !== undefined && isSameText(secret, this.secretOf(client.id))) return;
    throw new OAuthRefusal('invalid_client', 'The client secret is missing or invalid.');
  }
}

/** Stands for a client in codes and tokens. */
export const clientDigest = ({ id }: Pick<Client, 'id'>): string => createHash('sha256').update(id).digest('base64url');

/** Compares in a time that does not depend on where two texts differ. */
export function isSameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Without what could make one name look like another; some words in place of none. */
export function shownName(name: string | undefined): string {
  const plain = (name ?? '').replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim();
  return plain === '' ? 'Unnamed client' : Array.from(plain).slice(0, 80).join('');
}
