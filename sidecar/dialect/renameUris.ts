import { isRecord } from '../platform/isRecord.ts';
import type { UriRole } from './channelNames.ts';

/** Members that hold the URI of a channel, or may. */
const roles: ReadonlyMap<string, UriRole> = new Map(
  Object.entries({
    channel: 'channel',
    subscriptions: 'channel',
    initialSubscriptions: 'channel',
    missing: 'channel',
    session: 'session',
    sessions: 'session',
    primarySession: 'session',
    chat: 'chat',
    chats: 'chat',
    defaultChat: 'chat',
    after: 'other',
    automation: 'other',
    run: 'other',
    terminal: 'other',
    resource: 'other',
    uri: 'other',
    uriTemplate: 'other',
  } satisfies Record<string, UriRole>),
);

/** What is free for whoever made it: nothing in there is a name of ours. */
const free: ReadonlySet<string> = new Set([
  '_meta',
  'values',
  'schema',
  'config',
  'configSchema',
  'inputSchema',
  'outputSchema',
  'structuredContent',
  'payload',
]);

/**
 * A copy in which every URI of a channel has its other name. Texts stay as they are, also those that read like a URI; so
 * do members that nobody knows. What needs no change is not copied.
 */
export function renameUris<T>(value: T, rename: (uri: string, role: UriRole) => string): T {
  return walk(value, rename) as T;
}

function walk(value: unknown, rename: (uri: string, role: UriRole) => string): unknown {
  if (Array.isArray(value)) {
    const items = value.map((it: unknown) => walk(it, rename));
    return items.some((it, at) => it !== value[at]) ? items : value;
  }
  if (!isRecord(value)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const member = value[key];
    // Most members are no URI and hold none.
    const role = roles.get(key);
    if (role === undefined && (typeof member !== 'object' || free.has(key))) continue;
    const renamed = renameMember(role, member, rename);
    if (renamed !== member) (copy ??= { ...value })[key] = renamed;
  }
  return copy ?? value;
}

function renameMember(role: UriRole | undefined, member: unknown, rename: (uri: string, role: UriRole) => string) {
  if (role === undefined) return walk(member, rename);
  if (typeof member === 'string') return rename(member, role);
  if (!Array.isArray(member)) return walk(member, rename);
  const items = member.map((it: unknown) => (typeof it === 'string' ? rename(it, role) : walk(it, rename)));
  return items.some((it, at) => it !== member[at]) ? items : member;
}
