import type { SharedNotification, WireText } from '../wireText.ts';

/** A JSON object whose members nobody judged: the host judges what it is sent, and clients what they get. */
export type Json = Readonly<Record<string, unknown>>;

/** What an adapter makes of one message of a client: what goes on and comes back, and why the connection ends, if it does. */
export interface AdaptedMessage {
  readonly toHost?: Json;
  readonly toClient?: Json;
  readonly close?: string;
}

/** Translates between a client and the host where they speak different protocols. */
export interface ProtocolAdapter {
  fromClient(message: Json): AdaptedMessage;
  /** @returns nothing where there is nothing for this client */
  toClient(message: Json): Json | undefined;
  /** As {@link toClient}, for a notification that others get too. */
  shared(notification: SharedNotification): WireText | undefined;
}
