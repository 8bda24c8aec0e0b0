import { progressTokenOf, type RpcId, type RpcRequest } from '../../../../protocol/gateway/mcpWire.ts';

/** What a server asked one of its clients, and waits for. */
interface Question<Client> {
  readonly client: Client;
  /** As the server knows it. */
  readonly id: RpcId;
  readonly progressToken: RpcId | undefined;
}

/**
 * The requests of a shared server to its clients, under the gateway's own IDs. An answer counts only if it comes from the
 * client that was asked.
 */
export class Questions<Client> {
  readonly #newId: () => string;
  readonly #open = new Map<RpcId, Question<Client>>();

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** @returns the request for the client; its ID is also the progress token */
  ask(client: Client, { id, method, params }: RpcRequest): RpcRequest {
    const own = `sq-${this.#newId()}`;
    const progressToken = progressTokenOf(params);
    this.#open.set(own, { client, id, progressToken });
    if (progressToken === undefined)
      return { jsonrpc: '2.0', id: own, method, ...(params !== undefined && { params }) };
    const meta = params?.['_meta'];
    return {
      jsonrpc: '2.0',
      id: own,
      method,
      params: { ...params, _meta: { ...(meta as object), progressToken: own } },
    };
  }

  /** The server's ID of a request to this client, which is now answered. */
  answer(client: Client, own: unknown): RpcId | undefined {
    const question = this.#of(client, own);
    if (question) this.#open.delete(own as RpcId);
    return question?.id;
  }

  progressTokenOf(client: Client, own: unknown): RpcId | undefined {
    return this.#of(client, own)?.progressToken;
  }

  /** The server cancels a request. */
  cancel(id: unknown): { readonly client: Client; readonly own: RpcId } | undefined {
    for (const [own, question] of this.#open) {
      if (question.id !== id) continue;
      this.#open.delete(own);
      return { client: question.client, own };
    }
    return undefined;
  }

  /** The client left. @returns the IDs of the requests that will not be answered */
  leave(client: Client): readonly RpcId[] {
    const left = [...this.#open].filter(([, it]) => it.client === client);
    for (const [own] of left) this.#open.delete(own);
    return left.map(([, it]) => it.id);
  }

  #of(client: Client, own: unknown): Question<Client> | undefined {
    const question = this.#open.get(own as RpcId);
    return question?.client === client ? question : undefined;
  }
}
