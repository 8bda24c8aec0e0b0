import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'mocha';
import { createSealer } from '../../../../sidecar/platform/seal.ts';

describe('a sealed text', () => {
  const sealer = createSealer(randomBytes(32));
  const text = sealer.seal({ a: 'ä' }, 'subject');

  it('opens for its subject and with its key alone', () => {
    assert.deepEqual(sealer.open(text, 'subject'), { a: 'ä' });
    assert.equal(sealer.open(text, 'other'), undefined);
    assert.equal(createSealer(randomBytes(32)).open(text, 'subject'), undefined);
  });
  for (const [what, wrong] of [
    ['with a character more', `${text}A`],
    ['with padding', `${text}=`],
    ['with a space', `${text} `],
    ['with a character less', text.slice(0, -1)],
    ['with another end', text.slice(0, -3) + (text.endsWith('AAA') ? 'BBB' : 'AAA')],
    ['with nothing', ''],
  ] as const) {
    it(`does not open ${what}: it has one spelling`, () => assert.equal(sealer.open(wrong, 'subject'), undefined));
  }
  it('needs a key of 32 bytes', () => assert.throws(() => createSealer(randomBytes(31)), RangeError));
});
