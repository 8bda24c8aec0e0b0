import { join } from 'node:path';
import { openSqliteThread } from '../../../../sidecar/gateway/storage/database/sqliteThread.ts';
import { openCheckpointer } from '../../../../sidecar/host/storage/checkpointer.ts';
import { openSearchThread } from '../../../../sidecar/host/storage/search/searchThread.ts';

/** Starts one of the threads in a folder, asks it nothing that is waited for, and has nothing else to do. */
const [which = '', folder = ''] = process.argv.slice(2);
const fail = (what?: string) => {
  process.stderr.write(`${what}\n`);
  process.exitCode = 1;
};
const threads: Readonly<Record<string, () => unknown>> = {
  checkpointer: () =>
    openCheckpointer({ file: join(folder, 'host.db'), onDamage: fail, onFailure: fail, catchUp: fail }).check(),
  database: () => openSqliteThread(join(folder, 'gateway.db'), { readOnly: false }),
  'transcript index': () => openSearchThread(folder),
};
threads[which]?.();
process.stdout.write(which in threads ? 'started' : 'unknown');
