import { ByteReader } from './byteReader.ts';
import { damaged, unsafe } from './entryPath.ts';
import type { Unpacking } from './unpacking.ts';

const BLOCK = 512;
/** Of a name or the extended header of an entry. */
const MOST_HEADER_BYTES = 1_048_576;

/** Names that come before their entry, because they do not fit into its header. */
interface Ahead {
  path?: string;
  linkpath?: string;
  size?: number;
}

/** Unpacks an archive in the format of POSIX (ustar and pax) or GNU. @throws {Fault} `unavailable` where it is another, or unsafe */
export async function unpackTar(source: AsyncIterable<Uint8Array>, into: Unpacking): Promise<void> {
  const reader = new ByteReader(source);
  let ahead: Ahead = {};
  for (;;) {
    const header = await reader.take(BLOCK);
    if (header.every((it) => it === 0)) break;
    checkSum(header);
    const type = String.fromCharCode(header[156] ?? 0);
    const own = numberAt(header, 124, 12);
    if (type === 'x' || type === 'L' || type === 'K') {
      const text = (await takePadded(reader, own)).toString('utf8');
      if (type === 'x') ahead = { ...ahead, ...extended(text) };
      else ahead = { ...ahead, [type === 'L' ? 'path' : 'linkpath']: text.replace(/\0.*$/s, '') };
      continue;
    }
    if (type === 'g') {
      await takePadded(reader, own);
      continue;
    }
    const name = ahead.path ?? nameOf(header);
    const target = ahead.linkpath ?? textAt(header, 157, 100);
    const size = ahead.size ?? own;
    ahead = {};
    if (type === '5') await into.directory(name);
    else if (type === '2') into.link(name, target);
    else if (type === '1') into.copy(name, target);
    else if (type === '0' || type === '\0' || type === '7') {
      await into.file(name, numberAt(header, 100, 8), contentsOf(reader, size));
      await reader.take(paddingOf(size));
    } else throw unsafe('it contains something other than files, folders, and links');
  }
  // To the end: only there does the compression around it check what was read.
  while ((await reader.takeSome(65_536)).length > 0);
}

async function* contentsOf(reader: ByteReader, size: number): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; ) {
    const chunk = await reader.takeSome(left);
    if (chunk.length === 0) throw damaged();
    left -= chunk.length;
    yield chunk;
  }
}

async function takePadded(reader: ByteReader, size: number): Promise<Buffer> {
  if (size > MOST_HEADER_BYTES) throw damaged();
  const taken = Buffer.from(await reader.take(size));
  await reader.take(paddingOf(size));
  return taken;
}
const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

function checkSum(header: Buffer): void {
  const wanted = numberAt(header, 148, 8);
  const sum = header.reduce((all, it, at) => all + (at >= 148 && at < 156 ? 32 : it), 0);
  if (sum !== wanted) throw damaged();
}

function nameOf(header: Buffer): string {
  const isUstar = header.toString('latin1', 257, 262) === 'ustar';
  const prefix = isUstar && header[263] !== 32 ? textAt(header, 345, 155) : '';
  const name = textAt(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

function textAt(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

/** Octal digits, or the binary numbers that GNU writes for what is too large for them. */
function numberAt(header: Buffer, at: number, length: number): number {
  const first = header[at] ?? 0;
  if (first >= 0x80) {
    const number = header.subarray(at + 1, at + length).reduce((all, it) => all * 256 + it, first & 0x7f);
    if (!Number.isSafeInteger(number)) throw damaged();
    return number;
  }
  const text = textAt(header, at, length).trim();
  if (!/^[0-7]*$/.test(text)) throw damaged();
  return text === '' ? 0 : Number.parseInt(text, 8);
}

/** Lines of the form `length key=value`. */
function extended(text: string): Ahead {
  const bytes = Buffer.from(text);
  const found: Ahead = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const length = Number(bytes.toString('latin1', at, Math.max(at, space)));
    if (space === -1 || !Number.isInteger(length) || length < 5 || at + length > bytes.length) throw damaged();
    const [key = '', ...rest] = bytes.toString('utf8', space + 1, at + length - 1).split('=');
    const value = rest.join('=');
    if (key === 'path' || key === 'linkpath') found[key] = value;
    else if (key === 'size') {
      if (!/^\d{1,15}$/.test(value)) throw damaged();
      found.size = Number(value);
    }
    at += length;
  }
  return found;
}
