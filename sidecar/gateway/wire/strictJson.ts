import { parseExactly } from './numbers.ts';
import { type Ambiguity, type ScanLimits, scan } from './scan.ts';

/** A JSON text that every reader reads alike, as far as names and structure go. */
export interface Read {
  readonly value: unknown;
  /** Some numbers in it are kept as they are spelled: see {@link parseExactly}. */
  readonly hasOddNumbers: boolean;
}
export type Strict = Read | { readonly refused: Ambiguity | 'no JSON' };

/** Reads a text that somebody else may read after us. */
export function readStrict(text: string, limits: ScanLimits): Strict {
  const { ambiguity, hasOddNumbers } = scan(text, limits);
  // Too deep is refused before it is built.
  if (ambiguity?.kind === 'depth') return { refused: ambiguity };
  try {
    const value: unknown = hasOddNumbers && !ambiguity ? parseExactly(text) : JSON.parse(text);
    return ambiguity ? { refused: ambiguity } : { value, hasOddNumbers };
  } catch {
    return { refused: 'no JSON' };
  }
}

export function ambiguityWords({ kind, path }: Ambiguity): string {
  switch (kind) {
    case 'repeated':
      return `the member '${path}' appears more than once`;
    case 'depth':
      return 'nested too deeply';
    case 'number':
      return `the number '${path}' is too large`;
  }
}
