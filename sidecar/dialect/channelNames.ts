import { BoundedMap } from '../platform/boundedMap.ts';
import { ROOT } from '../protocol/uris.ts';

/** Where a URI stands. A channel may be of any kind; `other` is a member that may name a channel, a file or a page. */
export type UriRole = 'channel' | 'session' | 'chat' | 'other';

/** Kinds of channels that differ in their scheme alone. */
const SAME =
  /^(ahp|host)-(changeset|terminal|resource-watch|content|otlp|automations|automation|automation-run|canvas):/;
/** `<provider>:/<uuid>`, and what lies below a session. */
const SESSION = /^([a-z0-9][\w+.-]*):\/([^/]+)(\/.*)?$/i;
const HOST_SESSION = /^host-session:\/([^/]+)(\/.*)?$/;
const HOST_CHANGESET = /^host-changeset:\/([^/]+)(\/.*)$/;
/** What is no channel of ours, whatever its shape. */
const OTHERS = /^(?:mcp|file|https?|data|virtual|untitled|host-[a-z-]+|ahp-[a-z-]+):/i;
/** A chat whose URI has another shape than ours carries all of it in its id. */
const WRAPPED = /^host-chat:\/uri-([\w-]+)$/;
/** Most names that are kept for a client. */
const MAX_KNOWN = 1_000;
const PUBLIC_ROOT = /^ahp-root:(?:\/\/)?\/?$/;

/**
 * The names of channels in the public protocol, as one client uses them. There the scheme of a session's URI is the id
 * of its agent: it is learned from what the host sends and from what the client asks for. The URI of a chat may have any
 * shape, and keeps it through restarts.
 */
export class ChannelNames {
  /** By the id of the session. */
  readonly #schemes = new Map<string, string>();
  /** Chats that look like sessions, as the client names them. */
  readonly #chats = new Set<string>();
  /** Names that were made, by the host's, until a scheme changes. */
  readonly #known = new BoundedMap<string, string>(MAX_KNOWN);

  /** The host said whose session this is. What the client calls it counts more. */
  learn(session: string, provider: string): void {
    const id = HOST_SESSION.exec(session)?.[1];
    if (id !== undefined && !this.#schemes.has(id)) this.#setScheme(id, provider);
  }
  knows(session: string): boolean {
    return this.#schemes.has(HOST_SESSION.exec(session)?.[1] ?? '');
  }
  forget(session: string): void {
    this.#known.clear();
    this.#schemes.delete(HOST_SESSION.exec(session)?.[1] ?? '');
  }
  #setScheme(id: string, scheme: string): void {
    if (this.#schemes.get(id) !== scheme) this.#known.clear();
    this.#schemes.set(id, scheme);
  }

  toPublic(uri: string): string {
    if (!uri.startsWith('host-')) return uri;
    const known = this.#known.get(uri);
    if (known !== undefined) return known;
    const name = this.#named(uri);
    this.#known.set(uri, name);
    return name;
  }

  #named(uri: string): string {
    if (uri === ROOT) return 'ahp-root://';
    const [, session, below = ''] = HOST_SESSION.exec(uri) ?? [];
    if (session !== undefined) return `${this.#schemes.get(session) ?? 'ahp-session'}:/${session}${below}`;
    const [, owner, changes] = HOST_CHANGESET.exec(uri) ?? [];
    const scheme = owner === undefined ? undefined : this.#schemes.get(owner);
    if (scheme !== undefined) return `${scheme}:/${owner}/changeset${changes}`;
    if (uri.startsWith('host-chat:')) return this.#chatToPublic(uri);
    return uri.replace(SAME, 'ahp-$2:');
  }

  toHost(uri: string, role: UriRole): string {
    if (uri.startsWith('ahp-chat:')) return chatToHost(uri);
    if (PUBLIC_ROOT.test(uri)) return ROOT;
    if (SAME.test(uri)) return uri.replace(SAME, 'host-$2:');
    const [, scheme = '', id = '', below = ''] = SESSION.exec(uri) ?? [];
    if (scheme === 'ahp-session') return this.#sessionToHost(scheme, id, below, role);
    if (OTHERS.test(uri)) return uri;
    if (role === 'chat') {
      if (SESSION.test(uri)) this.#chats.add(uri);
      return chatToHost(uri);
    }
    if (this.#chats.has(uri)) return chatToHost(uri);
    if (id !== '') return this.#sessionToHost(scheme, id, below, role);
    return role === 'channel' ? chatToHost(uri) : uri;
  }

  #sessionToHost(scheme: string, id: string, below: string, role: UriRole): string {
    if (role === 'other' && scheme !== 'ahp-session' && this.#schemes.get(id) !== scheme)
      return `${scheme}:/${id}${below}`;
    // What reached this line in another place is either known so, or `ahp-session`, which is a name as any other.
    if (role !== 'other' || !this.#schemes.has(id)) this.#setScheme(id, scheme);
    const changes = /^\/changeset(\/.+)$/.exec(below)?.[1];
    return changes === undefined ? `host-session:/${id}${below}` : `host-changeset:/${id}${changes}`;
  }

  #chatToPublic(uri: string): string {
    const wrapped = WRAPPED.exec(uri)?.[1];
    const own = wrapped === undefined ? undefined : Buffer.from(wrapped, 'base64url').toString('utf8');
    if (own === undefined || chatToHost(own) !== uri) return `ahp-chat:${uri.slice('host-chat:'.length)}`;
    if (SESSION.test(own)) this.#chats.add(own);
    return own;
  }
}

/** Whether the public name of a URI of the host can differ between clients, or teaches the client that hears it something. */
export function isNamedByClient(uri: string): boolean {
  return uri.startsWith('host-session:') || uri.startsWith('host-changeset:') || uri.startsWith('host-chat:/uri-');
}

function chatToHost(uri: string): string {
  const plain = /^ahp-chat:\/(?!uri-)([^/]+)$/.exec(uri)?.[1];
  return `host-chat:/${plain ?? `uri-${Buffer.from(uri, 'utf8').toString('base64url')}`}`;
}
