/** An entry of a tar file, also one that no tool would write. */
export interface TarEntry {
  readonly name: string;
  readonly body?: string | Buffer;
  readonly mode?: number;
  /** '0' file, '1' second name, '2' link, '3' device, '5' folder, 'L' long name, 'x' extended header. */
  readonly type?: string;
  readonly target?: string;
}

export function tarFile(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.map(toBlocks), Buffer.alloc(1_024)]);
}

function toBlocks({ name, body = '', mode = 0o644, type = '0', target = '' }: TarEntry): Buffer {
  const bytes = Buffer.from(body);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(target, 157, 100);
  header.write('ustar\0', 257);
  header.write('00', 263);
  const sum = header.reduce((all, it) => all + it, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

/** The extended header of the entry that follows. */
export function extendedHeader(values: Readonly<Record<string, string>>): TarEntry {
  const lines = Object.entries(values).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = rest.length + 1;
    while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
    return `${length}${rest}`;
  });
  return { name: 'extended', type: 'x', body: lines.join('') };
}
