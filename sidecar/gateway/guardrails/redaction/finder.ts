/** Where something was found in a text: from `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds one kind of value. The finds come in order and without overlap, in time linear to the text: no pattern nests
 * repetitions, and a match from each start is bounded in length (`security.deep-json`).
 */
export type Finder = (text: string) => readonly Span[];

/** @param pattern global */
export function byPattern(pattern: RegExp, isMeant: (match: string) => boolean = () => true): Finder {
  return (text) => {
    const spans: Span[] = [];
    for (const match of text.matchAll(pattern)) {
      if (isMeant(match[0])) spans.push({ start: match.index, end: match.index + match[0].length });
    }
    return spans;
  };
}

/**
 * For things with a length or checksum of their own, which a pattern alone cannot tell.
 * @param starts global; where one may begin
 * @param endOf where the one at this place ends, or `undefined` where there is none
 */
export function byReading(starts: RegExp, endOf: (text: string, start: number) => number | undefined): Finder {
  return (text) => {
    const spans: Span[] = [];
    for (const { index } of text.matchAll(starts)) {
      if (index < (spans.at(-1)?.end ?? 0)) continue;
      const end = endOf(text, index);
      if (end !== undefined) spans.push({ start: index, end });
    }
    return spans;
  };
}
