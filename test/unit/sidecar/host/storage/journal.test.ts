import assert from 'node:assert/strict';
import { appendFileSync, existsSync, ftruncateSync, mkdtempSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type JournalFiles, openJournal } from '../../../../../sidecar/host/storage/journal.ts';
import { StorageFault } from '../../../../../sidecar/host/storage/storageFault.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the journal of the host', () => {
  let folder = '';
  let file = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-journal-'));
    file = join(folder, 'host.journal');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('has the whole lines that an earlier process appended, in their order', () => {
    const journal = openJournal(file);
    journal.append('{"n":1}\n{"n":"ü"}\n');
    journal.append('{"n":3}\n');
    assert.deepEqual(openJournal(file).remaining(), ['{"n":1}', '{"n":"ü"}', '{"n":3}']);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    journal.close();
  });

  it('writes over what stands behind the last line feed', () => {
    appendFileSync(file, '{"n":1}\n{"half');
    const journal = openJournal(file);
    assert.deepEqual(journal.remaining(), ['{"n":1}']);
    journal.append('{}\n');
    assert.deepEqual(openJournal(file).remaining(), ['{"n":1}', '{}']);
    journal.close();
  });

  /** A disk on which a file may have so many bytes, and that does not always let go of some. */
  const narrow = (limit: () => number, mayTruncate = () => true): JournalFiles => ({
    write(fd, bytes, from, length, position) {
      const room = Math.min(length, limit() - position);
      if (room <= 0) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
      return writeSync(fd, bytes, from, room, position);
    },
    truncate(fd, length) {
      if (!mayTruncate()) throw Object.assign(new Error('an error of the disk'), { code: 'EIO' });
      ftruncateSync(fd, length);
    },
  });

  it('cuts off what it could not write whole: the next process finds nothing of it', () => {
    verifies('host.storage.torn-journal');
    let limit = 1_000;
    const journal = openJournal(
      file,
      narrow(() => limit),
    );
    journal.append('{"n":1}\n');
    limit = statSync(file).size + 12; // the first of two lines, and a part of the second
    assert.throws(() => journal.append('{"n":2}\n{"n":3}\n'), StorageFault);
    assert.deepEqual(openJournal(file).remaining(), ['{"n":1}']);
    limit = 1_000;
    journal.append('{"n":4}\n');
    assert.deepEqual(openJournal(file).remaining(), ['{"n":1}', '{"n":4}']);
    journal.close();
  });

  it('writes nothing behind what it could neither write whole nor cut off, and no line of that is whole', () => {
    verifies('host.storage.torn-journal');
    let limit = 1_000;
    let mayTruncate = true;
    const journal = openJournal(
      file,
      narrow(
        () => limit,
        () => mayTruncate,
      ),
    );
    journal.append('{"n":1}\n');
    [limit, mayTruncate] = [statSync(file).size + 12, false];
    assert.throws(() => journal.append('{"n":2}\n{"n":3}\n'), StorageFault);
    limit = 1_000;
    assert.throws(() => journal.append('{"n":4}\n'), StorageFault);
    assert.deepEqual(openJournal(file).remaining(), ['{"n":1}', 'x"n":2}']);
    mayTruncate = true;
    journal.append('{"n":5}\n');
    assert.deepEqual(openJournal(file).remaining(), ['{"n":1}', '{"n":5}']);
    journal.close();
  });

  it('keeps its lines, and goes on, where the disk does not let go of them', () => {
    verifies('host.storage.torn-journal');
    let mayTruncate = false;
    const journal = openJournal(
      file,
      narrow(
        () => 1_000,
        () => mayTruncate,
      ),
    );
    journal.append('{"n":1}\n');
    journal.clear();
    assert.equal(journal.hasLines, true);
    journal.append('{"n":2}\n');
    assert.deepEqual(openJournal(file).remaining(), ['{"n":1}', '{"n":2}']);
    mayTruncate = true;
    journal.clear();
    assert.deepEqual([journal.hasLines, openJournal(file).remaining()], [false, []]);
    journal.close();
  });

  it('is gone after it was closed with nothing in it, and stays with lines', () => {
    const journal = openJournal(file);
    journal.append('{}\n');
    journal.clear();
    assert.equal(journal.hasLines, false);
    journal.close();
    assert.equal(existsSync(file), false);
    const again = openJournal(file);
    again.append('{}\n');
    again.close();
    assert.equal(openJournal(file).hasLines, true);
  });
});
