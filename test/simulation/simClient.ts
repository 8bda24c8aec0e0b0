import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import type { SimWire } from './wire.ts';

/** A client of the host, as the simulation deals with it. */
export interface SimClient {
  readonly clientId: string;
  /** The connection that it has, or makes. */
  readonly wire: SimWire | undefined;
  /** Its handshake was answered, and nobody closed it. */
  readonly isConnected: boolean;
  connect(wire: SimWire): void;
  dispatch(channel: string, action: AnyAction): void;
  /** Gives up where the connection ends first, or the host refuses. */
  request(method: string, params: object): void;
  look(channel: string): void;
  lookAway(channel: string): void;
  readonly looksAt: readonly string[];
  /** As it would draw it. */
  shown(channel: string): unknown;
  /**
   * The state of a channel as the host said it, and the number of the last envelope in it; undefined while it waits for one, or
   * shows what it expects.
   */
  mirror(channel: string): { readonly state: unknown; readonly seq: number } | undefined;
}
