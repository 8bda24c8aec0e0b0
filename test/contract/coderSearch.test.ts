import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { searchWith } from '../../sidecar/agents/coder/tools/search.ts';
import type { ToolScope } from '../../sidecar/agents/coder/tools/tool.ts';
import type { TurnHost } from '../../sidecar/agents/provider.ts';
import { type Children, openChildren } from '../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import { ripgrepProgram } from '../support/coder/ripgrep.ts';
import { openWorkspace, type Workspace } from '../support/host/workspace.ts';
import { contextIn } from '../support/playTurn.ts';

const files = {
  '.gitignore': '*.log\n/dist\n!keep.log\nsub/*.tmp\n',
  '.ignore': 'ignored-by-others.txt\n',
  '.git/config': 'TOKEN = hidden\n',
  '.hidden/a.txt': 'TOKEN in a hidden folder\n',
  '.env': 'TOKEN=denied\n',
  'a.txt': 'first\r\nTOKEN and token\r\nsnake_case 42 foo(bar) [x] {y} a-b\r\n',
  'a/deep/b.ts': 'const TOKEN = "ä"; // für \u2028 x\n\tindented\n',
  'a-b.txt': 'kelvin \u212A and \u017F, TOKEN\n',
  'ignored-by-others.txt': 'TOKEN\n',
  'debug.log': 'TOKEN\n',
  'keep.log': 'TOKEN\n',
  'dist/out.js': 'TOKEN\n',
  'sub/dist/out.js': 'TOKEN\n',
  'sub/a.tmp': 'TOKEN\n',
  'sub/.gitignore': 'local\n!*.log\n',
  'sub/local/x.txt': 'TOKEN\n',
  'sub/b.log': 'TOKEN\n',
  '--option.txt': 'TOKEN --files\n',
  'emoji.txt': 'a\u{1F600}c and end.\n',
};

/** Where ripgrep is. */
interface Program {
  readonly ofEditor?: boolean;
  readonly path?: string;
  readonly isSandboxed?: boolean;
}

describe('a search of the built-in agent with ripgrep and without it', () => {
  let workspace: Workspace;
  let children: Children;
  let ripgrep: string;
  before(async () => {
    ripgrep = await ripgrepProgram();
    workspace = openWorkspace({});
    for (const [path, text] of Object.entries(files)) write(path, text);
    write('latin1.txt', Buffer.from('f\xFCr TOKEN\n', 'latin1'));
    write('bom.txt', '\uFEFFTOKEN with a mark\n');
    write('utf16.txt', Buffer.from('\uFEFFTOKEN\n', 'utf16le'));
    write('binary.bin', Buffer.from('TOKEN\0\n'));
    write('large.txt', `${'x'.repeat(2_000_001)}\nTOKEN\n`);
    symlinkSync('a', join(workspace.path, 'link'));
    write('bin/rg', '#!/bin/sh\n');
    chmodSync(join(workspace.path, 'bin/rg'), 0o755);
    children = openChildren(join(workspace.path, '.git', 'children.json'), () => new Date().toISOString());
  });
  after(async () => {
    await children.stopAll();
    workspace.remove();
  });

  function write(path: string, content: string | Buffer): void {
    const file = join(workspace.path, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  let started = 0;
  /** @returns what the model gets, or why it gets nothing */
  async function search(
    input: object,
    isWithRipgrep: boolean,
    { ofEditor = true, path = dirname(ripgrep), isSandboxed = false }: Program = {},
  ): Promise<string> {
    const { spawn } = children;
    const counted = {
      spawn: (request: Parameters<typeof spawn>[0]) => {
        started += 1;
        return spawn(request);
      },
    };
    const own = contextIn(workspace.path, { env: { PATH: '' } });
    const context = isWithRipgrep ? { ...own, env: { PATH: resolve(workspace.path, path) }, isSandboxed } : own;
    const host: Pick<TurnHost, 'readLimits'> = {
      readLimits: async (paths) => ({
        denied: new Set(paths.filter((it) => it.endsWith('.env'))),
        asking: new Set<string>(),
      }),
    };
    const confirm = async () => ({ allow: true as const });
    const scope = {
      context,
      host,
      confirm,
      toolCallId: 'c',
      signal: new AbortController().signal,
      emit: () => undefined,
    };
    const tool = searchWith({ children: counted, timers: systemTimers, ...(isWithRipgrep && ofEditor && { ripgrep }) });
    return tool.run(input, scope as unknown as ToolScope).then(
      (it) => it.text,
      (thrown: unknown) => `failed: ${(thrown as Error).message}`,
    );
  }
  /** @param starts how often ripgrep has to be started: for the files, and for the lines if it understands the pattern */
  async function both(input: object, starts: number): Promise<string> {
    started = 0;
    const without = await search(input, false);
    assert.equal(started, 0);
    assert.equal(await search(input, true), without);
    assert.equal(started, starts);
    return without;
  }

  it('finds the same lines, without ignored and denied files, and in the same order', async () => {
    const found = await both({ pattern: 'TOKEN' }, 2);
    assert.deepEqual(
      found.split('\n').map((it) => it.split(':')[0]),
      [
        '--option.txt',
        '.hidden/a.txt',
        'a/deep/b.ts',
        'a-b.txt',
        'a.txt',
        'bom.txt',
        'ignored-by-others.txt',
        'keep.log',
        'latin1.txt',
        'sub/b.log',
        'sub/dist/out.js',
        '(Left out, because a rule denies reading',
      ],
    );
  });

  for (const [what, more, starts] of [
    ['the one of the editor in a sandbox', { isSandboxed: true }, 2],
    ['none on the PATH in a sandbox', { isSandboxed: true, ofEditor: false }, 0],
    ['none in the folders of the session', { ofEditor: false, path: 'bin' }, 0],
    ['one on the PATH', { ofEditor: false }, 2],
  ] as const)
    it(`starts ${what}`, async () => {
      started = 0;
      assert.match(await search({ pattern: 'TOKEN' }, true, more), /a\.txt:2: TOKEN and token/);
      assert.equal(started, starts);
    });

  for (const [starts, input] of [
    [2, { pattern: 'token' }],
    [2, { pattern: 'token', ignoreCase: true }],
    [2, { pattern: '^TOKEN' }],
    [2, { pattern: 'token$' }],
    [2, { pattern: 'f.r' }],
    [2, { pattern: 'f[^u]r' }],
    [2, { pattern: 'f\\Wr' }],
    [2, { pattern: '\\bfoo\\(\\w+\\)' }],
    [2, { pattern: '[\\w-]+_case \\d{2}' }],
    [2, { pattern: '^\\s+\\S' }],
    [2, { pattern: 'a..c' }],
    [2, { pattern: 'a.c' }],
    [2, { pattern: 'kelvin k', ignoreCase: true }],
    [2, { pattern: '[^s] and [^s],', ignoreCase: true }],
    [2, { pattern: '(?:first|second)' }],
    [2, { pattern: '(?<name>for|first)' }],
    [1, { pattern: 'TOKEN(?= and)' }],
    [1, { pattern: '(o)\\1' }],
    [1, { pattern: '\\p{L}' }],
    [1, { pattern: 'für' }],
    [1, { pattern: '{y}' }],
    [2, { pattern: '\\{y\\}' }],
    [2, { pattern: '[[]x\\]' }],
    [1, { pattern: '[[]x]' }],
    [2, { pattern: '[a-c]-b' }],
    [1, { pattern: '[+--]b' }],
    [1, { pattern: '\\u0054OKEN' }],
    [2, { pattern: '--files' }],
    [2, { pattern: '-e' }],
    [2, { pattern: '.' }],
    [2, { pattern: '' }],
    [2, { pattern: 'TOKEN', glob: '*.{ts,log}' }],
    [2, { pattern: 'TOKEN', path: 'sub' }],
    [1, { pattern: 'TOKEN', path: 'none' }],
    [1, { pattern: 'TOKEN', path: 'a.txt' }],
    [1, { glob: '**/*.txt' }],
    [1, {}],
    [0, { pattern: '(' }],
  ] as const)
    it(`gives the same answer to ${JSON.stringify(input)}`, async () => {
      await both(input, starts);
    });
});
