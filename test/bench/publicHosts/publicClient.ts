import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';

export const publicRoot = 'ahp-root://';

/** How a client calls the root, and which version it asks for. */
export interface Dialect {
  readonly root: string;
  readonly version: string;
}
/** 0.9.0, the only version of VS Code's own. */
export const publicDialect: Dialect = { root: publicRoot, version: '0.9.0' };
export const ownDialect: Dialect = { root: 'host-root://', version: '0.7.0' };

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
 * A client over WebSocket that keeps nothing of what it heard, so that it costs the same on every host.
 */
export class PublicClient {
  readonly clientId = randomUUID();
  readonly #socket: WebSocket;
  readonly #dialect: Dialect;
  #awaited: { readonly words: string; left: number; readonly done: () => void } | undefined;
  readonly #answers = new Map<number, (message: Message) => void>();
  #waits: Wait[] = [];
  #id = 0;
  #clientSeq = 0;

  private constructor(socket: WebSocket, dialect: Dialect) {
    this.#socket = socket;
    this.#dialect = dialect;
    socket.on('message', (data: Buffer) => {
      if (!this.#awaited) return this.#hear(JSON.parse(data.toString('utf8')) as Message);
      if (!data.includes(this.#awaited.words)) return;
      this.#awaited.left -= 1;
      if (this.#awaited.left > 0) return;
      const { done } = this.#awaited;
      this.#awaited = undefined;
      done();
    });
  }

  /** @param url with the token in it: `ws://127.0.0.1:1/?tkn=…` */
  static open(url: string, dialect = publicDialect): Promise<PublicClient> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    const client = new PublicClient(socket, dialect);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(client));
      socket.once('error', reject);
    });
  }

  /** @returns the agents of the host's root */
  async initialize(): Promise<readonly ShownAgent[]> {
    const { snapshots } = await this.request<{ snapshots: { state: { agents: ShownAgent[] } }[] }>('initialize', {
      channel: this.#dialect.root,
      protocolVersions: [this.#dialect.version],
      clientId: this.clientId,
      initialSubscriptions: [this.#dialect.root],
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

  /** Texts that dispatch these actions. */
  written(channel: string, actions: readonly Action[]): readonly string[] {
    return actions.map((action) => {
      this.#clientSeq += 1;
      const params = { channel, clientSeq: this.#clientSeq, action };
      return JSON.stringify({ jsonrpc: '2.0', method: 'dispatchAction', params });
    });
  }
  /** Sends texts that are each answered by one message. Settles when so many came. */
  echoed(texts: readonly string[]): Promise<void> {
    const came = this.came('', texts.length);
    for (const it of texts) this.#socket.send(it);
    return came;
  }
  /** Settles when `count` messages came that have `words` in them; nothing else is looked at until then. */
  came(words: string, count: number): Promise<void> {
    return new Promise((done) => {
      this.#awaited = { words, left: count, done };
    });
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
