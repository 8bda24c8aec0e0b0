import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Loader } from '../../../../media/admin/kit/loader.ts';

describe('what a page loads', () => {
  function open() {
    const asked: { readonly answer: (value: string) => void; readonly fail: (error: Error) => void }[] = [];
    const parts: ((value: string) => void)[] = [];
    const host = { addController: () => undefined, requestUpdate: () => undefined } as never;
    const loader = new Loader<string>(host, (_signal, part) => {
      parts.push(part);
      return new Promise((answer, fail) => void asked.push({ answer, fail }));
    });
    return { loader, asked, parts };
  }

  it('is the answer to the newest request, also where an older one comes later', async () => {
    const { loader, asked } = open();
    const runs = [loader.run(), loader.run()];
    asked[1]?.answer('newer');
    asked[0]?.answer('older');
    await Promise.all(runs);
    assert.deepEqual([loader.value, loader.isLoading, loader.error], ['newer', false, undefined]);
  });

  it('is not replaced by a part or a failure of an older request', async () => {
    const { loader, asked, parts } = open();
    const runs = [loader.run(), loader.run()];
    parts[0]?.('a part of the older');
    assert.equal(loader.value, undefined);
    asked[1]?.answer('newer');
    asked[0]?.fail(new Error('too late'));
    await Promise.all(runs);
    assert.deepEqual([loader.value, loader.error], ['newer', undefined]);
  });
});
