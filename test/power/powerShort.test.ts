import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { cutAll, type Traced, traceAll } from '../support/power/cuts.ts';
import { promises, worksOf } from '../support/power/works.ts';

const CUTS = 12;

/** Few cuts, for the mutants. Only Linux has strace. */
if (process.platform === 'linux')
  describe('a power cut at a few moments', () => {
    let root = '';
    let traced: ReadonlyMap<string, Traced>;
    before(async () => {
      root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-power-')));
      traced = await traceAll(root, worksOf(4, 40));
    });
    after(() => rmSync(root, { recursive: true, force: true }));

    for (const [name, says] of promises)
      it(`takes ${says}`, async () => {
        assert.deepEqual(await cutAll(root, traced.get(name)!, CUTS), []);
      });
  });
