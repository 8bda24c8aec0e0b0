/**
 * Runs `laps` in the order given, `width` of them at a time. One that fails does not stop the others.
 * @throws what the first of them threw, when all have ended
 */
export async function inLanes(laps: readonly (() => Promise<void>)[], width: number): Promise<void> {
  const waiting = [...laps];
  const thrown: unknown[] = [];
  const lane = async () => {
    for (let lap = waiting.shift(); lap; lap = waiting.shift()) await lap().catch((error) => void thrown.push(error));
  };
  await Promise.all(Array.from({ length: width }, lane));
  if (thrown.length > 0) throw thrown[0];
}

/** `items` in `count` runs of neighbours of about the same length; fewer where there are fewer items. */
export function inPieces<T>(items: readonly T[], count: number): readonly (readonly T[])[] {
  const pieces = Array.from({ length: count }, (_, i) =>
    items.slice(Math.round((i * items.length) / count), Math.round(((i + 1) * items.length) / count)),
  );
  return pieces.filter((it) => it.length > 0);
}

/** One of each in turn; what is left of the longer one comes last. */
export function inTurn<T>(some: readonly T[], others: readonly T[]): readonly T[] {
  const length = Math.max(some.length, others.length);
  return Array.from({ length }, (_, at) => [...some.slice(at, at + 1), ...others.slice(at, at + 1)]).flat();
}
