import { progressTokenOf, type RpcId, type RpcMessage, type RpcRequest } from '../../../protocol/gateway/mcpWire.ts';

export interface Renamed {
  /** The request with ids of our own. */
  readonly text: string;
  readonly id: string;
  /** Present where the caller wants progress notifications. */
  readonly progressToken: string | undefined;
  /** A message of the server's with the caller's ids in their place again. */
  restore(text: string): string;
  /** The same in what was read of it, which nobody else may have yet: it is changed in place. */
  restoreIn<M extends RpcMessage>(read: M): M;
}

/**
 * Callers choose ids as they like, so two of them choose the same. On a connection that several use, a request goes out
 * under an id that occurs nowhere else; so what comes back can be put right as text, without writing it anew.
 */
export function renameIds(request: RpcRequest, unique: string): Renamed {
  const id = `sb-${unique}`;
  const token = progressTokenOf(request.params);
  const progressToken = token === undefined ? undefined : `sp-${unique}`;
  const meta = request.params?.['_meta'];
  const params =
    progressToken === undefined ? request.params : { ...request.params, _meta: { ...(meta as object), progressToken } };
  const ownId = JSON.stringify(request.id);
  return {
    text: JSON.stringify({ jsonrpc: '2.0', id, method: request.method, ...(params !== undefined && { params }) }),
    id,
    progressToken,
    restore(text) {
      const withId = text.replaceAll(`"${id}"`, ownId);
      return progressToken === undefined ? withId : withId.replaceAll(`"${progressToken}"`, JSON.stringify(token));
    },
    restoreIn(read) {
      const own = new Map<unknown, RpcId>([[id, request.id]]);
      if (token !== undefined) own.set(progressToken, token);
      replaceIn(read.message, own);
      return read;
    },
  };
}

/** Not by recursion: servers nest as deep as they like. */
function replaceIn(message: object, others: ReadonlyMap<unknown, RpcId>): void {
  const left = [message as Record<string, unknown>];
  for (let at = left.pop(); at; at = left.pop()) {
    for (const [name, value] of Object.entries(at)) {
      const other = others.get(value);
      if (other !== undefined) at[name] = other;
      else if (typeof value === 'object' && value !== null) left.push(value as Record<string, unknown>);
    }
  }
}
