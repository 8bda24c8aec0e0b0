import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type BenchGateway, startGateway } from '../gateway/benchGateway.ts';
import { benchConfig, callersOf } from '../gateway/callers.ts';
import { startChild } from '../gateway/child.ts';
import { goalRows } from '../gateway/goals.ts';
import { startPeers } from '../gateway/peers.ts';
import { processorMs, residentMb } from '../gateway/processFigures.ts';
import type { CallFigures, CallsOrder, Measured, Place, RunFigures } from '../gateway/target.ts';
import { median, type Row } from '../measure.ts';

const CALLS = 4_000;
const PAIRS = 7;
/** The others are only looked at where calls come at once. */
const PEER_PAIRS = 3;
/** Longer than records of calls wait to be written: what they cost belongs to the run that made them. */
const SETTLED_MS = 800;

/**
 * `tools/call` through the gateway, so many at a time, each run right after one of a bare proxy, and against what others have.
 * Processor time is that of all threads.
 */
export async function gatewayCalls(concurrency: number): Promise<readonly Row[]> {
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
    const peers = concurrency === 1 ? [] : await startPeers(`${backend.url}/mcp`, open);
    const plain = { road: 'streamable', headers: {}, tool: 'echo' } as const;
    const bare: Place = {
      kind: 'bare',
      target: { name: 'bare proxy', url: `${proxy.url}/mcp`, ...plain },
      pid: proxy.pid,
    };
    const places: readonly Place[] = [
      ...(await callersOf(gateway)).map((target) => ({ kind: 'gateway' as const, target, pid: gateway.pid })),
      ...peers.map(({ target, pid }) => ({ kind: 'peer' as const, target, pid })),
    ];
    let made = 0;
    let handshakes = 0;
    let looks = 0;
    const heard = () => backend.ask<Heard>({});
    const run = async ({ kind, target, pid }: Place, atATime: number): Promise<RunFigures> => {
      const heardBefore = await heard();
      const before = processorMs(pid);
      const figures = await client.ask<CallFigures>({
        target,
        concurrency: atATime,
        calls: CALLS,
      } satisfies CallsOrder);
      await wait(SETTLED_MS);
      const spent = (processorMs(pid) - before) / CALLS;
      if (kind === 'gateway') {
        made += CALLS;
        let shaken = handshakesIn(heardBefore, await heard());
        // A look may be under way: it has shaken hands, and its list comes in a moment.
        if (shaken.forCalls > 0) {
          await wait(SETTLED_MS);
          shaken = handshakesIn(heardBefore, await heard());
        }
        handshakes += shaken.forCalls;
        looks += shaken.looks;
      }
      return { ...figures, processorMs: spent };
    };
    for (const it of [bare, ...places]) for (let count = 0; count < 2; count += 1) await run(it, 16);
    handshakes = 0;
    looks = 0;

    const all = places.map((place) => ({ place, concurrency, runs: [] as RunFigures[], bare: [] as RunFigures[] }));
    for (let pair = 0; pair < PAIRS; pair += 1)
      for (const it of all) {
        if (it.place.kind === 'peer' && pair >= PEER_PAIRS) continue;
        it.bare.push(await run(bare, concurrency));
        it.runs.push(await run(it.place, concurrency));
      }
    const measured: readonly Measured[] = all.map((it) => ({ ...it, residentMb: residentMb(it.place.pid) }));
    return [
      ...measured.map(figuresRow),
      ...goalRows(measured),
      {
        name: `handshakes with the server during all these calls, ${concurrency} at a time`,
        value: handshakes,
        limit: 0,
        unit: 'handshakes',
        detail: `${made} calls through the gateway, and ${looks} looks at how the server is, which are not calls`,
      },
      await recordsRow(gateway, made),
    ];
  } finally {
    for (const it of opened.toReversed()) await it.close();
  }
}

/** What the server was asked, by method; handshakes by who introduced themselves. */
type Heard = Readonly<Record<string, number>>;

/**
 * Handshakes of callers' sessions, and those of the gateway's own. Once a minute it looks how its servers are: that shakes
 * hands and lists the tools, which no call here does, so that what it shakes beyond its lists was for calls.
 */
function handshakesIn(before: Heard, after: Heard): { readonly forCalls: number; readonly looks: number } {
  const more = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
  const looks = more('tools/list');
  const ofGateway = more('initialize of switchboard');
  return { forCalls: more('initialize of bench') + Math.max(0, ofGateway - looks), looks };
}

/** Each call has left one line in the log, and nothing else has. */
async function recordsRow(gateway: BenchGateway, made: number): Promise<Row> {
  const query = new URLSearchParams({ model: 'MCP: echo', page_size: '1' });
  const { total } = await gateway.ask<{ total: number }>('GET', `/spend/logs/v2?${query}`);
  const proxy = readFileSync(join(import.meta.dirname, '../gateway/bareProxy.child.ts'));
  const hash = createHash('sha256').update(proxy).digest('hex');
  return {
    name: 'calls without a line in the log, or with two',
    value: Math.abs(total - made),
    limit: 0,
    unit: 'calls',
    detail: `${total} lines of ${made} calls; the bare proxy is sha256 ${hash}`,
  };
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
