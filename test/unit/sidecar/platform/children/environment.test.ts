import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { agentEnvironment, redact, stripEnvironment } from '../../../../../sidecar/platform/children/environment.ts';

describe('environment', () => {
  const window = {
    PATH: '/bin',
    HOME: '/home/me',
    LC_ALL: 'C',
    https_proxy: 'http://p',
    ELECTRON_RUN_AS_NODE: '1',
    VSCODE_PID: '1',
    NODE_OPTIONS: '--inspect',
    GITHUB_TOKEN: 'ghp_secret',
    FAKE_KEY: 'k',
    GONE: undefined,
  };
  it('loses what belongs to the editor, and nothing else', () => {
    assert.deepEqual(Object.keys(stripEnvironment(window)), [
      'PATH',
      'HOME',
      'LC_ALL',
      'https_proxy',
      'GITHUB_TOKEN',
      'FAKE_KEY',
    ]);
  });
  it('gives an agent the plain variables and those named for it, and no token of others', () => {
    assert.deepEqual(Object.keys(agentEnvironment(window, ['FAKE_*'])), [
      'PATH',
      'HOME',
      'LC_ALL',
      'https_proxy',
      'FAKE_KEY',
    ]);
    assert.deepEqual(Object.keys(agentEnvironment(window, ['VSCODE_PID'])), ['PATH', 'HOME', 'LC_ALL', 'https_proxy']);
  });
  it('takes secrets and the home folder out of an agent’s words', () => {
    const env = { HOME: '/home/me', MY_TOKEN: 'canary-1234', PLAIN: 'visible' };
    assert.equal(
      redact('at /home/me/x: canary-1234 sk-abcdefgh12345 Bearer abc.def visible', env),
      'at ~/x: [removed] [removed] Bearer [removed] visible',
    );
  });
});
