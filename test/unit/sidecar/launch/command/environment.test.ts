import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { hostEnvironment } from '../../../../../sidecar/launch/command/environment.ts';

describe('hostEnvironment', () => {
  it('keeps what any process needs and nothing of a window', () => {
    const env = {
      PATH: '/bin',
      Path: 'C:\\',
      LC_ALL: 'C',
      HOME: '/h',
      GH_TOKEN: 'canary',
      VSCODE_PID: '1',
      NODE_OPTIONS: '-r x',
    };
    assert.deepEqual(hostEnvironment({ ...env, ELECTRON_RUN_AS_NODE: '1', USER: undefined }, false), {
      PATH: '/bin',
      Path: 'C:\\',
      LC_ALL: 'C',
      HOME: '/h',
    });
  });
  it("tells VS Code's own runtime to be Node", () => {
    assert.deepEqual(hostEnvironment({}, true), { ELECTRON_RUN_AS_NODE: '1' });
  });
});
