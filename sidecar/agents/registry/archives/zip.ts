import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { damaged, unsafe } from './entryPath.ts';
import type { Unpacking } from './unpacking.ts';

const END_BYTES = 22;
const MOST_COMMENT_BYTES = 65_535;
const MOST_LINK_BYTES = 4_096;
const PIECE = 65_536;
const STORED = 0;
const DEFLATED = 8;

interface ZipEntry {
  readonly name: string;
  readonly mode: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

/** Unpacks by the list at the end of the archive, which is the one that counts. @throws {Fault} `unavailable` as for tar */
export async function unpackZip(path: string, into: Unpacking): Promise<void> {
  const file = await open(path, 'r');
  try {
    for (const entry of await entriesOf(file)) {
      const type = entry.mode & 0o170000;
      if (entry.name.endsWith('/')) await into.directory(entry.name);
      else if (type === 0o120000) {
        if (entry.size > MOST_LINK_BYTES) throw unsafe('a link in it is too long');
        const parts: Uint8Array[] = [];
        for await (const it of contentsOf(file, entry)) parts.push(it);
        into.link(entry.name, Buffer.concat(parts).toString('utf8'));
      } else if (type === 0 || type === 0o100000) await into.file(entry.name, entry.mode, contentsOf(file, entry));
      else throw unsafe('it contains something other than files, folders, and links');
    }
  } finally {
    await file.close();
  }
}

async function entriesOf(file: FileHandle): Promise<readonly ZipEntry[]> {
  const { size } = await file.stat();
  const tail = await bytesAt(
    file,
    Math.max(0, size - END_BYTES - MOST_COMMENT_BYTES),
    Math.min(size, END_BYTES + MOST_COMMENT_BYTES),
  );
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end === -1 || end + END_BYTES > tail.length) throw damaged();
  const count = tail.readUInt16LE(end + 10);
  const length = tail.readUInt32LE(end + 12);
  const at = tail.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffffffff) throw unsafe('it is a zip64 archive');
  if (at + length > size) throw damaged();
  const list = await bytesAt(file, at, length);
  const entries: ZipEntry[] = [];
  for (let from = 0; entries.length < count; ) {
    if (from + 46 > list.length || list.readUInt32LE(from) !== 0x02014b50) throw damaged();
    const flags = list.readUInt16LE(from + 8);
    const nameLength = list.readUInt16LE(from + 28);
    const next = from + 46 + nameLength + list.readUInt16LE(from + 30) + list.readUInt16LE(from + 32);
    if ((flags & 1) !== 0) throw unsafe('it is encrypted');
    const isUnix = list[from + 5] === 3 || list[from + 5] === 19;
    entries.push({
      name: list.toString('utf8', from + 46, from + 46 + nameLength),
      mode: isUnix ? list.readUInt32LE(from + 38) >>> 16 : 0,
      method: list.readUInt16LE(from + 10),
      crc: list.readUInt32LE(from + 16),
      packed: list.readUInt32LE(from + 20),
      size: list.readUInt32LE(from + 24),
      at: list.readUInt32LE(from + 42),
    });
    from = next;
  }
  return entries;
}

async function* contentsOf(file: FileHandle, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const header = await bytesAt(file, entry.at, 30);
  if (header.readUInt32LE(0) !== 0x04034b50) throw damaged();
  if (entry.method !== STORED && entry.method !== DEFLATED) throw unsafe('it uses an unsupported compression method');
  const start = entry.at + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (entry.packed === 0 && entry.size === 0) return;
  const packed = Readable.from(rangeOf(file, start, entry.packed));
  const inflate = entry.method === DEFLATED ? createInflateRaw() : undefined;
  const chunks: AsyncIterable<Buffer> = inflate ? packed.pipe(inflate) : packed;
  packed.on('error', (thrown) => inflate?.destroy(thrown));
  let [size, crc] = [0, 0];
  try {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > entry.size) throw damaged();
      crc = crc32(chunk, crc);
      yield chunk;
    }
  } catch (thrown) {
    throw isZlib(thrown) ? damaged() : thrown;
  } finally {
    packed.destroy();
  }
  if (size !== entry.size || crc !== entry.crc) throw damaged();
}

async function* rangeOf(file: FileHandle, start: number, length: number): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < length; done += PIECE) yield bytesAt(file, start + done, Math.min(PIECE, length - done));
}

const isZlib = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && thrown.code.startsWith('Z_');

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead !== length) throw damaged();
  return buffer;
}
