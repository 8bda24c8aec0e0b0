import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { globSource, isIgnored, readIgnore } from '../../../../../sidecar/agents/coder/tools/ignored.ts';
import { searchFiles } from '../../../../../sidecar/agents/coder/tools/searchThread.ts';
import { walk } from '../../../../../sidecar/agents/coder/tools/walk.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';

describe('a rule of a .gitignore', () => {
  for (const [rules, path, isFolder, expected] of [
    ['*.log', 'deep/a.log', false, true],
    ['*.log', 'deep/a.logs', false, undefined],
    ['/dist', 'dist', true, true],
    ['/dist', 'sub/dist', true, undefined],
    ['dist/', 'sub/dist', true, true],
    ['dist/', 'dist', false, undefined],
    ['a/**/b', 'a/x/y/b', false, true],
    ['a/**/b', 'a/b', false, true],
    ['docs/**', 'docs/a/b.md', false, true],
    ['*.log\n!keep.log', 'keep.log', false, false],
    ['# a comment\n\n\\#real', '#real', false, true],
    ['file[0-9].txt', 'file7.txt', false, true],
    ['file[!0-9].txt', 'file7.txt', false, undefined],
    ['a?c', 'abc', false, true],
    ['a?c', 'a/c', false, undefined],
    ['a+b(c).txt', 'a+b(c).txt', false, true],
  ] as const)
    it(`${JSON.stringify(rules)} says ${String(expected)} about ${path}`, () =>
      assert.equal(isIgnored(readIgnore(rules), path, isFolder), expected));

  it('is left out if it is not a valid pattern', () =>
    assert.equal(isIgnored(readIgnore('[z-a]\n*.log'), 'a.log', false), true));

  it('is written like a glob, which can also have alternatives', () =>
    assert.equal(new RegExp(`^${globSource('**/*.{ts,tsx}')}$`).test('src/deep/a.tsx'), true));
});

describe('a walk through a folder', () => {
  let workspace: Workspace;
  let outside: string;
  beforeEach(() => {
    outside = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-outside-')));
    workspace = openWorkspace({
      '.git/config': 'x',
      '.gitignore': 'node_modules/\n*.tmp\n',
      'a.ts': 'const one = 1;\nconst two = 2;\n',
      'a.tmp': 'one',
      'node_modules/x/index.js': 'one',
      'sub/.gitignore': '!kept.tmp\n/own.ts\n',
      'sub/kept.tmp': 'one',
      'sub/own.ts': 'one',
    });
    symlinkSync(outside, join(workspace.path, 'link'));
  });
  afterEach(() => {
    workspace.remove();
    rmSync(outside, { recursive: true, force: true });
  });
  const { signal } = new AbortController();

  it('skips what Git ignores, and follows no links', async () => {
    const found: string[] = [];
    for await (const it of walk(workspace.path, signal)) found.push(it.path);
    assert.deepEqual(found, ['.gitignore', 'a.ts', 'sub', 'sub/.gitignore', 'sub/kept.tmp']);
  });

  it('stops at the given depth', async () => {
    const found: string[] = [];
    for await (const it of walk(workspace.path, signal, 1)) found.push(it.path);
    assert.deepEqual(found, ['.gitignore', 'a.ts', 'sub']);
  });

  it('finds paths whose text is searched in another thread', async () => {
    const work = { root: workspace.path, paths: ['a.ts', 'gone.ts'], pattern: 'TWO', flags: 'i', most: 5 };
    assert.deepEqual(await searchFiles(work, systemTimers, signal), [
      { path: 'a.ts', line: 2, text: 'const two = 2;' },
    ]);
  });

  it('finds paths whose search is stopped if its pattern takes too long', async () => {
    workspace.write({ 'a.ts': `${'a'.repeat(60)}!` });
    const work = { root: workspace.path, paths: ['a.ts'], pattern: '^(a+)+$', flags: '', most: 5 };
    const after = (_ms: number, late: () => void) => {
      setImmediate(late);
      return () => undefined;
    };
    assert.equal(await searchFiles(work, { after }, signal), 'late');
  });
});
