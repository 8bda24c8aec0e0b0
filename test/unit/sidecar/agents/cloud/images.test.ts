import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { toImage } from '../../../../../sidecar/agents/cloud/images.ts';

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((it) => (typeof it === 'string' ? Buffer.from(it, 'latin1') : Buffer.from(it))));
/** An image of 300 by 200 pixels, as far as the size is stated. */
const images: Readonly<Record<string, Buffer>> = {
  PNG: bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', [0, 0, 1, 44, 0, 0, 0, 200]),
  GIF: bytes('GIF89a', [44, 1, 200, 0]),
  'JPEG behind a thumbnail and a table': bytes(
    [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1],
    [0xff, 0xc4, 0, 3, 0],
    [0xff, 0xc2, 0, 11, 8, 0, 200, 1, 44],
  ),
  'lossy WebP': bytes('RIFF\0\0\0\0WEBPVP8 \0\0\0\0', [0, 0, 0, 0x9d, 1, 0x2a, 44, 1, 200, 0]),
  // 14 bits of the width less 1, then of the height less 1.
  'lossless WebP': bytes('RIFF\0\0\0\0WEBPVP8L\0\0\0\0', [0x2f, 0x2b, 0xc1, 0x31, 0]),
  'WebP with extensions': bytes('RIFF\0\0\0\0WEBPVP8X\0\0\0\0', [0, 0, 0, 0, 43, 1, 0, 199, 0, 0]),
};

describe('an image for a cloud agent', () => {
  for (const [kind, image] of Object.entries(images)) {
    it(`has its size if it is a ${kind}`, () => {
      const data = image.toString('base64');
      assert.deepEqual(toImage(data), { data, dimension: { width: 300, height: 200 } });
    });

    it(`is none if it is a ${kind} that was cut off`, () => {
      assert.equal(toImage(image.subarray(0, -1).toString('base64')), undefined);
    });
  }

  it('is none if it is something else', () => {
    for (const text of ['', 'no image', '<svg/>', '\xff\xd8\xffabcdefgh'])
      assert.equal(toImage(Buffer.from(text, 'latin1').toString('base64')), undefined);
  });
});
