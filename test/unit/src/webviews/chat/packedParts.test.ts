import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { PackedParts } from '../../../../../src/webviews/chat/packedParts.ts';

/** @param results of the calls, in order; text is why one fails */
function fileOf(...results: readonly (Uint8Array | string)[]) {
  let calls = 0;
  const parts = new PackedParts({ style: '', script: '' }, async () => {
    const result = results[calls++];
    if (result instanceof Uint8Array) return result;
    throw new Error(result);
  });
  return { parts, calls: () => calls };
}
const [some, others] = [Uint8Array.of(1), Uint8Array.of(2)];

describe('the file with the style and the script of the chat page', () => {
  it('is read once for all pages', async () => {
    const { parts, calls } = fileOf(some, others);
    const both = [parts.read(), parts.read()];
    assert.deepEqual([...(await Promise.all(both)), await parts.read()], [some, some, some]);
    assert.equal(calls(), 1);
  });

  it('is read again after it could not be read', async () => {
    const { parts } = fileOf('gone', some);
    await assert.rejects(parts.read(), /gone/);
    assert.equal(await parts.read(), some);
  });

  it('is read again after a page has refused it', async () => {
    const { parts } = fileOf(some, others);
    await parts.read();
    parts.forget();
    assert.equal(await parts.read(), others);
  });
});
