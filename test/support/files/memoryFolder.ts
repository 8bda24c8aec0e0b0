import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const SHARED_MEMORY = '/dev/shm';
/** Bytes that must be free. A run of all tests uses less than half of them. */
const LEAST_FOLDER = 6 * 1024 ** 3;
const LEAST_MEMORY = 10 * 1024 ** 3;

/**
 * Creates a folder in memory. Tests create and remove tens of thousands of files. On ext4, each creation searches for an inode that was
 * not freed within the last five seconds, which takes a tenth of the processor time.
 *
 * @returns `undefined` if memory is scarce, or if programs in such a folder cannot be started
 */
export function memoryFolder(): string | undefined {
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (bavail * bsize < LEAST_FOLDER || process.availableMemory() < LEAST_MEMORY) return undefined;
    folder = mkdtempSync(join(SHARED_MEMORY, 'sb-')); // short: the names of sockets in it have a limit
    chmodSync(folder, 0o711); // a database server that root starts runs as a different user
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
    execFileSync(program);
    return folder;
  } catch {
    // There is no such folder here, or it cannot be used. Tests then use the system's temporary folder.
    if (folder !== undefined) rmSync(folder, { recursive: true });
    return undefined;
  }
}
