import { readFileSync } from 'node:fs';
import { type BenchHost, openHostWithSessions } from '../benchHost.ts';
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
      {
        name: 'host ready, cold',
        value: median(await hostReadyMs(few)),
        limit: 150,
        unit: 'ms',
        detail: 'from the start of its process to its first answer',
      },
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

/** From the start of the host's process, as the kernel counts it (in steps of 10 ms), to the answered handshake. */
async function hostReadyMs(host: BenchHost): Promise<number[]> {
  const figures: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const { sidecar } = await host.connect();
    figures.push(ageMs(host.place.host()?.pid ?? 0));
    sidecar.endInput();
    await host.place.killHost();
  }
  return figures;
}

function ageMs(pid: number): number {
  const upSeconds = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const startTicks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return upSeconds * 1_000 - startTicks * 10;
}
