/** The known word that is spelled most like the given one, or `undefined` where none is like it. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((it) => ({ it, distance: it.startsWith(word) || word.startsWith(it) ? 1 : distance(word, it) }))
    .filter((found) => found.distance <= Math.max(2, Math.floor(found.it.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.it;
}

/** Letters that are put in, left out or changed from one word to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
