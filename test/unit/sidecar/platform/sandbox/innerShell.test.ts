import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { innerEnvironment, innerLine } from '../../../../../sidecar/platform/sandbox/innerShell.ts';
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

  it('has the plain variables and those meant for it, and none that leads out', () => {
    verifies('host.sandbox.confined');
    assert.deepEqual(innerEnvironment(env, ['MODEL_KEY', 'SSH_AUTH_SOCK']), {
      PATH: '/bin',
      MODEL_KEY: 'k',
      SHLVL: '1',
    });
  });

  it('is what was chosen for it where somebody chose', () => {
    assert.deepEqual(innerEnvironment({ PATH: '/bin', MODEL_KEY: 'k', DISPLAY: ':0' }, undefined), {
      PATH: '/bin',
      MODEL_KEY: 'k',
      SHLVL: '1',
    });
  });
});

describe('the line of a program in a sandbox', () => {
  const of = (platform: NodeJS.Platform) =>
    innerLine({ command: '/bin/a b', args: ["it's"], ports: [4000, 4000], temporary: '/t', platform });

  it('becomes the program, with each argument as it was', () => {
    assert.equal(of('linux').split('\n').at(-1), String.raw`exec '/bin/a b' 'it'\''s'`);
  });

  it('leads each port to the proxy once where the sandbox has a loopback of its own', () => {
    verifies('host.sandbox.works');
    assert.equal(of('linux').match(/TCP-LISTEN:4000,/g)?.length, 1);
    assert.doesNotMatch(of('darwin'), /socat/);
    assert.match(of('darwin'), /export NO_PROXY=''/);
  });
});
