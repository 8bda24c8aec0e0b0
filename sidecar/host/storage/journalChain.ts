import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';

/**
 * What stands for all that was made durable so far, lines and transactions alike: a checksum. A line begins with the one that
 * it leads to, and the rows have the one that they are at. So a line counts only where nothing before it is missing: a file
 * system may keep what was written later, and lose what was written before.
 */
export type Chain = number;

const DIGITS = 8;
const EMPTY = `${'0'.repeat(DIGITS)} `;
const ZERO = 0x30;
const LETTER = 0x61 - 10;

/** Leads on by a text: that of a line, or of what a transaction stands for. */
export const chainAfter = (before: Chain, text: string): Chain => crc32(`${EMPTY}${text}\n`, before);

/** @param texts without line feeds @returns a line for each, and where the last one leads to */
export function toLines(texts: readonly string[], before: Chain): { readonly bytes: Buffer; readonly chain: Chain } {
  let chain = before;
  const lines = texts.map((text) => {
    const line = Buffer.from(`${EMPTY}${text}\n`);
    chain = crc32(line, chain);
    putDigits(line, chain);
    return line;
  });
  return { bytes: lines.length === 1 ? lines[0]! : Buffer.concat(lines), chain };
}

/** Digit by digit: as text it would make each line twice. */
function putDigits(line: Buffer, value: number): void {
  let rest = value;
  for (let at = DIGITS - 1; at >= 0; at -= 1) {
    const digit = rest & 0xf;
    line[at] = digit + (digit < 10 ? ZERO : LETTER);
    rest >>>= 4;
  }
}

/**
 * @param line without its line feed
 * @returns its text, and where it says that it leads to: nothing of that in lines of version 0.1.0, which are their text alone
 */
export function fromLine(line: string): { readonly text: string; readonly chain?: Chain } {
  const [, chain, text] = /^([0-9a-f]{8}) (.*)$/s.exec(line) ?? [];
  return chain === undefined || text === undefined ? { text: line } : { text, chain: Number.parseInt(chain, 16) };
}
