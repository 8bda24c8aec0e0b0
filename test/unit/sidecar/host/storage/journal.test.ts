import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openJournal } from '../../../../../sidecar/host/storage/journal.ts';

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
    assert.deepEqual(openJournal(file).left(), ['{"n":1}', '{"n":"ü"}', '{"n":3}']);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    journal.close();
  });

  it('writes over what stands behind the last line feed', () => {
    appendFileSync(file, '{"n":1}\n{"half');
    const journal = openJournal(file);
    assert.deepEqual(journal.left(), ['{"n":1}']);
    journal.append('{}\n');
    assert.deepEqual(openJournal(file).left(), ['{"n":1}', '{}']);
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
