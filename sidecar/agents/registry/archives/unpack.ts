import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { bunzip2 } from './bunzip2.ts';
import { damaged, unsafe } from './entryPath.ts';
import { unpackTar } from './tar.ts';
import { Unpacking } from './unpacking.ts';
import { unpackZip } from './zip.ts';

export type ArchiveFormat = 'tar.gz' | 'tar.bz2' | 'zip' | 'executable';

/** By the ending of the address; a name without one is the program itself. */
export function formatOf(address: string): ArchiveFormat {
  const path = new URL(address).pathname.toLowerCase();
  if (/\.(?:tar\.gz|tgz)$/.test(path)) return 'tar.gz';
  if (/\.(?:tar\.bz2|tbz2?)$/.test(path)) return 'tar.bz2';
  return path.endsWith('.zip') ? 'zip' : 'executable';
}

/**
 * Unpacks a file into a folder with nothing in it, and makes the agent's command one that can be run.
 * @param command the path of the agent's program in the folder
 * @throws {Fault} `unavailable` for an archive that is damaged or unsafe, or has no such program
 */
export async function unpack(
  { file, format, command }: { readonly file: string; readonly format: ArchiveFormat; readonly command: string },
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const program = join(folder, command);
  if (format === 'executable') {
    await mkdir(dirname(program), { recursive: true });
    await copyFile(file, program);
  } else {
    const into = new Unpacking(folder, signal);
    if (format === 'zip') await unpackZip(file, into);
    else await unpackTar(format === 'tar.gz' ? gunzipped(file) : bunzip2(createReadStream(file)), into);
    await into.finish();
  }
  const found = await stat(program).catch(() => undefined);
  if (!found?.isFile()) throw unsafe(`it does not contain ${command}`);
  await chmod(program, 0o755);
}

async function* gunzipped(file: string): AsyncGenerator<Uint8Array> {
  const packed = createReadStream(file);
  const plain = packed.pipe(createGunzip());
  packed.on('error', (thrown) => plain.destroy(thrown));
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) yield chunk;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('Z_')) throw damaged();
    throw thrown;
  } finally {
    packed.destroy();
  }
}
