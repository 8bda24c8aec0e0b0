import { Fault } from '../../platform/faults.ts';
import type { OutgoingOptions } from '../../transport/outgoing.ts';
import type { Clients } from './clients.ts';
import type { Connection } from './connection.ts';

/** How long a client may take to answer the host: less than a turn waits for what it asks, so that its reason is known. */
export const CLIENT_LIMIT_MS = 8_000;

/**
 * A request of the host to one client. Clients need not serve any.
 * @throws `ResponseError` of the client; the reason of the signal
 * @throws {Fault} `unavailable` when it is away or takes too long
 */
export function askClient(
  clients: Clients,
  clientId: string,
  method: string,
  params: object,
  options: OutgoingOptions,
): Promise<unknown> {
  const connection = clients.get(clientId)?.connection as Connection | undefined;
  if (!connection)
    return Promise.reject(new Fault('unavailable', 'the client that provides this resource is not connected'));
  return connection.peer.sendRequest(method, params, options);
}
