import * as z from 'zod';
import type { Sealer } from '../../platform/seal.ts';

const PREFIX = '/.well-known/oauth-protected-resource';
/** How long a client has to read the document. It asks again with the next challenge. */
const LIFE_MS = 60 * 60_000;

const Sealed = z.object({ s: z.string(), e: z.number() });

/**
 * Where a client learns how to sign in at a server that authenticates callers itself (`delegate_auth_to_upstream`). The
 * address is sealed and given only to callers who may use the server: without it every name has the same document, so nobody
 * learns which servers there are.
 */
export class DelegatedSignIn {
  readonly #sealer: Sealer;
  readonly #nowMs: () => number;

  constructor(sealer: Sealer, nowMs: () => number) {
    this.#sealer = sealer;
    this.#nowMs = nowMs;
  }

  /** Of the document. @param pathname that the client called */
  address(baseUrl: string, pathname: string, serverId: string): string {
    const sealed = this.#sealer.seal({ s: serverId, e: this.#nowMs() + LIFE_MS }, subjectOf(pathname));
    return `${baseUrl}${PREFIX}${pathname}?upstream=${sealed}`;
  }

  /** @returns the server whose document is asked for; `undefined` for an address that is none of ours. @param path that the client called */
  read(path: string, query: URLSearchParams): string | undefined {
    const sealed = query.get('upstream');
    if (sealed === null || path === '') return undefined;
    const { data } = Sealed.safeParse(this.#sealer.open(sealed, subjectOf(path)));
    return data && data.e > this.#nowMs() ? data.s : undefined;
  }
}

const subjectOf = (pathname: string) => `delegated sign-in ${pathname}`;
