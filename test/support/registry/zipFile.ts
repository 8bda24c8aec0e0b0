import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a zip file, also one that no tool would write. */
export interface ZipEntry {
  readonly name: string;
  readonly body?: string | Buffer;
  /** With the type of the file: 0o120777 is a link. */
  readonly mode?: number;
  readonly isStored?: boolean;
  /** What the list says of its size, instead of what it is. */
  readonly saysSize?: number;
  readonly flags?: number;
}

export function zipFile(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { name, body = '', mode = 0o100644, isStored = false, saysSize, flags = 0 } of entries) {
    const bytes = Buffer.from(body);
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const title = Buffer.from(name);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(flags, 2);
    facts.writeUInt16LE(isStored ? 0 : 8, 4);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(saysSize ?? bytes.length, 18);
    facts.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, title, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(at, 10);
    list.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), facts, tail, title]));
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}
