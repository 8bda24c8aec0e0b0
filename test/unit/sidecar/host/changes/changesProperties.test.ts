import assert from 'node:assert/strict';
import { chmodSync, existsSync, lstatSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { type ChangesBench, openBench } from '../../../../support/changes/changes.ts';

const names = ['a.txt', 'b.bin', 'dir/c.txt', 'dir/deep/d.txt', 'new/e.txt', 'f', 'ignored.log', 'sp ace ü.txt'];
const contents = [
  '',
  'x',
  'x\n',
  'one\r\ntwo\r\n',
  'a\nb\nc\n',
  '\0\x01\x02',
  '\xef\xbb\xbfbom\n',
  'a\nB\nc\n',
  'z\n'.repeat(50),
];
type Step = {
  readonly kind: 'write' | 'delete' | 'rename' | 'chmod' | 'link';
  readonly name: string;
  readonly other: string;
  readonly content: string;
  readonly mode: number;
};
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('write', 'write', 'delete', 'rename', 'chmod', 'link'),
  name: fc.constantFrom(...names),
  other: fc.constantFrom(...names),
  content: fc.constantFrom(...contents),
  mode: fc.constantFrom(0o644, 0o755),
});

function play(bench: ChangesBench, { kind, name, other, content, mode }: Step): void {
  const path = bench.path(name);
  const isFile = existsSync(path) && lstatSync(path).isFile();
  if (kind === 'write' && (isFile || !existsSync(path))) {
    if (!isFile) rmSync(path, { force: true }); // a link to nothing
    bench.write(name, content);
  } else if (kind === 'delete') rmSync(path, { force: true });
  else if (kind === 'rename' && existsSync(path) && name !== other) {
    rmSync(bench.path(other), { force: true });
    bench.write(other, 'replaced');
    renameSync(path, bench.path(other));
  } else if (kind === 'chmod' && isFile) chmodSync(path, mode);
  else if (kind === 'link' && !isFile) {
    bench.write('linked', '');
    rmSync(path, { force: true });
    if (existsSync(bench.path(name.split('/').slice(0, -1).join('/')))) symlinkSync('nowhere', path);
  }
}

const withoutFolders = (tree: Record<string, string>) =>
  Object.fromEntries(Object.entries(tree).filter(([, it]) => it !== 'folder'));

describe('whatever an agent does in its turns', () => {
  for (const git of [true, false]) {
    it(`undo of all gives the tree of the beginning and redo the agent's${git ? ', in a git repository' : ''}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.subarray(names),
          fc.array(fc.array(step, { maxLength: 8 }), { minLength: 1, maxLength: 3 }),
          async (present, turns) => {
            const files = Object.fromEntries(present.map((name, n) => [name, contents[n % contents.length]!]));
            const bench = await openBench({ git, files: { '.gitignore': '*.log\n', 'a.txt': 'a\n', ...files } });
            try {
              const before = withoutFolders(bench.tree());
              for (const [n, steps] of turns.entries()) {
                await bench.turn(
                  `t${n}`,
                  () => {
                    for (const it of steps) play(bench, it);
                  },
                  names,
                );
              }
              const after = bench.tree();
              await bench.invoke('undo');
              assert.deepEqual(withoutFolders(bench.tree()), before);
              assert.deepEqual(bench.sessionSet().files, []);
              if (bench.sessionSet().operations!.some((it) => it.id === 'redo')) await bench.invoke('redo');
              assert.deepEqual(withoutFolders(bench.tree()), withoutFolders(after));
              assert.deepEqual(bench.reports, []);
            } finally {
              await bench.close();
            }
          },
        ),
        { numRuns: 12, endOnFailure: true },
      );
    });
  }
});
