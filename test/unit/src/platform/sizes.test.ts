import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { sizeText } from '../../../../src/platform/sizes.ts';
import { english as l10n } from '../../../support/extensionStates.ts';

describe('sizes of files for people', () => {
  it('are rounded', () => {
    assert.deepEqual(
      [0, 2_000, 1_500_000, 1_500_000_000].map((it) => sizeText(l10n, it)),
      ['1 KB', '2 KB', '1 MB', '1.4 GB'],
    );
  });
});
