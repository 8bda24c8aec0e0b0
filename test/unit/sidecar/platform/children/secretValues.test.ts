import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { keysIn, namedValues, redact } from '../../../../../sidecar/platform/children/environment.ts';

describe('secret values of an environment', () => {
  const env = {
    HOME: '/home/me',
    FAKE_ACCOUNT: 'account-of-mine',
    FAKE_PROFILE: 'default',
    FAKE_API_KEY: 'canary-0123456789',
    OTHER_TOKEN: 'other-0123456789',
    FAKE_AUTH: 'password',
    SSH_AUTH_SOCK: '/tmp/ssh-agent/socket',
    GONE: undefined,
  };
  it('are those that an agent gets by name, but for short words', () => {
    assert.deepEqual(namedValues(env, ['fake_*', 'GONE']), ['account-of-mine', 'canary-0123456789', 'password']);
  });
  it('are the keys of anybody, but neither paths nor words', () => {
    assert.deepEqual(keysIn(env), ['canary-0123456789', 'other-0123456789']);
  });
  it('are taken out of an agent’s words whatever the variable is called', () => {
    assert.equal(redact('account-of-mine, default', env, ['FAKE_*']), '[removed], default');
  });
});
