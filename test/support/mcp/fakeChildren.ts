import { PassThrough } from 'node:stream';
import { type ConnectionsDeps, McpConnections } from '../../../sidecar/gateway/backends/mcp/connections.ts';
import type { Children, ExitStatus, LeashedChild, SpawnRequest } from '../../../sidecar/platform/children/children.ts';
import { systemClock } from '../../../sidecar/platform/clock.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';

/** A program that answers `initialize`, and of everything else only keeps what it received. */
export interface FakeChild {
  readonly request: SpawnRequest;
  readonly lines: string[];
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  /** It was asked to end. */
  isStopped: boolean;
  print(message: object): void;
  exit(): void;
}

export interface FakeChildren {
  readonly children: Children;
  readonly started: FakeChild[];
  /** What the next start fails with. */
  refuse: Error | undefined;
  /** Whether programs answer `initialize`. */
  answers: boolean;
}

/** Starts no process: for what the gateway does with programs, and not what they do. */
export function fakeChildren(): FakeChildren {
  const started: FakeChild[] = [];
  const fake: FakeChildren = {
    started,
    refuse: undefined,
    answers: true,
    children: {
      spawn: async (request) => {
        if (fake.refuse) throw fake.refuse;
        const { child, leashed } = fakeChild(request, () => fake.answers);
        started.push(child);
        return leashed;
      },
      openPty: () => Promise.reject(new Error('nobody opens a terminal here')),
      list: () => [],
      stopAll: () => Promise.resolve(),
    },
  };
  return fake;
}

function fakeChild(request: SpawnRequest, answers: () => boolean): { child: FakeChild; leashed: LeashedChild } {
  let exit: (status: ExitStatus) => void = () => undefined;
  const exited = new Promise<ExitStatus>((resolve) => {
    exit = resolve;
  });
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const child: FakeChild = {
    request,
    lines: [],
    stdin,
    stdout,
    isStopped: false,
    print: (message) => void stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    exit: () => exit({ code: 1, signal: null }),
  };
  stdin.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n').filter(Boolean)) {
      child.lines.push(line);
      const { id, method } = JSON.parse(line) as { id?: unknown; method?: string };
      const result = { protocolVersion: '2025-11-25', capabilities: {} };
      if (method === 'initialize' && answers()) child.print({ id, result });
    }
  });
  const stop = async () => {
    child.isStopped = true;
    child.exit();
  };
  return { child, leashed: { pid: 1, stdin, stdout, exited, stderrTail: () => '', stop } };
}

/** Connections whose programs are these, at a time that the test sets. */
export function connectionsOf(
  { children }: FakeChildren,
  monotonicMs: () => number,
  more: Partial<ConnectionsDeps> = {},
): McpConnections {
  let ids = 0;
  return new McpConnections({
    children,
    stdio: { isTrusted: true, allowedCommands: [process.execPath], env: process.env },
    clock: { ...systemClock, monotonicMs },
    timers: systemTimers,
    newId: () => `id-${(ids += 1)}`,
    ...more,
  });
}
