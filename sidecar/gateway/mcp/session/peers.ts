import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { RpcId, RpcNotification, RpcResponse } from '../../../protocol/gateway/mcpWire.ts';

/** The other replicas of this gateway. */
export interface Peers {
  /** Of this replica. */
  readonly id: string;
  /** @param answer to what another replica asks this one */
  listen(answer: (body: unknown) => Promise<unknown>): void;
  /** @returns its answer; `undefined` if it no longer serves @throws {Fault} `unavailable` */
  ask(replica: string, body: unknown): Promise<unknown>;
  /** @returns the answers that came @throws {Fault} `unavailable` if none came */
  askOthers(body: unknown): Promise<readonly unknown[]>;
}

/** What one replica asks another for its client. It has already checked that the session belongs to the client. */
export const PeerAsk = z.discriminatedUnion('kind', [
  /** The events that followed in a call's stream. Waits for a while until there is one. */
  z.object({ kind: z.literal('events'), session: z.string(), stream: z.string(), after: z.int() }),
  /** Delivers a message to the session's servers that are connected there. */
  z.object({
    kind: z.literal('deliver'),
    session: z.string(),
    servers: z.array(z.string()),
    message: z.union([RpcNotification, RpcResponse]),
    headers: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal('cancel'), session: z.string(), requestId: RpcId }),
]);
export type PeerAsk = z.infer<typeof PeerAsk>;

const PeerEvent = z.object({ seq: z.int(), id: z.string(), retryMs: z.number().optional(), data: z.string() });
/** `null`: that stream is not there. */
const SomeEvents = z.object({ events: z.array(PeerEvent), isOver: z.boolean() }).nullable();
export type SomeEvents = z.infer<typeof SomeEvents>;
/** The number of servers that got it. */
const Delivered = z.object({ count: z.int() });

/** @returns `null` if the stream no longer exists @throws {Fault} `unavailable` */
export async function eventsAt(peers: Peers, replica: string, ask: Omit<PeerAsk & { kind: 'events' }, 'kind'>) {
  const answer = await peers.ask(replica, { kind: 'events', ...ask } satisfies PeerAsk);
  return answer === undefined ? null : SomeEvents.parse(answer);
}

type Delivery = Omit<PeerAsk & { kind: 'deliver' }, 'kind'>;

/** @throws {Fault} `conflict` if nothing waits for it any more, `unavailable` */
export async function deliverAt(peers: Peers, replica: string, delivery: Delivery): Promise<void> {
  const answer = await peers.ask(replica, { kind: 'deliver', ...delivery } satisfies PeerAsk);
  if (answer !== undefined && Delivered.parse(answer).count > 0) return;
  throw new Fault('conflict', 'Nobody waits for this message any more: the connection that it is for is closed.');
}

/** @throws {Fault} `unavailable` */
export async function deliverToOthers(peers: Peers, delivery: Delivery): Promise<void> {
  await peers.askOthers({ kind: 'deliver', ...delivery } satisfies PeerAsk);
}

/** @throws {Fault} `unavailable` */
export async function cancelAtOthers(peers: Peers, session: string, requestId: RpcId): Promise<void> {
  await peers.askOthers({ kind: 'cancel', session, requestId } satisfies PeerAsk);
}
