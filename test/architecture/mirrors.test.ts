import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, it } from 'mocha';
import { projectRoot } from '../support/cache.ts';

/** A test lies in a folder that its sources have, too, or in one that is called as the one file that it tests. */
const isAstray = (test: string, isThere: (folder: string) => boolean) =>
  [posix.relative('test/unit', dirname(test))].every((it) => !isThere(it) && !isThere(`${it}.ts`));

describe('unit tests', () => {
  it('lie in the folder of the sources that they test, or in one of the name of one of them', () => {
    const tests = globSync('test/unit/**/*.test.ts', { cwd: projectRoot }).map((it) => it.replaceAll('\\', '/'));
    assert.ok(tests.length > 0);
    assert.deepEqual(
      tests.filter((test) => isAstray(test, (it) => existsSync(join(projectRoot, it)))),
      [],
    );
  });

  it('that lie where no sources are, are found', () => {
    const isThere = (path: string) => ['sidecar/host', 'sidecar/host/hub.ts'].includes(path);
    assert.equal(isAstray('test/unit/sidecar/host/hub/a.test.ts', isThere), false);
    assert.equal(isAstray('test/unit/sidecar/host/a.test.ts', isThere), false);
    assert.equal(isAstray('test/unit/sidecar/hosts/a.test.ts', isThere), true);
  });
});
