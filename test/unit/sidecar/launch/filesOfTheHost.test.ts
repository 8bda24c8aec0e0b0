import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as z from 'zod';
import { compareBuilds } from '../../../../sidecar/launch/attach/buildOrder.ts';
import { rememberBuild } from '../../../../sidecar/launch/attach/buildsFile.ts';
import { defaultDataDir, openDataDir } from '../../../../sidecar/launch/dataDir.ts';
import { exitCodes, LaunchFailure, reasonOf } from '../../../../sidecar/launch/failure.ts';
import { readJsonFile, writeJsonFile } from '../../../../sidecar/launch/jsonFile.ts';
import { readEvents } from '../../../../sidecar/launch/readEvents.ts';
import {
  ClientTokens,
  createClientToken,
  credentialOf,
  hashOf,
  readClientTokens,
  revokeClientToken,
  SHARED,
} from '../../../../sidecar/launch/serve/clientTokens.ts';
import { readServeLimits } from '../../../../sidecar/launch/serve/serveLimits.ts';
import { readTokenFile } from '../../../../sidecar/launch/serve/tokenFile.ts';
import { checkSocketFolder, openSocketFolder, socketPath } from '../../../../sidecar/launch/socketPath.ts';
import { bitsOf, makeFolder, removeAll } from '../../../support/plant.ts';

describe('what the launcher keeps on disk', () => {
  let root: string;
  beforeEach(() => {
    root = makeFolder('launch-files');
  });
  afterEach(() => removeAll(root));
  const at = (name: string) => join(root, name);
  const failure = (work: () => unknown): readonly [number, string] | undefined => {
    try {
      work();
      return undefined;
    } catch (thrown) {
      assert.ok(thrown instanceof LaunchFailure);
      return [thrown.exitCode, thrown.message.replaceAll(root, '')];
    }
  };
  const bytes = (fill: number) => ({ random: (size: number) => new Uint8Array(size).fill(fill) });

  it('is a data folder that is made closed to others, closed where it is open, and one for each spelling', () => {
    assert.equal(openDataDir(at('a/b')), at('a/b'));
    assert.equal(bitsOf(at('a/b')), 0o700);
    chmodSync(at('a/b'), 0o755);
    symlinkSync('a', at('link'));
    assert.equal(openDataDir(at('link/b')), at('a/b'));
    assert.equal(bitsOf(at('a/b')), 0o700);
    writeFileSync(at('file'), '');
    const [code, message] = failure(() => openDataDir(at('file'))) ?? [];
    assert.equal(code, exitCodes.badFolder);
    assert.match(message ?? '', /^Switchboard cannot use its data folder \/file: a file is in its place \(EEXIST\)\.$/);
  });
  for (const [env, platform, expected] of [
    [{}, 'linux', '/home/me/.local/share/switchboard'],
    [{ XDG_DATA_HOME: '/data' }, 'linux', '/data/switchboard'],
    [{ XDG_DATA_HOME: 'data' }, 'linux', '/home/me/.local/share/switchboard'],
    [{ XDG_DATA_HOME: '/data' }, 'darwin', '/home/me/Library/Application Support/switchboard'],
    [{ LOCALAPPDATA: '/local' }, 'win32', '/local/switchboard'],
    [{ XDG_DATA_HOME: '/data' }, 'win32', '/home/me/AppData/Local/switchboard'],
  ] as const)
    it(`lies in ${expected} on ${platform} with ${JSON.stringify(env)}`, () =>
      assert.equal(defaultDataDir(env, '/home/me', platform), expected));

  it('is a file that is replaced whole, readable by its owner alone, and as good as none where it is damaged', () => {
    const schema = z.object({ a: z.number() });
    assert.equal(readJsonFile(at('x'), schema), undefined);
    for (const a of [1, 2]) writeJsonFile(at('x'), { a }, 7);
    assert.deepEqual([readJsonFile(at('x'), schema), readdirSync(root), bitsOf(at('x'))], [{ a: 2 }, ['x'], 0o600]);
    for (const text of ['{', '{"a":"1"}', '']) {
      writeFileSync(at('x'), text);
      assert.equal(readJsonFile(at('x'), schema), undefined);
    }
  });

  it('is a list of the builds that are there, the newest first, of which the newest is started', () => {
    const known = (version: string, builtAtMs = 1) => {
      const entry = at(`${version}-${builtAtMs}.mjs`);
      writeFileSync(entry, '');
      return { build: { version, builtAtMs }, entry };
    };
    const listed = () =>
      (JSON.parse(readFileSync(at('build.json'), 'utf8')) as { builds: { build: { version: string } }[] }).builds.map(
        (it) => it.build.version,
      );
    const [old, middle, latest] = [known('1.0.0'), known('1.0.1'), known('1.10.0')];
    assert.deepEqual(rememberBuild(root, middle, 1), middle);
    assert.deepEqual(rememberBuild(root, latest, 1), latest);
    assert.deepEqual(rememberBuild(root, old, 1), latest);
    assert.deepEqual(listed(), ['1.10.0', '1.0.1', '1.0.0']);
    const before = statSync(at('build.json')).ino;
    rememberBuild(root, old, 1);
    assert.equal(statSync(at('build.json')).ino, before);
    removeAll(latest.entry);
    assert.deepEqual([rememberBuild(root, old, 1), listed()], [middle, ['1.0.1', '1.0.0']]);
    for (let n = 1; n < 10; n += 1) rememberBuild(root, known(`2.0.${n}`), 1);
    assert.deepEqual(
      listed(),
      [9, 8, 7, 6, 5, 4, 3, 2].map((n) => `2.0.${n}`),
    );
    writeFileSync(at('build.json'), 'damaged');
    assert.deepEqual(rememberBuild(root, old, 1), old);
  });

  it('is a list of tokens of clients, of which only hashes are kept', () => {
    const path = at('deep/serve-tokens.json');
    let ids = 0;
    const runtime = (fill: number) =>
      ({ ...bytes(fill), newId: () => `id${(ids += 1)}`, clock: { now: () => 'then' } }) as never;
    assert.deepEqual(readClientTokens(path), []);
    const tokens = new ClientTokens(path);
    assert.deepEqual(tokens.current(), []);
    const [first, second] = [createClientToken(path, 'one', runtime(1)), createClientToken(path, 'two', runtime(2))];
    assert.deepEqual(
      [first.length, first === second, bitsOf(path), readdirSync(at('deep'))],
      [43, false, 0o600, ['serve-tokens.json']],
    );
    assert.equal(readFileSync(path, 'utf8').includes(first), false);
    const [one, two] = tokens.current();
    assert.deepEqual([one?.name, one?.createdAt, two?.name], ['one', 'then', 'two']);
    assert.deepEqual(
      [first, second, 'the-shared', `${first}x`, ''].map((it) =>
        credentialOf(it, hashOf('the-shared').toString('hex'), tokens.current()),
      ),
      [one?.id, two?.id, SHARED, undefined, undefined],
    );
    assert.deepEqual(
      failure(() => createClientToken(path, 'one', runtime(3))),
      [exitCodes.usage, 'A token named "one" already exists.'],
    );
    revokeClientToken(path, 'one', runtime(0));
    assert.deepEqual(
      tokens.current().map((it) => it.name),
      ['two'],
    );
    revokeClientToken(path, two!.id, runtime(0));
    assert.deepEqual(
      [tokens.current(), credentialOf(second, hashOf('s').toString('hex'), tokens.current())],
      [[], undefined],
    );
    assert.deepEqual(
      failure(() => revokeClientToken(path, 'one', runtime(0))),
      [exitCodes.usage, 'No token has the name or ID "one".'],
    );
  });
  it('lets nobody in by a list of tokens that cannot be read, and makes no other in its place', () => {
    const path = at('serve-tokens.json');
    const tokens = new ClientTokens(path);
    const runtime = { ...bytes(1), newId: () => 'id', clock: { now: () => 'then' } } as never;
    createClientToken(path, 'one', runtime);
    assert.equal(tokens.current().length, 1);
    for (const text of ['{', '{"tokens":[{"id":"x"}]}', '{"tokens":[],"more":1}']) {
      writeFileSync(path, text);
      assert.deepEqual(tokens.current(), []);
      const damaged = [exitCodes.badFolder, 'The token list in the data directory cannot be used: it is damaged.'];
      assert.deepEqual(
        [failure(() => createClientToken(path, 'two', runtime)), readFileSync(path, 'utf8')],
        [damaged, text],
      );
    }
    removeAll(path);
    mkdirSync(path);
    assert.equal(failure(() => readClientTokens(path))?.[0], exitCodes.badFolder);
    const hash = '0'.repeat(64);
    const full = Array.from({ length: 1_000 }, (_, n) => ({ id: `${n}`, name: `${n}`, hash, createdAt: 'then' }));
    writeFileSync(at('full'), JSON.stringify({ tokens: full.slice(1) }));
    createClientToken(at('full'), 'last', runtime);
    assert.deepEqual(
      failure(() => createClientToken(at('full'), 'more', runtime)),
      [exitCodes.usage, 'There are already 1000 tokens. Revoke one first.'],
    );
  });

  for (const [text, mode, expected] of [
    ['a-token-of-16-ch', 0o600, 'a-token-of-16-ch'],
    [' a-token-of-16-ch\n', 0o400, 'a-token-of-16-ch'],
    [
      'a-token-of-15-c',
      0o600,
      [exitCodes.usage, 'The token in /token must have at least 16 characters and no spaces.'],
    ],
    [
      'a token of 16 ch',
      0o600,
      [exitCodes.usage, 'The token in /token must have at least 16 characters and no spaces.'],
    ],
    [
      'a-token-of-16-ch',
      0o640,
      [exitCodes.badFolder, 'The token file /token cannot be used: other users can read it. Its mode must be 0600.'],
    ],
    [
      'a-token-of-16-ch',
      0o602,
      [exitCodes.badFolder, 'The token file /token cannot be used: other users can read it. Its mode must be 0600.'],
    ],
  ] as const)
    it(`is a shared token “${text.trim()}” with the mode ${mode.toString(8)}: ${typeof expected === 'string' ? 'taken' : 'refused'}`, () => {
      writeFileSync(at('token'), text);
      chmodSync(at('token'), mode);
      let read = '';
      const refused = failure(() => {
        read = readTokenFile(at('token'), 'linux', bytes(1));
      });
      assert.deepEqual(refused ?? read, expected);
      if (text.length > 15 && mode === 0o640) assert.equal(readTokenFile(at('token'), 'win32', bytes(1)), text);
    });
  it('is a shared token that is made where there is none, and the same the next time', () => {
    const made = readTokenFile(at('token'), 'linux', bytes(7));
    assert.deepEqual(
      [made.length, bitsOf(at('token')), readTokenFile(at('token'), 'linux', bytes(8))],
      [43, 0o600, made],
    );
    assert.deepEqual(
      failure(() => readTokenFile(at('none/token'), 'linux', bytes(1))),
      [exitCodes.badFolder, 'The token file /none/token cannot be used: it does not exist (ENOENT).'],
    );
  });

  for (const [text, expected] of [
    [undefined, [32, 2_000, 2_000]],
    ['{"connections":1,"messagesPerSecond":5,"subscriptions":7}', [1, 5, 7]],
    ['{"connections":0}', exitCodes.usage],
    ['{"messagesPerSecond":1.5}', exitCodes.usage],
    ['{"unknown":1}', exitCodes.usage],
    ['{', exitCodes.usage],
  ] as const)
    it(`are limits of serve: ${text ?? 'none'}`, () => {
      if (text !== undefined) writeFileSync(at('limits'), text);
      const path = text === undefined ? undefined : at('limits');
      if (typeof expected === 'number') assert.equal(failure(() => readServeLimits(path))?.[0], expected);
      else {
        const { connections, messagesPerSecond, connection } = readServeLimits(path);
        assert.deepEqual([connections, messagesPerSecond, connection.subscriptions], expected);
        assert.equal('connections' in connection, false);
      }
    });

  const hash = /switchboard-[0-9a-f]{16}/;
  for (const [env, tmpdir, folder] of [
    [{ XDG_RUNTIME_DIR: '/run/user/1' }, '/tmp/t', '/run/user/1'],
    [{ XDG_RUNTIME_DIR: 'run' }, '/tmp/t', '/tmp/t'],
    [{}, '/tmp/t', '/tmp/t'],
    [{ XDG_RUNTIME_DIR: `/${'r'.repeat(100)}` }, '/tmp/t', '/tmp/t'],
    [{}, `/${'t'.repeat(100)}`, '/tmp'],
    [{}, `/${'t'.repeat(63)}`, `/${'t'.repeat(63)}`],
    [{}, `/${'t'.repeat(64)}`, '/tmp'],
  ] as const)
    it(`is a socket in ${folder.slice(0, 12)} for ${JSON.stringify(env).slice(0, 40)} and ${tmpdir.slice(0, 12)} of ${tmpdir.length}`, () => {
      const path = socketPath('/data', { env, tmpdir, platform: 'linux' });
      assert.match(path, hash);
      assert.equal(path.replace(hash, 'X'), `${folder}/X/host.sock`);
      assert.notEqual(socketPath('/other', { env, tmpdir, platform: 'linux' }), path);
    });
  it('is a pipe by name on Windows', () => {
    assert.match(
      socketPath('/data', { env: {}, tmpdir: '/t', platform: 'win32' }),
      /^\\\\\.\\pipe\\switchboard-[0-9a-f]{16}$/,
    );
  });
  it('is a folder of the socket that belongs to us alone, or is used by nobody', () => {
    const uid = process.getuid?.();
    if (uid === undefined) return; // Windows has no such folder
    const [socket, refused] = [
      at('s/host.sock'),
      [
        exitCodes.badFolder,
        'Switchboard cannot use /s. It must be a folder that belongs to you and that other users cannot access.',
      ],
    ];
    assert.equal(
      failure(() => checkSocketFolder(socket, uid)),
      undefined,
    );
    openSocketFolder(socket, uid);
    assert.equal(bitsOf(at('s')), 0o700);
    for (const mode of [0o710, 0o701, 0o770]) {
      chmodSync(at('s'), mode);
      assert.deepEqual(
        failure(() => checkSocketFolder(socket, uid)),
        refused,
      );
      openSocketFolder(socket, uid);
      assert.equal(bitsOf(at('s')), 0o700);
    }
    assert.deepEqual(
      failure(() => checkSocketFolder(socket, uid + 1)),
      refused,
    );
    assert.deepEqual(
      failure(() => openSocketFolder(socket, uid + 1)),
      refused,
    );
    assert.equal(
      failure(() => checkSocketFolder(socket, undefined)),
      undefined,
    );
    removeAll(at('s'));
    mkdirSync(at('real'), { mode: 0o700 });
    symlinkSync('real', at('s'));
    assert.deepEqual(
      failure(() => checkSocketFolder(socket, uid)),
      refused,
    );
    openSocketFolder(at('unused/host.sock'), undefined);
    assert.equal(existsSync(at('unused')), false);
  });
});

describe('the order of builds', () => {
  const order = [
    '0.9.0',
    '0.10.0',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2',
    '1.10.0',
    '2.0.0-a-b',
    '2.0.0',
  ];
  for (const [at, version] of order.entries())
    it(`has ${version} before all that are newer`, () => {
      const build = (it: string, builtAtMs = 1) => ({ version: it, builtAtMs });
      for (const newer of order.slice(at + 1)) {
        assert.ok(compareBuilds(build(version, 9), build(newer)) < 0, newer);
        assert.ok(compareBuilds(build(newer), build(version, 9)) > 0, newer);
      }
      assert.equal(compareBuilds(build(version), build(version)), 0);
      assert.ok(compareBuilds(build(version, 1), build(version, 2)) < 0);
    });
});

describe('why something could not be started', () => {
  const failed = (code: unknown) => Object.assign(new Error('the message'), { code });
  for (const [thrown, expected] of [
    [failed('EACCES'), 'permission denied (EACCES)'],
    [failed('ENOSPC'), 'the disk is full (ENOSPC)'],
    [failed('ENOENT'), 'it does not exist (ENOENT)'],
    [failed('EWEIRD'), 'EWEIRD'],
    [failed(5), 'the message'],
    [new Error('plain'), 'plain'],
    ['text', 'text'],
  ] as const)
    it(`is told as “${expected}”`, () => assert.equal(reasonOf(thrown), expected));
});

describe('messages of a body', () => {
  for (const [type, chunks, expected] of [
    ['text/event-stream', ['data: {"a":1}\n\n'], ['{"a":1}']],
    ['text/event-stream; charset=utf-8', ['data: 1\n\ndata: 2\r\n\r\n'], ['1', '2']],
    ['text/event-stream', ['da', 'ta: 1', '\n', '\n', 'data: 2\n\nda'], ['1', '2']],
    ['text/event-stream', ['event: x\nid: 1\ndata: {"a":\ndata: 1}\n\n'], ['{"a": 1}']],
    ['text/event-stream', [': comment\n\ndata:\n\ndata: 1'], []],
    ['text/event-stream', ['data:1\n\n'], ['1']],
    ['application/json', ['{"a":\r\n', '1}\n'], ['{"a": 1} ']],
    ['application/json', [' \n'], []],
    [undefined, ['1'], ['1']],
  ] as const)
    it(`are ${JSON.stringify(expected)} for ${JSON.stringify(chunks)} as ${type}`, async () => {
      const body = new PassThrough();
      const heard: string[] = [];
      const read = readEvents(
        Object.assign(body, { headers: { 'content-type': type } }) as unknown as IncomingMessage,
        (it) => heard.push(it),
      );
      for (const it of chunks) body.write(it);
      body.end();
      await read;
      assert.deepEqual(heard, expected);
    });
});
