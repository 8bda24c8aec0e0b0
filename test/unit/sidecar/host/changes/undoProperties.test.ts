import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { InvokeChangesetOperationResult, LeftFiles } from '../../../../../sidecar/protocol/commands.ts';
import { type ChangesBench, folderKinds, openBench, sha } from '../../../../support/changes/changes.ts';
import { verifies } from '../../../../support/verifies.ts';

/** `UNDO_SEED` and `UNDO_PATH` play what a failure printed again, `UNDO_RUNS` plays more. */
const { UNDO_SEED, UNDO_PATH, UNDO_RUNS } = process.env;
const again = UNDO_SEED === undefined ? {} : { seed: Number(UNDO_SEED), path: UNDO_PATH ?? '0' };
const numRuns = Number(UNDO_RUNS ?? 8);

const MAX_KEPT = 1_000;
const BIG = 'x'.repeat(3_000);
/** Names that stand in each other's way: files that are folders elsewhere. */
const names = ['a', 'a/in.txt', 'b.txt', 'dir', 'dir/c.txt', 'dir/deep', 'dir/deep/d.txt', 'e', 'e/f/g.txt', 'new/h'];
/** What no baseline looks at: a tool call has to name it. */
const unseen = ['node_modules/lib/i.js', 'ignored.log'];
const contents = {
  nothing: '',
  line: 'x\n',
  crlf: 'one\r\ntwo\r\n',
  lines: 'a\nb\nc\n',
  binary: '\0\x01\x02',
  many: 'z\n'.repeat(50),
  big: BIG,
};
type Content = keyof typeof contents;
const small: Content[] = ['nothing', 'line', 'crlf', 'lines', 'binary', 'many'];

interface Step {
  readonly kind: 'write' | 'append' | 'delete' | 'rename' | 'chmod' | 'link' | 'folder';
  readonly name: string;
  readonly other: string;
  readonly content: Content;
  readonly mode: number;
  /** Otherwise a shell did it, and named nothing. */
  readonly byTool: boolean;
}
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('write', 'write', 'append', 'delete', 'rename', 'rename', 'chmod', 'link', 'folder'),
  name: fc.constantFrom(...names),
  other: fc.constantFrom(...names),
  content: fc.constantFrom<Content>(...small, 'big'),
  mode: fc.constantFrom(0o644, 0o755, 0o600),
  byTool: fc.boolean(),
});
const unseenStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('write', 'delete', 'chmod'),
  name: fc.constantFrom(...unseen),
  other: fc.constant('b.txt'),
  content: fc.constantFrom(...small),
  mode: fc.constantFrom(0o644, 0o755),
  byTool: fc.constant(true),
});
const turns = fc.array(
  fc.array(fc.oneof({ arbitrary: step, weight: 6 }, { arbitrary: unseenStep, weight: 1 }), { maxLength: 7 }),
  {
    minLength: 1,
    maxLength: 3,
  },
);

const typeAt = (path: string) => {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'file';
  } catch {
    return 'nothing'; // or a file on the way
  }
};

/** Makes way for a file at `name`: what stood in its place, or on the way to it, goes. */
function makeWay(folder: string, name: string): void {
  const parts = name.split('/');
  for (let n = 1; n < parts.length; n += 1) {
    const path = join(folder, ...parts.slice(0, n));
    if (typeAt(path) !== 'folder') rmSync(path, { force: true });
  }
  rmSync(join(folder, name), { recursive: true, force: true });
  mkdirSync(dirname(join(folder, name)), { recursive: true });
}

function play({ folder }: ChangesBench, { kind, name, other, content, mode }: Step): void {
  const path = join(folder, name);
  const isWithinOther = name.startsWith(`${other}/`) || other.startsWith(`${name}/`) || name === other;
  switch (kind) {
    case 'write':
      makeWay(folder, name);
      writeFileSync(path, contents[content], 'latin1');
      return;
    case 'append': // through a link, if that is one
      try {
        writeFileSync(path, contents[content], { flag: 'a' });
      } catch {
        // a folder, or a way that leads nowhere
      }
      return;
    case 'delete': // a path through a loop of links leads to nothing
      if (typeAt(path) !== 'nothing') rmSync(path, { recursive: true });
      return;
    case 'rename':
      if (isWithinOther || typeAt(path) === 'nothing') return;
      makeWay(folder, other);
      if (typeAt(path) !== 'nothing') renameSync(path, join(folder, other));
      return;
    case 'chmod':
      if (typeAt(path) === 'file') chmodSync(path, mode);
      return;
    case 'link':
      makeWay(folder, name);
      symlinkSync(isWithinOther ? 'nowhere' : join(relative(dirname(name), ''), other) || '.', path);
      return;
    case 'folder':
      makeWay(folder, name);
      mkdirSync(path);
  }
}

/** Bytes, modes and links of all files. Folders without files are not followed. */
function treeOf({ folder }: ChangesBench): Record<string, string> {
  const tree: Record<string, string> = {};
  const walk = (at: string) => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      const name = relative(folder, path);
      if (name === '.git') continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isSymbolicLink()) tree[name] = `-> ${readlinkSync(path)}`;
      else {
        const { mode, size } = lstatSync(path);
        tree[name] = `${(mode & 0o7777).toString(8)} ${size > MAX_KEPT ? 'too large ' : ''}${sha(readFileSync(path))}`;
      }
    }
  };
  walk(folder);
  return tree;
}

describe('whatever tools and shells of an agent do to files, folders and links', () => {
  verifies('host.changes.file-and-folder', 'host.changes.undo-partly', 'host.changes.tool-before');
  for (const { where, git } of folderKinds) {
    const check = (
      says: string,
      work: (bench: ChangesBench, before: Tree, after: Tree, order: number) => Promise<void>,
    ) =>
      it(`${says} ${where}`, async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.subarray(names.filter((it) => !['dir', 'dir/deep', 'e', 'a/in.txt'].includes(it))),
            turns,
            fc.nat(),
            async (present, all, order) => {
              const own = Object.fromEntries(
                [...present, ...unseen].map((name, n) => [name, contents[small[n % small.length]!]]),
              );
              const bench = await openBench({
                git,
                files: { '.gitignore': '*.log\nnode_modules\n', ...own },
                deps: { maxKeptBytes: MAX_KEPT },
              });
              try {
                const before = treeOf(bench);
                for (const [n, steps] of all.entries()) await playTurn(bench, `t${n}`, steps);
                await work(bench, before, treeOf(bench), order);
                assert.deepEqual(bench.reports, []);
              } finally {
                await bench.close();
              }
            },
          ),
          { numRuns, endOnFailure: UNDO_SEED === undefined, ...again },
        );
      }).timeout(600_000);

    check('an undo of all is the tree of before, and a redo that of after,', async (bench, before, after) => {
      const left = await invoke(bench, 'undo');
      assert.deepEqual(without(treeOf(bench), left), without(before, left));
      assert.ok(
        left.every((it) => it.reason === 'notKept'),
        JSON.stringify(left),
      );
      await redoAll(bench);
      const lost = [...left, ...tooLarge(after)];
      assert.deepEqual(without(treeOf(bench), lost), without(after, lost));
    });

    check(
      'undone file by file in any order it is the tree of before, and redone that of after,',
      async (bench, before, after, order) => {
        const left = await undoOneByOne(bench, order);
        assert.deepEqual(without(treeOf(bench), left), without(before, left));
        await redoAll(bench);
        const lost = [...left, ...tooLarge(after)];
        assert.deepEqual(without(treeOf(bench), lost), without(after, lost));
      },
    );
  }
});

type Tree = Record<string, string>;
type Left = (LeftFiles['left'][number] & { readonly path: string })[];

async function playTurn(bench: ChangesBench, turnId: string, steps: readonly Step[]): Promise<void> {
  const turn = await bench.changes.beginTurn({ session: bench.session, turnId, folders: [bench.folder] });
  for (const [n, it] of steps.entries()) {
    const paths = it.byTool ? [bench.path(it.name), bench.path(it.other)] : [];
    await turn.beginTool(`c${n}`, paths);
    play(bench, it);
    await turn.settleTool(`c${n}`, paths);
  }
  await turn.end();
}

async function invoke(bench: ChangesBench, operation: string, name?: string): Promise<Left> {
  try {
    const answer = (await bench.invoke(
      operation,
      name === undefined ? {} : { name },
    )) as InvokeChangesetOperationResult;
    return leftIn(bench, answer._meta);
  } catch (thrown) {
    return leftIn(bench, (thrown as { data: unknown }).data);
  }
}
function leftIn({ folder }: ChangesBench, data: unknown): Left {
  const { left = [] } = (data ?? {}) as Partial<LeftFiles>;
  return left.map((it) => ({ ...it, path: relative(folder, fileURLToPath(it.uri)) }));
}

/** Each file by itself, beginning anywhere; what stands in each other's way in a circle is undone together in the end. */
async function undoOneByOne(bench: ChangesBench, order: number): Promise<Left> {
  for (let count = Infinity; bench.sessionSet().files.length < count; ) {
    const { files } = bench.sessionSet();
    count = files.length;
    for (let n = 0; n < count; n += 1) {
      const { edit } = files[(n * 7 + order) % count]!;
      const name = relative(bench.folder, fileURLToPath((edit.after ?? edit.before)!.uri));
      if (bench.sessionSet().files.some((it) => it.id === bench.uri(name))) await invoke(bench, 'undo', name);
    }
  }
  return bench.sessionSet().files.length > 0 ? invoke(bench, 'undo') : [];
}

/** What was undone last first, until nothing is left. */
async function redoAll(bench: ChangesBench): Promise<void> {
  while (bench.sessionSet().operations?.some((it) => it.id === 'redo')) {
    const left = await invoke(bench, 'redo');
    assert.deepEqual(left, []);
  }
}

/** What an undo took away and nobody kept. */
function tooLarge(tree: Tree): { path: string }[] {
  return Object.entries(tree).flatMap(([path, it]) => (it.includes('too large') ? [{ path }] : []));
}

/** Without the paths that were left, and what they stand in the way of. */
function without(tree: Tree, left: readonly { readonly path: string }[]): Tree {
  const isLeft = (name: string) =>
    left.some(({ path }) => name === path || name.startsWith(`${path}/`) || path.startsWith(`${name}/`));
  return Object.fromEntries(Object.entries(tree).filter(([name]) => !isLeft(name)));
}
