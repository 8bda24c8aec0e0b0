export interface Lap {
  /** A kind that {@link Lanes.atOnce} may name. */
  readonly kind?: string;
  run(): Promise<void>;
}

export interface Lanes {
  /** How many laps run at a time. */
  readonly width: number;
  /** How many of a kind run at a time. */
  readonly atOnce?: Readonly<Record<string, number>>;
  /** Watches the machine until all laps have ended, and calls `begin` when one more lap may run. Returns what stops it. */
  watch?(begin: () => void): () => void;
  /** The most laps that run at a time, including those that `begin` started. */
  readonly most?: number;
}

/**
 * Runs `laps` in the order given, except that one waits while too many of its kind run. One that fails does not stop the others.
 * @throws what the first of them threw, when all have ended
 */
export function inLanes(laps: readonly Lap[], lanes: Lanes): Promise<void> {
  const { width, atOnce = {}, most = width } = lanes;
  const waiting = [...laps];
  const running: Lap[] = [];
  const thrown: unknown[] = [];
  return new Promise((resolve, reject) => {
    const hasRoom = ({ kind = '' }: Lap) => running.filter((it) => it.kind === kind).length < (atOnce[kind] ?? most);
    const begin = (limit: number) => {
      while (running.length < limit) {
        const at = waiting.findIndex(hasRoom);
        const [lap] = at < 0 ? [] : waiting.splice(at, 1);
        if (!lap) return;
        running.push(lap);
        void lap
          .run()
          .catch((error: unknown) => void thrown.push(error))
          .then(() => ended(lap));
      }
    };
    const ended = (lap: Lap) => {
      running.splice(running.indexOf(lap), 1);
      begin(width);
      finish();
    };
    const finish = () => {
      if (running.length > 0) return;
      unwatch?.();
      if (thrown.length > 0) reject(thrown[0] as Error);
      else resolve();
    };
    begin(width);
    const unwatch = lanes.watch?.(() => begin(Math.min(running.length + 1, most)));
    finish();
  });
}

/** `items` in `count` runs of neighbours of about the same length; fewer where there are fewer items. */
export function inPieces<T>(items: readonly T[], count: number): readonly (readonly T[])[] {
  const pieces = Array.from({ length: count }, (_, i) =>
    items.slice(Math.round((i * items.length) / count), Math.round(((i + 1) * items.length) / count)),
  );
  return pieces.filter((it) => it.length > 0);
}

/** Two of `some` and one of `others` in turn. What is left of either comes last. */
export function twoToOne<T>(some: readonly T[], others: readonly T[]): readonly T[] {
  const length = Math.max(Math.ceil(some.length / 2), others.length);
  return Array.from({ length }, (_, at) => [...some.slice(2 * at, 2 * at + 2), ...others.slice(at, at + 1)]).flat();
}
