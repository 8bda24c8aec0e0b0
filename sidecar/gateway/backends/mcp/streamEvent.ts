import { type RpcMessage, readRpcText } from '../../../protocol/gateway/mcpWire.ts';
import type { StreamEvent } from './types.ts';

const read = new WeakMap<StreamEvent, RpcMessage>();

/** The message that an event carries, parsed once however many ask. Events do not change: other data is another event. */
export function messageOf(event: StreamEvent): RpcMessage | undefined {
  if (event.data === '') return undefined;
  const known = read.get(event);
  if (known) return known;
  const message = readRpcText(event.data);
  if (message) read.set(event, message);
  return message;
}

/** For whoever parsed the data of an event, or wrote it. */
export function withMessage(event: StreamEvent, message: RpcMessage): StreamEvent {
  read.set(event, message);
  return event;
}
