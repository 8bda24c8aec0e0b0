import type { Mutant } from './mutant.ts';

/** What a power cut would take, without one of the steps that make things durable. */
export const powerMends: readonly Mutant[] = [
  {
    id: 'power-timed-sync',
    file: 'sidecar/host/storage/timedSync.ts',
    old: '      for (const file of data) await syncFile(file);\n',
    new: '',
    tests: ['test/power/powerShort.test.ts'],
    breaks: 'With normal durability, a power cut takes all since the last checkpoint.',
  },
  {
    id: 'power-commit',
    file: 'sidecar/host/storage/hostStorage.ts',
    old: "durability === 'full' ? 'FULL' : 'NORMAL'",
    new: "'NORMAL'",
    tests: ['test/power/powerShort.test.ts'],
    breaks: 'With full durability, a power cut takes what was acknowledged.',
  },
  {
    id: 'power-content',
    file: 'sidecar/host/changes/snapshots/contentStore.ts',
    old: '        if (!this.#deps.isTemporary) await file.sync();\n',
    new: '',
    tests: ['test/power/powerShort.test.ts'],
    breaks: 'After a power cut, rows refer to contents that are not whole.',
  },
  {
    id: 'power-gateway-commit',
    file: 'sidecar/gateway/storage/database/sqliteThread.ts',
    old: 'PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;',
    new: 'PRAGMA synchronous = NORMAL; PRAGMA fullfsync = ON;',
    tests: ['test/unit/sidecar/gateway/storage/database/sqliteThread.test.ts'],
    breaks: 'The first statements of a gateway do not wait for the disk as they should.',
  },
  {
    id: 'power-gateway-layout',
    file: 'sidecar/gateway/storage/database/migrate.ts',
    old: '    await sql`pragma synchronous = full`.execute(db);\n',
    new: '',
    tests: ['test/unit/sidecar/gateway/storage/database/sqliteThread.test.ts'],
    breaks: 'After a power cut, a key that was revoked in the gateway is there again.',
  },
  {
    id: 'power-gateway-owner',
    file: 'sidecar/gateway/storage/database/sqliteThread.ts',
    old: '    syncing ??= setTimeout(sync, 400);\n',
    new: '',
    tests: ['test/power/powerShort.test.ts'],
    breaks: 'After a power cut, contexts of A2A agents belong to nobody though they were used long before.',
  },
  {
    id: 'power-chain',
    file: 'sidecar/host/state/durable.ts',
    old: '        if (chain !== undefined && chain !== expected) break; // something before it is missing\n',
    new: '',
    tests: ['test/unit/sidecar/host/state/durable.test.ts'],
    breaks: 'After a power cut, a response has its end and not its middle.',
  },
  {
    id: 'power-journal-cut',
    file: 'sidecar/host/storage/journal.ts',
    old: '    sync(fd); // else a power failure could bring back the removed lines\n',
    new: '',
    tests: ['test/unit/sidecar/host/storage/journal.test.ts'],
    breaks: 'A power cut brings lines back that were refused or cut off.',
  },
];
