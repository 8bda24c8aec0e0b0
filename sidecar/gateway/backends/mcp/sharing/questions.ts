import { progressTokenOf, type RpcId, type RpcRequest } from '../../../../protocol/gateway/mcpWire.ts';

/** What a server asked one of its clients, and waits for. */
interface Question<Client> {
  readonly client: Client;
  /** As the server knows it. */
  readonly id: RpcId;
  readonly progressToken: RpcId | undefined;
}

/**
 * Questions of a server that several clients share, under ids of our own: a client that answers what another one was asked
 * answers nothing.
 */
export class Questions<Client> {
  readonly #newId: () => string;
  readonly #open = new Map<RpcId, Question<Client>>();

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** @returns the question as its client gets it; the id is its progress token as well */
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

  /** The server's own id of what this client was asked; it is answered now. */
  answer(client: Client, own: unknown): RpcId | undefined {
    const question = this.#of(client, own);
    if (question) this.#open.delete(own as RpcId);
    return question?.id;
  }

  progressTokenOf(client: Client, own: unknown): RpcId | undefined {
    return this.#of(client, own)?.progressToken;
  }

  /** The server takes a question back. */
  cancel(id: unknown): { readonly client: Client; readonly own: RpcId } | undefined {
    for (const [own, question] of this.#open) {
      if (question.id !== id) continue;
      this.#open.delete(own);
      return { client: question.client, own };
    }
    return undefined;
  }

  /** The client left. @returns the ids that nobody answers any more */
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
