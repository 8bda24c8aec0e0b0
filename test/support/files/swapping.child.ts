/**
 * As on a system that has no names for open folders: there each act below looks where its folder leads, before and after.
 * The folder is swapped for a link to elsewhere after the first of these looks, then after the second, and so on until the
 * act makes no more of them. Prints how each ended, and what was lost elsewhere.
 */
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Before the modules under test are read: they look at it once.
Object.defineProperty(process, 'platform', { value: 'darwin' });
const { writeDisk } = await import('../../../sidecar/host/changes/snapshots/diskWriter.ts');
const { DirectoryHandle } = await import('../../../sidecar/host/files/directoryHandle.ts');
const { locate } = await import('../../../sidecar/host/files/locate.ts');
const { list, readWhole } = await import('../../../sidecar/host/files/readFiles.ts');
const { copy, makeFolder, move, remove } = await import('../../../sidecar/host/files/trees.ts');
const { write } = await import('../../../sidecar/host/files/writeFiles.ts');

const whole = { bytes: Buffer.from('changed'), mode: 'truncate', position: 0, createOnly: false } as const;
const read = () => Promise.resolve(Buffer.from('put back'));
const file = { kind: 'file', mode: 0o644, sha: 'x', size: 8 } as const;

interface Place {
  readonly inside: string;
  readonly sub: string;
}
const acts: Readonly<Record<string, (at: Place) => Promise<unknown>>> = {
  read: async ({ sub }) => readWhole(await locate(join(sub, 'file.txt'))),
  list: async ({ inside, sub }) => list(await locate(sub), [inside]),
  enter: async ({ sub }) => (await DirectoryHandle.open(sub)).enter('inner'),
  write: async ({ sub }) => write(await locate(join(sub, 'file.txt')), whole),
  create: async ({ sub }) => write(await locate(join(sub, 'new.txt')), whole),
  'copy from': async ({ inside, sub }) =>
    copy(await locate(join(sub, 'file.txt')), await locate(join(inside, 'c')), false),
  'copy to': async ({ inside, sub }) =>
    copy(await locate(join(inside, 'own.txt')), await locate(join(sub, 'c')), false),
  'move to': async ({ inside, sub }) =>
    move(await locate(join(inside, 'own.txt')), await locate(join(sub, 'c')), false),
  'make a folder': async ({ sub }) => makeFolder(await locate(join(sub, 'new'))),
  remove: async ({ sub }) => remove(await locate(join(sub, 'inner')), true),
  undo: ({ inside, sub }) => writeDisk(join(sub, 'file.txt'), file, [inside], read),
};

const system = { ...promises };

/** @param nth swaps after that many looks at where the folder leads, which is what the code under test goes by */
async function play(act: (at: Place) => Promise<unknown>, nth: number) {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'swapping-')));
  const [inside, outside] = [join(root, 'inside'), join(root, 'outside')];
  const sub = join(inside, 'sub');
  for (const folder of [sub, outside]) {
    fs.mkdirSync(join(folder, 'inner'), { recursive: true });
    for (const it of ['file.txt', 'inner/file.txt'])
      fs.writeFileSync(join(folder, it), folder === sub ? 'mine' : 'secret');
  }
  fs.writeFileSync(join(inside, 'own.txt'), 'own');
  let looks = 0;
  const realpath = async (...args: Parameters<typeof system.realpath>) => {
    const found = await system.realpath(...args);
    if (String(args[0]) === sub && (looks += 1) === nth) {
      fs.renameSync(sub, join(inside, 'was'));
      fs.symlinkSync(outside, sub);
    }
    return found;
  };
  Object.assign(promises, { realpath });
  syncBuiltinESMExports();
  const code = await act({ inside, sub }).then(
    () => 'done',
    (thrown: unknown) => (thrown as { code?: string }).code ?? String(thrown),
  );
  const lost = ['file.txt', 'inner/file.txt'].filter(
    (it) => !fs.existsSync(join(outside, it)) || fs.readFileSync(join(outside, it), 'utf8') !== 'secret',
  );
  fs.rmSync(root, { recursive: true, force: true });
  return { code, isSwapped: looks >= nth, lost };
}

const answers: Record<string, { codes: string; lost: string[] }> = {};
for (const [name, act] of Object.entries(acts)) {
  const played = [];
  do played.push(await play(act, played.length + 1));
  while (played.at(-1)?.isSwapped);
  answers[name] = {
    codes: played.map((it) => it.code).join(' '),
    lost: played.flatMap((it) => it.lost),
  };
}
process.stdout.write(JSON.stringify(answers));
