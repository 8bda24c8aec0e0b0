import * as z from 'zod';
import type { Timers } from '../../../platform/timers.ts';
import { mcpErrors, metaKeys } from '../../../protocol/gateway/mcpWire.ts';
import { messageOf } from '../../backends/mcp/eventMessage.ts';
import { EventQueue } from '../../backends/mcp/eventQueue.ts';
import type { Reply, StreamEvent } from '../../backends/mcp/types.ts';
import { RpcRefusal, replyOf } from '../answers.ts';
import { type McpRequest, send } from '../mcpRequest.ts';
import type { VisibleServer } from '../services.ts';
import type { McpState, Subscriber } from '../session/mcpState.ts';
import { subscriptionFor } from './wholeOnly.ts';

const Filter = z.object({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string()).optional(),
});
type Filter = z.infer<typeof Filter>;
const Acknowledged = z.object({ notifications: Filter });

/** How long the slowest of several servers may take until the client hears what was accepted. */
const acknowledgeMs = 5_000;

/**
 * `subscriptions/listen` of the modern era: one stream for what all servers accept, the acknowledgement first. The
 * messages of a server have the id of the client's request already, because the server was asked with it.
 */
export async function subscribe(x: McpRequest, { subscribers }: McpState): Promise<Reply> {
  const wanted = Filter.safeParse(x.request.params?.['notifications']);
  if (!wanted.success) throw new RpcRefusal(mcpErrors.invalidParams, 'Invalid params: notifications is no filter');
  const queue = new EventQueue(x.deps.options.maxResponseBytes, () => new Error('the client reads too slowly'));
  const left = new AbortController();
  const subscriber: Subscriber = {
    tell(list) {
      if (wanted.data[`${list}ListChanged`])
        queue.push(message(`notifications/${list}/list_changed`, { _meta: metaOf(x) }));
    },
    end() {
      subscribers.delete(subscriber);
      const result = { resultType: 'complete', _meta: metaOf(x) };
      queue.push({ data: JSON.stringify({ jsonrpc: '2.0', id: x.request.id, result }) });
      queue.end();
      left.abort();
    },
  };
  queue.onLeft = () => {
    subscribers.delete(subscriber);
    left.abort();
  };
  const signal = AbortSignal.any([x.signal, left.signal]);
  const opened = await Promise.allSettled(x.scope.servers.map((it) => open(x, it, signal)));
  const streams = opened.flatMap((it) =>
    it.status === 'fulfilled' && it.value.kind === 'stream' ? [it.value.events] : [],
  );
  if (streams.length === 0) {
    const [first] = opened;
    if (first?.status === 'rejected') throw first.reason;
    if (first?.status === 'fulfilled' && first.value.kind === 'message') return first.value;
    return replyOf({ jsonrpc: '2.0', id: x.request.id, result: { resultType: 'complete', _meta: metaOf(x) } });
  }
  const iterators = streams.map((it) => it[Symbol.asyncIterator]());
  const accepted = await Promise.all(iterators.map((it) => acknowledgement(it, x.deps.timers)));
  queue.push(message('notifications/subscriptions/acknowledged', { notifications: union(accepted), _meta: metaOf(x) }));
  subscribers.add(subscriber);
  let running = iterators.length;
  for (const it of iterators) {
    void relay(it, queue).finally(() => {
      running -= 1;
      if (running === 0 && subscribers.has(subscriber)) subscriber.end();
    });
  }
  return { kind: 'stream', events: queue };
}

const open = (x: McpRequest, server: VisibleServer, signal: AbortSignal): Promise<Reply> =>
  send(x, server, { ...subscriptionFor(x, server), signal, isOpenEnded: true });

/** The filter that a server accepted; an empty one where it does not answer in time, or is not of the modern era. */
async function acknowledgement(events: AsyncIterator<StreamEvent>, timers: Timers): Promise<Filter> {
  const slow = new Promise<undefined>((resolve) => {
    timers.after(acknowledgeMs, () => resolve(undefined));
  });
  try {
    const first = await Promise.race([events.next(), slow]);
    const read = first && !first.done ? messageOf(first.value) : undefined;
    return (read?.kind === 'notification' && Acknowledged.safeParse(read.message.params).data?.notifications) || {};
  } catch {
    return {}; // it failed: its stream ends, and with the last one the subscription
  }
}

async function relay(events: AsyncIterator<StreamEvent>, queue: EventQueue): Promise<void> {
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if (queue.isEnded) return;
      // The end of one server's stream is not the end of the subscription.
      if (messageOf(next.value)?.kind === 'notification') queue.push({ data: next.value.data });
    }
  } catch {
    // A server that failed has nothing more to say; the others go on.
  }
}

function union(filters: readonly Filter[]): Filter {
  const resources = [...new Set(filters.flatMap((it) => it.resourceSubscriptions ?? []))];
  return {
    ...(filters.some((it) => it.toolsListChanged) && { toolsListChanged: true }),
    ...(filters.some((it) => it.promptsListChanged) && { promptsListChanged: true }),
    ...(filters.some((it) => it.resourcesListChanged) && { resourcesListChanged: true }),
    ...(resources.length > 0 && { resourceSubscriptions: resources }),
  };
}

const metaOf = (x: McpRequest) => ({ [metaKeys.subscriptionId]: x.request.id });
const message = (method: string, params: object): StreamEvent => ({
  data: JSON.stringify({ jsonrpc: '2.0', method, params }),
});
