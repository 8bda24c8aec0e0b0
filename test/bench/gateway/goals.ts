import { median, type Row } from '../measure.ts';
import type { Measured, RunFigures } from './target.ts';

/** What the gateway costs beside going direct, and how it does beside the others: of one concurrency. */
export function goalRows(all: readonly Measured[]): readonly Row[] {
  const [direct] = all.filter((it) => it.place.kind === 'direct');
  const [bare] = all.filter((it) => it.place.kind === 'bare');
  const [peer] = all.filter((it) => it.place.kind === 'peer').sort((a, b) => rateOf(b) - rateOf(a));
  if (!direct || !bare || !peer) throw new Error('there is nothing to compare with');
  return all
    .filter((it) => it.place.kind === 'gateway')
    .flatMap((ours) =>
      ours.concurrency === 1
        ? [delayRow(ours, direct)]
        : [rateRow(ours, peer, 'the best peer', 3), rateRow(ours, bare, 'a bare proxy', 0.6)],
    );
}

function delayRow(ours: Measured, direct: Measured): Row {
  const delays = pairs(ours, direct).map(([a, b]) => a.p50 - b.p50);
  const p50 = (it: Measured) => `${median(it.runs.map((run) => run.p50)).toFixed(2)} ms`;
  return {
    name: `tools/call, ${atOf(ours)}, p50 more than direct`,
    value: median(delays),
    limit: 1,
    unit: 'ms',
    detail: `${p50(ours)} against ${p50(direct)}`,
  };
}

function rateRow(ours: Measured, theirs: Measured, words: string, floor: number): Row {
  const ratios = pairs(ours, theirs).map(([a, b]) => a.perSecond / b.perSecond);
  const cost = (it: Measured) => `${(1_000 * median(it.runs.map((run) => run.processorMs))).toFixed(0)} µs`;
  const rates = `${rateOf(ours).toFixed(0)} calls/s against ${rateOf(theirs).toFixed(0)} of ${theirs.place.target.name}`;
  return {
    name: `calls a second, ${atOf(ours)}, against ${words}`,
    value: median(ratios),
    floor,
    unit: 'ratio',
    detail: `${rates}; ${cost(ours)} of its processor a call against ${cost(theirs)}`,
  };
}

/** Runs that were made one soon after the other: the machine was as busy during both. */
const pairs = (ours: Measured, theirs: Measured) =>
  ours.runs.flatMap((it, at): (readonly [RunFigures, RunFigures])[] => {
    const other = theirs.runs[at];
    return other ? [[it, other]] : [];
  });
const rateOf = (it: Measured) => median(it.runs.map((run) => run.perSecond));
const atOf = ({ place, concurrency }: Measured) => `${place.target.name}, ${concurrency} at a time`;
