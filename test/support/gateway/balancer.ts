import { setTimeout as wait } from 'node:timers/promises';
import { RawClient } from '../mcp/rawClient.ts';

/** One call as its caller saw it. Times are steps of one count, so they order what one caller saw. */
export interface SeenCall {
  readonly target: string;
  readonly key: string;
  readonly sentAt: number;
  readonly endedAt: number;
  /** Absent where the connection broke: the call failed at its caller. */
  readonly answer?: {
    readonly status: number;
    /** Names its line in the log. */
    readonly id: string;
    /** Of the tool. */
    readonly text: string | undefined;
  };
}

/** A caller reads an answer before it calls again. Without it, the callers would take the processor from those that restart. */
const betweenMs = 25;

/** Spreads calls over replicas as a load balancer does: in turn, over those that it knows to serve. */
export interface Balancer {
  readonly calls: SeenCall[];
  /** Who refused a connection while calls were still sent there. */
  readonly refused: string[];
  add(name: string, baseUrl: string): void;
  /** Sends it no more calls: what somebody says who restarts it. */
  remove(name: string): void;
  /** The names of those that get calls now. */
  targets(): readonly string[];
  /** Calls with all workers until {@link close}. */
  run(workers: number, keys: readonly string[]): void;
  /** @returns when the last call has ended */
  close(): Promise<void>;
}

/**
 * @param path of an MCP address with a tool `echo`
 * @param asksHealth drops those whose `/healthz` does not answer 200; else nobody ever asks for the health
 */
export function openBalancer(path: string, asksHealth = true): Balancer {
  const targets = new Map<string, string>();
  const calls: SeenCall[] = [];
  const refused: string[] = [];
  const running: Promise<void>[] = [];
  let isOver = false;
  let step = 0;
  let turn = 0;

  async function call(key: string): Promise<void> {
    const names = [...targets.keys()];
    const target = names[(turn += 1) % names.length];
    const base = target && targets.get(target);
    if (!target || !base) throw new Error('no replica serves');
    const sentAt = (step += 1);
    try {
      const client = new RawClient(`${base}${path}`, { authorization: `Bearer ${key}` });
      const words = { name: 'echo', arguments: { text: `call ${sentAt}` } };
      const { status, headers, json } = await client.modern('tools/call', words);
      const answer = { status, id: headers.get('x-gateway-call-id') ?? '', text: json.result?.content?.[0]?.text };
      calls.push({ target, key, sentAt, endedAt: (step += 1), answer });
    } catch (thrown) {
      if (codeOf(thrown) === 'ECONNREFUSED') {
        if (targets.delete(target)) refused.push(target); // nothing was sent: the next one gets it
        return;
      }
      calls.push({ target, key, sentAt, endedAt: (step += 1) });
    }
  }

  async function watch(): Promise<void> {
    while (!isOver) {
      for (const [name, base] of targets) {
        const status = await fetch(`${base}/healthz`).then(
          (it) => it.text().then(() => it.status),
          () => 0,
        );
        if (status !== 200 && targets.get(name) === base) targets.delete(name);
      }
      await wait(25);
    }
  }

  return {
    calls,
    refused,
    add: (name, baseUrl) => void targets.set(name, baseUrl),
    remove: (name) => void targets.delete(name),
    targets: () => [...targets.keys()],
    run(workers, keys) {
      if (asksHealth) running.push(watch());
      for (let n = 0; n < workers; n += 1) {
        const key = keys[n % keys.length] ?? '';
        const work = async () => {
          while (!isOver) {
            await call(key);
            await wait(betweenMs);
          }
        };
        running.push(work());
      }
    },
    async close() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && thrown.cause instanceof Error && 'code' in thrown.cause ? thrown.cause.code : undefined;
