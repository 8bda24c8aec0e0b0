import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { BoundedMap } from '../../platform/boundedMap.ts';
import { HeaderList } from '../auth/headerList.ts';

/** Addresses that are remembered. */
const KEPT = 1_000;

/**
 * The headers of earlier requests of a listener. What was made of them is there again for the next request that has the same ones,
 * also where it comes over a new connection of its address: a thousand streams of one caller share it.
 */
export class EarlierHeaders {
  readonly #ofConnection = new WeakMap<Socket, HeaderList>();
  /** The last of each address, for as long as one of its connections has it: keys are not kept for those that left. */
  readonly #ofAddress = new BoundedMap<string, WeakRef<HeaderList>>(KEPT);

  read({ socket, rawHeaders }: Pick<IncomingMessage, 'socket' | 'rawHeaders'>): HeaderList {
    const before = this.#ofConnection.get(socket);
    const list = new HeaderList(rawHeaders, before ?? this.#lastOf(socket.remoteAddress));
    // One list stands for all that are alike: each of them keeping the one before would make a chain.
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
