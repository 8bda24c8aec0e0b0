import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { KeptPages } from '../../../../src/webviews/keptPages.ts';

describe('the pages whose parts the browser keeps', () => {
  it('are those whose parts it said to keep last', () => {
    const kept = new KeptPages();
    kept.note('chat', 'first');
    kept.note('chat', 'second');
    assert.deepEqual([kept.digestOf('chat'), kept.digestOf('admin')], ['second', undefined]);
  });

  it('include one that another place of the editor missed once', () => {
    const kept = new KeptPages();
    kept.note('chat', 'digest');
    kept.note('chat', undefined);
    assert.equal(kept.digestOf('chat'), undefined);
    kept.note('chat', 'digest');
    assert.equal(kept.digestOf('chat'), 'digest');
  });

  it('do not include one that is missed again and again, although it was said to be kept each time', () => {
    const kept = new KeptPages();
    for (const digest of ['digest', undefined, 'digest', undefined, 'digest']) kept.note('chat', digest);
    assert.equal(kept.digestOf('chat'), undefined);
  });
});
