/** Something that the product promises. */
export interface Promised {
  /** The document and its section. */
  readonly source: string;
  /** What holds, in our words. */
  readonly fact: string;
}

/** The promises of one section, by id. */
export function promisedBy<Id extends string>(
  source: string,
  facts: Readonly<Record<Id, string>>,
): Readonly<Record<Id, Promised>> {
  const all = Object.entries<string>(facts).map(([id, fact]) => [id, { source, fact }]);
  return Object.fromEntries(all) as Record<Id, Promised>;
}
