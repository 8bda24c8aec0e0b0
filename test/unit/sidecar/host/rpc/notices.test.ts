import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { Connection } from '../../../../../sidecar/host/rpc/connection.ts';
import { HostNotices } from '../../../../../sidecar/host/rpc/notices.ts';
import type { StorageFailure } from '../../../../../sidecar/host/storage/storageFault.ts';
import type { Notice } from '../../../../../sidecar/protocol/hostInfo.ts';

describe('what the host wants a person to know', () => {
  let notices: HostNotices;
  /** What a client was sent, each time. */
  const sent: string[][] = [];
  beforeEach(() => {
    sent.length = 0;
    const client = { hasClient: true, sendNotices: (items: readonly Notice[]) => void sent.push(ids(items)) };
    const stranger = { hasClient: false, sendNotices: () => assert.fail('it made no handshake') };
    notices = new HostNotices(() => [stranger, client] as unknown as Connection[]);
  });
  const ids = (items: readonly Notice[]) => items.map((it) => it.id);
  const other = { id: 'other', kind: 'newerBuild', message: 'Something else.' } as unknown as Notice;

  const failures: readonly [failure: StorageFailure, kind: Notice['kind'], remedy: RegExp][] = [
    ['full', 'diskFull', /Free some disk space\. The host will then continue automatically\.$/],
    ['tooLarge', 'cannotWrite', /Raise the system's file size limit\. The host will then continue automatically/],
    ['readOnly', 'cannotWrite', /Make the data folder and its files writable/],
    ['disk', 'cannotWrite', /Check the disk/],
    ['busy', 'cannotWrite', /Close the other program/],
    ['constraint', 'cannotSave', /restart the host/],
    ['failed', 'cannotSave', /restart the host/],
    ['damaged', 'cannotSave', /Restart the host/],
    ['newer', 'cannotSave', /Restart the host after you update Switchboard\.$/],
  ];
  for (const [failure, kind, remedy] of failures)
    it(`is that nothing can be saved because of ${failure}, and what to do, until something can again`, () => {
      notices.trouble(failure);
      const [notice] = notices.all;
      assert.deepEqual([notice?.id, notice?.kind, sent], [kind, kind, [[kind]]]);
      assert.match(notice!.message, /^[A-Z].*\. No new work is accepted\. Work already accepted is not lost, /);
      assert.match(notice!.message, remedy);
      notices.trouble(failure);
      assert.equal(sent.length, 1, 'the same again is no news');
      notices.trouble(undefined);
      notices.trouble(undefined);
      assert.deepEqual([notices.all, sent], [[], [[kind], []]]);
    });

  it('is one trouble at a time, the last one, also of the same kind', () => {
    notices.trouble('disk');
    const [first] = notices.all;
    notices.trouble('busy');
    assert.notEqual(notices.all[0]?.message, first?.message);
    notices.trouble('full');
    assert.deepEqual(sent, [['cannotWrite'], ['cannotWrite'], ['diskFull']]);
  });

  it('is that a database was set aside and where, beside the trouble and what others say', () => {
    notices.setAside('file:///data/old');
    assert.partialDeepStrictEqual(notices.all, [{ kind: 'databaseSetAside', folder: 'file:///data/old' }]);
    notices.setOthers([other]);
    notices.trouble('full');
    notices.trouble(undefined);
    notices.damaged();
    notices.setOthers([]);
    const aside = 'databaseSetAside';
    assert.deepEqual(sent, [
      [aside],
      [aside, 'other'],
      [aside, 'diskFull', 'other'],
      [aside, 'other'],
      [aside, 'other'],
      [aside],
    ]);
    assert.match(notices.all[0]!.message, /is damaged/);
    assert.equal('folder' in notices.all[0]!, false);
  });
});
