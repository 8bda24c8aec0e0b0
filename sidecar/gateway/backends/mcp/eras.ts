import type { Runtime } from '../../../platform/runtime.ts';
import { legacyVersions } from '../../../protocol/gateway/mcpWire.ts';
import { discover, isModern, nobody } from './bridge/discovery.ts';
import type { McpConnections } from './connections.ts';
import { BackendFailure } from './failure.ts';
import type { ConnectionKey } from './opening/openConnection.ts';
import type { McpBackend, McpTarget, Outbound } from './types.ts';

const knownForMs = 10 * 60_000;
const probeMs = 5_000;

/** Which of the two eras a server speaks: asked once with `server/discover`, then remembered for ten minutes. */
export class Eras {
  readonly #connections: McpConnections;
  readonly #runtime: Pick<Runtime, 'clock' | 'timers' | 'newId'>;
  readonly #known = new Map<string, { readonly versions: readonly string[]; readonly untilMs: number }>();
  readonly #asking = new Map<string, Promise<readonly string[]>>();

  constructor(connections: McpConnections, runtime: Pick<Runtime, 'clock' | 'timers' | 'newId'>) {
    this.#connections = connections;
    this.#runtime = runtime;
  }

  /** @throws {BackendFailure} when the server cannot be reached: then nothing is known */
  async speaksModern(target: McpTarget, outbound: Outbound): Promise<boolean> {
    return (await this.versionsOf(target, outbound)).some(isModern);
  }

  /** The versions that the server and the gateway both speak. @throws {BackendFailure} as above */
  async versionsOf(target: McpTarget, outbound: Outbound): Promise<readonly string[]> {
    if (target.transport === 'sse') return legacyVersions;
    const known = this.#known.get(target.server_id);
    if (known && this.#runtime.clock.monotonicMs() < known.untilMs) return known.versions;
    const asking = this.#asking.get(target.server_id) ?? this.#ask(target, outbound);
    this.#asking.set(target.server_id, asking);
    try {
      const versions = await asking;
      const untilMs = this.#runtime.clock.monotonicMs() + knownForMs;
      if (this.#asking.get(target.server_id) === asking) this.#known.set(target.server_id, { versions, untilMs });
      return versions;
    } finally {
      if (this.#asking.get(target.server_id) === asking) this.#asking.delete(target.server_id);
    }
  }

  /** A registration changed: what is being asked is about the one of before. */
  forget(serverId: string): void {
    this.#known.delete(serverId);
    this.#asking.delete(serverId);
  }

  async #ask(target: McpTarget, outbound: Outbound): Promise<readonly string[]> {
    const { timers, newId } = this.#runtime;
    const key: ConnectionKey = { target, era: 'modern', outbound, session: undefined };
    const slow = timers.deadline(probeMs);
    let backend: McpBackend | undefined;
    try {
      backend = await this.#connections.acquire(key, () => ({ introduction: nobody, announces: false }));
      const found = await discover(backend, target, newId(), { outbound, signal: slow });
      if (found) return found.versions;
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure) || !indicatesLegacy(thrown, target)) throw thrown;
    }
    if (backend) await this.#connections.discard(key, backend);
    return legacyVersions;
  }
}

/** A legacy server answers 4xx without JSON-RPC over HTTP; over stdio it may end, or stay silent. */
function indicatesLegacy(failure: BackendFailure, target: McpTarget): boolean {
  if (target.transport === 'stdio') return failure.kind !== 'not_allowed' && failure.kind !== 'unreachable';
  const { kind, status = 0 } = failure;
  return kind === 'status' && status >= 400 && status < 500 && status !== 401 && status !== 403;
}
