import * as z from 'zod';
import { Timestamp } from '../../shared.ts';

/** A chat whose agent reached a usage limit. A message in its queue waits until the limit ends. */
export const Parked = z.object({
  /** When the host sends the message. */
  until: Timestamp,
  /** ID of the message in the queue. */
  message: z.string().min(1),
});
export type Parked = z.infer<typeof Parked>;

/** `errorType` of a turn that reached a usage limit. */
export const USAGE_LIMITED = 'usageLimited';

/** Key in `_meta` of a session with parked chats, and of its summary: by chat. */
export const PARKED = 'parked';
const ParkedChats = z.record(z.string(), Parked);
export type ParkedChats = z.infer<typeof ParkedChats>;

/** The host stores the URIs of parked chats. */
export const ParkedList = z.array(z.string());

type SomeMeta = Readonly<Record<string, unknown>> | undefined;

export function parkedChats(meta: SomeMeta): ParkedChats {
  return ParkedChats.safeParse(meta?.[PARKED]).data ?? {};
}

/** @returns `undefined` if the chat is not parked */
export function parkedOf(meta: SomeMeta, chat: string): Parked | undefined {
  return parkedChats(meta)[chat];
}

/** When the first chat of a session goes on; `undefined` if none is parked. */
export function parkedUntil(meta: SomeMeta): string | undefined {
  return Object.values(parkedChats(meta))
    .map((it) => it.until)
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
}
