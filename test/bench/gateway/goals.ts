import { median, type Row } from '../measure.ts';
import type { Measured, RunFigures } from './target.ts';

/** What the gateway costs beside a bare proxy, and how it does beside what others have: of one concurrency. */
export function goalRows(all: readonly Measured[]): readonly Row[] {
  const peers = all.filter((it) => it.place.kind === 'peer');
  return all
    .filter((it) => it.place.kind === 'gateway')
    .flatMap((ours) =>
      ours.concurrency === 1
        ? delayRows(ours)
        : [costRow(ours), bareRateRow(ours), ...peers.map((peer) => peerRow(ours, peer))],
    );
}

function costRow(ours: Measured): Row {
  return {
    name: `processor time of a call, ${atOf(ours)}, against a bare proxy`,
    value: ratio(ours, 'processorMs'),
    limit: 1.3,
    unit: 'ratio',
    detail: `${micros(ours.runs)} against ${micros(ours.bare)}`,
  };
}

function bareRateRow(ours: Measured): Row {
  return {
    name: `calls a second, ${atOf(ours)}, against a bare proxy`,
    value: ratio(ours, 'perSecond'),
    floor: 0.85,
    unit: 'ratio',
    detail: `${rateOf(ours.runs)} against ${rateOf(ours.bare)}`,
  };
}

/** Both stand beside runs of the bare proxy, so that they are compared by how they do beside that. */
function peerRow(ours: Measured, peer: Measured): Row {
  return {
    name: `calls a second, ${atOf(ours)}, against ${peer.place.target.name}`,
    value: ratio(ours, 'perSecond') / ratio(peer, 'perSecond'),
    floor: 1,
    unit: 'ratio',
    detail: `${rateOf(ours.runs)} against ${rateOf(peer.runs)}; ${micros(ours.runs)} against ${micros(peer.runs)}`,
  };
}

function delayRows(ours: Measured): readonly Row[] {
  const more = median(pairs(ours).map(([it, bare]) => it.p50 - bare.p50));
  const ms = (runs: readonly RunFigures[], name: 'p50' | 'p99') =>
    `${median(runs.map((it) => it[name])).toFixed(2)} ms`;
  return [
    {
      name: `p50 of a call, ${atOf(ours)}, more than a bare proxy's`,
      value: more,
      limit: 0.3,
      unit: 'ms',
      detail: `${ms(ours.runs, 'p50')} against ${ms(ours.bare, 'p50')}`,
    },
    {
      name: `p99 of a call, ${atOf(ours)}, against a bare proxy`,
      value: ratio(ours, 'p99'),
      limit: 1.5,
      unit: 'ratio',
      detail: `${ms(ours.runs, 'p99')} against ${ms(ours.bare, 'p99')}`,
    },
  ];
}

/** Runs that were made one right after the other: the machine was as busy during both. */
const pairs = ({ runs, bare }: Measured) =>
  runs.flatMap((it, at): (readonly [RunFigures, RunFigures])[] => {
    const other = bare[at];
    return other ? [[it, other]] : [];
  });
const ratio = (it: Measured, name: keyof RunFigures) =>
  median(pairs(it).map(([one, other]) => one[name] / other[name]));
const rateOf = (runs: readonly RunFigures[]) => `${median(runs.map((it) => it.perSecond)).toFixed(0)} calls/s`;
const micros = (runs: readonly RunFigures[]) =>
  `${(1_000 * median(runs.map((it) => it.processorMs))).toFixed(0)} µs of processor a call`;
const atOf = ({ place, concurrency }: Measured) => `${place.target.name}, ${concurrency} at a time`;
