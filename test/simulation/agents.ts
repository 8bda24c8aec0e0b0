import type { AgentProvider, AgentSession, TurnEvent, TurnHost } from '../../sidecar/agents/provider.ts';
import { Fault } from '../../sidecar/platform/faults.ts';
import type { Random } from '../fuzz/random.ts';

interface Gate {
  readonly open: () => void;
}

/** Two agents that say something each time a step lets them. */
export class SimAgents {
  readonly providers: readonly AgentProvider[];
  readonly #random: Random;
  #gates: Gate[] = [];
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
    this.providers = [this.#provider('amber', false), this.#provider('birch', true)];
  }

  /** How many wait to go on. */
  get waiting(): number {
    return this.#gates.length;
  }
  letOne(): void {
    const gate = this.#random.pick(this.#gates);
    this.#gates = this.#gates.filter((it) => it !== gate);
    gate.open();
  }
  /** Their host is gone. */
  forget(): void {
    this.#gates = [];
  }

  #provider(id: string, steers: boolean): AgentProvider {
    const session: AgentSession = {
      options: { models: [], properties: [], commands: [] },
      run: (_turn, host, signal) => this.#play(host, signal),
      onOptions: () => () => undefined,
      onGone: () => () => undefined,
      ...(steers && { steer: async () => this.#random.chance(0.7) }),
      close: async () => undefined,
    };
    return {
      id,
      displayName: id,
      description: 'Does what the seed says.',
      open: async (_context, signal) => {
        await this.#gate(signal);
        if (this.#random.chance(0.03)) throw new Fault('unavailable', 'the agent did not start');
        return session;
      },
    };
  }

  async *#play(host: TurnHost, signal: AbortSignal): AsyncIterable<TurnEvent> {
    const most = 1 + this.#random.below(8);
    for (let n = 0; n < most; n += 1) {
      await this.#gate(signal);
      yield* this.#event(host, signal);
    }
    await this.#gate(signal);
    if (this.#random.chance(0.1)) throw new Fault('unavailable', 'the model is not there');
  }

  async *#event(host: TurnHost, signal: AbortSignal): AsyncIterable<TurnEvent> {
    this.#count += 1;
    const n = this.#count;
    const random = this.#random;
    const kind = random.below(10);
    if (kind < 4) yield { kind: 'text', partId: `p${random.below(2)}`, text: `<${n}>` };
    else if (kind === 4) yield { kind: 'reasoning', partId: 'r', text: `<${n}>` };
    else if (kind === 5) yield { kind: 'notice', markdown: `note ${n}` };
    else if (kind === 6) yield { kind: 'usage', inputTokens: n, outputTokens: random.below(100) };
    else if (kind === 7) await ask(host, n);
    else yield* this.#tool(host, signal, `call-${n}`);
  }

  async *#tool(host: TurnHost, signal: AbortSignal, toolCallId: string): AsyncIterable<TurnEvent> {
    const facts = {
      toolCallId,
      kind: this.#random.chance(0.5) ? 'shell' : 'other',
      invocationMessage: 'Make',
      toolInput: 'make',
      command: 'make',
      paths: [],
    } as const;
    yield { kind: 'toolStarted', toolCallId, toolName: 'make', displayName: 'Make' };
    let success = true;
    if (this.#random.chance(0.6)) success = (await host.confirm(facts)).allow;
    else yield { kind: 'toolRunning', facts };
    for (let n = this.#random.below(3); success && n > 0; n -= 1) {
      await this.#gate(signal);
      yield { kind: 'toolContent', toolCallId, content: [{ kind: 'text', text: `line ${n}` }] };
    }
    yield { kind: 'toolEnded', toolCallId, success, pastTenseMessage: 'Made', content: [] };
  }

  #gate(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const gate = {
        open: () => {
          signal.removeEventListener('abort', aborted);
          resolve();
        },
      };
      const aborted = () => {
        this.#gates = this.#gates.filter((it) => it !== gate);
        reject(signal.reason as Error);
      };
      if (signal.aborted) reject(signal.reason as Error);
      else {
        signal.addEventListener('abort', aborted, { once: true });
        this.#gates.push(gate);
      }
    });
  }
}

async function ask(host: TurnHost, n: number): Promise<void> {
  await host.ask({ id: `q${n}`, message: 'Which?', questions: [{ id: 'a', kind: 'text', message: 'Name it' }] });
}
