import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'mocha';
import { challengeOf } from '../../../../../../sidecar/gateway/backends/oauth/pkce.ts';
import { type FlowState, stateSealer } from '../../../../../../sidecar/gateway/backends/oauth/sealedState.ts';

const state: FlowState = {
  id: 'i',
  server_id: 's',
  user: 'u',
  verifier: 'canary-verifier',
  issuer: 'https://a.example',
  origins: 'https://a.example',
  client_id: 'c',
  redirect_uri: 'https://g.example/callback',
  binding: 'b',
  expires_at_ms: 1,
};

describe('the state of a sign-in', () => {
  const secret = randomBytes(32);
  const { seal, open } = stateSealer(secret);

  it('comes back as it was, also on another replica with the same secret', () => {
    assert.deepEqual(stateSealer(secret).open(seal(state)), state);
  });

  it('shows nothing of itself, and differs each time', () => {
    const [one, two] = [seal(state), seal(state)];
    assert.notEqual(one, two);
    assert.ok(!Buffer.from(one, 'base64url').includes('canary'));
  });

  it('does not open when any byte was changed, cut or added', () => {
    const bytes = Buffer.from(seal(state), 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.equal(open(changed.toString('base64url')), undefined);
    }
    assert.equal(open(bytes.subarray(0, -1).toString('base64url')), undefined);
    assert.equal(open(Buffer.concat([bytes, Buffer.from('x')]).toString('base64url')), undefined);
  });

  it('does not open under another secret', () => {
    assert.equal(stateSealer(randomBytes(32)).open(seal(state)), undefined);
  });
});

describe('PKCE', () => {
  it('makes the challenge of RFC 7636, Appendix B', () => {
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    assert.equal(challengeOf(verifier), 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  });
});
