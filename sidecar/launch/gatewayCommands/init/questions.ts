import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Asks on `output` and reads lines from `input`, which may be a person or a script. */
export interface Questions {
  /** @returns what was typed, without spaces around it; `''` at the end of the input */
  ask(question: string): Promise<string>;
  close(): void;
}

/** A script writes all of its answers at once: each line waits for its question. */
export function openQuestions(input: Readable, output: Writable): Questions {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const answers = lines[Symbol.asyncIterator]();
  return {
    async ask(question) {
      output.write(question);
      const { value, done } = await answers.next();
      // A script's answer is not echoed, so the line of the question has not ended.
      if (!('isTTY' in input)) output.write('\n');
      return done ? '' : value.trim();
    },
    close: () => lines.close(),
  };
}
