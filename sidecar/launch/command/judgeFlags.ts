import type { LaunchFailure } from '../failure.ts';
import type { Flag, wordsOf } from './flags.ts';
import { nearest } from './nearest.ts';

export interface Judging<F extends string> {
  readonly known: Readonly<Record<F, Flag>>;
  /** Those of `known` that are taken here. */
  readonly taken: readonly F[];
  /** The name of the role or command that takes them. Absent: nobody was named, so every known flag passes. */
  readonly of?: string;
  /** Makes what is thrown. */
  readonly fail: (sentence: string) => LaunchFailure;
}

/**
 * The values of flags, each of which is taken.
 * @throws {LaunchFailure} `usage`, naming the flag that is wrong
 */
export function judgeFlags<F extends string>(
  tokens: ReturnType<typeof wordsOf>,
  { known, taken, of, fail }: Judging<F>,
): Map<F, string[]> {
  const values = new Map<F, string[]>();
  const isKnown = (name: string): name is F => Object.hasOwn(known, name);
  for (const it of tokens) {
    if (it.kind !== 'option') continue;
    const { name, rawName, value } = it;
    if (!isKnown(name)) throw fail(`Unknown flag ${rawName}.${meant(name, taken, '--')}`);
    if (!taken.includes(name) && of !== undefined)
      throw fail(`"${of}" does not accept ${rawName}.${meant(name, taken, '--')}`);
    const { value: word, multiple } = known[name];
    if (word === undefined) {
      if (value !== undefined) throw fail(`${rawName} does not accept a value.`);
      continue;
    }
    // A flag is no value of another one; a value that begins with "-" is written behind "=".
    if (value === undefined || value === '' || (!it.inlineValue && /^-./.test(value)))
      throw fail(`${rawName} requires a value: ${rawName} ${word}.`);
    const before = values.get(name) ?? [];
    if (before.length > 0 && !multiple) throw fail(`${rawName} appears more than once.`);
    values.set(name, [...before, value]);
  }
  return values;
}

/** A hint at the known word that a person may have meant; empty where none is like it. */
export function meant(word: string, known: readonly string[], before = ''): string {
  const near = nearest(word, known);
  return near === undefined ? '' : ` Did you mean ${before}${near}?`;
}
