import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** The newest certificate that each address showed to this process. */
export class SeenCertificates {
  readonly #expiry = new Map<string, number>();

  /** @param address host and port of what the socket was opened to */
  note(address: string, socket: Socket): void {
    if (!isTls(socket)) return;
    // Empty where the session was resumed: then it was seen before.
    const expiresMs = Date.parse(socket.getPeerCertificate().valid_to ?? '');
    if (Number.isNaN(expiresMs)) return;
    this.#expiry.delete(address);
    this.#expiry.set(address, expiresMs);
    const [oldest] = this.#expiry.keys();
    if (this.#expiry.size > MAX_ADDRESSES && oldest !== undefined) this.#expiry.delete(oldest);
  }

  /** By address, in milliseconds since 1970. */
  expiries(): ReadonlyMap<string, number> {
    return this.#expiry;
  }
}

/** Addresses can come from the outside, such as those of agents' cards. */
const MAX_ADDRESSES = 10_000;

/** Checks the shape, because naming the class would load Node's TLS before the first socket. */
const isTls = (socket: Socket): socket is TLSSocket => 'getPeerCertificate' in socket;
