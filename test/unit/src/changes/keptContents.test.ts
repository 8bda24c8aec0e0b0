import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { KeptContents } from '../../../../src/changes/keptContents.ts';
import { later } from '../../../support/later.ts';
import { verifies } from '../../../support/verifies.ts';

describe('bytes that a diff asks for', () => {
  let kept: KeptContents;
  let reads: string[];
  beforeEach(() => {
    kept = new KeptContents(100);
    reads = [];
  });
  const bytes = (size: number) => new Uint8Array(size);
  const get = (uri: string, size = 40) =>
    kept.get(uri, async () => {
      reads.push(uri);
      return bytes(size);
    });

  it('are read once and counted once when they are asked for twice at once', async () => {
    verifies('host.changes.contents-once');
    const answer = later<Uint8Array>();
    const read = () => {
      reads.push('a');
      return answer.promise;
    };
    const both = [kept.get('a', read), kept.get('a', read)];
    answer.resolve(bytes(40));
    const [first, second] = await Promise.all(both);
    assert.equal(first, second);
    assert.deepEqual(reads, ['a']);
    await get('b'); // 80 of 100: nothing has to leave
    await get('a');
    assert.deepEqual(reads, ['a', 'b']);
  });

  it('leave oldest first, when there are too many, and are read again then', async () => {
    for (const uri of ['a', 'b', 'c', 'b', 'c', 'a']) await get(uri);
    assert.deepEqual(reads, ['a', 'b', 'c', 'a']);
  });

  it('are not kept where one alone is too many, and the next ones are', async () => {
    for (const uri of ['large', 'large']) await get(uri, 101);
    for (const uri of ['a', 'b', 'a', 'b']) await get(uri);
    assert.deepEqual(reads, ['large', 'large', 'a', 'b']);
  });

  it('are kept up to the last byte that there is room for', async () => {
    for (const uri of ['a', 'b', 'a', 'b']) await get(uri, 50);
    assert.deepEqual(reads, ['a', 'b']);
  });

  it('are read again after a failure, which all who waited learn', async () => {
    const answer = later<Uint8Array>();
    const both = [kept.get('a', () => answer.promise), kept.get('a', () => answer.promise)];
    answer.reject(new Error('away'));
    for (const it of await Promise.allSettled(both)) assert.equal(it.status, 'rejected');
    assert.equal((await get('a')).byteLength, 40);
  });
});
