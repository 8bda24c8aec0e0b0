import { errorCodes } from '../../sidecar/protocol/errors.ts';
import type { ProtectedResourceMetadata } from '../../sidecar/protocol/shared.ts';
import { errorCodeOf } from '../client/connection.ts';
import type { HostPort } from '../client/port.ts';
import type { StoredToken, Tokens } from '../config/tokens.ts';
import type { Granted, OAuthClient, OAuthServer } from '../oauth/oauthServer.ts';

export interface AccountsDeps {
  readonly port: Pick<HostPort, 'request'>;
  readonly tokens: Tokens;
  /** Reads the metadata of an authorization server. What talks OAuth is loaded then. */
  readonly discover: (issuer: string) => Promise<OAuthServer>;
  readonly nowMs: () => number;
  /** Nothing in it may be a token. */
  readonly warn: (message: string) => void;
}

/** A token with less than this left is renewed first. */
const MARGIN_MS = 60_000;

/**
 * The person's sign-ins to protected resources: kept in the secret storage, pushed to the host, renewed without a question
 * while that works. Windows that share the storage take turns in renewing, by a lease of the host.
 */
export class Accounts {
  readonly #deps: AccountsDeps;
  /** By resource: what the host has of this window, on this connection. */
  readonly #pushed = new Map<string, string>();
  readonly #running = new Map<string, Promise<boolean>>();

  constructor(deps: AccountsDeps) {
    this.#deps = deps;
  }

  /** The host knows no token of this window any more. */
  disconnected(): void {
    this.#pushed.clear();
  }
  has(resource: string): boolean {
    return this.#pushed.has(resource);
  }

  /** Everything that is stored, to a host that knows none of it. */
  async pushAll(): Promise<void> {
    for (const resource of await this.#deps.tokens.resources()) await this.push(resource);
  }

  /**
   * Hands the host a good token without asking anybody.
   * @param isRefused the one that the host got last is good no more
   * @returns whether the host has one now
   */
  push(resource: string, isRefused = false): Promise<boolean> {
    const running = this.#running.get(resource);
    if (running) return running;
    const pushing = this.#push(resource, isRefused)
      .catch((thrown: unknown) => {
        // Neither the host's nor the server's words: they may quote what they were given.
        const why = thrown instanceof Error ? thrown.name : 'unknown';
        this.#deps.warn(`no token for ${resource} could be pushed (${why})`);
        return false;
      })
      .finally(() => this.#running.delete(resource));
    this.#running.set(resource, pushing);
    return pushing;
  }

  /** Keeps what the person's sign-in gave, and pushes it. @returns whether the host took it */
  async keep(
    resource: string,
    { accessToken, refreshToken, expiresInSeconds, scopes }: Granted,
    from?: { readonly issuer: string; readonly client: OAuthClient },
  ): Promise<boolean> {
    const stored: StoredToken = {
      accessToken,
      ...(refreshToken !== undefined && { refreshToken }),
      ...(expiresInSeconds !== undefined && { expiresAt: this.#deps.nowMs() + expiresInSeconds * 1000 }),
      ...(scopes && { scopes: [...scopes] }),
      ...(from && { issuer: from.issuer, client: { ...from.client } }),
    };
    await this.#deps.tokens.set(resource, stored); // first: a server that rotates takes the token before it no more
    if (await this.#send(resource, stored)) return true;
    await this.#deps.tokens.remove(resource);
    return false;
  }

  /** Ends a sign-in here, at the host and at the server where it can. Other windows follow the secret storage. */
  async signOut(resource: string): Promise<void> {
    const stored = await this.#deps.tokens.get(resource);
    await this.#deps.tokens.remove(resource);
    await this.forget(resource);
    if (stored?.issuer === undefined || !stored.client) return;
    try {
      const server = await this.#deps.discover(stored.issuer);
      await server.revoke(stored.client, stored.refreshToken ?? stored.accessToken);
    } catch {
      this.#deps.warn(`${stored.issuer} could not be told that the sign-in is over`);
    }
  }

  /** The sign-in ended in whichever window. */
  async forget(resource: string): Promise<void> {
    if (!this.#pushed.delete(resource)) return;
    await this.#deps.port.request('x-switchboard/forgetToken', { resource });
  }

  /** What is stored changed, in whichever window: the host gets it where it has the one before. */
  async follow(resource: string): Promise<void> {
    if (!this.has(resource)) return;
    const stored = await this.#deps.tokens.get(resource);
    if (!stored) await this.forget(resource);
    else if (stored.accessToken !== this.#pushed.get(resource)) await this.push(resource);
  }

  /** Of those that are needed, the ones that the host does not have, after trying what is stored. */
  async missing(resources: readonly ProtectedResourceMetadata[]): Promise<ProtectedResourceMetadata[]> {
    const left: ProtectedResourceMetadata[] = [];
    for (const it of resources) {
      if (it.required === false || this.has(it.resource) || (await this.push(it.resource))) continue;
      left.push(it);
    }
    return left;
  }

  async #push(resource: string, isRefused: boolean): Promise<boolean> {
    const last = this.#pushed.get(resource);
    if (isRefused) this.#pushed.delete(resource);
    const stored = await this.#deps.tokens.get(resource);
    if (!stored) return false;
    const isSpent = isRefused && (last === undefined || stored.accessToken === last);
    if (!isSpent && this.#isFresh(stored) && (await this.#send(resource, stored))) return true;
    return this.#renew(resource, stored);
  }

  /** Behind the lease the one who was here before may have done it already. */
  async #renew(resource: string, spent: StoredToken): Promise<boolean> {
    const { port, tokens, discover } = this.#deps;
    if (spent.refreshToken === undefined) return false;
    const { lease } = await port.request('x-switchboard/refreshLease', { resource });
    try {
      const stored = await tokens.get(resource);
      if (stored && stored.accessToken !== spent.accessToken) return await this.#send(resource, stored);
      if (stored?.refreshToken === undefined || stored.issuer === undefined || !stored.client) return false;
      const server = await discover(stored.issuer);
      const granted = await server.refresh(stored.client, stored.refreshToken, resource);
      return await this.keep(resource, granted, { issuer: stored.issuer, client: stored.client });
    } catch (thrown) {
      const isOver = thrown instanceof Error && 'code' in thrown && thrown.code === 'invalid_grant';
      if (!isOver) throw thrown;
      await tokens.remove(resource);
      return false;
    } finally {
      await port.request('x-switchboard/refreshLeaseEnd', { lease });
    }
  }

  /** @returns false when the host refused it; throws for everything else, also when nothing asks for it now */
  async #send(resource: string, { accessToken, scopes, expiresAt }: StoredToken): Promise<boolean> {
    const left = expiresAt === undefined ? undefined : (expiresAt - this.#deps.nowMs()) / 1000;
    try {
      await this.#deps.port.request('authenticate', {
        resource,
        token: accessToken,
        ...(scopes && { scopes }),
        ...(left !== undefined && left > 0 && { expiresIn: left }),
      });
    } catch (thrown) {
      if (errorCodeOf(thrown) === errorCodes.AuthRequired) return false;
      throw thrown;
    }
    this.#pushed.set(resource, accessToken);
    return true;
  }

  #isFresh({ expiresAt, refreshToken }: StoredToken): boolean {
    const left = expiresAt === undefined ? Number.POSITIVE_INFINITY : expiresAt - this.#deps.nowMs();
    return left > (refreshToken === undefined ? 0 : MARGIN_MS);
  }
}
