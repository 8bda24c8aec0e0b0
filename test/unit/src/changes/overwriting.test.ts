import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChangesetFile } from '../../../../sidecar/protocol/channels/changeset/schema.ts';
import { overwriteAgreed } from '../../../../src/changes/overwriting.ts';

const file = { id: 'file:///a.txt', edit: { after: { uri: 'file:///a.txt' } } } as ChangesetFile;

describe('an undo over what the person changed since', () => {
  for (const [what, given] of [
    ['the one file', file],
    ['all files', undefined],
  ] as const) {
    it(`is of ${what} to which they agreed, and of nothing where they did not`, async () => {
      const asked: unknown[] = [];
      const run: unknown[][] = [];
      let agrees = false;
      const deps = {
        ask: async (it: ChangesetFile | undefined) => {
          asked.push(it);
          return agrees;
        },
        operate: async (...it: unknown[]) => void run.push(it),
      };
      await overwriteAgreed(deps, 'host-changeset:/s/session', given);
      assert.deepEqual(run, []);
      agrees = true;
      await overwriteAgreed(deps, 'host-changeset:/s/session', given);
      assert.deepEqual(asked, [given, given]);
      assert.deepEqual(run, [['host-changeset:/s/session', 'undo-overwrite', given]]);
    });
  }
});
