import { damaged } from './entryPath.ts';

const BLOCK_MAGIC = 0x314159265359;
const END_MAGIC = 0x177245385090;
/** More than a packed block can take: with so much at hand, one is read without waiting. */
const MOST_PACKED_BLOCK = 2_000_000;
const GROUP = 50;
const MOST_CODE_BITS = 20;

const crcTable = Uint32Array.from({ length: 256 }, (_, at) => {
  let crc = at << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});

/** What a bzip2 stream holds, a block at a time; several streams one after the other are one. @throws {Fault} where it is damaged */
export async function* bunzip2(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const bits = new BitReader(source);
  do {
    await bits.fill();
    if (bits.take(24) !== 0x425a68) throw damaged(); // "BZh"
    const level = bits.take(8) - 0x30;
    if (level < 1 || level > 9) throw damaged();
    let sum = 0;
    for (;;) {
      await bits.fill();
      const magic = bits.take(24) * 2 ** 24 + bits.take(24);
      const crc = bits.take(32);
      if (magic === END_MAGIC && crc === sum) break;
      if (magic !== BLOCK_MAGIC) throw damaged();
      sum = (((sum << 1) | (sum >>> 31)) ^ crc) >>> 0;
      yield blockOf(bits, level * 100_000, crc);
    }
    bits.align();
    await bits.fill();
  } while (!bits.isOver);
}

class BitReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #bit = 0;
  #hasEnded = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async fill(): Promise<void> {
    const pieces: Uint8Array[] = [this.#bytes.subarray(this.#at)];
    let size = this.#bytes.length - this.#at;
    if (size >= MOST_PACKED_BLOCK || this.#hasEnded) return;
    while (size < MOST_PACKED_BLOCK && !this.#hasEnded) {
      const { value, done } = await this.#source.next();
      if (done === true) this.#hasEnded = true;
      else {
        pieces.push(value);
        size += value.length;
      }
    }
    this.#bytes = Buffer.concat(pieces);
    this.#at = 0;
  }

  get isOver(): boolean {
    return this.#at >= this.#bytes.length;
  }

  take(count: number): number {
    let value = 0;
    for (let left = count; left > 0; ) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw damaged();
      const used = Math.min(left, 8 - this.#bit);
      value = value * 2 ** used + ((byte >> (8 - this.#bit - used)) & ((1 << used) - 1));
      this.#bit += used;
      left -= used;
      if (this.#bit === 8) {
        this.#bit = 0;
        this.#at += 1;
      }
    }
    return value;
  }

  bit(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw damaged();
    const bit = (byte >> (7 - this.#bit)) & 1;
    this.#bit = (this.#bit + 1) & 7;
    if (this.#bit === 0) this.#at += 1;
    return bit;
  }

  align(): void {
    if (this.#bit === 0) return;
    this.#bit = 0;
    this.#at += 1;
  }
}

/** One prefix code: for each length the first code, and where its symbols begin. */
interface Code {
  readonly limits: Int32Array;
  readonly bases: Int32Array;
  readonly symbols: Uint16Array;
}

function blockOf(bits: BitReader, most: number, crc: number): Uint8Array {
  if (bits.bit() !== 0) throw damaged(); // randomized blocks have not been written since 1999
  const origin = bits.take(24);
  const used = symbolsUsed(bits);
  const codes = bits.take(3);
  const selectors = selectorsOf(bits, codes);
  const tables = Array.from({ length: codes }, () => codeOf(bits, used.length + 2));
  const { last, counts, length } = transformed(bits, { used, selectors, tables, most });
  if (origin >= length) throw damaged();
  return restored(last.subarray(0, length), { counts, origin, crc });
}

function symbolsUsed(bits: BitReader): readonly number[] {
  const groups = bits.take(16);
  const used: number[] = [];
  for (let group = 0; group < 16; group += 1) {
    if ((groups & (0x8000 >> group)) === 0) continue;
    const members = bits.take(16);
    for (let it = 0; it < 16; it += 1) if ((members & (0x8000 >> it)) !== 0) used.push(group * 16 + it);
  }
  if (used.length === 0) throw damaged();
  return used;
}

function selectorsOf(bits: BitReader, codes: number): readonly number[] {
  const count = bits.take(15);
  if (codes < 2 || codes > 6 || count === 0) throw damaged();
  const order = [0, 1, 2, 3, 4, 5].slice(0, codes);
  return Array.from({ length: count }, () => {
    let at = 0;
    while (bits.bit() === 1) at += 1;
    if (at >= codes) throw damaged();
    const [chosen = 0] = order.splice(at, 1);
    order.unshift(chosen);
    return chosen;
  });
}

function codeOf(bits: BitReader, symbols: number): Code {
  let length = bits.take(5);
  const lengths = Array.from({ length: symbols }, () => {
    for (;;) {
      if (length < 1 || length > MOST_CODE_BITS) throw damaged();
      if (bits.bit() === 0) return length;
      length += bits.bit() === 0 ? 1 : -1;
    }
  });
  const limits = new Int32Array(MOST_CODE_BITS + 2).fill(-1);
  const bases = new Int32Array(MOST_CODE_BITS + 2);
  const sorted: number[] = [];
  let code = 0;
  for (let size = 1; size <= MOST_CODE_BITS; size += 1) {
    const of = lengths.flatMap((it, symbol) => (it === size ? [symbol] : []));
    bases[size] = sorted.length - code;
    if (of.length > 0) limits[size] = code + of.length - 1;
    sorted.push(...of);
    code = (code + of.length) * 2;
  }
  return { limits, bases, symbols: Uint16Array.from(sorted) };
}

function symbolOf(bits: BitReader, { limits, bases, symbols }: Code): number {
  let code = 0;
  for (let size = 1; size <= MOST_CODE_BITS; size += 1) {
    code = code * 2 + bits.bit();
    if (code > (limits[size] ?? -1)) continue;
    const symbol = symbols[code + (bases[size] ?? 0)];
    if (symbol === undefined) break;
    return symbol;
  }
  throw damaged();
}

/** Undoes the prefix codes, the runs and the move to front: what the Burrows-Wheeler transform wrote. */
function transformed(
  bits: BitReader,
  {
    used,
    selectors,
    tables,
    most,
  }: { used: readonly number[]; selectors: readonly number[]; tables: readonly Code[]; most: number },
): { last: Uint32Array; counts: Uint32Array; length: number } {
  const last = new Uint32Array(most);
  const counts = new Uint32Array(256);
  const recent = [...used];
  const end = used.length + 1;
  let [length, run, weight, read] = [0, 0, 1, 0];
  const put = (byte: number, times: number) => {
    if (length + times > most) throw damaged();
    last.fill(byte, length, length + times);
    counts[byte] = (counts[byte] ?? 0) + times;
    length += times;
  };
  for (;;) {
    const table = tables[selectors[Math.floor(read / GROUP)] ?? -1];
    if (!table) throw damaged();
    read += 1;
    const symbol = symbolOf(bits, table);
    if (symbol <= 1) {
      run += weight << symbol;
      weight *= 2;
      if (weight > 2 * most) throw damaged();
      continue;
    }
    if (run > 0) put(recent[0] ?? 0, run);
    [run, weight] = [0, 1];
    if (symbol === end) return { last, counts, length };
    const [byte = 0] = recent.splice(symbol - 1, 1);
    recent.unshift(byte);
    put(byte, 1);
  }
}

/** Undoes the transform, and the runs of the first step. */
function restored(
  last: Uint32Array,
  { counts, origin, crc }: { counts: Uint32Array; origin: number; crc: number },
): Uint8Array {
  const starts = new Uint32Array(256);
  for (let byte = 1; byte < 256; byte += 1) starts[byte] = (starts[byte - 1] ?? 0) + (counts[byte - 1] ?? 0);
  for (let at = 0; at < last.length; at += 1) {
    const byte = (last[at] ?? 0) & 0xff;
    const to = starts[byte] ?? 0;
    starts[byte] = to + 1;
    last[to] = ((last[to] ?? 0) & 0xff) + at * 256;
  }
  let out = Buffer.alloc(last.length + 1_024);
  let [size, previous, repeats, sum] = [0, -1, 0, 0xffffffff];
  let next = Math.floor((last[origin] ?? 0) / 256);
  for (let at = 0; at < last.length; at += 1) {
    const entry = last[next] ?? 0;
    const byte = entry & 0xff;
    next = Math.floor(entry / 256);
    const times = repeats === 4 ? byte : 1;
    const value = repeats === 4 ? previous : byte;
    if (repeats === 4) repeats = 0;
    else repeats = byte === previous ? repeats + 1 : 1;
    previous = repeats === 0 ? -1 : byte;
    if (size + times > out.length) out = Buffer.concat([out, Buffer.alloc(out.length)]);
    for (let it = 0; it < times; it += 1) {
      out[size] = value;
      size += 1;
      sum = ((sum << 8) ^ (crcTable[((sum >>> 24) ^ value) & 0xff] ?? 0)) >>> 0;
    }
  }
  if (~sum >>> 0 !== crc) throw damaged();
  return out.subarray(0, size);
}
