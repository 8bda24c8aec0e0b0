/** A turn has so long after its abort. */
const LIMIT_MS = 5_000;

/** Rejects where `work` goes on for longer than 5 s after the abort, however long the machine took to get there. */
export function settlesInTime<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const begin = () => {
      limit = setTimeout(() => reject(new Error(`it went on for ${LIMIT_MS} ms after its abort`)), LIMIT_MS);
    };
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true });
  });
  return Promise.race([work, late]).finally(() => clearTimeout(limit));
}
