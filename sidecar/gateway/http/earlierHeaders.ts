import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { BoundedMap } from '../../platform/boundedMap.ts';
import { HeaderList } from '../auth/headerList.ts';

/** The maximum number of addresses to remember. */
const KEPT = 1_000;

/**
 * The headers of earlier requests. A request with the same headers, on the same connection or on a new one from the same address,
 * shares everything that was derived from them. A thousand streams of one caller then keep one copy.
 */
export class EarlierHeaders {
  readonly #ofConnection = new WeakMap<Socket, HeaderList>();
  /** The last headers from each address. They are dropped with its last connection, so that no key is kept after its caller left. */
  readonly #ofAddress = new BoundedMap<string, WeakRef<HeaderList>>(KEPT);

  read({ socket, rawHeaders }: Pick<IncomingMessage, 'socket' | 'rawHeaders'>): HeaderList {
    const before = this.#ofConnection.get(socket);
    const list = new HeaderList(rawHeaders, before ?? this.#lastOf(socket.remoteAddress));
    // One list represents all that are alike. If each kept the one before it, they would form a chain.
    if (before?.alike !== list.alike) this.#remember(socket, list);
    return list;
  }

  #lastOf(address: string | undefined): HeaderList | undefined {
    return address === undefined ? undefined : this.#ofAddress.get(address)?.deref();
  }

  #remember(socket: Socket, list: HeaderList): void {
    const address = socket.remoteAddress;
    const last = this.#lastOf(address);
    this.#ofConnection.set(socket, last?.alike === list.alike ? last : list);
    if (address !== undefined && last?.alike !== list.alike) this.#ofAddress.set(address, new WeakRef(list));
  }
}
