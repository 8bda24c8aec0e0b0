import type { Runtime } from '../../../../platform/runtime.ts';
import type { RpcRequest } from '../../../../protocol/gateway/mcpWire.ts';
import { eventsOf } from '../replies.ts';
import type { StreamEvent } from '../streamEvent.ts';
import type { McpBackend, McpTarget, Outbound, RequestOptions } from '../types.ts';
import { Unasked } from '../unasked.ts';
import { legacyNotice } from './translate.ts';

export interface BridgeSubscriptionDeps extends Pick<Runtime, 'newId'> {
  readonly target: McpTarget;
  /** Opens the connection of the modern era, which sessions share. @throws {BackendFailure} */
  readonly connect: (outbound: Outbound) => Promise<McpBackend>;
  /** Adds what the client declared about itself to a request. */
  readonly introduced: (request: RpcRequest) => RpcRequest;
  readonly onToolsChanged: () => void;
}

/** Notifies a listening client of changed lists and resources, through one subscription at a server of the modern era. */
export class BridgeSubscription {
  readonly #deps: BridgeSubscriptionDeps;
  readonly #unasked: Unasked;
  readonly #resources = new Set<string>();
  #following: AbortController | undefined;
  #outbound: Outbound | undefined;
  #isClosed = false;

  constructor(deps: BridgeSubscriptionDeps) {
    this.#deps = deps;
    this.#unasked = new Unasked(deps.target);
  }

  get isListened(): boolean {
    return this.#unasked.isListened;
  }

  add(uri: string): void {
    this.#resources.add(uri);
    this.#follow();
  }

  remove(uri: string): void {
    this.#resources.delete(uri);
    this.#follow();
  }

  listen({ outbound, signal }: RequestOptions): AsyncIterable<StreamEvent> {
    const queue = this.#unasked.listen(signal);
    this.#outbound = outbound;
    signal.addEventListener('abort', () => this.#unasked.isListened || this.#following?.abort(), { once: true });
    this.#follow();
    return queue;
  }

  close(): void {
    this.#isClosed = true;
    this.#following?.abort();
    this.#unasked.end();
  }

  /** Replaces the subscription at the server with one for everything that the client listens to now. */
  #follow(): void {
    this.#following?.abort();
    if (!this.#unasked.isListened || !this.#outbound || this.#isClosed) return;
    const following = new AbortController();
    this.#following = following;
    this.#followed(this.#outbound, following.signal)
      .catch(() => undefined) // the client listens again when its stream ends
      .finally(() => {
        if (!following.signal.aborted) this.#unasked.end();
      });
  }

  async #followed(outbound: Outbound, signal: AbortSignal): Promise<void> {
    const { connect, introduced, newId, onToolsChanged } = this.#deps;
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [...this.#resources],
    };
    const request: RpcRequest = {
      jsonrpc: '2.0',
      id: `sb-listen-${newId()}`,
      method: 'subscriptions/listen',
      params: { notifications },
    };
    const backend = await connect(outbound);
    const reply = await backend.request(introduced(request), { outbound, signal, isOpenEnded: true });
    for await (const event of eventsOf(reply)) {
      const read = event.message;
      if (read?.kind !== 'notification' || read.message.method === 'notifications/subscriptions/acknowledged') continue;
      if (read.message.method === 'notifications/tools/list_changed') onToolsChanged();
      this.#unasked.pass(legacyNotice(event), undefined);
    }
  }
}
