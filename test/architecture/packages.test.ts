import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type Listing, type Manifest, problemsOf } from '../../marketplace.ts';
import { filesFor, listingOf, manifestOn, packagedFiles, readSite, targets } from '../../vsix.ts';

describe('the packages of all platforms', () => {
  const packaged = packagedFiles();

  for (const target of targets) {
    it(`the one for ${target} can go to the Marketplace as it is`, () => {
      assert.deepEqual(problemsOf(listingOf(target, packaged)), []);
    });
  }

  for (const target of ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64', 'win32-arm64']) {
    it(`the one for ${target} has the native module with the binaries of this platform alone`, () => {
      const native = filesFor(target, packaged).filter((it) => it.startsWith('dist/native/'));
      const platforms = native.flatMap((it) => /\/prebuilds\/([^/]+)\//.exec(it)?.[1] ?? []);
      assert.deepEqual([...new Set(platforms)], [target]);
      assert.ok(native.includes('dist/native/node-pty/lib/index.js'));
    });
  }

  for (const [target, owner, program] of [
    ['linux-x64', true, 'x64'],
    ['alpine-arm64', true, 'arm64'],
    ['linux-armhf', true, undefined],
    ['darwin-arm64', true, undefined],
    ['win32-x64', false, undefined],
    ['win32-arm64', false, undefined],
  ] as const) {
    it(`the one for ${target} has only the files of a sandbox that it can use`, () => {
      const files = filesFor(target, packaged).filter((it) => /sandboxOwner|seccomp/.test(it));
      const vendored = ['LICENSE', `${program}/apply-seccomp`].map((it) => `dist/sidecar/vendor/seccomp/${it}`);
      assert.deepEqual(files.toSorted(), [
        ...(owner ? ['dist/sidecar/sandboxOwner.mjs'] : []),
        ...(program ? vendored : []),
      ]);
    });
  }

  for (const target of ['linux-armhf', 'alpine-x64', 'alpine-arm64']) {
    it(`the one for ${target}, which has no binaries, has nothing of the native module`, () => {
      const files = filesFor(target, packaged);
      assert.deepEqual(
        files.filter((it) => /native|node-pty/.test(it)),
        [],
      );
      assert.ok(files.includes('dist/sidecar/main.mjs'));
    });
  }
});

/** By what is wrong: what the Marketplace or our limits say of an otherwise good package. */
const wrong: Readonly<Record<string, { readonly change: Change; readonly problem: RegExp }>> = {
  'a name with capitals': { change: manifest({ name: 'Switch' }), problem: /the name "Switch" is not in lowercase/ },
  'a publisher with a space': { change: manifest({ publisher: 'a b' }), problem: /publisher "a b"/ },
  'a display name that is too long': { change: manifest({ displayName: 'x'.repeat(31) }), problem: /display name/ },
  'no description': { change: manifest({ description: '' }), problem: /description/ },
  'a version with a suffix': {
    change: (it) => ({ ...manifest({ version: '1.0.0-rc.1' })(it), changelog: '## 1.0.0-rc.1\n' }),
    problem: /is not three numbers/,
  },
  'a version that CHANGELOG.md does not have': {
    change: manifest({ version: '9.9.9' }),
    problem: /no entry for 9\.9\.9/,
  },
  'a category that the Marketplace does not have': {
    change: manifest({ categories: ['Agents'] }),
    problem: /the categories Agents/,
  },
  'no category': { change: manifest({ categories: [] }), problem: /no category/ },
  'more than 30 keywords': {
    change: manifest({ keywords: Array.from({ length: 31 }, (_, at) => `word ${at}`) }),
    problem: /30 keywords/,
  },
  'a keyword twice': { change: manifest({ keywords: ['agent', 'agent'] }), problem: /listed twice/ },
  'engines that differ from the types': {
    change: manifest({ engines: { vscode: '^1.90.0' } }),
    problem: /engines\.vscode is \^1\.90\.0/,
  },
  'proposed API': { change: manifest({ enabledApiProposals: ['chatHooks'] }), problem: /proposed API/ },
  'an icon that is not packaged': { change: manifest({ icon: 'icon.png' }), problem: /the icon icon\.png/ },
  'an icon of another size': { change: (it) => ({ ...it, icon: pngOf(128) }), problem: /256 by 256/ },
  'a picture that is not packaged': {
    change: (it) => ({ ...it, page: '![A view](media/none.png)' }),
    problem: /the picture media\/none\.png of the page is not in the package/,
  },
  'a picture over HTTP': {
    change: (it) => ({ ...it, page: '![A view](http://host.invalid/a.png)' }),
    problem: /http:\/\/host\.invalid/,
  },
  'a picture that is an SVG': {
    change: (it) => ({ ...it, page: '![A view](https://host.invalid/a.svg)' }),
    problem: /is an SVG/,
  },
  'more than 110 files': {
    change: (it) => ({
      ...it,
      files: [...it.files, ...Array.from({ length: 110 }, (_, at) => ({ path: `dist/${at}.mjs`, bytes: 2_000 }))],
    }),
    problem: /the limit is 110/,
  },
  'a small file of code': {
    change: (it) => ({ ...it, files: [...it.files, { path: 'dist/small.mjs', bytes: 999 }] }),
    problem: /dist\/small\.mjs has 999 bytes/,
  },
};

describe('a package that the Marketplace would refuse or show badly', () => {
  it('is not made of one that is as it should be', () => {
    assert.deepEqual(problemsOf(good()), []);
  });

  it('is not made because an icon, a text or the native module has small files', () => {
    const small = ['media/icons/a.svg', 'dist/window.cjs.LEGAL.txt', 'LICENSE', 'dist/native/node-pty/lib/types.js'];
    const files = [...good().files, ...small.map((path) => ({ path, bytes: 10 }))];
    assert.deepEqual(problemsOf({ ...good(), files }), []);
  });

  for (const [name, { change, problem }] of Object.entries(wrong)) {
    it(`is found by ${name}`, () => {
      const problems = problemsOf(change(good()));
      assert.equal(problems.length, 1, problems.join('; '));
      assert.match(problems[0] ?? '', problem);
    });
  }
});

describe('the address of the repository', () => {
  it('is in no manifest where none is given', () => {
    const { manifest: own } = good();
    assert.equal(manifestOn(undefined, own), own);
    assert.deepEqual(
      Object.keys(own).filter((it) => ['repository', 'bugs', 'homepage'].includes(it)),
      [],
    );
  });

  it('is written into the manifest where one is given, without a slash at its end', () => {
    assert.deepEqual(manifestOn(readSite('https://host.invalid/owner/name/'), { name: 'switchboard' }), {
      name: 'switchboard',
      homepage: 'https://host.invalid/owner/name#readme',
      repository: { type: 'git', url: 'https://host.invalid/owner/name' },
      bugs: { url: 'https://host.invalid/owner/name/issues' },
    });
  });

  for (const text of ['host/owner', 'http://host.invalid/owner', 'https://host.invalid/owner?tab=1', 'git@host:owner'])
    it(`is refused as ${text}, with what to write instead`, () => {
      assert.throws(() => readSite(text), /Use an address such as https:\/\//);
    });
});

type Change = (listing: Listing) => Listing;

function manifest(change: Partial<Manifest>): Change {
  return (it) => ({ ...it, manifest: { ...it.manifest, ...change } });
}

function good(): Listing {
  const own = listingOf('linux-x64', ['media/icons/icon.png']);
  return { ...own, page: '![A view](media/icons/icon.png)' };
}

function pngOf(pixels: number): Uint8Array {
  const bytes = Buffer.alloc(24);
  bytes.write('PNG', 1, 'latin1');
  bytes.writeUInt32BE(pixels, 16);
  bytes.writeUInt32BE(pixels, 20);
  return bytes;
}
