import type {
  AnyTokenRef,
  RegisteredClient,
  RegisteredClientStore,
  UsedStates,
  UserToken,
  UserTokenStore,
} from '../../../sidecar/gateway/backends/oauth/stores.ts';
import { InTurn } from '../../../sidecar/platform/inTurn.ts';

const nameOf = ({ user, server_id }: AnyTokenRef) => `${server_id} ${user}`;

/** Stored tokens in memory, whatever they were given for, with a lease that lets one after the other work, as several replicas would see it. */
export class MemoryTokens implements UserTokenStore {
  readonly held = new Map<string, UserToken>();
  readonly #turns = new InTurn();
  /** How often the lease was taken. */
  leases = 0;

  async read(ref: AnyTokenRef): Promise<UserToken | undefined> {
    return this.held.get(nameOf(ref));
  }

  async write(ref: AnyTokenRef, token: UserToken): Promise<void> {
    this.held.set(nameOf(ref), token);
  }

  async remove(ref: AnyTokenRef): Promise<void> {
    this.held.delete(nameOf(ref));
  }

  async lease<T>(ref: AnyTokenRef, work: () => Promise<T>): Promise<T> {
    this.leases += 1;
    return this.#turns.run(nameOf(ref), work);
  }
}

export class MemoryClients implements RegisteredClientStore {
  readonly held = new Map<string, RegisteredClient>();
  readonly #turns = new InTurn();

  async read({ server_id }: { readonly server_id: string }): Promise<RegisteredClient | undefined> {
    return this.held.get(server_id);
  }

  async write({ server_id }: { readonly server_id: string }, client: RegisteredClient): Promise<void> {
    this.held.set(server_id, client);
  }

  lease<T>({ server_id }: { readonly server_id: string }, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(server_id, work);
  }
}

export class MemoryStates implements UsedStates {
  readonly #used = new Set<string>();

  async claim(id: string): Promise<boolean> {
    if (this.#used.has(id)) return false;
    this.#used.add(id);
    return true;
  }
}
