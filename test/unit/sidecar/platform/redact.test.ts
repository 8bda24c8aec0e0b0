import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { KnownSecrets, Redactor } from '../../../../sidecar/platform/redact.ts';

describe('known secrets', () => {
  const secrets = new KnownSecrets();
  secrets.hide('canary-1234');
  secrets.hide('short');

  it('are taken out of every string of a value', () => {
    const action = { type: 'x', items: [{ text: 'is canary-1234!' }, 7, null], ok: true };
    assert.deepEqual(secrets.within(action), { type: 'x', items: [{ text: 'is [hidden]!' }, 7, null], ok: true });
  });
  it('leave a value without them as it is, the same object', () => {
    const action = { type: 'x', items: [{ text: 'short words' }, undefined] };
    assert.equal(secrets.within(action), action);
  });
  it('are recognised by their beginning, as long as the rest may still come', () => {
    const ends = ['the key is can', 'c', 'canary-123', 'canary-1234', 'canary-12 ', ''];
    assert.deepEqual(
      ends.map((it) => secrets.openEnd(it)),
      [3, 1, 10, 0, 0, 0],
    );
  });
  it('of which there are none cost nothing and hold nothing back', () => {
    const none = new KnownSecrets();
    assert.equal(none.openEnd('canary'), 0);
    assert.equal(none.text('canary-1234'), 'canary-1234');
  });
});

describe('what looks like a secret', () => {
  const redactor = new Redactor();
  for (const secret of ['sk-0123456789abcdef', 'swb_at_0123456789abcdef', 'swb_rt_0123-56789_abcdef']) {
    it(`is not logged: ${secret}`, () => assert.equal(redactor.text(`a ${secret} b`), 'a [hidden] b'));
  }
  for (const secret of [
    'Bearer abc.def~+/=-1',
    'Basic dXNlcjpwYXNz',
    'gho_0123456789abcdef',
    'github_pat_0123456789abcdef',
    'xoxp-0123456789abcdef',
  ]) {
    it(`is not logged: ${secret}`, () => assert.equal(redactor.text(`a ${secret} b`), 'a [hidden] b'));
  }
  it('is hidden by the name of its member, whole, and only by that', () => {
    const logged = redactor.value({ env: { A: 'b' }, awsCredentials: ['c'], 'api-key': 'd', environment: 'e', n: 7n });
    assert.deepEqual(logged, {
      env: '[hidden]',
      awsCredentials: '[hidden]',
      'api-key': '[hidden]',
      environment: 'e',
      n: '7',
    });
  });
  it('is taken out of the message, the stack and the causes of what was thrown', () => {
    const secret = 'sk-0123456789abcdef';
    const cause = Object.assign(new Error(`no ${secret}`), { code: 'ECONNRESET' });
    const logged = redactor.value(new Error(`a ${secret}`, { cause })) as { stack: string; cause: unknown };
    assert.match(logged.stack, /^Error: a \[hidden\]/);
    assert.deepEqual(logged.cause, { code: 'ECONNRESET', message: 'no [hidden]' });
  });
  it('is not every word with a dash', () => assert.equal(redactor.text('sk-short task-force'), 'sk-short task-force'));
});
