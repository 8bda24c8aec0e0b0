import { startGateway } from '../gateway/benchGateway.ts';
import { benchConfig, callersOf } from '../gateway/callers.ts';
import { startChild } from '../gateway/child.ts';
import { goalRows } from '../gateway/goals.ts';
import { startPeers } from '../gateway/peers.ts';
import { processorMs, residentMb } from '../gateway/processFigures.ts';
import type { CallFigures, CallsOrder, Measured, Place, RunFigures } from '../gateway/target.ts';
import { median, type Row, RUNS } from '../measure.ts';

const CONCURRENCIES = [1, 16, 64];
const CALLS = 1_000;

/** `tools/call` through the gateway, against the same server direct, a bare proxy and what others have. */
export async function gatewayCalls(): Promise<readonly Row[]> {
  const opened: { close(): Promise<void> }[] = [];
  const open = <T extends { close(): Promise<void> }>(it: T) => {
    opened.push(it);
    return it;
  };
  try {
    const backend = open(await startChild('backend'));
    const proxy = open(await startChild('bareProxy', backend.url));
    const client = open(await startChild('client'));
    const gateway = open(await startGateway(benchConfig(backend.url)));
    const peers = await startPeers(`${backend.url}/mcp`, open);
    const plain = { road: 'streamable', headers: {}, tool: 'echo' } as const;
    const places: readonly Place[] = [
      { kind: 'direct', target: { name: 'direct', url: `${backend.url}/mcp`, ...plain }, pid: backend.pid },
      { kind: 'bare', target: { name: 'bare proxy', url: `${proxy.url}/mcp`, ...plain }, pid: proxy.pid },
      ...(await callersOf(gateway)).map((target) => ({ kind: 'gateway' as const, target, pid: gateway.pid })),
      ...peers.map(({ target, pid }) => ({ kind: 'peer' as const, target, pid })),
    ];
    const run = async ({ target, pid }: Place, concurrency: number): Promise<RunFigures> => {
      const before = processorMs(pid);
      const figures = await client.ask<CallFigures>({ target, concurrency, calls: CALLS } satisfies CallsOrder);
      return { ...figures, processorMs: (processorMs(pid) - before) / CALLS };
    };
    for (const it of places) for (let count = 0; count < 3; count += 1) await run(it, 16);

    const { initialize: before } = await backend.ask<{ initialize: number }>({});
    const measured: Measured[] = [];
    for (const concurrency of CONCURRENCIES) {
      const all = places.map((place) => ({ place, concurrency, runs: [] as RunFigures[] }));
      for (let count = 0; count < RUNS; count += 1)
        for (const { place, runs } of all) runs.push(await run(place, concurrency));
      measured.push(...all.map((it) => ({ ...it, residentMb: residentMb(it.place.pid) })));
    }
    const { initialize: after } = await backend.ask<{ initialize: number }>({});
    return [
      ...measured.map(figuresRow),
      ...CONCURRENCIES.flatMap((it) => goalRows(measured.filter(({ concurrency }) => concurrency === it))),
      {
        name: 'handshakes with the server during all these calls',
        value: after - before,
        limit: 0,
        unit: 'handshakes',
        detail: `${measured.length * RUNS * CALLS} calls`,
      },
    ];
  } finally {
    for (const it of opened.toReversed()) await it.close();
  }
}

function figuresRow({ place, concurrency, runs, residentMb }: Measured): Row {
  const of = (name: keyof RunFigures) => median(runs.map((it) => it[name]));
  const rate = `${of('perSecond').toFixed(0)} calls/s`;
  const cost = `${(of('processorMs') * 1_000).toFixed(0)} µs of its processor a call`;
  return {
    name: `tools/call, ${place.target.name}, ${concurrency} at a time`,
    value: of('p50'),
    unit: 'ms',
    detail: `p50; p99 ${of('p99').toFixed(2)} ms, ${rate}, ${cost}, ${residentMb.toFixed(0)} MB resident`,
  };
}
