import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readServerConfig } from '../../../../../sidecar/host/mcp/serverConfig.ts';

const env = { HOME: '/home/me', KEY: 'k' };
/** A variable as such files write it. */
const v = (name: string) => `\${${name}}`;
const read = (raw: unknown, folder: string | null = '/repo') =>
  readServerConfig({ name: 's', raw, ...(folder !== null && { folder }) }, env);

describe('readServerConfig', () => {
  it('reads a program: paths from its folder, plain names as they are', () => {
    const raw = { command: './bin/server', args: ['--root', `${v('workspaceFolder')}`, 3], env: { A: `${v('KEY')}` } };
    assert.deepEqual(read(raw), {
      kind: 'stdio',
      command: '/repo/bin/server',
      args: ['--root', '/repo', '3'],
      env: { A: 'k' },
      cwd: '/repo',
    });
    assert.deepEqual(read({ command: 'npx', cwd: 'sub' }), {
      kind: 'stdio',
      command: 'npx',
      args: [],
      env: {},
      cwd: '/repo/sub',
    });
  });

  for (const { type, kind } of [
    { type: undefined, kind: 'http' },
    { type: 'http', kind: 'http' },
    { type: 'streamable-http', kind: 'http' },
    { type: 'sse', kind: 'sse' },
  ]) {
    it(`reads an address of the type ${type ?? 'that is not said'} as ${kind}`, () => {
      const raw = { type, url: 'https://a.example/mcp', headers: { X: `${v('env:NONE')}${v('MORE:-else')}` } };
      assert.deepEqual(read(raw), { kind, url: 'https://a.example/mcp', headers: { X: 'else' } });
    });
  }

  for (const { says, raw, message, folder } of [
    { says: 'neither a command nor an address', raw: {}, message: 's: must have a command or a url' },
    { says: 'a program without a command', raw: { type: 'stdio' }, message: 's.command: is required' },
    { says: 'an address that is none', raw: { url: 'file:///etc' }, message: 's.url: must be an http or https URL' },
    {
      says: 'something that only an editor can ask for',
      raw: { url: 'https://a.example', headers: { Authorization: `${v('input:key')}` } },
      message: `s.headers.Authorization: ${v('input:key')} is not supported`,
    },
    {
      says: 'a variable that is not set',
      raw: { command: 'x', args: [`${v('NONE')}`] },
      message: `s.args.0: ${v('NONE')} is not set`,
    },
    {
      says: 'a folder where there is none',
      raw: { command: 'x', args: [`${v('workspaceFolder')}`] },
      folder: null,
      message: `s.args.0: ${v('workspaceFolder')}: the server does not belong to a folder`,
    },
  ]) {
    it(`refuses ${says}, and names the member`, () => {
      assert.throws(() => read(raw, folder), { code: 'invalid_params', message });
    });
  }
  it('refuses members of the wrong kind, and names them', () => {
    assert.throws(() => read({ command: 'x', args: [{}] }), /^Fault: s\.args\.0: /);
  });
});
