import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';

export const publicRoot = 'ahp-root://';

/** An agent as either host shows it on its root. */
export interface ShownAgent {
  readonly provider: string;
  readonly models: readonly { readonly id: string }[];
}
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly params?: {
    readonly channel?: string;
    readonly action?: { readonly type: string; readonly [member: string]: unknown };
    readonly origin?: { readonly clientId: string; readonly clientSeq: number };
    readonly rejectionReason?: string;
  };
}
type Action = NonNullable<NonNullable<Message['params']>['action']>;
interface Wait {
  readonly matches: (channel: string, action: Action) => boolean;
  left: number;
  readonly done: () => void;
}

/**
 * A client of the public protocol that keeps nothing of what it heard, so that it costs the same on every host. It speaks
 * 0.9.0, the only version of VS Code's own.
 */
export class PublicClient {
  readonly clientId = randomUUID();
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (message: Message) => void>();
  #waits: Wait[] = [];
  #id = 0;
  #clientSeq = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#hear(JSON.parse(data.toString('utf8')) as Message));
  }

  /** @param url with the token in it: `ws://127.0.0.1:1/?tkn=…` */
  static open(url: string): Promise<PublicClient> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    const client = new PublicClient(socket);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(client));
      socket.once('error', reject);
    });
  }

  /** @returns the agents of the host's root */
  async initialize(): Promise<readonly ShownAgent[]> {
    const { snapshots } = await this.request<{ snapshots: { state: { agents: ShownAgent[] } }[] }>('initialize', {
      channel: publicRoot,
      protocolVersions: ['0.9.0'],
      clientId: this.clientId,
      initialSubscriptions: [publicRoot],
    });
    return snapshots[0]?.state.agents ?? [];
  }

  /** Rejects with the host's own words. */
  request<R>(method: string, params: object): Promise<R> {
    this.#id += 1;
    const id = this.#id;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, ({ result, error }) =>
        error ? reject(new Error(`${method}: ${error.message} (${error.code})`)) : resolve(result as R),
      );
      this.#send({ id, method, params });
    });
  }
  async subscribe<S>(channel: string): Promise<S> {
    const { snapshot } = await this.request<{ snapshot: { state: S } }>('subscribe', { channel });
    return snapshot.state;
  }
  dispatch(channel: string, action: Action): void {
    this.#clientSeq += 1;
    this.#send({ method: 'dispatchAction', params: { channel, clientSeq: this.#clientSeq, action } });
  }

  /** Settles when `count` more such actions came. */
  heard(matches: Wait['matches'], count = 1): Promise<void> {
    return new Promise((done) => void this.#waits.push({ matches, left: count, done }));
  }
  close(): void {
    this.#socket.terminate();
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
  #hear(message: Message): void {
    const { id, method, params } = message;
    if (id !== undefined && method === undefined) {
      this.#answers.get(id)?.(message);
      this.#answers.delete(id);
    }
    if (method !== 'action' || !params?.action) return;
    const { channel = '', action, rejectionReason } = params;
    if (rejectionReason !== undefined) throw new Error(`refused: ${rejectionReason}`);
    for (const wait of this.#waits) {
      if (!wait.matches(channel, action)) continue;
      wait.left -= 1;
      if (wait.left === 0) wait.done();
    }
    this.#waits = this.#waits.filter((it) => it.left > 0);
  }
}
