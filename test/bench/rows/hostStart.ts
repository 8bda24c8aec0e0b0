import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../support/sidecar.ts';
import { until } from '../../support/until.ts';
import { type BenchHost, openHostWithSessions } from '../benchHost.ts';
import { processorMs } from '../gateway/processFigures.ts';
import { alternate, median, type Row, RUNS } from '../measure.ts';

const MANY = 10_000;
const FEW = 10;

/** From nothing to an answered handshake and the first page of sessions, with many sessions against few. */
export async function hostStart(): Promise<readonly Row[]> {
  const [many, few] = [await openHostWithSessions(MANY), await openHostWithSessions(FEW)];
  try {
    const figures = await alternate(
      () => startMs(many),
      () => startMs(few),
    );
    const [slow, quick] = [median(figures.ours), median(figures.baseline)];
    return [
      {
        name: `host start with ${MANY} sessions, more than with ${FEW}`,
        value: slow - quick,
        limit: 100,
        unit: 'ms',
        detail: `${slow.toFixed(0)} ms against ${quick.toFixed(0)} ms, relay and launcher included`,
      },
      readyRow('host ready, cold', await hostReady(few, 'kept')),
      readyRow('host ready, the first start of a build', await hostReady(few, 'removed')),
    ];
  } finally {
    await many.close();
    await few.close();
  }
}

async function startMs(host: BenchHost): Promise<number> {
  const started = performance.now();
  const { peer, sidecar } = await host.connect();
  const { items } = (await peer.sendRequest('root/listSessions', { channel: 'host-root://', limit: 100 })) as {
    items: unknown[];
  };
  const figure = performance.now() - started;
  if (items.length === 0) throw new Error('no session is listed');
  sidecar.endInput();
  await host.place.killHost();
  return figure;
}

interface Ready {
  readonly ms: number;
  readonly processorMs: number;
}

/**
 * From the start of the host's process, as the kernel counts it (in steps of 10 ms), to the answered handshake.
 * @param code what an earlier host compiled: a host that ended in order left it, a new build finds none
 */
async function hostReady(host: BenchHost, code: 'kept' | 'removed'): Promise<Ready[]> {
  const figures: Ready[] = [];
  // The first one leaves its code to the others, and is not counted.
  for (let run = 0; run <= RUNS; run += 1) {
    if (code === 'removed') rmSync(join(host.place.dataDir, 'compile-cache'), { recursive: true, force: true });
    const { sidecar } = await host.connect();
    const pid = host.place.host()?.pid ?? 0;
    figures.push({ ms: ageMs(pid), processorMs: processorMs(pid) });
    sidecar.endInput();
    await host.place.run(['stop', '--force']);
    await until(`host ${pid} is gone`, () => !isAlive(pid));
  }
  return figures.slice(1);
}

function readyRow(name: string, figures: readonly Ready[]): Row {
  const spent = median(figures.map((it) => it.processorMs));
  const detail = `from the start of its process to its first answer, ${spent} ms of the processor`;
  return { name, value: median(figures.map((it) => it.ms)), limit: 150, unit: 'ms', detail };
}

function ageMs(pid: number): number {
  const upSeconds = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const startTicks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return upSeconds * 1_000 - startTicks * 10;
}
