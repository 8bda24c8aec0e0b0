import { BackendFailure } from '../../backends/mcp/failure.ts';
import type { ListMethod } from '../../backends/mcp/listAll.ts';
import { eventOf } from '../../backends/mcp/streamEvent.ts';
import { failedBy } from '../failed.ts';
import { nameOf, type VisibleServer } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';

/** How long a listening client waits for servers that are not ready, so that it gets its list within a second. */
const readyMs = 800;
/** Servers that become ready within this time cause one notification. */
const togetherMs = 500;

const changed: Readonly<Record<ListMethod, 'tools' | 'prompts' | 'resources'>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resources',
};

/** The list of one server, while it loads. */
export interface Listing<T> {
  readonly server: VisibleServer;
  readonly list: Promise<T>;
}
export type Listed<T> = Omit<Listing<T>, 'list'> & { readonly found: PromiseSettledResult<T> | undefined };

/** The results, in the same order. */
export const settledLists = async <T>(listings: readonly Listing<T>[]): Promise<readonly Listed<T>[]> => {
  const all = await Promise.allSettled(listings.map((it) => it.list));
  return listings.map(({ server }, at) => ({ server, found: all[at] }));
};

/**
 * The lists that are ready within a second; `found` is absent for the others. A client that does not listen would never learn
 * of those, so it waits for all.
 */
export async function readyLists<T>(mcp: McpRequest, listings: readonly Listing<T>[]): Promise<readonly Listed<T>[]> {
  const ready = new Map<Listing<T>, PromiseSettledResult<T>>();
  const all = Promise.all(
    listings.map(async (it) => {
      const [found] = await Promise.allSettled([it.list]);
      ready.set(it, found);
    }),
  );
  let stop: () => void = () => undefined;
  const late = new Promise<void>((resolve) => {
    stop = mcp.deps.timers.after(readyMs, () => {
      if (mcp.session && mcp.session.listeners.size > 0) resolve();
    });
  });
  await Promise.race([all, late]);
  stop();
  return listings.map((it) => ({ server: it.server, found: ready.get(it) }));
}

/** Sends `list_changed` when the servers that were not ready are. */
export function notifyOfRest(
  { deps, session }: McpRequest,
  method: ListMethod,
  rest: readonly Listing<unknown>[],
): void {
  const notice = eventOf({
    kind: 'notification',
    message: { jsonrpc: '2.0', method: `notifications/${changed[method]}/list_changed` },
  });
  let left = rest.length;
  let stop: (() => void) | undefined;
  const notify = () => {
    stop?.();
    stop = undefined;
    for (const it of session?.listeners ?? []) it.send(notice);
  };
  for (const { server, list } of rest) {
    void list
      .then(
        () => {
          stop ??= deps.timers.after(togetherMs, notify);
        },
        (thrown: unknown) =>
          deps.log.warn({ server: nameOf(server.server), method, thrown }, 'A server never answered with its list.'),
      )
      .finally(() => {
        left -= 1;
        if (left === 0 && stop) notify();
      });
  }
}

/** A sentence for people about a server that is not in the list. */
export function missingWords({ server, found }: Listed<unknown>): string {
  const name = nameOf(server.server);
  if (found?.status !== 'rejected')
    return `${name}: The MCP server is still starting. A list_changed notification follows when it is ready.`;
  const { reason } = found as { readonly reason: unknown };
  const isLate = reason instanceof BackendFailure && reason.kind === 'cancelled';
  return `${name}: ${isLate ? 'The MCP server did not respond in time.' : failedBy(reason).error}`;
}
