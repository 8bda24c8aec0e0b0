import { BoundedMap } from '../../platform/boundedMap.ts';
import { InTurn } from '../../platform/inTurn.ts';
import { errorCodes } from '../../protocol/errors.ts';
import type { Notice } from '../../protocol/hostInfo.ts';
import type { ConnectionLimits } from '../../protocol/limits.ts';
import { type ClientNotificationName, clientNotifications } from '../../protocol/methods.ts';
import type { AccessQuestion } from '../../protocol/resources.ts';
import { ROOT } from '../../protocol/uris.ts';
import type { MessageLink } from '../../transport/link.ts';
import { PeerConnection } from '../../transport/peer.ts';
import { ResponseError } from '../../transport/responseError.ts';
import type { SharedNotification } from '../../transport/wireText.ts';
import type { ClientRecord } from './clients.ts';
import type { ConnectionDeps } from './connectionDeps.ts';
import { dispatch } from './dispatch.ts';
import { serveDocuments } from './documents.ts';
import { handlers } from './handlers.ts';
import type { Subscriber } from './hub.ts';
import { toRequestHandlers } from './register.ts';
import { thrownToRpcError } from './rpcFaults.ts';
import type { LogReader } from './telemetry.ts';

/** Most pages of sessions one connection may have open. */
const MAX_CURSORS = 200;

/** One connection: its peer, its client after the handshake, and what belongs to the link alone. */
export class Connection implements Subscriber, LogReader {
  readonly deps: ConnectionDeps;
  readonly peer: PeerConnection;
  readonly limits: ConnectionLimits;
  /** As whom it was let in; absent for programs of the user on this machine. */
  readonly credential: string | undefined;
  /**
   * What takes a while for a channel: a subscription waits for the session that this connection is creating, and an end of
   * the subscription for its beginning.
   */
  readonly underWay = new InTurn();
  /** Cursors of session lists, by the text that the client has. */
  readonly cursors = new BoundedMap<string, { modifiedAt: string; uri: string }>(MAX_CURSORS);
  /** Where the next older page of a chat begins. */
  readonly olderTurns = new Map<string, string | undefined>();
  /** The editor has the JSON schema of the gateway's configuration itself. */
  knowsSchema = false;
  #client: ClientRecord | undefined;
  /** What the client sent behind a handshake that is not answered yet. */
  #held: (() => void)[] | undefined;

  constructor(link: MessageLink, deps: ConnectionDeps, limits: ConnectionLimits, credential?: string) {
    this.deps = deps;
    this.credential = credential;
    this.limits = limits;
    this.peer = new PeerConnection(link, {
      timers: deps.timers,
      toError: (thrown) => thrownToRpcError(thrown, (id, bug) => deps.log.report(id, bug)),
      onTrouble: (trouble) => deps.log.warn(trouble, 'a connection reported an error'),
      maxRunning: limits.pendingRequests,
      aroundChunk: (read) => deps.store.batch(read),
    });
    const isReady = () => this.#client !== undefined;
    const inOrder = <T>(handle: () => T | Promise<T>) => this.#answerInOrder(handle);
    this.peer.onRequest(
      toRequestHandlers<Connection>(this, handlers, { isReady, inOrder, unknown: this.unknownMethod }),
    );
    if (credential === undefined) this.#serveLanguageClient(isReady);
    this.peer.onNotification({
      unsubscribe: (raw) =>
        this.#inOrder(() =>
          this.#onNotification('unsubscribe', raw, ({ channel }) => this.#unsubscribeInTurn(channel)),
        ),
      dispatchAction: (raw) => this.#inOrder(() => dispatch(this, raw)),
      'x-switchboard/windowChanged': (raw) =>
        this.#inOrder(() =>
          this.#onNotification('x-switchboard/windowChanged', raw, ({ window }) => this.setWindow(window)),
        ),
    });
    serveDocuments(this);
    this.peer.onClose(() => this.#closed());
  }

  /**
   * What the editor's language client sends besides the protocol; a relay brings it. A client that was let in by a credential
   * speaks the protocol alone (host.served.protocol-alone). Nothing of the host ends with either.
   */
  #serveLanguageClient(isReady: () => boolean): void {
    this.peer.onRequest({
      shutdown: () => {
        if (!isReady()) throw this.unknownMethod('shutdown');
        return null;
      },
    });
    this.peer.onNotification({
      initialized: () => undefined,
      exit: () => this.peer.close('the client disconnected'),
      '$/setTrace': () => undefined,
    });
  }

  /** For every method but those of the handshake, before it. */
  readonly unknownMethod = (method: string): Error =>
    new ResponseError(errorCodes.MethodNotFound, `method not allowed before the handshake: ${method}`);

  listen(): void {
    this.peer.listen();
  }

  get clientId(): string {
    return this.#client?.clientId ?? '';
  }
  /** After the handshake only: every handler but those of the handshake runs after it. */
  get client(): ClientRecord {
    if (!this.#client) throw new Error('the handshake is missing');
    return this.#client;
  }
  get hasClient(): boolean {
    return this.#client !== undefined;
  }
  /** A window at which a person sits who may be asked. */
  get answersForPerson(): boolean {
    return this.#client?.window !== undefined && this.#client.window.answersQuestions !== false;
  }

  /** The handshake is done: this connection speaks for the client from now on. */
  adopt(client: ClientRecord): void {
    this.#client = client;
    this.deps.hub.join(this);
  }

  /** Holds back what the client sent behind a handshake until this answer left (`host.handshake.order`). */
  async answerFirst<T>(answer: Promise<T>): Promise<T> {
    this.#held = [];
    try {
      return await answer;
    } finally {
      this.deps.timers.soon(() => {
        const held = this.#held ?? [];
        this.#held = undefined;
        for (const handle of held) handle();
      });
    }
  }
  #inOrder(handle: () => void): void {
    if (this.#held) this.#held.push(handle);
    else handle();
  }

  #answerInOrder<T>(handle: () => T | Promise<T>): T | Promise<T> {
    const held = this.#held;
    if (!held) return handle();
    return new Promise((resolve, reject) => {
      held.push(() => {
        try {
          resolve(handle());
        } catch (thrown) {
          reject(thrown);
        }
      });
    });
  }

  send(notification: SharedNotification): void {
    this.peer.sendShared(notification);
  }
  get queuedBytes(): number {
    return this.peer.queuedBytes;
  }
  sendNotices(items: readonly Notice[]): void {
    this.peer.sendNotification('x-switchboard/noticesChanged', { channel: ROOT, items });
  }

  sendQuestions(items: readonly AccessQuestion[]): void {
    this.peer.sendNotification('x-switchboard/accessQuestions', { channel: ROOT, items });
  }

  setWindow(window: ClientRecord['window']): void {
    this.deps.clients.setWindow(this.client, window);
    this.deps.windowsChanged();
  }

  #onNotification<N extends ClientNotificationName>(
    name: N,
    raw: unknown,
    handle: (params: ReturnType<(typeof clientNotifications)[N]['params']['parse']>) => void,
  ): void {
    if (!this.#client) return;
    const parsed = clientNotifications[name].params.safeParse(raw);
    if (parsed.success) handle(parsed.data as ReturnType<(typeof clientNotifications)[N]['params']['parse']>);
    else this.deps.log.warn({ name, issues: parsed.error.issues }, 'a client sent a malformed notification');
  }

  #unsubscribeInTurn(channel: string): void {
    const { log, newId } = this.deps;
    if (!this.underWay.whenFree(channel)) this.#unsubscribe(channel);
    else
      this.underWay
        .run(channel, () => this.#unsubscribe(channel))
        .catch((thrown: unknown) => log.report(newId(), thrown));
  }

  #unsubscribe(channel: string): void {
    this.deps.hub.unsubscribe(this, channel);
    this.deps.telemetry.unsubscribe(this, channel);
    this.client.baselines.delete(channel);
    this.olderTurns.delete(channel);
    this.deps.effects.onUnsubscribed(this.client, channel);
  }

  #closed(): void {
    this.deps.hub.leave(this);
    this.deps.telemetry.leave(this);
    if (this.#client) this.deps.clients.leave(this.#client, this);
    this.deps.closed(this);
  }
}
