import {
  type InitializeResult,
  mcpErrors,
  type RpcId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../../../protocol/gateway/mcpWire.ts';
import { PipeConnection, type PipeConnectionDeps } from '../pipeConnection.ts';
import { replyOf } from '../replies.ts';
import { eventOf, type StreamEvent } from '../streamEvent.ts';
import type { McpBackend, McpTarget, Outbound, Reply, RequestOptions } from '../types.ts';
import { LogLevels } from './logLevels.ts';
import { Member } from './member.ts';
import { Questions } from './questions.ts';
import { Subscribed } from './subscribed.ts';

export interface SharedProcessDeps extends Omit<PipeConnectionDeps, 'era' | 'isShared' | 'unasked'> {
  /** Callers share it with each other. */
  readonly isForAll: boolean;
  /** Sharing is not configured. When the server first asks something, only the session that it asks keeps the process. */
  readonly isDefault: boolean;
  /** The server asked a client for sampling, roots, or user input. */
  readonly onQuestion: () => void;
}

/** A question that waits until it is clear which session it is for. */
interface Held {
  readonly request: RpcRequest;
  readonly stopLimit: () => void;
}

/** How long a question waits for the calls of other sessions to end before it is refused. */
export const HELD_MS = 10_000;

/** Requests that require a session. */
const ofSessions: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

const severalWords =
  'Several sessions that share this MCP server have calls in progress, so the gateway cannot tell which one this request is for. Set stdio.share to "session" for this server.';
const idleWords = 'No session has a call in progress, so the gateway cannot tell which one this request is for.';

/**
 * The process of a stdio server that sessions share, each as a {@link Member}. It is itself the backend of callers without a
 * session. Its requests go to the only session with a call in progress, its notifications to the sessions they concern.
 */
export class SharedProcess implements McpBackend {
  readonly era = 'legacy';
  readonly sessionId = undefined;
  readonly levels = new LogLevels<Member>();
  readonly subscribed = new Subscribed<Member>();
  readonly questions: Questions<Member>;
  readonly #deps: SharedProcessDeps;
  readonly #members = new Map<string, Member>();
  #held: readonly Held[] = [];
  #connection: PipeConnection | undefined;

  private constructor(deps: SharedProcessDeps) {
    this.#deps = deps;
    this.questions = new Questions(deps.newId);
  }

  /** @throws {BackendFailure} when the program does not start */
  static async open(deps: SharedProcessDeps): Promise<SharedProcess> {
    const shared = new SharedProcess(deps);
    shared.#connection = await PipeConnection.open({
      ...deps,
      era: 'legacy',
      isShared: true,
      unasked: {
        onMessage: (read, text) =>
          read.kind === 'request' ? shared.#asked(read.message) : shared.#told(read.message, eventOf(read, text)),
        onSettled: () => shared.#settle(),
        onEnd: () => {
          for (const it of shared.#held) it.stopLimit();
          for (const it of shared.#members.values()) it.unasked.end();
        },
      },
    });
    return shared;
  }

  get connection(): PipeConnection {
    if (!this.#connection) throw new Error('a shared process is used before it is open');
    return this.#connection;
  }

  get target(): McpTarget {
    return this.#deps.target;
  }

  get hello(): InitializeResult | undefined {
    return this.connection.hello;
  }

  get isClosed(): boolean {
    return this.connection.isClosed;
  }

  get isBusy(): boolean {
    return this.connection.isBusy || [...this.#members.values()].some((it) => it.unasked.isListened);
  }

  /** Sessions that use it. */
  get size(): number {
    return this.#members.size;
  }

  adopt(hello: InitializeResult): void {
    this.connection.adopt(hello);
  }

  memberOf(session: string): Member | undefined {
    return this.#members.get(session);
  }

  join(session: string, caller: string): Member {
    const known = this.#members.get(session);
    if (known) return known;
    const member = new Member(this, caller, () => this.leave(session));
    this.#members.set(session, member);
    return member;
  }

  /** The session ended. Only what the others want remains subscribed and set. */
  leave(session: string): void {
    const member = this.#members.get(session);
    if (!member) return;
    this.#members.delete(session);
    member.leave();
    if (this.isClosed) return;
    for (const id of this.questions.leave(member))
      this.#answer({
        jsonrpc: '2.0',
        id,
        error: { code: mcpErrors.internal, message: 'The session that was asked has ended.' },
      });
    for (const uri of this.subscribed.leave(member)) this.#request('resources/unsubscribe', { uri });
    this.levels.leave(member);
    const level = this.levels.take();
    if (level !== undefined) this.#request('logging/setLevel', { level });
  }

  async request(request: RpcRequest, options: RequestOptions): Promise<Reply> {
    const refused = this.refusalOf(request);
    if (refused) return refused;
    if (!ofSessions.has(request.method)) return this.connection.request(request, options);
    const message = `${request.method} requires a session. Send initialize first.`;
    return replyOf({ jsonrpc: '2.0', id: request.id, error: { code: mcpErrors.invalidRequest, message } });
  }

  /** The gateway does not know the owners of tasks, so callers that share a process cannot use them. */
  refusalOf({ id, method }: RpcRequest): Reply | undefined {
    if (!this.#deps.isForAll || !method.startsWith('tasks/')) return undefined;
    const message =
      'Tasks are not available because all keys share the process of this MCP server. Set stdio.share to "key" for this server.';
    return replyOf({ jsonrpc: '2.0', id, error: { code: mcpErrors.methodNotFound, message } });
  }

  send(message: RpcNotification | RpcResponse, options: RequestOptions): Promise<void> {
    return this.connection.send(message, options);
  }

  /** Callers without a session listen to nothing. */
  async listen(): Promise<undefined> {
    return undefined;
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** Goes to the only session with a call in progress. If no call is in progress, it goes to the only session. */
  #asked(request: RpcRequest): void {
    if (request.method === 'ping') {
      this.connection.refuse(request);
      return;
    }
    this.#deps.onQuestion();
    const { senders } = this.connection;
    const isUnclear = senders.size > 1 || (senders.size === 0 && this.#members.size > 1);
    if (isUnclear && this.#deps.isDefault) this.#hold(request);
    else if (isUnclear) this.#refuseUnclear(request);
    else this.#askOnly(request);
  }

  #askOnly(request: RpcRequest): void {
    const { senders } = this.connection;
    const [only] = senders.size > 0 ? senders : this.#members.values();
    if (!(only instanceof Member) || only.isClosed) this.connection.refuse(request);
    else this.#pass(only, eventOf({ kind: 'request', message: this.questions.ask(only, request) }));
  }

  #refuseUnclear(request: RpcRequest): void {
    const words = this.connection.senders.size > 1 ? severalWords : idleWords;
    this.connection.refuse(request, words, mcpErrors.internal);
  }

  /**
   * Sessions may share the process before the server first asks something. The call that caused the question waits for the
   * answer, so its session is the one whose call is still in progress after the calls of the others have ended.
   */
  #hold(request: RpcRequest): void {
    const stopLimit = this.#deps.timers.after(HELD_MS, () => {
      this.#held = this.#held.filter((it) => it.request !== request);
      this.#refuseUnclear(request);
    });
    this.#held = [...this.#held, { request, stopLimit }];
    this.#settle();
  }

  /** Sessions without a call in progress leave the process to the others. Their next call starts one of their own. */
  #settle(): void {
    if (this.#held.length === 0 || this.isClosed) return;
    const { senders } = this.connection;
    const [opener] = this.#members.values();
    const staying = senders.size > 0 ? senders : new Set([opener]);
    for (const [session, member] of this.#members) if (!staying.has(member)) this.leave(session);
    if (staying.size > 1) return;
    const held = this.#held;
    this.#held = [];
    for (const { request, stopLimit } of held) {
      stopLimit();
      this.#askOnly(request);
    }
  }

  #told(note: RpcNotification, event: StreamEvent): void {
    const { method, params } = note;
    if (method === 'notifications/cancelled') {
      const question = this.questions.cancel(params?.['requestId']);
      if (question) this.#pass(question.client, cancellation(note, question.own));
      return;
    }
    for (const it of this.#concerned(method, params))
      if (method !== 'notifications/message' || this.levels.isFor(it, params?.['level'])) this.#pass(it, event);
  }

  #concerned(method: string, params: RpcNotification['params']): Iterable<Member> {
    if (method.endsWith('/list_changed')) return this.#members.values();
    const uri = params?.['uri'];
    if (method === 'notifications/resources/updated') return typeof uri === 'string' ? this.subscribed.of(uri) : [];
    // It does not say whose call it is about, so it is passed on only if all sessions in question have the same caller.
    const { senders } = this.connection;
    const concerned = senders.size > 0 ? [...senders] : [...this.#members.values()];
    const members = concerned.filter((it) => it instanceof Member);
    const isOneCaller = members.length === concerned.length && new Set(members.map((it) => it.caller)).size === 1;
    return isOneCaller ? members : [];
  }

  #pass(member: Member, event: StreamEvent): void {
    member.unasked.pass(event, this.connection.newestOf(member));
  }

  #answer(message: RpcResponse): void {
    this.connection.send(message, this.#ownOptions()).catch(() => undefined); // the process may have ended
  }

  #request(method: string, params: Readonly<Record<string, unknown>>): void {
    const request: RpcRequest = { jsonrpc: '2.0', id: 'sb-merged', method, params };
    const sent = this.connection.request(request, this.#ownOptions());
    sent.catch(() => this.levels.refused()); // the next level is set again
  }

  #ownOptions(): { readonly outbound: Outbound; readonly signal: AbortSignal } {
    const { outbound, timers } = this.#deps;
    return { outbound, signal: timers.deadline(5_000) };
  }
}

const cancellation = (note: RpcNotification, requestId: RpcId): StreamEvent =>
  eventOf({ kind: 'notification', message: { ...note, params: { ...note.params, requestId } } });
