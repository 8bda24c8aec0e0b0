import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { socketPath } from '../../../../sidecar/launch/socketPath.ts';

const linux = { env: {}, tmpdir: '/tmp', platform: 'linux' };
const deep = `/Users/someone/Library/Application Support/Code/User/globalStorage/${'x'.repeat(80)}`;

describe('socketPath', () => {
  it('lies in XDG_RUNTIME_DIR under a hash of the data directory', () => {
    const path = socketPath(deep, { ...linux, env: { XDG_RUNTIME_DIR: '/run/user/7' } });
    assert.match(path, /^\/run\/user\/7\/switchboard-[0-9a-f]{16}\/host\.sock$/);
  });
  it('lies in the temporary folder where there is no XDG_RUNTIME_DIR, or a relative one', () => {
    assert.match(socketPath(deep, linux), /^\/tmp\/switchboard-/);
    assert.match(socketPath(deep, { ...linux, env: { XDG_RUNTIME_DIR: 'run' } }), /^\/tmp\/switchboard-/);
  });
  it('keeps to the limit of macOS where the folders are long', () => {
    const place = { env: { XDG_RUNTIME_DIR: `/${'r'.repeat(90)}` }, tmpdir: `/${'ü'.repeat(40)}`, platform: 'darwin' };
    assert.match(socketPath(deep, place), /^\/tmp\/switchboard-/);
  });
  it('is the same for the same data directory, and another for another', () => {
    assert.equal(socketPath('/a', linux), socketPath('/a', linux));
    assert.notEqual(socketPath('/a', linux), socketPath('/b', linux));
  });
  it('is a named pipe on Windows', () => {
    assert.match(socketPath('C:\\data', { ...linux, platform: 'win32' }), /^\\\\\.\\pipe\\switchboard-[0-9a-f]{16}$/);
  });
});
