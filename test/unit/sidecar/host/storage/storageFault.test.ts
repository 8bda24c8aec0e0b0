import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type StorageFailure, StorageFault, toStorageFault } from '../../../../../sidecar/host/storage/storageFault.ts';

describe('a failed write is told as what it was', () => {
  let folder: string;
  let opened: DatabaseSync[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-fault-'));
    opened = [];
  });
  afterEach(() => {
    for (const it of opened) it.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = (options: { readOnly?: boolean } = {}) => {
    const sql = new DatabaseSync(join(folder, 'a.db'), { timeout: 0, ...options });
    opened.push(sql);
    return sql;
  };

  const cases: Readonly<Record<string, readonly [StorageFailure, () => void]>> = {
    'a row that breaks a constraint': [
      'constraint',
      () => open().exec('CREATE TABLE t (a TEXT PRIMARY KEY) STRICT; INSERT INTO t VALUES (1), (1);'),
    ],
    'a file that may only be read': [
      'readOnly',
      () => {
        open().exec('CREATE TABLE t (a)');
        open({ readOnly: true }).exec('INSERT INTO t VALUES (1)');
      },
    ],
    'a file that may not grow': [
      'full',
      () => open().exec('PRAGMA max_page_count = 2; CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(100000));'),
    ],
    'a value beyond every limit': ['tooLarge', () => open().exec('SELECT length(zeroblob(2000000000))')],
    'a file that another program writes': [
      'busy',
      () => {
        open().exec('CREATE TABLE t (a); BEGIN EXCLUSIVE');
        open().exec('INSERT INTO t VALUES (1)');
      },
    ],
    'a file that is no database': [
      'damaged',
      () => {
        writeFileSync(join(folder, 'a.db'), 'x'.repeat(10_000));
        open().exec('CREATE TABLE t (a)');
      },
    ],
    'a table that is gone': ['failed', () => open().exec('INSERT INTO t VALUES (1)')],
  };
  for (const [what, [failure, write]] of Object.entries(cases)) {
    it(`${what}: ${failure}`, () => {
      assert.throws(write, (thrown) => {
        assert.equal(toStorageFault(thrown).failure, failure, String(thrown));
        return true;
      });
    });
  }

  for (const [code, failure] of [
    ['ENOSPC', 'full'],
    ['EDQUOT', 'full'],
    ['EFBIG', 'tooLarge'],
    ['EROFS', 'readOnly'],
    ['EACCES', 'readOnly'],
    ['EIO', 'disk'],
    ['EMFILE', 'failed'],
  ] as const) {
    it(`${code} of the system: ${failure}`, () => {
      assert.equal(toStorageFault(Object.assign(new Error('no'), { code })).failure, failure);
    });
  }

  it('and a fault that was named already stays what it is', () => {
    const fault = new StorageFault('busy');
    assert.equal(toStorageFault(fault), fault);
  });
});
