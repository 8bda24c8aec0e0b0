import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../support/sidecar.ts';
import { until } from '../../support/until.ts';
import { openBareNode, type Ready } from '../bareNode.ts';
import { type BenchHost, openHostWithSessions } from '../benchHost.ts';
import { ageMs, threadsMs } from '../gateway/processFigures.ts';
import { alternate, meanOfMost, median, type Row } from '../measure.ts';

const MANY = 10_000;
const FEW = 10;
/** The kernel reports the start of a process in steps of 10 ms. The mean of this many starts is more precise. */
const STARTS = 12;

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
      ...(await hostReady('host ready, cold', few, 'kept')),
      ...(await hostReady('host ready, the first start of a build', few, 'removed')),
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

/**
 * From the start of the host's process to the answered handshake, against a bare Node of its size, in turn.
 * @param code what an earlier host compiled: a host that ended in order left it, a new build finds none
 */
async function hostReady(name: string, host: BenchHost, code: 'kept' | 'removed'): Promise<readonly Row[]> {
  const { dataDir } = host.place;
  const bare = openBareNode(join(dataDir, 'host.db'));
  const ours: Ready[] = [];
  const theirs: Ready[] = [];
  // The first ones leave their code to the others, and are not counted.
  for (let run = 0; run <= STARTS; run += 1) {
    if (code === 'removed') rmSync(join(dataDir, 'compile-cache'), { recursive: true, force: true });
    const { sidecar } = await host.connect();
    const pid = host.place.host()?.pid ?? 0;
    ours.push({ ms: ageMs(pid), processorMs: threadsMs(pid) });
    sidecar.endInput();
    await host.place.run(['stop', '--force']);
    await until(`host ${pid} is gone`, () => !isAlive(pid));
    theirs.push(await bare.start(code));
  }
  bare.close();
  const counted = ours.slice(1);
  const means = (of: (it: Ready) => number) =>
    [counted, theirs.slice(1)].map((it) => meanOfMost(it.map(of))) as [number, number];
  const ratioOf = (of: (it: Ready) => number) => means(of)[0] / means(of)[1];
  const told = (of: (it: Ready) => number) =>
    means(of)
      .map((it) => `${it.toFixed(1)} ms`)
      .join(' against ');
  const times = `${told((it) => it.ms)}, of the processor ${told((it) => it.processorMs)}`;
  const detail = `from the start of its process to its first answer, ${times}`;
  const bareName = `${name}, against a bare Node with a bundle of its size and its database`;
  return [
    { name, value: means((it) => it.ms)[0], limit: 150, unit: 'ms', detail },
    { name: bareName, value: ratioOf((it) => it.ms), limit: 3, unit: 'ratio', detail },
    { name: `${bareName}, in processor time`, value: ratioOf((it) => it.processorMs), limit: 3, unit: 'ratio', detail },
  ];
}
