import { isRecord } from '../platform/isRecord.ts';
import { ROOT } from '../protocol/uris.ts';
import { type SharedNotification, WireText } from '../transport/wireText.ts';
import type { PublicClient } from './publicClients.ts';
import { isReceipt, isUnknown, ToClient } from './toClient.ts';

/** What the text for one client depended on besides its version, and what it got. */
interface Lookup {
  readonly of: 'name' | 'defaultChat';
  readonly key: string;
  readonly got: string | undefined;
}
interface Told {
  readonly version: string;
  readonly lookups: readonly Lookup[];
  readonly wire: WireText | undefined;
}

const told = new WeakMap<SharedNotification, Told[]>();

/**
 * A notification in the words of one client; `undefined` where there is nothing for it. Clients of the same version that
 * call the channels in it by the same names get the same text, which is made once.
 */
export function sharedText(notification: SharedNotification, client: PublicClient): WireText | undefined {
  if (teaches(notification) || isForOne(notification, client)) return toldTo(notification, client);
  const { version } = client;
  const known = told.get(notification);
  for (const it of known ?? []) if (it.version === version.text && isSame(it.lookups, client)) return it.wire;
  const lookups: Lookup[] = [];
  const wire = toldTo(notification, recorded(client, lookups));
  const its = { version: version.text, lookups, wire };
  if (known) known.push(its);
  else told.set(notification, [its]);
  return wire;
}

function isSame(lookups: readonly Lookup[], { names, defaultChats }: PublicClient): boolean {
  for (const { of, key, got } of lookups)
    if ((of === 'name' ? names.toPublic(key) : defaultChats.get(key)) !== got) return false;
  return true;
}

/** Each client learns from it, for later. */
function teaches({ method, params }: SharedNotification): boolean {
  if (method !== 'action' || !isRecord(params)) return true;
  const { channel, action } = params;
  return channel === ROOT || !isRecord(action) || action['type'] === 'session/defaultChatChanged';
}

/** A client also hears the result of its own actions, even if its version does not have them. */
function isForOne({ params }: SharedNotification, client: PublicClient): boolean {
  return isRecord(params) && isUnknown(params, client) && isReceipt(params, client);
}

function toldTo({ method, params }: SharedNotification, client: PublicClient): WireText | undefined {
  const shown = isRecord(params) ? new ToClient(client).notification(method, params) : params;
  return shown && new WireText(JSON.stringify({ jsonrpc: '2.0', method, params: shown }));
}

/** A client whose every look-up is noted. */
function recorded(client: PublicClient, lookups: Lookup[]): PublicClient {
  const note = <T extends string | undefined>(of: Lookup['of'], key: string, got: T): T => {
    if (!lookups.some((it) => it.of === of && it.key === key)) lookups.push({ of, key, got });
    return got;
  };
  const { names, defaultChats } = client;
  return {
    ...client,
    names: {
      toPublic: (uri) => note('name', uri, names.toPublic(uri)),
      toHost: (uri, role) => names.toHost(uri, role),
      learn: (session, provider) => names.learn(session, provider),
      knows: (session) => names.knows(session),
      forget: (session) => names.forget(session),
    },
    defaultChats: {
      get: (session) => note('defaultChat', session, defaultChats.get(session)),
      set: (session, chat) => defaultChats.set(session, chat),
    },
  };
}
