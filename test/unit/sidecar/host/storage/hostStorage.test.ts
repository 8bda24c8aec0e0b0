import assert from 'node:assert/strict';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openStorage } from '../../../../../sidecar/host/storage/hostStorage.ts';
import { StorageFault } from '../../../../../sidecar/host/storage/storageFault.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the host database', () => {
  let dataDir = '';
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'switchboard-db-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));
  const open = () =>
    openStorage({ dataDir, now: '2026-01-02T03:04:05.678Z', onDamage: () => undefined, warn: () => undefined });

  it('keeps rows over a restart, and answers the last turns and those before them', async () => {
    const storage = open();
    storage.transaction(() => {
      storage.chats.putHead('host-chat:/1', 'host-session:/1', '{}');
      for (let n = 0; n < 10; n += 1) storage.chats.insertTurn('host-chat:/1', n, `t${n}`, `{"n":${n}}`);
    });
    await storage.close();
    assert.deepEqual(readdirSync(dataDir), ['host.db']);
    const again = open();
    assert.deepEqual(
      again.chats.turnsBefore('host-chat:/1', 99, 3).map((it) => it.n),
      [7, 8, 9],
    );
    assert.deepEqual(
      again.chats.turnsBefore('host-chat:/1', 7, 2).map((it) => it.n),
      [5, 6],
    );
    assert.equal(again.chats.numberOfTurn('host-chat:/1', 't4'), 4);
    assert.equal(again.setAside, undefined);
    await again.close();
  });

  it('starts no thread on its file once it is closed', async () => {
    const storage = open();
    storage.transaction(() => storage.small.putNumber('a', 1));
    await storage.close();
    let threads = 0;
    const count = () => void (threads += 1);
    process.on('worker', count);
    try {
      storage.tidy();
      await new Promise(setImmediate);
    } finally {
      process.off('worker', count);
    }
    assert.equal(threads, 0);
  });

  it('leaves nothing behind of a transaction that fails', async () => {
    const storage = open();
    assert.throws(
      () =>
        storage.transaction(() => {
          storage.small.putNumber('a', 1);
          throw new Error('no');
        }),
      StorageFault,
    );
    assert.equal(storage.small.number('a'), 0);
    await storage.close();
  });

  it('adds the chats of its sessions to the summaries of a file that has none', async () => {
    verifies('host.summary.chats');
    const at = { createdAt: '2026-01-01', modifiedAt: '2026-01-01', listed: true, busy: false };
    const origin = { kind: 'fork', chat: 'c1', turnId: 't' };
    const chats = [
      { resource: 'c1', title: 'a', status: 33, modifiedAt: '2026-01-01' },
      { resource: 'c2', title: '', status: 1, modifiedAt: '2026-01-01', origin, interactivity: 'hidden' },
    ];
    const storage = open();
    const put = (uri: string, body: object) =>
      storage.sessions.put({ ...at, uri, body: JSON.stringify(body), summary: '{"title":"a","_meta":{"git":null}}' });
    put('one', { chats, defaultChat: 'c1' });
    put('two', { chats: [] });
    await storage.close();
    const sql = new DatabaseSync(join(dataDir, 'host.db'));
    sql.exec('DROP TABLE spending; DROP TABLE conversation; PRAGMA user_version = 7');
    sql.close();
    const again = open();
    const summaryOf = (uri: string): unknown => JSON.parse(again.sessions.get(uri)!.summary);
    assert.deepEqual(summaryOf('one'), {
      title: 'a',
      _meta: { git: null },
      defaultChat: 'c1',
      chats: [
        { resource: 'c1', title: 'a', status: 33 },
        { resource: 'c2', title: '', status: 1, origin, interactivity: 'hidden' },
      ],
    });
    assert.deepEqual(summaryOf('two'), { title: 'a', _meta: { git: null }, chats: [] });
    await again.close();
  });

  it('says that the disk is full, and takes rows again when there is space', async () => {
    const storage = open();
    storage.limitPages(1);
    const write = () => storage.transaction(() => storage.small.putRule('r', 'x'.repeat(100_000)));
    assert.throws(write, { failure: 'full' });
    assert.deepEqual(storage.small.rules(), []);
    storage.limitPages(0);
    write();
    assert.equal(storage.small.rules().length, 1);
    await storage.close();
  });

  for (const { says, spoil } of [
    { says: 'whose head is overwritten', spoil: (file: string) => overwrite(file, 0) },
    { says: 'with a damaged page in the middle', spoil: (file: string) => overwrite(file, 4096 * 20) },
  ]) {
    it(`sets a file aside ${says}, whole, and begins a new one`, async () => {
      const storage = open();
      storage.transaction(() => {
        for (let n = 0; n < 100; n += 1) storage.chats.insertTurn('c', n, `t${n}`, 'x'.repeat(3_000));
      });
      await storage.close();
      spoil(join(dataDir, 'host.db'));
      const again = open();
      assert.equal(again.setAside, join(dataDir, 'set-aside', '20260102T030405678Z'));
      assert.ok(existsSync(join(again.setAside!, 'host.db')));
      assert.deepEqual(again.chats.turnsBefore('c', 999, 1), []);
      await again.close();
      const third = open();
      assert.equal(third.setAside, undefined);
      await third.close();
    });
  }

  it('remembers the last 1,000 dispatches', async () => {
    const storage = open();
    storage.transaction(() => {
      for (let n = 1; n <= 1_200; n += 1) storage.dispatches.remember('c1', n, n);
      storage.dispatches.trim();
    });
    const all = storage.dispatches.all();
    assert.equal(all.length, 1_000);
    assert.equal(all[0]?.clientSeq, 201);
    await storage.close();
  });

  it('lists sessions newest first, in pages, without those that had no turn', async () => {
    const storage = open();
    storage.transaction(() => {
      for (let n = 0; n < 5; n += 1) {
        const modifiedAt = `2026-01-0${n + 1}T00:00:00Z`;
        storage.sessions.put({
          uri: `s${n}`,
          body: '{}',
          summary: `{"n":${n}}`,
          createdAt: modifiedAt,
          modifiedAt,
          listed: n !== 2,
          busy: false,
        });
      }
    });
    const first = storage.sessions.page(2);
    assert.deepEqual(
      first.map((it) => it.uri),
      ['s4', 's3'],
    );
    assert.deepEqual(
      storage.sessions.page(9, first[1]).map((it) => it.uri),
      ['s1', 's0'],
    );
    assert.equal(storage.sessions.count(), 4);
    await storage.close();
  });
});

function overwrite(file: string, position: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, position);
  closeSync(handle);
}
