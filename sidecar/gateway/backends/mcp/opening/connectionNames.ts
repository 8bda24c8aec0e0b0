import type { Share } from '../sharing/share.ts';
import type { McpTarget, Outbound } from '../types.ts';
import type { ConnectionKey } from './openConnection.ts';

/** What the names of all connections to a server begin with. */
export const prefixOf = (serverId: string): string => `${serverId}\u0000`;

/** The last name for each outbound route. Most calls of a route go to one server, in one session. */
const lastNames = new WeakMap<
  Outbound,
  Pick<ConnectionKey, 'target' | 'era' | 'session'> & { readonly name: string }
>();

/** The name of a connection that is not shared. */
export function nameOf({ target, era, outbound, session }: ConnectionKey): string {
  const last = lastNames.get(outbound);
  if (last?.target === target && last.era === era && last.session === session) return last.name;
  const name = prefixOf(target.server_id) + [era, target.url ?? '', outbound.identity, session ?? ''].join('\u0000');
  lastNames.set(outbound, { target, era, session, name });
  return name;
}

/** Shared by calls to the same server, because the text is long. */
const sharedNames = new WeakMap<Share, string>();

/** The name of a connection that sessions share. */
export function sharedNameOf({ server_id }: McpTarget, share: Share): string {
  const known = sharedNames.get(share);
  if (known !== undefined) return known;
  const name = prefixOf(server_id) + ['shared', share.group].join('\u0000');
  sharedNames.set(share, name);
  return name;
}
