import { nameOf, type VisibleServer } from '../mcpDeps.ts';

/** A name that belongs to one server, as clients of several servers see it: after the name of the server. */
export const prefixed = (server: VisibleServer, separator: string, name: string): string =>
  `${nameOf(server.server)}${separator}${name}`;

export interface Addressed {
  readonly server: VisibleServer;
  /** The server's own name for it. */
  readonly name: string;
}

/** Which server a prefixed name addresses: split at the first separator, compared as it is written. */
export function splitName(servers: readonly VisibleServer[], separator: string, name: string): Addressed | undefined {
  const at = name.indexOf(separator);
  if (at <= 0) return undefined;
  const prefix = name.slice(0, at);
  const found = servers.filter((it) => nameOf(it.server) === prefix);
  const [server] = found;
  return server && found.length === 1 ? { server, name: name.slice(at + separator.length) } : undefined;
}
