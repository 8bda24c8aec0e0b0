import type { Runtime } from '../../../../platform/runtime.ts';
import type { CircuitBreakerSettings, RetrySettings } from '../../../../protocol/gateway/resilience.ts';
import { BackendFailure, circuitOpen } from '../failure.ts';
import { Circuit, type CircuitView, type Probe } from './circuit.ts';
import { isFailure, isWorthRetrying, pauseMs, RetryBudget } from './retries.ts';

/** What is read of a server's registration. */
export interface ResilientServer {
  readonly server_id: string;
  readonly updated_at?: string | null | undefined;
  readonly retry?: RetrySettings | null | undefined;
  readonly circuit_breaker?: CircuitBreakerSettings | null | undefined;
}

export interface Asking<T> {
  /** Of the server, in messages. */
  readonly name: string;
  /** The same request may run twice. */
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal;
  /** Whether an answer says that the server failed. */
  readonly hasFailed?: (answer: T) => boolean;
}

/** What one server's settings hold here, for as long as its registration stays the same. */
interface Kept {
  readonly version: string;
  /** In the log. */
  name: string;
  readonly circuit: Circuit | undefined;
  readonly budget: RetryBudget | undefined;
  readonly repeatable: Set<string>;
  retries: number;
  refused: number;
}

/** The state of one server at this replica. */
export interface ServerResilience {
  readonly circuit: CircuitView | undefined;
  /** Since the registration was changed last. */
  readonly retries: number;
  readonly refused: number;
}

export type ResilienceDeps = Pick<Runtime, 'clock' | 'timers' | 'random' | 'log'>;

const MAX_TOOLS = 10_000;
const nobody: Probe = () => undefined;

/** Repeats requests that may be repeated, and keeps them from servers that fail. Each replica counts by itself. */
export class Resilience {
  readonly #deps: ResilienceDeps;
  readonly #servers = new Map<string, Kept>();

  constructor(deps: ResilienceDeps) {
    this.#deps = deps;
  }

  /**
   * @param attempt one try. It is handed what to tell of its end where that comes after its answer, as with a stream; until
   *   then, an answer counts as the end.
   * @throws {BackendFailure} `circuit_open` before anything is sent; otherwise what the last try threw
   */
  async run<T>(server: ResilientServer, asking: Asking<T>, attempt: (later: () => Probe) => Promise<T>): Promise<T> {
    const kept = this.#of(server);
    kept.name = asking.name;
    kept.budget?.earn();
    for (let tries = 1; ; tries += 1) {
      const probe = this.#enter(kept, asking.name);
      let isLater = false;
      const later = () => {
        isLater = true;
        return probe;
      };
      const mayRetry = () => tries < (server.retry?.attempts ?? 1) && !asking.signal.aborted;
      try {
        const answer = await attempt(later);
        const hasFailed = asking.hasFailed?.(answer) ?? false;
        if (!isLater) probe(hasFailed ? 'failed' : 'reached');
        if (!hasFailed || !asking.isRepeatable || !mayRetry() || !kept.budget?.take()) return answer;
      } catch (thrown) {
        probe(endOf(thrown, asking.signal));
        const isWorthIt = thrown instanceof BackendFailure && isWorthRetrying(thrown, asking.isRepeatable);
        if (!isWorthIt || !mayRetry() || !kept.budget?.take()) throw thrown;
        if (!(await this.#pause(server, tries, asking.signal))) throw thrown;
        kept.retries += 1;
        continue;
      }
      if (!(await this.#pause(server, tries, asking.signal))) throw asking.signal.reason;
      kept.retries += 1;
    }
  }

  /** A server listed tools: those that may be called twice are remembered. */
  note(server: ResilientServer, tools: readonly Readonly<Record<string, unknown>>[]): void {
    const { repeatable } = this.#of(server);
    for (const { name, annotations } of tools) {
      if (typeof name !== 'string') continue;
      if (isHarmless(annotations) && repeatable.size < MAX_TOOLS) repeatable.add(name);
      else repeatable.delete(name);
    }
  }

  /** False also where nobody has listed the tool yet. */
  mayRepeat(server: ResilientServer, tool: string): boolean {
    return this.#of(server).repeatable.has(tool);
  }

  /** By server ID. */
  states(): ReadonlyMap<string, ServerResilience> {
    return new Map(
      [...this.#servers].map(([id, { circuit, retries, refused }]) => [
        id,
        { circuit: circuit?.view(), retries, refused },
      ]),
    );
  }

  /** A registration was changed or removed. */
  forget(serverId: string): void {
    this.#servers.delete(serverId);
  }

  #enter(kept: Kept, name: string): Probe {
    const entered = kept.circuit?.enter() ?? nobody;
    if (typeof entered === 'function') return entered;
    kept.refused += 1;
    throw circuitOpen(name, entered);
  }

  /** Once for each change, so that requests that are refused meanwhile need not be in the log. */
  #changed(server: string, isOpen: boolean): void {
    const { log } = this.#deps;
    if (isOpen) log.warn({ server }, 'The circuit of an MCP server opened because too many requests failed.');
    else log.info({ server }, 'The circuit of an MCP server closed, because it responds again.');
  }

  /** @returns false where the caller left meanwhile */
  async #pause({ retry }: ResilientServer, tries: number, signal: AbortSignal): Promise<boolean> {
    const [chance = 0] = this.#deps.random(1);
    try {
      await this.#deps.timers.wait(pauseMs(retry ?? {}, tries, chance / 255), signal);
      return true;
    } catch (thrown) {
      if (signal.aborted) return false;
      throw thrown;
    }
  }

  #of(server: ResilientServer): Kept {
    const version = server.updated_at ?? '';
    const found = this.#servers.get(server.server_id);
    if (found?.version === version) return found;
    const { retry, circuit_breaker: breaker } = server;
    const kept: Kept = {
      version,
      name: server.server_id,
      circuit:
        breaker && (breaker.failures || breaker.failure_percent)
          ? new Circuit(breaker, this.#deps.clock, (isOpen) => this.#changed(kept.name, isOpen))
          : undefined,
      budget: retry?.attempts ? new RetryBudget(retry) : undefined,
      repeatable: new Set(),
      retries: 0,
      refused: 0,
    };
    this.#servers.set(server.server_id, kept);
    return kept;
  }
}

/** What a thrown value says of the server. Whoever threw anything else did not ask it, or got an answer. */
function endOf(thrown: unknown, caller: AbortSignal): Parameters<Probe>[0] {
  if (!(thrown instanceof BackendFailure)) return 'abandoned';
  if (isFailure(thrown)) return 'failed';
  // Nobody left: the time for the answer was over.
  if (thrown.kind === 'cancelled' && !caller.aborted) return 'failed';
  return thrown.kind === 'status' ? 'reached' : 'abandoned';
}

/** The hints of a tool (MCP, `ToolAnnotations`) that allow a second call. */
function isHarmless(annotations: unknown): boolean {
  if (typeof annotations !== 'object' || annotations === null) return false;
  const { idempotentHint, readOnlyHint } = annotations as Readonly<Record<string, unknown>>;
  return idempotentHint === true || readOnlyHint === true;
}
