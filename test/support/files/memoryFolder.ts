import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const SHARED_MEMORY = '/dev/shm';
/** Bytes that are free: a run of all tests uses less than half of it. */
const LEAST_FOLDER = 6 * 1024 ** 3;
const LEAST_MEMORY = 10 * 1024 ** 3;

/**
 * A folder in memory. Tests create and remove ten thousands of files, and on ext4 each creation looks for a file number that was not
 * freed within the last five seconds: that alone takes a tenth of the processor time.
 *
 * @returns `undefined` where memory is scarce, or programs in such a folder cannot be started
 */
export function memoryFolder(): string | undefined {
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (bavail * bsize < LEAST_FOLDER || process.availableMemory() < LEAST_MEMORY) return undefined;
    folder = mkdtempSync(join(SHARED_MEMORY, 'sb-')); // short: the names of sockets in it have a limit
    chmodSync(folder, 0o711); // a database server that root starts runs as another user
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
    execFileSync(program);
    return folder;
  } catch {
    // There is none here, or it may not be used: the tests use the folder of the system.
    if (folder !== undefined) rmSync(folder, { recursive: true });
    return undefined;
  }
}
