import { hashKey } from '../../../sidecar/gateway/auth/keys.ts';
import type { Random } from '../../fuzz/random.ts';
import type { SimTime } from '../time.ts';
import type { Books } from './books.ts';
import { KNOWN_MS, type Known, type Rights, type Verdict } from './rights.ts';
import { type Heard, idOf, SERVERS, serverOf, TOOL_FAILED, TOOLS } from './simBackends.ts';
import type { CallerSession, RpcMessage, SimCall, SimCaller } from './simCaller.ts';
import type { SimReplica } from './simReplica.ts';

export interface CallerChecksDeps {
  readonly random: Random;
  readonly time: SimTime;
  readonly rights: Rights;
  readonly books: Books;
  readonly count: (what: string) => void;
  readonly violation: (what: string) => void;
  /** What a caller gets instead of a message. For faults. */
  readonly received: ((caller: string, message: string, random: Random) => readonly string[]) | undefined;
}

/** Checks what callers and backends get. */
export class CallerChecks {
  readonly #deps: CallerChecksDeps;
  readonly #calls = new Map<string, SimCall>();
  readonly #ran = new Set<string>();

  constructor(deps: CallerChecksDeps) {
    this.#deps = deps;
  }

  /** A caller is about to send a call. */
  sending(call: SimCall): void {
    this.#calls.set(call.mark, call);
  }

  /** A backend was called. */
  heard({ server, tool, mark }: Heard): void {
    const call = this.#calls.get(mark);
    if (!call || call.server !== server || call.tool !== tool)
      return this.#deps.violation(`${server} was called with ${mark} and ${tool}, which no caller sent`);
    if (this.#ran.has(mark)) this.#deps.violation(`call ${mark} ran twice`);
    this.#ran.add(mark);
    this.judge(call, 'allowed', `call ${mark} of ${tool} reached ${server}`);
  }

  /** The messages that a caller gets. None of them may belong to another caller. */
  received(caller: SimCaller, text: string): readonly string[] {
    const { received, random, violation } = this.#deps;
    const all = received?.(caller.name, text, random) ?? [text];
    for (const it of all) {
      const foreign = caller.foreign(it);
      if (foreign !== undefined) violation(`${caller.name} got a message of call ${foreign}`);
    }
    return all;
  }

  /** A message of a call's stream. */
  event(call: SimCall, message: RpcMessage): void {
    if (message.method === undefined) return this.answer(call, message);
    if (message.method !== 'notifications/progress') return;
    const { progress, message: mark } = message.params ?? {};
    if (mark !== call.mark) this.#deps.violation(`${call.mark} got an event of ${String(mark)}`);
    if (progress !== call.progress + 1)
      this.#deps.violation(`${call.mark} got event ${String(progress)} after event ${call.progress}`);
    call.progress = Number(progress);
    this.#deps.count('events');
  }

  /** The answer to a call. */
  answer(call: SimCall, message: RpcMessage): void {
    const { violation, books, count } = this.#deps;
    if (message.id !== call.id) return violation(`${call.mark} got the answer to ${String(message.id)}`);
    const { result, error } = message;
    const text = result?.content?.[0]?.text ?? error?.message ?? '';
    // A failure that a tool reports is an answer like any other, and costs the same.
    const isSuccess = result !== undefined && (!result.isError || text === TOOL_FAILED);
    if (isSuccess && text !== call.mark && text !== TOOL_FAILED) violation(`${call.mark} got the answer “${text}”`);
    if (isSuccess && !this.#ran.has(call.mark)) violation(`${call.mark} was answered, but never ran`);
    if (/is not available/.test(text)) this.judge(call, 'hidden', `call ${call.mark} of ${call.tool} was refused`);
    if (/budget/i.test(text)) count('over budget');
    count(isSuccess ? 'answered' : 'failed');
    // If the messages of a call are gone, only its record shows the result.
    books.answered(call, hashKey(call.key), /no longer has the messages/.test(text) ? undefined : isSuccess, text);
  }

  /** A call had a result that only one verdict allows. */
  judge(call: SimCall, verdict: Verdict, what: string): void {
    const { rights } = this.#deps;
    this.expect(rights.verdicts(hashKey(call.key), idOf(call.server), call.tool, call.known), verdict, what);
  }

  expect(possible: ReadonlySet<Verdict>, verdict: Verdict, what: string): void {
    if (!possible.has(verdict)) this.#deps.violation(`${what}, but could only be ${[...possible].join(' or ')}`);
  }

  /** A tool is listed exactly if a call of it could be allowed. */
  judgeList(name: string, token: string, path: string, known: Known, { result }: RpcMessage): void {
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
        this.expect(possible, isListed ? 'allowed' : 'hidden', what);
      }
  }

  /** Whether a replica must know that a session has ended. */
  mustKnowEnd(session: CallerSession | undefined, replica: SimReplica): boolean {
    if (!session?.ended) return false;
    const nowMs = this.#deps.time.passedMs;
    const { atMs, by } = session.ended;
    const follows = !replica.link.isCut && nowMs - replica.reachesSinceMs >= KNOWN_MS && nowMs - atMs >= KNOWN_MS;
    return by === replica || follows;
  }
}
