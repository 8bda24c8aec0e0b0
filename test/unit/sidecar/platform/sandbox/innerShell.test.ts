import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { innerEnvironment, innerLine, outerPath } from '../../../../../sidecar/platform/sandbox/innerShell.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the environment of a program in a sandbox', () => {
  const env = {
    PATH: '/bin',
    SSH_AUTH_SOCK: '/agent',
    HTTP_PROXY: 'http://p',
    MY_TOKEN: 't',
    MODEL_KEY: 'k',
    BASH_ENV: '/x',
  };

  it('has the plain variables and those selected for it, but none that leads out of the sandbox', () => {
    verifies('host.sandbox.confined');
    assert.deepEqual(innerEnvironment(env, ['MODEL_KEY', 'SSH_AUTH_SOCK']), {
      PATH: '/bin',
      MODEL_KEY: 'k',
      SHLVL: '1',
    });
  });

  it('has no variables that make the outer shell run code', () => {
    verifies('host.sandbox.confined');
    const harmful = { 'BASH_FUNC_exec%%': '() { x; }', SHELLOPTS: 'xtrace', PS4: '$(x)', LD_PRELOAD: '/x', IFS: 'b' };
    assert.deepEqual(innerEnvironment({ PATH: '/bin', ...harmful }, undefined), { PATH: '/bin', SHLVL: '1' });
  });

  it('keeps other variables if it was already selected', () => {
    assert.deepEqual(innerEnvironment({ PATH: '/bin', MODEL_KEY: 'k', DISPLAY: ':0' }, undefined), {
      PATH: '/bin',
      MODEL_KEY: 'k',
      SHLVL: '1',
    });
  });
});

describe('the variables of the host in a sandbox', () => {
  it("reach an agent with the key for the gateway's models, and no program that selects its own variables", () => {
    verifies('host.sandbox.works');
    const env = { SWITCHBOARD_MODELS_KEY: 'k', SWITCHBOARD_TOOLS_URL: 'u', SWITCHBOARD_LEASH: 'l' };
    const given = { SWITCHBOARD_MODELS_KEY: 'k', SWITCHBOARD_TOOLS_URL: 'u', SHLVL: '1' };
    assert.deepEqual(innerEnvironment(env, undefined), given);
    assert.deepEqual(innerEnvironment(env, ['SWITCHBOARD_*']), { SHLVL: '1' });
  });
});

describe('the line of a program in a sandbox', () => {
  const of = (platform: NodeJS.Platform) =>
    innerLine({
      command: '/bin/a b',
      args: ["it's"],
      path: '/p q',
      ports: [4000, 4000],
      temporary: '/t',
      nodeProxy: '/n "x"/p.cjs',
      isNode: platform === 'darwin',
      platform,
    });

  it('becomes the program, with its own PATH and unchanged arguments', () => {
    const lines = of('linux').split('\n').slice(-2);
    assert.deepEqual(lines, [`export PATH='/p q'`, String.raw`exec '/bin/a b' 'it'\''s'`]);
  });

  it('has Node.js use the proxy, beside the options that it has already', () => {
    const option = String.raw`export NODE_OPTIONS='--require="/n \"x\"/p.cjs"'"${'$'}{NODE_OPTIONS:+ $NODE_OPTIONS}"`;
    assert.ok(of('linux').split('\n').includes(option), of('linux'));
    assert.doesNotMatch(of('linux'), /NODE_USE_ENV_PROXY/);
    assert.match(of('darwin'), /^export NODE_USE_ENV_PROXY=1$/m);
  });

  it('forwards each port to the proxy once if the sandbox has its own loopback', () => {
    verifies('host.sandbox.works');
    assert.equal(of('linux').match(/TCP-LISTEN:4000,/g)?.length, 1);
    assert.doesNotMatch(of('darwin'), /socat/);
    assert.match(of('darwin'), /export NO_PROXY=''/);
  });
});

describe('the PATH of the programs that start a sandbox', () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'outer-path-')));
    for (const it of ['work/bin', 'tools']) mkdirSync(join(root, it), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('has no folder in which a program of the session can put files', () => {
    verifies('host.sandbox.confined');
    const work = join(root, 'work');
    symlinkSync(join(work, 'bin'), join(root, 'link'));
    symlinkSync(join(root, 'tools'), join(work, 'out'));
    const folders = [
      '.',
      'bin',
      join(work, 'bin'),
      join(root, 'link'),
      join(work, 'out'),
      join(work, '..', 'work'),
      join(root, 'missing'),
    ];
    assert.equal(outerPath([...folders, join(root, 'tools')].join(':'), [work]), join(root, 'tools'));
  });

  it('has the folders of the system first', () => {
    assert.equal(outerPath(`${root}:/usr/bin:/bin`, []), `/usr/bin:/bin:${root}`);
  });
});
