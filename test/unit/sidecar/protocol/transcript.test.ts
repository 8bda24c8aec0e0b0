import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { newestOf } from '../../../../sidecar/protocol/transcript.ts';

describe('a transcript for a prompt', () => {
  it('is whole up to 200,000 characters', () => {
    const text = 'a'.repeat(200_000);
    assert.equal(newestOf(text), text);
  });

  it('keeps its end beyond that, and says that earlier turns are omitted', () => {
    const end = 'b'.repeat(200_000);
    assert.equal(newestOf(`The beginning.${end}`), `[earlier turns omitted]\n${end}`);
  });
});
