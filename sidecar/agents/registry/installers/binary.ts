import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../platform/faults.ts';
import { formatOf, unpack } from '../archives/unpack.ts';
import type { Distribution } from '../distribution.ts';
import { fetchFile, sizeOf } from '../download.ts';
import type { Arrived, InstallContext, Preview } from './installer.ts';

type Binary = Extract<Distribution, { kind: 'binary' }>;

const MOST_ARCHIVE_BYTES = 2 * 1024 ** 3;
const SILENT_MS = 60_000;

/** @throws {Fault} `unavailable` where the address cannot be reached */
export async function previewBinary(binary: Binary, { env, signal }: InstallContext): Promise<Preview> {
  const sizeBytes = await sizeOf(binary.archive, { env, signal, silentMs: SILENT_MS });
  return {
    steps: [binary.archive],
    command: binary.cmd,
    source: binary.archive,
    ...(sizeBytes !== undefined && { sizeBytes }),
    ...(binary.sha256 !== undefined && { hash: binary.sha256.toLowerCase() }),
  };
}

/** @throws {Fault} `unavailable`, `too_large`, `conflict` where something else arrived than the registry says */
export async function installBinary(binary: Binary, folder: string, context: InstallContext): Promise<Arrived> {
  const { env, signal, progress, work } = context;
  const file = join(work, 'archive');
  progress('download');
  const hash = await fetchFile(binary.archive, file, {
    env,
    signal,
    silentMs: SILENT_MS,
    mostBytes: MOST_ARCHIVE_BYTES,
    onBytes: (done, total) => progress('download', done, total),
  });
  if (binary.sha256 !== undefined && binary.sha256.toLowerCase() !== hash)
    throw new Fault('conflict', 'The SHA-256 of the download does not match the one in the registry.');
  progress('unpack');
  await unpack({ file, format: formatOf(binary.archive), command: binary.cmd }, folder, signal);
  await rm(file);
  return { command: binary.cmd, hash, scripts: [] };
}
