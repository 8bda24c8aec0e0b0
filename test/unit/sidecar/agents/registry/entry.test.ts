import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { distributionFor, registryCommand } from '../../../../../sidecar/agents/registry/distribution.ts';
import { isAddress, readRegistry } from '../../../../../sidecar/agents/registry/entry.ts';
import { snapshot } from '../../../../../sidecar/agents/registry/snapshot.ts';
import { verifies } from '../../../../support/verifies.ts';

const good = { id: 'good', name: 'Good', version: '1.0.0', distribution: { npx: { package: 'good@1.0.0' } } };
const archive = { archive: 'https://a.test/a.tgz', cmd: './bin/agent' };
const listOf = (...agents: readonly object[]) => readRegistry(JSON.stringify({ version: '1.0.0', agents }))!;

describe('an entry of the registry', () => {
  const bad: readonly (readonly [string, object, RegExp])[] = [
    ['an id with capitals', { id: 'Bad' }, /^id/],
    ['the id of the runbooks', { id: 'runbook' }, /reserved/],
    ['no name', { name: ' ' }, /^name/],
    ['no distribution', { distribution: {} }, /^distribution/],
    ['a package without a version', { distribution: { npx: { package: 'bad' } } }, /exact version/],
    ['a package with a range', { distribution: { npx: { package: 'bad@^1.0.0' } } }, /exact version/],
    ['a package that is an option', { distribution: { npx: { package: '--global@1.0.0' } } }, /exact version/],
    ['a package at an address', { distribution: { npx: { package: 'git+ssh://x/y@1.0.0' } } }, /exact version/],
    ['a Python package without a version', { distribution: { uvx: { package: 'bad' } } }, /exact version/],
    [
      'an argument that hides a character',
      { distribution: { npx: { package: 'bad@1.0.0', args: ['a\u202eb'] } } },
      /hidden/,
    ],
    ['an argument of two lines', { distribution: { npx: { package: 'bad@1.0.0', args: ['a\nb'] } } }, /hidden/],
    ['a variable that is none', { distribution: { npx: { package: 'bad@1.0.0', env: { 'A=B': 'c' } } } }, /env/],
    ['an archive over http', binary({ archive: 'http://a.test/a.tgz' }), /https/],
    ['an archive with a password', binary({ archive: 'https://u:p@a.test/a.tgz' }), /https/],
    ['a command outside its archive', binary({ cmd: './../../bin/sh' }), /inside the archive/],
    ['an absolute command', binary({ cmd: '/bin/sh' }), /inside the archive/],
    ['a hash that is none', binary({ sha256: 'abc' }), /SHA-256/],
  ];
  function binary(more: object) {
    return { distribution: { binary: { 'linux-x86_64': { ...archive, ...more } } } };
  }
  for (const [what, change, reason] of bad)
    it(`is left out and named where it has ${what}, and the others are there`, () => {
      verifies('host.agents.left-out');
      const { entries, leftOut } = listOf({ ...good, id: 'bad', ...change }, good);
      assert.deepEqual(
        entries.map((it) => it.id),
        ['good'],
      );
      assert.equal(leftOut.length, 1);
      assert.match(leftOut[0]?.reason ?? '', reason);
    });

  it('is left out where another one before it has its id, and where it is no object', () => {
    const { entries, leftOut } = listOf(good, { ...good, name: 'Other' }, 7 as unknown as object);
    assert.deepEqual(
      entries.map((it) => it.name),
      ['Good'],
    );
    assert.deepEqual(
      leftOut.map((it) => it.name),
      ['good', '#3'],
    );
  });

  it('has its words without line breaks and characters that nobody sees', () => {
    const { entries } = listOf({ ...good, name: 'Go\u202eod', description: 'one\ntwo  three' });
    assert.deepEqual([entries[0]?.name, entries[0]?.description], ['Good', 'one two three']);
  });

  for (const text of ['', '[]', '{"agents": {}}', '<html>'])
    it(`is none where the file is ${JSON.stringify(text)}`, () => assert.equal(readRegistry(text), undefined));

  it('of the list that is shipped fits, each one', () => {
    const read = readRegistry(JSON.stringify(snapshot));
    assert.deepEqual(read?.leftOut, []);
    assert.ok((read?.entries.length ?? 0) >= 8);
  });

  for (const [address, isOne] of [
    ['https://a.test/x', true],
    ['http://127.0.0.1:1/x', true],
    ['http://[::1]:1/x', true],
    ['http://a.test/x', false],
    ['http://127.0.0.1.a.test/x', false],
    ['https://u@a.test/x', false],
    ['file:///etc/passwd', false],
    ['x', false],
  ] as const)
    it(`${isOne ? 'may' : 'may not'} be fetched from ${address}`, () => assert.equal(isAddress(address), isOne));
});

describe('the way in which an agent is installed', () => {
  const entry = listOf({
    ...good,
    distribution: {
      npx: { package: '@a/good@1.0.0', args: ['--acp'], env: { NO_UPDATE: '1 2' } },
      uvx: { package: 'good==1.0.0' },
      binary: { 'linux-aarch64': archive, 'windows-x86_64': { ...archive, cmd: 'agent.exe', args: ['acp'] } },
    },
  }).entries[0]!;
  const { npx, uvx, binary } = entry.distribution;
  const at = (platform: NodeJS.Platform, arch: string) => ({ platform, arch, env: { PATH: '/nothing' } });

  it('is an archive for the system and processor where npm is not found', () => {
    assert.deepEqual(distributionFor(entry, at('linux', 'arm64')), {
      kind: 'binary',
      ...archive,
      cmd: 'bin/agent',
      args: [],
      env: {},
    });
    assert.equal((distributionFor(entry, at('win32', 'x64')) as { cmd: string }).cmd, 'agent.exe');
  });

  it('is npm where that is on the PATH, whatever else there is', () => {
    const env = { PATH: process.env['PATH'] ?? '' };
    assert.equal((distributionFor(entry, { ...at('linux', 'arm64'), env }) as { kind: string }).kind, 'npm');
  });

  for (const [what, distribution, blocked] of [
    ['npm is missing', { npx: npx!, uvx: uvx! }, 'npmMissing'],
    ['uv is missing', { uvx: uvx! }, 'uvMissing'],
    ['there is no archive for it', { binary: binary! }, 'platform'],
  ] as const)
    it(`is none where ${what}`, () =>
      assert.equal(distributionFor({ ...entry, distribution }, at('linux', 'x64')), blocked));

  it('is shown as the command of the registry, with its variables, quoted where a shell needs it', () => {
    assert.equal(registryCommand(entry, 'npm'), "NO_UPDATE='1 2' npx @a/good@1.0.0 --acp");
  });
});
