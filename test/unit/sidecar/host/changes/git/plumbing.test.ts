import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { readBlobs } from '../../../../../../sidecar/host/changes/git/blobs.ts';
import { openGit, zFields } from '../../../../../../sidecar/host/changes/git/git.ts';
import type { GitRepository } from '../../../../../../sidecar/host/changes/git/gitRepository.ts';
import { readStatus } from '../../../../../../sidecar/host/changes/git/uncommittedStatus.ts';
import { withIndex } from '../../../../../../sidecar/host/changes/git/withIndex.ts';

describe('git, as the host runs it', () => {
  let root: string;
  let index: string;
  const failures: unknown[] = [];
  beforeEach(() => {
    failures.length = 0;
    root = realpathSync(mkdtempSync(join(tmpdir(), 'git-')));
    index = join(root, 'index');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("has the host's environment, without what would send git elsewhere or change the programs that it starts", async () => {
    const git = openGit({
      ...process.env,
      GIT_DIR: '/nowhere',
      GIT_INDEX_FILE: '/nowhere/index',
      NODE_OPTIONS: '--inspect',
      ELECTRON_RUN_AS_NODE: '1',
      OWN: 'mine',
      LC_ALL: 'de_DE',
    });
    const { code, stdout } = await git(['-c', 'alias.show-env=!env', 'show-env'], { cwd: root, env: { MORE: 'more' } });
    assert.equal(code, 0);
    const env = Object.fromEntries(
      stdout
        .toString()
        .split('\n')
        .map((it) => [it.slice(0, it.indexOf('=')), it.slice(it.indexOf('=') + 1)]),
    );
    const names = ['GIT_DIR', 'GIT_INDEX_FILE', 'NODE_OPTIONS', 'ELECTRON_RUN_AS_NODE', 'OWN', 'MORE', 'LC_ALL'];
    assert.deepEqual(
      names.map((it) => env[it]),
      [undefined, undefined, undefined, undefined, 'mine', 'more', 'C'],
    );
    assert.deepEqual([env['GIT_OPTIONAL_LOCKS'], env['GIT_TERMINAL_PROMPT']], ['0', '0']);
  });

  it('is an exit code also where it does not read what it is handed, or cannot be started', async () => {
    const git = openGit(process.env);
    const input = Buffer.alloc(4 * 1024 * 1024, 'x');
    assert.equal((await git(['no-such-command'], { cwd: root, input })).code, 1);
    assert.equal((await git(['version'], { cwd: join(root, 'missing') })).code, -1);
  });

  for (const { output, fields } of [
    { output: '', fields: [] },
    { output: 'a\0b\0', fields: ['a', 'b'] },
    { output: 'a\0\0', fields: ['a', ''] },
  ])
    it(`answers ${JSON.stringify(output)} as ${fields.length} fields`, () =>
      assert.deepEqual(zFields(Buffer.from(output)), fields));

  it('answers bytes of many objects in few calls: those up to the limit, and why not of the others', async () => {
    execFileSync('git', ['init', '-q'], { cwd: root });
    const store = (bytes: Buffer) =>
      execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: root, input: bytes }).toString().trim();
    const contents = Array.from({ length: 34 }, (_, n) => Buffer.from(n % 2 === 0 ? `${n}\n\0` : '\n'.repeat(n % 10)));
    const objects = contents.map(store);
    const [atLimit, beyond] = [store(Buffer.alloc(20)), store(Buffer.alloc(21))];
    const gone = '0123456789'.repeat(4);
    const git = openGit(process.env);
    let calls = 0;
    const run = async (args: readonly string[], input?: string) => {
      calls += 1;
      return (await git(args, { cwd: root, ...(input !== undefined && { input }) })).stdout;
    };
    const blobs = await readBlobs(run, 20, [...new Set([...objects, atLimit, beyond, gone])]);
    for (const [n, object] of objects.entries()) assert.deepEqual(blobs.get(object), contents[n]);
    assert.deepEqual(blobs.get(atLimit), Buffer.alloc(20));
    assert.deepEqual([blobs.get(beyond), blobs.get(gone)], ['tooLarge', 'missing']);
    assert.ok(calls <= 4, `${calls} calls`);
    calls = 0;
    assert.equal((await readBlobs(run, 20, [])).size, 0);
    assert.equal(calls, 0);
  });

  describe('that changes an index', () => {
    const failing = (work: (staged: () => Promise<void>) => Promise<void>) =>
      assert.rejects(
        withIndex({ report: (it) => failures.push(it) }, { index } as GitRepository, async (staged) => {
          await work(staged);
          throw new Error('no commit');
        }),
        /no commit/,
      );
    const makeIndex = () => {
      writeFileSync(index, 'before', { mode: 0o644 });
      utimesSync(index, 1_000, 2_000);
    };

    it('has it as it was when it fails afterwards: bytes, times and permission bits', async () => {
      makeIndex();
      await failing(async (staged) => {
        writeFileSync(index, 'ours');
        chmodSync(index, 0o640);
        await staged();
      });
      assert.equal(readFileSync(index, 'utf8'), 'before');
      const { mtimeMs, mode } = statSync(index);
      assert.deepEqual([mtimeMs, mode & 0o777], [2_000_000, 0o640]);
      assert.deepEqual([readdirSync(root), failures], [['index'], []]);
    });

    it('has none again when there was none before', async () => {
      await failing(async (staged) => {
        writeFileSync(index, 'ours');
        await staged();
      });
      assert.deepEqual([readdirSync(root), failures], [[], []]);
    });

    it('leaves what another program made of it meanwhile', async () => {
      makeIndex();
      await failing(async (staged) => {
        writeFileSync(index, 'ours');
        await staged();
        writeFileSync(index, 'theirs');
      });
      assert.deepEqual([readFileSync(index, 'utf8'), readdirSync(root), failures], ['theirs', ['index'], []]);
    });

    it('leaves it, and the lock, to another program that holds it', async () => {
      makeIndex();
      await failing(async (staged) => {
        writeFileSync(index, 'ours');
        await staged();
        writeFileSync(`${index}.lock`, 'theirs');
      });
      assert.deepEqual([readFileSync(index, 'utf8'), readFileSync(`${index}.lock`, 'utf8')], ['ours', 'theirs']);
      assert.equal(failures.length, 1);
    });

    it('does not touch it when it succeeds', async () => {
      makeIndex();
      const done = await withIndex(
        { report: (it) => failures.push(it) },
        { index } as GitRepository,
        async (staged) => {
          writeFileSync(index, 'ours');
          await staged();
          return 'done';
        },
      );
      assert.deepEqual([done, readFileSync(index, 'utf8'), existsSync(`${index}.lock`)], ['done', 'ours', false]);
    });
  });

  describe('that says what is not committed', () => {
    const [base, ours, theirs] = ['1', '2', '3'].map((it) => it.repeat(40)) as [string, string, string];
    const field = {
      changed: `1 .M N... 100644 100755 100755 ${base} ${ours} a b.txt`,
      staged: `1 M. N... 100644 100644 100644 ${base} ${ours} staged`,
      added: `1 A. N... 000000 100644 100644 ${'0'.repeat(40)} ${ours} added`,
      conflict: `u UU N... 100644 100755 100644 100644 ${base} ${ours} ${theirs} conflict`,
      submodule: `1 .M S..U 160000 160000 160000 ${base} ${base} module`,
      removed: `1 D. N... 100644 000000 000000 ${base} ${'0'.repeat(40)} both`,
      untracked: '? both',
    };
    const read = (names: readonly (keyof typeof field)[], max = 100) => {
      const answers: Record<string, string> = {
        status: names.map((it) => `${field[it]}\0`).join(''),
        diff: '2\t1\ta b.txt\0-\t-\tstaged\0',
        'rev-parse': `${base}\n`,
      };
      const run = (args: readonly string[]) => Promise.resolve(Buffer.from(answers[args[0]!]!));
      return readStatus({ top: '/top', run } as unknown as GitRepository, [], max);
    };
    const tracked = { isTracked: true, isSubmodule: false };
    const head = { object: base, mode: '100644' };
    for (const { of, expected } of [
      {
        of: 'changed',
        expected: {
          ...tracked,
          head,
          isStaged: false,
          isUnstaged: true,
          path: '/top/a b.txt',
          counts: { added: 2, removed: 1 },
        },
      },
      { of: 'staged', expected: { ...tracked, head, isStaged: true, isUnstaged: false, path: '/top/staged' } },
      { of: 'added', expected: { ...tracked, isStaged: true, isUnstaged: false, path: '/top/added' } },
      {
        of: 'conflict',
        expected: {
          ...tracked,
          head: { object: ours, mode: '100755' },
          isStaged: true,
          isUnstaged: true,
          path: '/top/conflict',
        },
      },
      {
        of: 'submodule',
        expected: {
          ...tracked,
          head: { object: base, mode: '160000' },
          isSubmodule: true,
          isStaged: false,
          isUnstaged: true,
          path: '/top/module',
        },
      },
    ] as const)
      it(`tells the state of a path that is ${of}`, async () =>
        assert.deepEqual(await read([of]), { entries: [expected], isCut: false }));

    it('takes two lines of one file together, also where no more files are shown', async () => {
      const both = { ...tracked, head, isStaged: true, isUnstaged: true, path: '/top/both' };
      assert.deepEqual(await read(['removed', 'untracked'], 1), { entries: [both], isCut: false });
      const { entries, isCut } = await read(['removed', 'untracked', 'added', 'changed'], 2);
      assert.deepEqual([entries.map((it) => it.path), isCut], [['/top/both', '/top/added'], true]);
    });
  });
});
