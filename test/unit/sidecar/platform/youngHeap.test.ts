import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'mocha';
import { beginAsServer } from '../../../../sidecar/platform/youngHeap.ts';

describe('a process that begins anew as a server of many callers', () => {
  /** What it was replaced by, if it was. */
  function replaced(more: Partial<NodeJS.Process>): readonly string[] | undefined {
    let seen: readonly string[] | undefined;
    const started = {
      execPath: '/node',
      execArgv: ['--no-warnings'],
      argv: ['/node', '/main.mjs', 'gateway', '--config', 'a b'],
      env: { A: '1' },
      platform: 'linux',
      execve: (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
        assert.equal(file, '/node');
        assert.deepEqual(env, { A: '1' });
        seen = args;
      },
      ...more,
    };
    beginAsServer(started as unknown as NodeJS.Process);
    return seen;
  }

  it('keeps its options, its arguments and its environment', () => {
    const own = ['--max-semi-space-size=8', '--min-semi-space-size=8', '--no-parallel-scavenge'];
    assert.deepEqual(replaced({}), ['/node', '--no-warnings', ...own, '/main.mjs', 'gateway', '--config', 'a b']);
  });

  it('gets no option that makes Node compile its own modules again', () => {
    const versionWith = (options: readonly string[]) =>
      execFileSync(process.execPath, [...options, '-p', 'v8.cachedDataVersionTag()'], { encoding: 'utf8' });
    const options = replaced({ execArgv: [] })?.slice(1, -4) ?? [];
    assert.ok(options.length > 0);
    assert.equal(versionWith(options), versionWith([]));
    assert.notEqual(versionWith(['--no-maglev']), versionWith([]));
  });

  for (const { where, more } of [
    { where: 'it did so already', more: { execArgv: ['--max-semi-space-size=8'] } },
    { where: 'whoever started it chose a size', more: { env: { NODE_OPTIONS: '--max-semi-space-size=64' } } },
    { where: 'the system replaces no process', more: { platform: 'win32' } },
    { where: 'Node is too old to', more: { execve: undefined } },
  ] as const) {
    it(`goes on as it is where ${where}`, () => {
      assert.equal(replaced(more as unknown as Partial<NodeJS.Process>), undefined);
    });
  }
});
