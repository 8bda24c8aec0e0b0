import { metaKeys, modernVersions } from '../../../sidecar/protocol/gateway/mcpWire.ts';
import type { Random } from '../../fuzz/random.ts';
import type { SimTime } from '../time.ts';
import type { CallerChecks } from './callerChecks.ts';
import type { Listener, ServerEvent } from './httpLine.ts';
import type { Rights } from './rights.ts';
import { ALL_SERVERS, idOf, SERVERS, serverOf, TOOLS } from './simBackends.ts';
import { type CallerSession, readMessage, type SimCall, type SimCaller } from './simCaller.ts';
import type { SimReplica } from './simReplica.ts';

export interface CallerActsDeps {
  readonly random: Random;
  readonly time: SimTime;
  readonly rights: Rights;
  readonly checks: CallerChecks;
  readonly callers: readonly SimCaller[];
  readonly upReplica: () => SimReplica | undefined;
  readonly count: (what: string) => void;
  readonly violation: (what: string) => void;
}

/** What callers do. */
export class CallerActs {
  readonly #deps: CallerActsDeps;
  readonly #checks: CallerChecks;

  constructor(deps: CallerActsDeps) {
    this.#deps = deps;
    this.#checks = deps.checks;
  }

  /** Begins a session. */
  begin(caller: SimCaller): string {
    const replica = this.#deps.upReplica();
    if (!replica) return 'nobody';
    const path = this.#deps.random.chance(0.6) ? ALL_SERVERS : `/mcp/${this.#deps.random.pick(SERVERS)}`;
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

  /** Calls a tool, which may or may not be allowed. */
  call(caller: SimCaller): string {
    const { random, rights } = this.#deps;
    const replica = this.#deps.upReplica();
    if (!replica) return 'nobody';
    const session = random.chance(0.7) && caller.sessions.length > 0 ? random.pick(caller.sessions) : undefined;
    const path = session?.path ?? (random.chance(0.5) ? ALL_SERVERS : `/mcp/${random.pick(SERVERS)}`);
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
    this.#checks.sending(call);
    caller.underWay.push(call);
    const name = path === ALL_SERVERS ? `${server}__${tool}` : tool;
    const isModern = session === undefined && random.chance(0.4);
    const meta = { progressToken: id, ...(isModern && modernMeta) };
    const params = { name, arguments: { mark: call.mark }, _meta: meta };
    const wasEnded = this.#checks.mustKnowEnd(session, replica);
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

  /** Usually a tool that may be called now. */
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
    const path = session?.path ?? ALL_SERVERS;
    const { token, name } = caller;
    const known = rights.knownTo(replica);
    const id = caller.nextId();
    const onEnd: Listener['onEnd'] = (head, text) => {
      if (head.status === 401)
        this.#checks.expect(rights.verdicts(token, idOf('alder'), 'read', known), 'nobody', `${name} got 401`);
      if (head.status !== 200 || text === '') return;
      for (const it of this.#checks.received(caller, text)) {
        const message = readMessage(it);
        if (message.id !== id) this.#deps.violation(`${name} got the list ${String(message.id)} instead of ${id}`);
        this.#checks.judgeList(name, token, path, known, message);
      }
    };
    const body = { jsonrpc: '2.0', id, method: 'tools/list' };
    caller.post(replica, path, body, { onEnd, onBroken: () => undefined }, sessionHeaders(session));
    return `${name} ${path} ${replica.name}`;
  }

  /** Resumes a call whose connection broke, at any replica. */
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

  /** Requests the events of another caller, in the caller's own session or in the other's. */
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
    const onEvent = ({ data }: ServerEvent) => void this.#checks.received(caller, data);
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

  /** Ends a session. The caller keeps its ID, and uses it again. */
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
        for (const it of this.#checks.received(caller, event.data)) this.#checks.event(call, readMessage(it));
      },
      onEnd: (head, text) => {
        if (head.status === 200 && text !== '')
          for (const it of this.#checks.received(caller, text)) this.#checks.answer(call, readMessage(it));
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

  #refusedAs(caller: SimCaller, call: SimCall, status: number): void {
    this.#deps.count(`status ${status}`);
    // Callers keep using sessions that no longer exist for a while.
    if (status === 404 && this.#deps.random.chance(0.4))
      caller.sessions = caller.sessions.filter((it) => it !== call.session);
    if (status === 401) this.#checks.judge(call, 'nobody', `${call.mark} was refused as nobody's`);
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
