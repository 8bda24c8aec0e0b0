/** The resource subscriptions of all clients. The server gets each one once. */
export class Subscribed<Client> {
  readonly #clients = new Map<string, Set<Client>>();

  has(uri: string): boolean {
    return this.#clients.has(uri);
  }

  add(client: Client, uri: string): void {
    const clients = this.#clients.get(uri);
    if (clients) clients.add(client);
    else this.#clients.set(uri, new Set([client]));
  }

  /** @returns whether that was the last subscription */
  remove(client: Client, uri: string): boolean {
    const clients = this.#clients.get(uri);
    if (!clients?.delete(client) || clients.size > 0) return clients === undefined;
    this.#clients.delete(uri);
    return true;
  }

  /** @returns the resources that have no subscription left */
  leave(client: Client): readonly string[] {
    const own = [...this.#clients].filter(([, clients]) => clients.has(client)).map(([uri]) => uri);
    return own.filter((uri) => this.remove(client, uri));
  }

  /** The update may be of a part of the subscribed resource. */
  of(uri: string): ReadonlySet<Client> {
    const found = [...this.#clients].filter(([of]) => uri === of || uri.startsWith(of.endsWith('/') ? of : `${of}/`));
    return new Set(found.flatMap(([, clients]) => [...clients]));
  }
}
