import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { before, describe, it } from 'mocha';

const child = join(import.meta.dirname, '../../../../support/files/swapping.child.ts');

describe('where the system has no names for open folders, a folder that is swapped for a link', () => {
  let answers: Readonly<Record<string, { readonly codes: string; readonly lost: readonly string[] }>>;
  before(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [child]);
    answers = JSON.parse(stdout) as typeof answers;
  });

  // How the act ends where the swap comes after its first look at the folder, after its second, …, and never. After the last
  // look before a file takes its place, it is looked for in vain behind the link: nothing is there under the temporary name.
  for (const [act, codes] of [
    ['read', 'forbidden done done'],
    ['list', 'invalid_params forbidden done done'],
    ['enter', 'forbidden done'],
    ['write', 'forbidden forbidden not_found done'],
    ['create', 'forbidden forbidden done done'],
    ['copy from', 'forbidden forbidden done done'],
    ['copy to', 'forbidden forbidden forbidden not_found done done'],
    ['move to', 'forbidden forbidden done done'],
    ['make a folder', 'already_exists already_exists done'],
    ['remove', 'forbidden done'],
    ['undo', 'forbidden forbidden not_found done'],
  ] as const)
    it(`is found out at each look that comes after (${act}), and nothing behind the link is changed`, () => {
      assert.deepEqual(answers[act], { codes, lost: [] });
    });
});
