/** A test as `-g` finds it. */
export interface Titled {
  /** With the titles of what it stands in. */
  readonly full: string;
  /** What `it` was given. */
  readonly own: string;
  /** From the project's folder. */
  readonly file: string;
}

/** What is wrong with titles as sentences that `-g` finds, as far as that can be counted. */
export function faultsOf(titles: readonly Titled[]): readonly string[] {
  const files = new Map<string, string[]>();
  for (const { full, file } of titles) files.set(full, [...(files.get(full) ?? []), file]);
  const twice = [...files].filter(([, in_]) => in_.length > 1);
  return [
    ...twice.map(([full, in_]) => `${full}: ${in_.length} tests have this title, in ${[...new Set(in_)].join(', ')}`),
    ...titles.filter(({ full }) => words(full) < 4).map(({ full, file }) => `${full}: this is no sentence, in ${file}`),
    ...titles
      .filter(({ own }) => words(own) < 2)
      .map(({ full, own, file }) => `${full}: "${own}" does not say what is true, in ${file}`),
  ];
}

const words = (text: string) => text.split(/\s+/).filter((it) => /\p{L}|\d/u.test(it)).length;
