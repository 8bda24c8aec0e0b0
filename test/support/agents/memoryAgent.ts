import { PassThrough, Writable } from 'node:stream';
import type { AcpAgent } from '../../../sidecar/agents/acp/wellKnown.ts';
import type { LeashedChild } from '../../../sidecar/platform/children/children.ts';

type Json = Record<string, unknown>;
type Answer = object | ((params: Json) => unknown);

export const memoryAcpAgent: AcpAgent = {
  id: 'memory',
  displayName: 'Memory',
  command: process.execPath,
  args: [],
  env: [],
};

/**
 * An agent that speaks the Agent Client Protocol in this process. What it answers is set by method: a value, a function whose
 * value may be a promise, or an `Error` with a code. A method without an answer stays open.
 */
export class MemoryAgent {
  /** What it was sent, in order: `<method> <JSON of the params that are asked for>`. */
  readonly received: { readonly method: string; readonly params: Json }[] = [];
  readonly answers: Record<string, Answer> = {
    initialize: { protocolVersion: 1, agentCapabilities: {} },
    'session/new': { sessionId: 'fresh' },
  };
  /** What it was answered, by id. */
  readonly answered = new Map<number, Json>();
  stops = 0;
  readonly #stdout = new PassThrough();
  #end: (how: { code: number; signal: null }) => void = () => undefined;
  #requests = 0;
  readonly child: LeashedChild;

  constructor() {
    const exited = new Promise<{ code: number; signal: null }>((resolve) => void (this.#end = resolve));
    const stdin = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        for (const line of chunk.toString().split('\n').filter(Boolean)) void this.#receive(JSON.parse(line) as Json);
        done();
      },
    });
    this.child = {
      pid: 1,
      stdin,
      stdout: this.#stdout,
      exited,
      stderrTail: () => 'last words',
      stop: async () => {
        this.stops += 1;
        this.exit(0);
      },
    };
  }

  methods(): string[] {
    return this.received.map((it) => it.method);
  }
  update(update: Json): void {
    this.#send({ method: 'session/update', params: { sessionId: 'fresh', update } });
  }
  /** @returns its id, by which the answer is found */
  ask(method: string, params: Json): number {
    this.#requests += 1;
    this.#send({ id: this.#requests, method, params });
    return this.#requests;
  }
  exit(code: number): void {
    this.#stdout.end();
    this.#end({ code, signal: null });
  }

  async #receive({ id, method, params = {}, ...more }: Json): Promise<void> {
    if (typeof method !== 'string') return void this.answered.set(id as number, more);
    this.received.push({ method, params: params as Json });
    const answer = this.answers[method];
    if (id === undefined || answer === undefined) return;
    try {
      const result: unknown =
        typeof answer === 'function' ? await (answer as (it: Json) => unknown)(params as Json) : answer;
      this.#send({ id, result });
    } catch (thrown) {
      const { code = -32603, message } = thrown as { code?: number; message: string };
      this.#send({ id, error: { code, message } });
    }
  }
  #send(message: Json): void {
    this.#stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
