import { hashKey } from '../../../sidecar/gateway/auth/keys.ts';
import { metaKeys, modernVersions } from '../../../sidecar/protocol/gateway/mcpWire.ts';
import type { Random } from '../../fuzz/random.ts';
import type { SimTime } from '../time.ts';
import type { Books } from './books.ts';
import type { Listener, ServerEvent } from './httpLine.ts';
import { KNOWN_MS, type Known, type Rights, type Verdict } from './rights.ts';
import { type Heard, SERVERS, TOOL_FAILED, TOOLS } from './simBackends.ts';
import { type CallerSession, type RpcMessage, readMessage, type SimCall, type SimCaller } from './simCaller.ts';
import type { SimReplica } from './simReplica.ts';

export interface CallerActsDeps {
  readonly random: Random;
  readonly time: SimTime;
  readonly rights: Rights;
  readonly books: Books;
  readonly callers: readonly SimCaller[];
  readonly upReplica: () => SimReplica | undefined;
  readonly count: (what: string) => void;
  readonly violation: (what: string) => void;
  /** What a caller is given instead of a message that came; for faults. */
  readonly received: ((caller: string, message: string, random: Random) => readonly string[]) | undefined;
}

const ALL = '/mcp';
const serverOf = (path: string) => (path === ALL ? undefined : path.slice('/mcp/'.length));
export const idOf = (server: string) => `id-${server}`;

/** What callers do, and what may come of it. */
export class CallerActs {
  readonly #deps: CallerActsDeps;
  readonly #calls = new Map<string, SimCall>();
  readonly #ran = new Set<string>();

  constructor(deps: CallerActsDeps) {
    this.#deps = deps;
  }

  /** A backend was called. */
  heard({ server, tool, mark }: Heard): void {
    const call = this.#calls.get(mark);
    if (!call || call.server !== server || call.tool !== tool)
      return this.#deps.violation(`${server} was called with ${mark} and ${tool}, which nobody sent to it`);
    if (this.#ran.has(mark)) this.#deps.violation(`call ${mark} ran twice`);
    this.#ran.add(mark);
    this.#judge(call, 'allowed', `call ${mark} of ${tool} reached ${server}`);
  }

  /** Begins a session. */
  begin(caller: SimCaller): string {
    const replica = this.#deps.upReplica();
    if (!replica) return 'nobody';
    const path = this.#deps.random.chance(0.6) ? ALL : `/mcp/${this.#deps.random.pick(SERVERS)}`;
    const { key } = caller;
    const clientInfo = { name: caller.name, version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const onEnd: Listener['onEnd'] = (head) => {
      const token = head.headers.get('mcp-session-id');
      if (head.status !== 200 || token === undefined || caller.key !== key) return;
      caller.sessions = [...caller.sessions.slice(-3), { token, path, key }];
      this.#deps.count('sessions');
    };
    const body = { jsonrpc: '2.0', id: caller.nextId(), method: 'initialize', params };
    caller.post(replica, path, body, { onEnd, onBroken: () => undefined });
    return `${caller.name} ${path} ${replica.name}`;
  }

  /** Calls any tool, whether it is allowed or not. */
  call(caller: SimCaller): string {
    const { random, rights } = this.#deps;
    const replica = this.#deps.upReplica();
    if (!replica) return 'nobody';
    const session = random.chance(0.7) && caller.sessions.length > 0 ? random.pick(caller.sessions) : undefined;
    const path = session?.path ?? (random.chance(0.5) ? ALL : `/mcp/${random.pick(SERVERS)}`);
    const { server, tool } = this.#toolAt(caller, path);
    const id = caller.nextId();
    const call: SimCall = {
      mark: caller.markOf(id),
      id,
      server,
      tool,
      key: caller.key,
      session,
      replica,
      known: rights.knownTo(replica),
      progress: 0,
      lastEventId: undefined,
      requestId: undefined,
      isCancelled: false,
    };
    this.#calls.set(call.mark, call);
    caller.underWay.push(call);
    const name = path === ALL ? `${server}__${tool}` : tool;
    const isModern = session === undefined && random.chance(0.4);
    const meta = { progressToken: id, ...(isModern && modernMeta) };
    const params = { name, arguments: { mark: call.mark }, _meta: meta };
    const wasEnded = this.#mustKnowEnd(session, replica);
    const listener = this.#listenerFor(caller, call);
    caller.post(
      replica,
      path,
      { jsonrpc: '2.0', id, method: 'tools/call', params },
      {
        ...listener,
        onHead: (head) => {
          call.requestId = head.headers.get('x-gateway-call-id');
          if (wasEnded && head.status === 200)
            this.#deps.violation(`${call.mark} was served in a session that had ended`);
        },
      },
      isModern ? modernHeaders(name) : sessionHeaders(session),
    );
    return `${call.mark} ${server} ${tool} ${replica.name}`;
  }

  /** Most often one that may be called now. */
  #toolAt({ token }: SimCaller, path: string): { readonly server: string; readonly tool: string } {
    const { random, rights } = this.#deps;
    const only = serverOf(path);
    const all = (only === undefined ? SERVERS : [only]).flatMap((server) => TOOLS.map((tool) => ({ server, tool })));
    const isOpen = ({ server, tool }: { server: string; tool: string }) =>
      rights.verdicts(token, idOf(server), tool, 'newest').has('allowed');
    const open = random.chance(0.7) ? all.filter(isOpen) : [];
    return random.pick(open.length > 0 ? open : all);
  }

  list(caller: SimCaller): string {
    const { random, rights } = this.#deps;
    const replica = this.#deps.upReplica();
    if (!replica) return 'nobody';
    const session = random.chance(0.5) && caller.sessions.length > 0 ? random.pick(caller.sessions) : undefined;
    const path = session?.path ?? ALL;
    const { token, name } = caller;
    const known = rights.knownTo(replica);
    const id = caller.nextId();
    const onEnd: Listener['onEnd'] = (head, text) => {
      if (head.status === 401)
        this.#expect(rights.verdicts(token, idOf('alder'), 'read', known), 'nobody', `${name} got 401`);
      if (head.status !== 200 || text === '') return;
      for (const it of this.#received(caller, text)) {
        const message = readMessage(it);
        if (message.id !== id) this.#deps.violation(`${name} got the list ${String(message.id)} instead of ${id}`);
        this.#judgeList(name, token, path, known, message);
      }
    };
    const body = { jsonrpc: '2.0', id, method: 'tools/list' };
    caller.post(replica, path, body, { onEnd, onBroken: () => undefined }, sessionHeaders(session));
    return `${name} ${path} ${replica.name}`;
  }

  /** Takes up a call again whose connection broke, at any replica. */
  resume(caller: SimCaller): string {
    const replica = this.#deps.upReplica();
    const call = caller.broken.shift();
    if (!replica || !call?.session || call.key !== caller.key) return 'nothing';
    const listener = this.#listenerFor(caller, call);
    caller.underWay.push(call);
    this.#deps.count('resumed');
    const headers = { accept: 'text/event-stream', 'last-event-id': call.lastEventId ?? '' };
    caller.send(
      replica,
      'GET',
      call.session.path,
      undefined,
      { ...listener, onEnd: () => this.#over(caller, call) },
      {
        ...headers,
        ...sessionHeaders(call.session),
      },
    );
    return `${call.mark} ${replica.name}`;
  }

  /** Asks for the events of somebody else, with a session of one's own or with theirs. */
  pry(caller: SimCaller): string {
    const { random, callers } = this.#deps;
    const replica = this.#deps.upReplica();
    const other = random.pick(callers.filter((it) => it !== caller));
    const call = other.underWay.findLast((it) => it.lastEventId !== undefined) ?? other.broken.at(-1);
    const session = random.chance(0.5)
      ? call?.session
      : caller.sessions.findLast((it) => it.path === call?.session?.path);
    if (!replica || call?.lastEventId === undefined || !session) return 'nothing';
    this.#deps.count('pried');
    const onEvent = ({ data }: ServerEvent) => void this.#received(caller, data);
    const onHead: Listener['onHead'] = (head) => {
      if (head.status === 200 && session.key !== caller.key)
        this.#deps.violation(`${caller.name} was let into a session of ${other.name}`);
    };
    const listener = { onHead, onEvent, onEnd: () => undefined, onBroken: () => undefined };
    const headers = { accept: 'text/event-stream', 'last-event-id': call.lastEventId };
    caller.send(replica, 'GET', session.path, undefined, listener, { ...headers, ...sessionHeaders(session) });
    return `${caller.name} ${call.mark} ${replica.name}`;
  }

  cancel(caller: SimCaller): string {
    const replica = this.#deps.upReplica();
    const call = caller.underWay.find((it) => it.session && !it.isCancelled);
    if (!replica || !call?.session || call.key !== caller.key) return 'nothing';
    call.isCancelled = true;
    this.#deps.count('cancelled');
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: call.id } };
    const listener = { onEnd: () => undefined, onBroken: () => undefined };
    caller.post(replica, call.session.path, body, listener, sessionHeaders(call.session));
    return `${call.mark} ${replica.name}`;
  }

  /** Ends a session. Its id is kept, and used again. */
  end(caller: SimCaller): string {
    const replica = this.#deps.upReplica();
    const session = caller.sessions.find((it) => !it.ended);
    if (!replica || !session) return 'nothing';
    const onEnd: Listener['onEnd'] = (head) => {
      if (head.status === 200) session.ended = { atMs: this.#deps.time.passedMs, by: replica };
    };
    const listener = { onEnd, onBroken: () => undefined };
    caller.send(replica, 'DELETE', session.path, undefined, listener, sessionHeaders(session));
    return `${caller.name} ${session.path} ${replica.name}`;
  }

  #listenerFor(caller: SimCaller, call: SimCall): Listener {
    return {
      onEvent: (event) => {
        if (event.id !== undefined) call.lastEventId = event.id;
        if (event.data === '') return;
        for (const it of this.#received(caller, event.data)) this.#event(call, readMessage(it));
      },
      onEnd: (head, text) => {
        if (head.status === 200 && text !== '')
          for (const it of this.#received(caller, text)) this.#answer(call, readMessage(it));
        else if (head.status !== 200) this.#refusedAs(caller, call, head.status);
        this.#over(caller, call);
      },
      onBroken: () => {
        if (!caller.underWay.includes(call)) return;
        this.#over(caller, call);
        if (call.lastEventId !== undefined) caller.broken = [...caller.broken.slice(-3), call];
      },
    };
  }

  #over(caller: SimCaller, call: SimCall): void {
    caller.underWay = caller.underWay.filter((it) => it !== call);
  }

  /** What a caller is given for a message. None of it may be of somebody else. */
  #received(caller: SimCaller, text: string): readonly string[] {
    const { received, random, violation } = this.#deps;
    const all = received?.(caller.name, text, random) ?? [text];
    for (const it of all) {
      const foreign = caller.foreign(it);
      if (foreign !== undefined) violation(`${caller.name} got what belongs to ${foreign}`);
    }
    return all;
  }

  #event(call: SimCall, message: RpcMessage): void {
    if (message.method === undefined) return this.#answer(call, message);
    if (message.method !== 'notifications/progress') return;
    const { progress, message: mark } = message.params ?? {};
    if (mark !== call.mark) this.#deps.violation(`${call.mark} got an event of ${String(mark)}`);
    if (progress !== call.progress + 1)
      this.#deps.violation(`${call.mark} got event ${String(progress)} after event ${call.progress}`);
    call.progress = Number(progress);
    this.#deps.count('events');
  }

  #answer(call: SimCall, message: RpcMessage): void {
    const { violation, books, count } = this.#deps;
    if (message.id !== call.id) return violation(`${call.mark} got the answer to ${String(message.id)}`);
    const { result, error } = message;
    const text = result?.content?.[0]?.text ?? error?.message ?? '';
    // What a tool says of itself is an answer like any other, and costs the same.
    const isSuccess = result !== undefined && (!result.isError || text === TOOL_FAILED);
    if (isSuccess && text !== call.mark && text !== TOOL_FAILED) violation(`${call.mark} got the answer “${text}”`);
    if (isSuccess && !this.#ran.has(call.mark)) violation(`${call.mark} was answered, and never ran`);
    if (/is not available/.test(text)) this.#judge(call, 'hidden', `call ${call.mark} of ${call.tool} was refused`);
    if (/budget/i.test(text)) count('over budget');
    if (!isSuccess && process.env['DBG']) console.log(text);
    count(isSuccess ? 'answered' : 'failed');
    // Where the messages of a call are gone, only its record says what came of it.
    books.answered(call, hashKey(call.key), /no longer has the messages/.test(text) ? undefined : isSuccess, text);
  }

  #refusedAs(caller: SimCaller, call: SimCall, status: number): void {
    this.#deps.count(`status ${status}`);
    // Sessions that are no more are tried a few times.
    if (status === 404 && this.#deps.random.chance(0.4))
      caller.sessions = caller.sessions.filter((it) => it !== call.session);
    if (status === 401) this.#judge(call, 'nobody', `${call.mark} was refused as nobody's`);
  }

  #judge(call: SimCall, verdict: Verdict, what: string): void {
    const { rights } = this.#deps;
    this.#expect(rights.verdicts(hashKey(call.key), idOf(call.server), call.tool, call.known), verdict, what);
  }
  #expect(possible: ReadonlySet<Verdict>, verdict: Verdict, what: string): void {
    if (!possible.has(verdict)) this.#deps.violation(`${what}, though it could only be ${[...possible].join(' or ')}`);
  }

  /** Each tool is there exactly where a call of it could be allowed. */
  #judgeList(name: string, token: string, path: string, known: Known, { result }: RpcMessage): void {
    if (!result?.tools) return;
    const { rights, count } = this.#deps;
    const listed = new Set(result.tools.map((it) => it.name));
    const missing = JSON.stringify(result._meta ?? {});
    count('lists');
    const only = serverOf(path);
    for (const server of only === undefined ? SERVERS : [only])
      for (const tool of TOOLS) {
        const isListed = listed.has(only === undefined ? `${server}__${tool}` : tool);
        if (!isListed && missing.includes(server)) continue;
        const possible = rights.verdicts(token, idOf(server), tool, known);
        const what = `${name} was ${isListed ? '' : 'not '}shown ${tool} of ${server}`;
        this.#expect(possible, isListed ? 'allowed' : 'hidden', what);
      }
  }

  #mustKnowEnd(session: CallerSession | undefined, replica: SimReplica): boolean {
    if (!session?.ended) return false;
    const nowMs = this.#deps.time.passedMs;
    const { atMs, by } = session.ended;
    const follows = !replica.link.isCut && nowMs - replica.reachesSinceMs >= KNOWN_MS && nowMs - atMs >= KNOWN_MS;
    return by === replica || follows;
  }
}

/** A request of the modern era introduces its client itself (MCP 2026-07-28). */
const [modernVersion] = modernVersions;
const modernMeta = { [metaKeys.protocolVersion]: modernVersion, [metaKeys.clientCapabilities]: {} };
const modernHeaders = (name: string): Record<string, string> => ({
  'mcp-protocol-version': modernVersion,
  'mcp-method': 'tools/call',
  'mcp-name': name,
});
const sessionHeaders = (session: CallerSession | undefined): Record<string, string> =>
  session ? { 'mcp-session-id': session.token } : {};
