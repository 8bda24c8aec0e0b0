import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { bunzip2 } from '../../../../../../sidecar/agents/registry/archives/bunzip2.ts';
import { type ArchiveFormat, formatOf, unpack } from '../../../../../../sidecar/agents/registry/archives/unpack.ts';
import { extendedHeader, type TarEntry, tarFile } from '../../../../../support/registry/tarFile.ts';
import { type ZipEntry, zipFile } from '../../../../../support/registry/zipFile.ts';
import { verifies } from '../../../../../support/verifies.ts';

const fixture = (name: string) => join(import.meta.dirname, '../../../../../fixtures/archives', name);
const agent = '#!/bin/sh\necho agent\n';
const own: TarEntry = { name: 'agent', body: agent, mode: 0o755 };
const zipped: ZipEntry = { name: 'agent', body: agent, mode: 0o100755 };

describe('the archive of an agent', () => {
  let root: string;
  let folder: string;
  let file: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-unpack-')));
    folder = join(root, 'inside');
    file = join(root, 'archive');
    mkdirSync(folder);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const unpacked = (bytes: Buffer, format: ArchiveFormat, command = 'agent', signal = new AbortController().signal) => {
    writeFileSync(file, bytes);
    return unpack({ file, format, command }, folder, signal);
  };
  const tgz = (entries: readonly TarEntry[]) => gzipSync(tarFile(entries));

  for (const [address, format] of [
    ['https://a.test/x.tar.gz', 'tar.gz'],
    ['https://a.test/x.tgz?download=1', 'tar.gz'],
    ['https://a.test/x.TAR.BZ2', 'tar.bz2'],
    ['https://a.test/x.zip#part', 'zip'],
    ['https://a.test/agent-linux-x64', 'executable'],
    ['https://a.test/agent.exe', 'executable'],
  ] as const)
    it(`is taken as ${format} where its address is ${address}`, () => assert.equal(formatOf(address), format));

  it('has its folders and files, which run where the archive says so, whatever else their mode is', async () => {
    const long = `${'deep/'.repeat(30)}name.txt`;
    await unpacked(
      tgz([
        { name: './', type: '5' },
        { ...own, mode: 0o4777 },
        { name: 'lib/read.me', body: 'words', mode: 0o600 },
        extendedHeader({ path: long, mtime: '1.5' }),
        { name: 'short', body: 'deep' },
        { name: 'long', type: 'L', body: `${'x'.repeat(120)}\0` },
        { name: 'cut', body: 'gnu' },
        { name: 'same', type: '1', target: 'lib/read.me' },
        { name: 'to', type: '2', target: 'lib/read.me' },
      ]),
      'tar.gz',
    );
    assert.equal(readFileSync(join(folder, 'agent'), 'utf8'), agent);
    assert.equal(statSync(join(folder, 'agent')).mode & 0o7777, 0o755);
    assert.equal(statSync(join(folder, 'lib/read.me')).mode & 0o111, 0);
    assert.equal(readFileSync(join(folder, long), 'utf8'), 'deep');
    assert.equal(readFileSync(join(folder, 'x'.repeat(120)), 'utf8'), 'gnu');
    assert.equal(readFileSync(join(folder, 'same'), 'utf8'), 'words');
    assert.equal(readFileSync(join(folder, 'to'), 'utf8'), 'words');
  });

  it('is unpacked as the tools of the system pack it: tar with gzip, tar with bzip2, zip', async () => {
    // Packed with GNU tar, bzip2 -1 and Info-ZIP: runs, text and noise, over more than one block of bzip2.
    const big = Buffer.concat([
      Buffer.alloc(300_000, 'a'),
      Buffer.from('b'.repeat(255) + 'words '.repeat(90_000)),
      noise(120_000),
    ]);
    for (const format of ['tar.gz', 'tar.bz2', 'zip'] as const) {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      await unpack(
        { file: fixture(`packed.${format}`), format, command: 'agent' },
        folder,
        new AbortController().signal,
      );
      assert.ok(readFileSync(join(folder, 'lib/big')).equals(big), format);
      assert.equal(execFileSync(join(folder, 'agent'), { encoding: 'utf8' }), 'agent\n', format);
    }
  });

  it('may be the program itself', async () => {
    await unpacked(Buffer.from(agent), 'executable', 'bin/agent');
    assert.equal(execFileSync(join(folder, 'bin/agent'), { encoding: 'utf8' }), 'agent\n');
  });

  const outside: readonly (readonly [string, TarEntry[], ZipEntry[]?])[] = [
    ['a name with ..', [{ name: '../evil', body: 'x' }], [{ name: '../evil', body: 'x' }]],
    ['a name with .. behind a folder', [{ name: 'a/../../evil', body: 'x' }], [{ name: 'a/../../evil', body: 'x' }]],
    ['an absolute name', [{ name: '/tmp/evil', body: 'x' }], [{ name: '/tmp/evil', body: 'x' }]],
    ['a name of Windows', [{ name: String.raw`a\..\..\evil`, body: 'x' }], [{ name: String.raw`..\evil`, body: 'x' }]],
    ['a drive', [{ name: 'C:evil', body: 'x' }], [{ name: 'C:/evil', body: 'x' }]],
    ['an extended name with ..', [extendedHeader({ path: '../evil' }), { name: 'good', body: 'x' }]],
    [
      'a link to what is outside',
      [{ name: 'l', type: '2', target: '../evil' }],
      [{ name: 'l', body: '../evil', mode: 0o120777 }],
    ],
    [
      'a link to an absolute path',
      [{ name: 'l', type: '2', target: '/etc/passwd' }],
      [{ name: 'l', body: '/etc/passwd', mode: 0o120777 }],
    ],
    ['a link to the folder around it', [{ name: 'l', type: '2', target: '..' }]],
    [
      'a link through a link',
      [
        { name: 'x/a', type: '2', target: '..' },
        { name: 'b', type: '2', target: 'x/a/../evil' },
      ],
    ],
    ['a link to nothing', [{ name: 'l', type: '2', target: 'nothing' }]],
    ['a second name of what is outside', [{ name: 'l', type: '1', target: '../evil' }]],
    [
      'a file behind a link',
      [
        { name: 'l', type: '2', target: '..' },
        { name: 'l/evil', body: 'x' },
      ],
    ],
    ['a device', [{ name: 'd', type: '3' }], [{ name: 'd', mode: 0o020644 }]],
    [
      'two files of one name',
      [
        { name: 'a', body: '1' },
        { name: './a', body: '2' },
      ],
      [
        { name: 'a', body: '1' },
        { name: 'a', body: '2' },
      ],
    ],
  ];
  for (const [what, tar, zip] of outside)
    it(`is refused, and nothing is written outside its folder, where it has ${what}`, async () => {
      verifies('host.agents.inside');
      writeFileSync(join(root, 'evil'), 'as before');
      await assert.rejects(unpacked(tgz([own, ...tar]), 'tar.gz'), {
        name: 'Fault',
        message: /^The archive was rejected: /,
      });
      if (zip) {
        rmSync(folder, { recursive: true });
        mkdirSync(folder);
        await assert.rejects(unpacked(zipFile([zipped, ...zip]), 'zip'), { message: /^The archive was rejected: / });
      }
      assert.deepEqual(readdirSync(root).sort(), ['archive', 'evil', 'inside']);
      assert.equal(readFileSync(join(root, 'evil'), 'utf8'), 'as before');
      assert.ok(!existsSync('/tmp/evil'));
    });

  it('is refused where it is encrypted, or has no such program', async () => {
    await assert.rejects(unpacked(zipFile([{ ...zipped, flags: 1 }]), 'zip'), { message: /encrypted/ });
    await assert.rejects(unpacked(zipFile([zipped]), 'zip', 'other'), {
      message: 'The archive was rejected: it does not contain other.',
    });
  });

  const whole = tgz([own]);
  const tar = tarFile([own]);
  const zip = zipFile([zipped]);
  const flipped = (bytes: Buffer, at: number) => Buffer.from(bytes.map((it, index) => (index === at ? it ^ 0xff : it)));
  for (const [what, bytes, format] of [
    ['a cut gzip', whole.subarray(0, -20), 'tar.gz'],
    ['a gzip with a wrong sum', flipped(whole, whole.length - 6), 'tar.gz'],
    ['no gzip at all', Buffer.from('<html>'), 'tar.gz'],
    ['a cut tar', gzipSync(tar.subarray(0, 600)), 'tar.gz'],
    ['a tar whose header was changed', gzipSync(flipped(tar, 1)), 'tar.gz'],
    ['no zip at all', Buffer.from('<html>'), 'zip'],
    ['a zip whose contents were changed', flipped(zip, 40), 'zip'],
    ['a zip that holds more than it says', zipFile([{ ...zipped, saysSize: 3 }]), 'zip'],
    ['no bzip2 at all', Buffer.from('<html>'), 'tar.bz2'],
  ] as const)
    it(`is damaged where it is ${what}`, async () => {
      await assert.rejects(unpacked(bytes, format), { name: 'Fault', message: 'The archive is damaged.' });
    });

  it('is damaged where any byte of a bzip2 block was changed', async () => {
    const packed = readFileSync(fixture('words.bz2'));
    for (let at = 0; at < packed.length; at += 1) {
      const broken = flipped(packed, at);
      await assert.rejects(collected([broken]), { message: 'The archive is damaged.' }, `byte ${at}`);
    }
    const twice = await collected([packed, packed]);
    assert.equal(twice, 'some words, some more words'.repeat(2));
  });

  it('is unpacked no further once that was cancelled', async () => {
    const cancelled = AbortSignal.abort();
    await assert.rejects(unpacked(tgz([own]), 'tar.gz', 'agent', cancelled), { name: 'AbortError' });
    assert.deepEqual(readdirSync(folder), []);
  });
});

async function collected(chunks: readonly Uint8Array[]): Promise<string> {
  const parts: Uint8Array[] = [];
  const source = (async function* () {
    yield* chunks;
  })();
  for await (const it of bunzip2(source)) parts.push(it);
  return Buffer.concat(parts).toString('utf8');
}

/** The same bytes each time, which no packer makes smaller. */
function noise(length: number): Buffer {
  let state = 1;
  return Buffer.from(
    Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
}
