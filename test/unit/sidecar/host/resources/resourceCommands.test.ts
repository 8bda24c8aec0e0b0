import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { errorCodes } from '../../../../../sidecar/protocol/errors.ts';
import type { MethodName, RequestParams } from '../../../../../sidecar/protocol/methods.ts';
import { openResourcePlace, type ResourcePlace, uriOf } from '../../../../support/resources/resourcePlace.ts';
import { verifies } from '../../../../support/verifies.ts';

const { InvalidParams, NotFound, AlreadyExists, Conflict } = errorCodes;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the resource family', () => {
  let place: ResourcePlace;
  beforeEach(async () => {
    place = await openResourcePlace();
  });
  afterEach(() => place.close());
  const at = (name: string) => join(place.inside, name);
  const uri = (name: string) => uriOf(at(name));
  const ask = <M extends MethodName>(method: M, params: RequestParams<M>) => place.peer.request(method, params);
  const refused = (asked: Promise<unknown>, code: number) => assert.rejects(asked, { code });
  const write = (name: string, data: string, more: Partial<RequestParams<'resourceWrite'>> = {}) =>
    ask('resourceWrite', { uri: uri(name), data, encoding: 'utf-8', ...more });
  const text = (name: string) => readFileSync(at(name), 'utf8');

  it('reads text as asked, and what is no text as base64 whatever was asked', async () => {
    verifies('host.command.resourceRead');
    assert.deepEqual(await ask('resourceRead', { uri: uri('a.txt'), encoding: 'utf-8' }), {
      data: 'alpha',
      encoding: 'utf-8',
    });
    assert.deepEqual(await ask('resourceRead', { uri: uri('a.txt'), encoding: 'base64' }), {
      data: base64('alpha'),
      encoding: 'base64',
    });
    assert.deepEqual(await ask('resourceRead', { uri: uri('in-link'), encoding: 'utf-8' }), {
      data: 'alpha',
      encoding: 'utf-8',
    });
    writeFileSync(at('raw'), Buffer.from([0, 255, 10]));
    assert.deepEqual(await ask('resourceRead', { uri: uri('raw'), encoding: 'utf-8' }), {
      data: 'AP8K',
      encoding: 'base64',
    });
    await refused(ask('resourceRead', { uri: uri('none') }), NotFound);
  });

  for (const { says, mode, position, expected } of [
    { says: 'truncate replaces everything', expected: 'XY' },
    { says: 'truncate keeps what is before the position', mode: 'truncate', position: 2, expected: 'alXY' },
    { says: 'truncate at the end appends', mode: 'truncate', position: 5, expected: 'alphaXY' },
    { says: 'append adds at the end', mode: 'append', expected: 'alphaXY' },
    {
      says: 'append counts its position from the end and shifts the tail',
      mode: 'append',
      position: 1,
      expected: 'alphXYa',
    },
    { says: 'append at the whole length is in front', mode: 'append', position: 5, expected: 'XYalpha' },
    { says: 'insert at the start overwrites nothing', mode: 'insert', expected: 'XYalpha' },
    { says: 'insert splices at the position', mode: 'insert', position: 3, expected: 'alpXYha' },
  ] as const) {
    it(`writes: ${says}`, async () => {
      verifies('host.command.resourceWrite');
      const more = { ...(mode && { mode }), ...(position !== undefined && { position }) };
      assert.deepEqual(await write('a.txt', 'XY', more), {});
      assert.equal(text('a.txt'), expected);
    });
  }
  it('writes nowhere beyond the end, and changes nothing then', async () => {
    for (const mode of ['truncate', 'append', 'insert'] as const)
      await refused(write('a.txt', 'x', { mode, position: 6 }), InvalidParams);
    await refused(
      ask('resourceWrite', { uri: uri('a.txt'), data: 'x', encoding: 'utf-8', position: -1 }),
      InvalidParams,
    );
    await refused(ask('resourceWrite', { uri: uri('a.txt'), data: 'no base64!', encoding: 'base64' }), InvalidParams);
    assert.equal(text('a.txt'), 'alpha');
  });
  it('makes new files, refuses what is there with createOnly, and needs the folder', async () => {
    verifies('host.error.-32010');
    await ask('resourceWrite', { uri: uri('new.bin'), data: 'AP8=', encoding: 'base64', createOnly: true });
    assert.deepEqual([...readFileSync(at('new.bin'))], [0, 255]);
    await refused(write('new.bin', 'x', { createOnly: true }), AlreadyExists);
    await refused(write('none/new.txt', 'x'), NotFound);
    await refused(write('a.txt/new.txt', 'x'), NotFound);
    assert.ok(!existsSync(at('none')));
  });
  it('writes only the version that ifMatch names', async () => {
    verifies('host.error.-32011');
    const { etag } = await ask('resourceResolve', { uri: uri('a.txt') });
    await write('a.txt', 'first', { ifMatch: etag! });
    await refused(write('a.txt', 'second', { ifMatch: etag! }), Conflict);
    await refused(write('none.txt', 'second', { ifMatch: etag! }), Conflict);
    assert.equal(text('a.txt'), 'first');
    assert.ok(!existsSync(at('none.txt')));
  });
  it('loses none of many appends at once, and lets one of many with the same ifMatch win', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, n) => write('log', `line ${n}\n`, { mode: 'append' })));
    assert.deepEqual(text('log').trim().split('\n').sort(), Array.from({ length: 50 }, (_, n) => `line ${n}`).sort());
    const { etag } = await ask('resourceResolve', { uri: uri('log') });
    const all = await Promise.allSettled(['a', 'b', 'c'].map((it) => write('log', it, { ifMatch: etag! })));
    assert.deepEqual(all.map((it) => it.status).sort(), ['fulfilled', 'rejected', 'rejected']);
  });
  it('keeps the permission bits of what it writes, and leaves nothing half-written behind', async () => {
    chmodSync(at('a.txt'), 0o755);
    await write('a.txt', 'x');
    await write('in-link', 'through the link');
    assert.equal(statSync(at('a.txt')).mode & 0o777, 0o755);
    assert.equal(text('a.txt'), 'through the link');
    assert.ok(lstatSync(at('in-link')).isSymbolicLink());
    assert.ok(!place.look(place.inside).some((it) => it.includes('.switchboard-')));
  });

  it('lists by name, with links as what they lead to inside and as files otherwise', async () => {
    verifies('host.command.resourceList');
    symlinkSync('sub', at('sub-link'));
    const { entries } = await ask('resourceList', { uri: uri('.') });
    assert.deepEqual(
      entries.map((it) => `${it.name} ${it.type}`),
      [
        '.git directory',
        'a.txt file',
        'in-link file',
        'loop file',
        'out-file file',
        'out-folder file',
        'out-nowhere file',
        'sub directory',
        'sub-link directory',
      ],
    );
    await refused(ask('resourceList', { uri: uri('none') }), NotFound);
    await refused(ask('resourceList', { uri: uri('a.txt') }), InvalidParams);
  });

  it('resolves to the canonical name with what is known of it, and a link as itself when asked', async () => {
    verifies('host.command.resourceResolve');
    const file = await ask('resourceResolve', { uri: uri('sub/../in-link') });
    assert.equal(file.uri, uri('a.txt'));
    assert.deepEqual([file.type, file.size, file.contentType], ['file', 5, 'text/plain']);
    assert.equal(new Date(file.mtime!).toISOString(), file.mtime);
    const link = await ask('resourceResolve', { uri: uri('in-link'), followSymlinks: false });
    assert.deepEqual([link.uri, link.type], [uri('in-link'), 'symlink']);
    const out = await ask('resourceResolve', { uri: uri('out-file'), followSymlinks: false });
    assert.equal(out.type, 'symlink');
    const folder = await ask('resourceResolve', { uri: uri('sub') });
    assert.deepEqual([folder.type, folder.size], ['directory', undefined]);
    await refused(ask('resourceResolve', { uri: uri('none') }), NotFound);
  });

  it('makes folders with those above them, and is content with one that is there', async () => {
    verifies('host.command.resourceMkdir');
    assert.deepEqual(await ask('resourceMkdir', { uri: uri('x/y/z') }), {});
    assert.deepEqual(await ask('resourceMkdir', { uri: uri('x/y/z') }), {});
    assert.ok(statSync(at('x/y/z')).isDirectory());
    await refused(ask('resourceMkdir', { uri: uri('a.txt') }), AlreadyExists);
    await refused(ask('resourceMkdir', { uri: uri('a.txt/below') }), AlreadyExists);
  });

  it('copies files and whole folders, with links as links', async () => {
    verifies('host.command.resourceCopy');
    symlinkSync('b.txt', at('sub/link'));
    await ask('resourceCopy', { source: uri('sub'), destination: uri('copy') });
    assert.equal(text('copy/b.txt'), 'beta');
    assert.ok(lstatSync(at('copy/link')).isSymbolicLink());
    await ask('resourceCopy', { source: uri('a.txt'), destination: uri('copy/b.txt') });
    assert.equal(text('copy/b.txt'), 'alpha');
    await refused(
      ask('resourceCopy', { source: uri('a.txt'), destination: uri('sub/b.txt'), failIfExists: true }),
      AlreadyExists,
    );
    await refused(ask('resourceCopy', { source: uri('a.txt'), destination: uri('sub') }), AlreadyExists);
    await refused(ask('resourceCopy', { source: uri('sub'), destination: uri('sub/inner') }), InvalidParams);
    await refused(ask('resourceCopy', { source: uri('none'), destination: uri('x') }), NotFound);
    await refused(ask('resourceCopy', { source: uri('a.txt'), destination: uri('none/x') }), NotFound);
    assert.equal(text('sub/b.txt'), 'beta');
  });

  it('moves files and folders, over a file unless that is refused', async () => {
    verifies('host.command.resourceMove');
    await ask('resourceMove', { source: uri('sub'), destination: uri('moved') });
    assert.equal(text('moved/b.txt'), 'beta');
    await refused(
      ask('resourceMove', { source: uri('a.txt'), destination: uri('moved/b.txt'), failIfExists: true }),
      AlreadyExists,
    );
    await ask('resourceMove', { source: uri('a.txt'), destination: uri('moved/b.txt') });
    assert.equal(text('moved/b.txt'), 'alpha');
    assert.ok(!existsSync(at('a.txt')));
    await refused(ask('resourceMove', { source: uri('a.txt'), destination: uri('x') }), NotFound);
    await refused(ask('resourceMove', { source: uri('moved'), destination: uri('moved/in/itself') }), InvalidParams);
    await ask('resourceMove', { source: uri('in-link'), destination: uri('renamed-link') });
    assert.ok(lstatSync(at('renamed-link')).isSymbolicLink());
  });

  it('removes files, empty folders, and full ones only with recursive', async () => {
    verifies('host.command.resourceDelete');
    await ask('resourceDelete', { uri: uri('a.txt') });
    await refused(ask('resourceDelete', { uri: uri('a.txt') }), NotFound);
    await refused(ask('resourceDelete', { uri: uri('sub') }), AlreadyExists);
    assert.equal(text('sub/b.txt'), 'beta');
    mkdirSync(at('empty'));
    await ask('resourceDelete', { uri: uri('empty') });
    await ask('resourceDelete', { uri: uri('sub'), recursive: true });
    await ask('resourceDelete', { uri: uri('out-folder'), recursive: true });
    assert.ok(!existsSync(at('sub')) && !existsSync(at('out-folder')));
    assert.ok(existsSync(join(place.outside, 'secret.txt')));
  });
});
