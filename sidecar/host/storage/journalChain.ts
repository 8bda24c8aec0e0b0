import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';

/**
 * A checksum of everything that was made durable so far, in lines and in transactions. Each line begins with the checksum that
 * includes it, and the rows store the checksum at their state. A line therefore counts only if nothing before it is missing:
 * a file system may keep later writes and lose earlier ones.
 */
export type Chain = number;

const DIGITS = 8;
const EMPTY = `${'0'.repeat(DIGITS)} `;
const ZERO = 0x30;
const LETTER = 0x61 - 10;

/** The checksum after a line's text, or after the text that stands for a transaction. */
export const chainAfter = (before: Chain, text: string): Chain => crc32(`${EMPTY}${text}\n`, before);

/** @param texts without line feeds @returns a line for each, and the checksum after the last one */
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

/** Written digit by digit, because building it as text would copy each line. */
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
 * @returns its text and its checksum; lines of version 0.1.0 have no checksum
 */
export function fromLine(line: string): { readonly text: string; readonly chain?: Chain } {
  const [, chain, text] = /^([0-9a-f]{8}) (.*)$/s.exec(line) ?? [];
  return chain === undefined || text === undefined ? { text: line } : { text, chain: Number.parseInt(chain, 16) };
}
