import { Waits } from '../waits.ts';

/** A message of the public protocol as it came. Nothing is judged: tests look at what they are about. */
export interface PublicMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: PublicParams;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
export interface PublicParams {
  readonly channel?: string;
  readonly action?: PublicAction;
  readonly serverSeq?: number;
  readonly origin?: { readonly clientId: string; readonly clientSeq: number };
  readonly rejectionReason?: string;
  readonly [member: string]: unknown;
}
export interface PublicAction {
  readonly type: string;
  readonly [member: string]: unknown;
}
export interface PublicSnapshot<S> {
  readonly resource: string;
  readonly state: S;
  readonly fromSeq: number;
}

export const publicRoot = 'ahp-root://';

/** A client of the public protocol as its documents have it: it knows none of the host's own names. */
export class PublicPeer {
  readonly heard: PublicMessage[] = [];
  clientId = '';
  readonly #send: (text: string) => void;
  #id = 0;
  #clientSeq = 0;
  readonly #waits = new Waits(() => this.heard.slice(-8));

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  /** The same client over another connection: it counts on. */
  continues(earlier: PublicPeer): void {
    this.clientId = earlier.clientId;
    this.#clientSeq = earlier.#clientSeq;
  }

  hear(text: string): void {
    this.heard.push(JSON.parse(text) as PublicMessage);
    this.#waits.look();
  }

  /** @returns the result. Rejects with the error as it came */
  async request<R>(method: string, params: object): Promise<R> {
    const { result, error } = await this.ask(method, params);
    if (error) throw Object.assign(new Error(error.message), error);
    return result as R;
  }
  /** @returns the answer, error or not */
  async ask(method: string, params: object): Promise<PublicMessage> {
    this.#id += 1;
    const id = this.#id;
    this.#send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return this.find((it) => it.id === id && it.method === undefined, `${method} is answered`);
  }
  /** A whole message, as it is. */
  send(message: object): void {
    this.#send(JSON.stringify(message));
  }
  notify(method: string, params: object): void {
    this.#send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  initialize(clientId: string, versions: readonly string[] = ['0.9.0']): Promise<PublicInitialized> {
    this.clientId = clientId;
    const initialSubscriptions = [publicRoot];
    return this.request('initialize', {
      channel: publicRoot,
      protocolVersions: versions,
      clientId,
      initialSubscriptions,
    });
  }
  async subscribe<S>(channel: string): Promise<S> {
    const { snapshot } = await this.request<{ snapshot: PublicSnapshot<S> }>('subscribe', { channel });
    return snapshot.state;
  }

  dispatch(channel: string, action: PublicAction): number {
    this.#clientSeq += 1;
    this.notify('dispatchAction', { channel, clientSeq: this.#clientSeq, action });
    return this.#clientSeq;
  }
  /** Dispatches, and waits for the echo. */
  async act(channel: string, action: PublicAction): Promise<PublicParams> {
    const clientSeq = this.dispatch(channel, action);
    const isEcho = ({ params }: PublicMessage) =>
      params?.origin?.clientId === this.clientId && params.origin.clientSeq === clientSeq;
    return (await this.find(isEcho, `${action.type} came back to who dispatched it`)).params!;
  }
  /** Of a channel, in their order. */
  actions(channel: string): PublicAction[] {
    return this.heard.flatMap(({ method, params }) =>
      method === 'action' && params?.channel === channel && params.action ? [params.action] : [],
    );
  }
  async action(channel: string, type: string, matches: (it: PublicAction) => boolean = () => true) {
    const find = () => this.actions(channel).find((it) => it.type === type && matches(it));
    await this.until(() => find() !== undefined, `${type} came in ${channel}`);
    return find()!;
  }
  async find(
    matches: (it: PublicMessage) => boolean,
    what = `a message came of which holds: ${String(matches)}`,
  ): Promise<PublicMessage> {
    await this.until(() => this.heard.some(matches), what);
    return this.heard.find(matches)!;
  }

  /** Settles when `isTrue` after some message. @param what a sentence that is true then */
  until(isTrue: () => boolean, what?: string): Promise<void> {
    return this.#waits.until(isTrue, what);
  }
}

export interface PublicInitialized {
  readonly protocolVersion: string;
  readonly serverSeq: number;
  readonly snapshots: readonly PublicSnapshot<{ agents: { provider: string; models: unknown[] }[] }>[];
}
