import * as z from 'zod';
import type { Timers } from '../../../platform/timers.ts';
import { mcpErrors, metaKeys, type RpcResponse } from '../../../protocol/gateway/mcpWire.ts';
import { EventQueue } from '../../backends/mcp/eventQueue.ts';
import { replyOf } from '../../backends/mcp/replies.ts';
import { eventOf, type StreamEvent } from '../../backends/mcp/streamEvent.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import { RpcRefusal } from '../answers.ts';
import type { VisibleServer } from '../mcpDeps.ts';
import { type McpRequest, send } from '../mcpRequest.ts';
import type { McpState, Subscriber } from '../session/mcpState.ts';
import { subscriptionFor } from './wholeOnly.ts';

const Filter = z.object({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string()).optional(),
});
type Filter = z.infer<typeof Filter>;
const acknowledged = 'notifications/subscriptions/acknowledged';
const Acknowledged = z.object({ notifications: Filter });

/** How long the slowest of several servers may take until the client gets what was accepted. */
const acknowledgeMs = 5_000;

/**
 * `subscriptions/listen` of the modern era: one stream for what all servers accept, the acknowledgement first. The
 * messages of a server have the id of the client's request already, because the server was asked with it.
 */
export async function subscribe(mcp: McpRequest, { subscribers }: McpState): Promise<Reply> {
  const wanted = Filter.safeParse(mcp.request.params?.['notifications']);
  if (!wanted.success) throw new RpcRefusal(mcpErrors.invalidParams, 'Invalid params: notifications must be a filter');
  const queue = new EventQueue(mcp.deps.options.maxResponseBytes, () => new Error('the client is reading too slowly'));
  const controller = new AbortController();
  const subscriber: Subscriber = {
    notify(list) {
      if (wanted.data[`${list}ListChanged`])
        queue.push(notice(`notifications/${list}/list_changed`, { _meta: metaOf(mcp) }));
    },
    end() {
      subscribers.delete(subscriber);
      const message: RpcResponse = {
        jsonrpc: '2.0',
        id: mcp.request.id,
        result: { resultType: 'complete', _meta: metaOf(mcp) },
      };
      queue.push(eventOf({ kind: 'response', message }));
      queue.end();
      controller.abort();
    },
  };
  queue.onLeft = () => controller.abort();
  const signal = AbortSignal.any([mcp.signal, controller.signal]);
  const opened = await Promise.allSettled(mcp.scope.servers.map((it) => open(mcp, it, signal)));
  const streams = opened.flatMap((it) =>
    it.status === 'fulfilled' && it.value.kind === 'stream' ? [it.value.events] : [],
  );
  if (streams.length === 0) {
    const [first] = opened;
    if (first?.status === 'rejected') throw first.reason;
    if (first?.status === 'fulfilled' && first.value.kind === 'message') return first.value;
    return replyOf({ jsonrpc: '2.0', id: mcp.request.id, result: { resultType: 'complete', _meta: metaOf(mcp) } });
  }
  const iterators = streams.map((it) => it[Symbol.asyncIterator]());
  const begun = await Promise.all(iterators.map((it) => acknowledgement(it, mcp.deps.timers)));
  const accepted = union(begun.map((it) => it.accepted));
  queue.push(notice(acknowledged, { notifications: accepted, _meta: metaOf(mcp) }));
  subscribers.add(subscriber);
  let running = begun.length;
  for (const it of begun) {
    void relay(it, queue).finally(() => {
      running -= 1;
      if (running === 0 && subscribers.has(subscriber)) subscriber.end();
    });
  }
  return { kind: 'stream', events: queue };
}

const open = (mcp: McpRequest, server: VisibleServer, signal: AbortSignal): Promise<Reply> =>
  send(mcp, server, { ...subscriptionFor(mcp, server), signal, isOpenEnded: true });

interface Begun {
  readonly events: AsyncIterator<StreamEvent>;
  /** What was asked for already and is no acknowledgement, or not yet there. */
  readonly first?: Promise<IteratorResult<StreamEvent>>;
  readonly accepted: Filter;
}

/** The filter that a server accepted; an empty one where it does not answer first and in time, or is not of the modern era. */
async function acknowledgement(events: AsyncIterator<StreamEvent>, timers: Timers): Promise<Begun> {
  const first = events.next();
  let stop: () => void = () => undefined;
  const slow = new Promise<undefined>((resolve) => {
    stop = timers.after(acknowledgeMs, () => resolve(undefined));
  });
  // One that failed ends its stream, and with the last one the subscription.
  const arrived = await Promise.race([first, slow]).catch(() => undefined);
  stop();
  const accepted = arrived && !arrived.done ? acceptedBy(arrived.value) : undefined;
  return accepted ? { events, accepted } : { events, first, accepted: {} };
}

function acceptedBy({ message: read }: StreamEvent): Filter | undefined {
  if (read?.kind !== 'notification' || read.message.method !== acknowledged) return undefined;
  return Acknowledged.safeParse(read.message.params).data?.notifications ?? {};
}

async function relay({ events, first }: Begun, queue: EventQueue): Promise<void> {
  try {
    for (let next = await (first ?? events.next()); !next.done; next = await events.next()) {
      if (queue.isEnded) return;
      // The end of one server's stream is not the end of the subscription, and the client has its acknowledgement.
      const { message, data } = next.value;
      if (message?.kind === 'notification' && !acceptedBy(next.value)) queue.push({ message, data });
    }
  } catch {
    // A server that failed sends nothing more; the others go on.
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

const metaOf = (mcp: McpRequest) => ({ [metaKeys.subscriptionId]: mcp.request.id });
const notice = (method: string, params: Readonly<Record<string, unknown>>): StreamEvent =>
  eventOf({ kind: 'notification', message: { jsonrpc: '2.0', method, params } });
