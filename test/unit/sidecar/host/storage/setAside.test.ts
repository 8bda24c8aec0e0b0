import assert from 'node:assert/strict';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openStorage } from '../../../../../sidecar/host/storage/hostStorage.ts';
import { StorageFault } from '../../../../../sidecar/host/storage/storageFault.ts';
import { until } from '../../../../support/until.ts';

const STAMP = '20260102T030405678Z';

describe('a host database that is set aside', () => {
  let dataDir = '';
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'switchboard-aside-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));
  const open = (onDamage: () => void = () => assert.fail('nothing is damaged')) =>
    openStorage({ dataDir, now: '2026-01-02T03:04:05.678Z', onDamage, warn: () => undefined });
  const at = (name: string) => join(dataDir, name);

  it('takes its log and its journal along, so that none of it is read into the new one', async () => {
    const names = ['host.db', 'host.db-shm', 'host.db-wal', 'host.journal'];
    for (const it of names) writeFileSync(at(it), `spoilt ${it}\n`);
    writeFileSync(at('host.db.damaged'), ''); // as the process before left word
    const storage = open();
    assert.equal(storage.setAside, join(dataDir, 'set-aside', STAMP));
    assert.deepEqual(readdirSync(storage.setAside).toSorted(), names);
    for (const it of names) assert.equal(readFileSync(join(storage.setAside, it), 'utf8'), `spoilt ${it}\n`);
    assert.deepEqual([storage.journal.hasLines, storage.journal.remaining()], [false, []]);
    await storage.close();
  });

  it('never takes the place of another one of the same time', async () => {
    const places: (string | undefined)[] = [];
    for (const content of ['one', 'two', 'three']) {
      writeFileSync(at('host.db'), content);
      const storage = open();
      places.push(storage.setAside);
      await storage.close();
    }
    assert.deepEqual(
      places,
      [STAMP, `${STAMP}-2`, `${STAMP}-3`].map((it) => join(dataDir, 'set-aside', it)),
    );
    assert.deepEqual(
      places.map((it) => readFileSync(join(it!, 'host.db'), 'utf8')),
      ['one', 'two', 'three'],
    );
  });

  it('is none where it cannot be opened for another reason: that is said, and everything stays', () => {
    mkdirSync(at('host.db'));
    writeFileSync(at('host.journal'), 'line\n');
    assert.throws(() => open(), StorageFault);
    assert.deepEqual(readdirSync(dataDir).toSorted(), ['host.db', 'host.journal']);
  });

  it('is a large one at the start after the one that found the damage, and only then', async () => {
    const first = open();
    first.transaction(() => {
      for (let n = 0; n < 60; n += 1) first.chats.insertTurn('c', n, `t${n}`, 'x'.repeat(100_000));
    });
    await first.close();
    const handle = openSync(at('host.db'), 'r+');
    writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, 4096 * 1_000);
    closeSync(handle);
    let found = 0;
    const second = open(() => (found += 1));
    assert.equal(second.setAside, undefined);
    await until('the damage is found', () => found > 0);
    second.transaction(() => second.small.putNumber('a', 1));
    await second.close();
    const third = open();
    assert.equal(third.setAside, join(dataDir, 'set-aside', STAMP));
    assert.equal(third.small.number('a'), 0);
    third.transaction(() => third.small.putNumber('a', 2));
    await third.close();
    const fourth = open();
    assert.deepEqual([fourth.setAside, fourth.small.number('a')], [undefined, 2]);
    await fourth.close();
    assert.deepEqual(readdirSync(dataDir).toSorted(), ['host.db', 'set-aside']);
  });

  it('is one with damage that shows while it is used, at the next start', async () => {
    let found = 0;
    const storage = open(() => (found += 1));
    const damaged = () => {
      throw Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
    };
    assert.throws(() => storage.transaction(damaged), { failure: 'damaged' });
    assert.equal(found, 1);
    await storage.close();
    const again = open();
    assert.ok(existsSync(join(again.setAside!, 'host.db')));
    await again.close();
  });

  it('is not one with a journal that has a half line', async () => {
    appendFileSync(at('host.journal'), '{"half');
    const storage = open();
    assert.deepEqual([storage.setAside, storage.journal.hasLines], [undefined, false]);
    await storage.close();
    assert.deepEqual(readdirSync(dataDir), ['host.db']);
  });
});
