import { isRecord } from '../platform/isRecord.ts';
import { ROOT } from '../protocol/uris.ts';
import type { SharedNotification, WireText } from '../transport/wireText.ts';
import { isNamedByClient } from './channelNames.ts';
import type { Json } from './json.ts';
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
  /** The version does not have the action. Only the client that dispatched it is told. */
  readonly isUnknown: boolean;
  readonly wire: WireText | undefined;
}
interface Texts {
  /** Absent if each client needs a text of its own, because it learns names from it. */
  readonly envelope: Json | undefined;
  readonly told: Told[];
}

/** Only the newest notification has texts: it goes to all of its clients before the next one is sent. */
let newest: { readonly notification: SharedNotification; readonly texts: Texts } | undefined;

/**
 * A notification in the words of one client; `undefined` where there is nothing for it. Clients of the same version that
 * call the channels in it by the same names get the same text, which is made once.
 */
export function sharedText(notification: SharedNotification, client: PublicClient): WireText | undefined {
  const { envelope, told } = textsOf(notification);
  if (!envelope) return toldTo(notification, client);
  const it = toldBefore(told, client) ?? tell(notification, isUnknown(envelope, client), client, told);
  return it.isUnknown && isReceipt(envelope, client) ? toldTo(notification, client) : it.wire;
}

function textsOf(notification: SharedNotification): Texts {
  if (newest?.notification !== notification)
    newest = { notification, texts: { envelope: sharedEnvelope(notification), told: [] } };
  return newest.texts;
}

function toldBefore(told: readonly Told[], client: PublicClient): Told | undefined {
  for (const it of told) if (it.version === client.version.text && isSame(it.lookups, client)) return it;
  return undefined;
}

function tell(notification: SharedNotification, isUnknown: boolean, client: PublicClient, told: Told[]): Told {
  const lookups: Lookup[] = [];
  const wire = isUnknown ? undefined : toldTo(notification, recorded(client, lookups));
  const it = { version: client.version.text, lookups, isUnknown, wire };
  told.push(it);
  return it;
}

function isSame(lookups: readonly Lookup[], { names, defaultChats }: PublicClient): boolean {
  for (const { of, key, got } of lookups)
    if ((of === 'name' ? names.toPublic(key) : defaultChats.get(key)) !== got) return false;
  return true;
}

function sharedEnvelope({ method, params }: SharedNotification): Json | undefined {
  if (method !== 'action' || !isRecord(params)) return undefined;
  const { channel, action } = params;
  const teaches = channel === ROOT || !isRecord(action) || action['type'] === 'session/defaultChatChanged';
  return teaches ? undefined : params;
}

function toldTo(notification: SharedNotification, client: PublicClient): WireText | undefined {
  const { method, params } = notification;
  const shown = isRecord(params) ? new ToClient(client).notification(method, params) : params;
  return shown && notification.wireOf(shown);
}

/** A client whose look-ups are noted, where they may have another result for another client. */
function recorded(client: PublicClient, lookups: Lookup[]): PublicClient {
  const note = <T extends string | undefined>(of: Lookup['of'], key: string, got: T): T => {
    if (!lookups.some((it) => it.of === of && it.key === key)) lookups.push({ of, key, got });
    return got;
  };
  const { names, defaultChats } = client;
  return {
    ...client,
    names: {
      toPublic: (uri) => (isNamedByClient(uri) ? note('name', uri, names.toPublic(uri)) : names.toPublic(uri)),
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
