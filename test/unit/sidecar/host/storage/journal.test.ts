import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  ftruncateSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  type Journal,
  type JournalFiles,
  openJournal,
  systemJournalFiles,
} from '../../../../../sidecar/host/storage/journal.ts';
import { fromLine } from '../../../../../sidecar/host/storage/journalChain.ts';
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

  const append = (journal: Journal, ...texts: string[]) => journal.append(texts, 0);
  const textsIn = (journal: Journal) => journal.remaining().map((it) => fromLine(it).text);

  it('has the whole lines that an earlier process appended, in their order', () => {
    const journal = openJournal(file);
    append(journal, '{"n":1}', '{"n":"ü"}');
    append(journal, '{"n":3}');
    assert.deepEqual(textsIn(openJournal(file)), ['{"n":1}', '{"n":"ü"}', '{"n":3}']);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    journal.close();
  });

  it('writes over what stands behind the last line feed', () => {
    appendFileSync(file, '{"n":1}\n{"half');
    const journal = openJournal(file);
    assert.deepEqual(textsIn(journal), ['{"n":1}']);
    append(journal, '{}');
    assert.deepEqual(textsIn(openJournal(file)), ['{"n":1}', '{}']);
    journal.close();
  });

  /** A disk on which a file may have so many bytes, and that does not always let go of some. */
  const narrow = (limit: () => number, mayTruncate = () => true): JournalFiles => ({
    ...systemJournalFiles,
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
    append(journal, '{"n":1}');
    limit = statSync(file).size + 17 + 4; // the first of two lines, and a part of the second
    assert.throws(() => append(journal, '{"n":2}', '{"n":3}'), StorageFault);
    assert.deepEqual(textsIn(openJournal(file)), ['{"n":1}']);
    limit = 1_000;
    append(journal, '{"n":4}');
    assert.deepEqual(textsIn(openJournal(file)), ['{"n":1}', '{"n":4}']);
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
    append(journal, '{"n":1}');
    [limit, mayTruncate] = [statSync(file).size + 17 + 4, false];
    assert.throws(() => append(journal, '{"n":2}', '{"n":3}'), StorageFault);
    limit = 1_000;
    assert.throws(() => append(journal, '{"n":4}'), StorageFault);
    const [one, spoiled, ...others] = textsIn(openJournal(file));
    assert.deepEqual([one, others], ['{"n":1}', []]);
    assert.match(String(spoiled), /^x.{7} \{"n":2\}$/);
    mayTruncate = true;
    append(journal, '{"n":5}');
    assert.deepEqual(textsIn(openJournal(file)), ['{"n":1}', '{"n":5}']);
    journal.close();
  });

  it('drops what follows the lines that it keeps, also on the disk, before anything is written there', () => {
    appendFileSync(file, '{"n":1}\n{"n":"ü"}\n{"n":3}\nhalf');
    const calls: string[] = [];
    const journal = openJournal(file, {
      write: systemJournalFiles.write,
      truncate(...all) {
        calls.push('truncate');
        systemJournalFiles.truncate(...all);
      },
      sync(fd) {
        calls.push('sync');
        systemJournalFiles.sync(fd);
      },
    });
    journal.keep(3);
    assert.deepEqual(calls, []);
    journal.keep(2);
    assert.deepEqual(calls, ['truncate', 'sync']);
    assert.equal(readFileSync(file, 'utf8'), '{"n":1}\n{"n":"ü"}\n');
    append(journal, '{"n":4}');
    assert.deepEqual(textsIn(openJournal(file)), ['{"n":1}', '{"n":"ü"}', '{"n":4}']);
    journal.close();
    const empty = openJournal(file);
    empty.keep(0);
    assert.deepEqual([empty.hasLines, readFileSync(file, 'utf8')], [false, '']);
    empty.close();
  });

  it('takes a refused line off the disk too', () => {
    verifies('host.storage.torn-journal');
    const atSync: string[] = [];
    const limited = narrow(() => 17 + 4);
    const sync = () => void atSync.push(readFileSync(file, 'utf8'));
    const journal = openJournal(file, { ...limited, sync });
    append(journal, '{"n":1}');
    const written = readFileSync(file, 'utf8');
    assert.throws(() => append(journal, '{"n":2}'), StorageFault);
    assert.deepEqual(atSync, [written]);
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
    append(journal, '{"n":1}');
    journal.clear();
    assert.equal(journal.hasLines, true);
    append(journal, '{"n":2}');
    assert.deepEqual(textsIn(openJournal(file)), ['{"n":1}', '{"n":2}']);
    mayTruncate = true;
    journal.clear();
    assert.deepEqual([journal.hasLines, textsIn(openJournal(file))], [false, []]);
    journal.close();
  });

  it('is gone after it was closed with nothing in it, and stays with lines', () => {
    const journal = openJournal(file);
    append(journal, '{}');
    journal.clear();
    assert.equal(journal.hasLines, false);
    journal.close();
    assert.equal(existsSync(file), false);
    const again = openJournal(file);
    append(again, '{}');
    again.close();
    assert.equal(openJournal(file).hasLines, true);
  });
});
