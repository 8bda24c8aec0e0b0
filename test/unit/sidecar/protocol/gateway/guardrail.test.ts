import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Guardrail, Guardrails } from '../../../../../sidecar/protocol/gateway/guardrail.ts';

const read = (gateway_params: object) => Guardrail.safeParse({ guardrail_name: 'g', gateway_params });
/** Where the first complaint is, as an admin reads it. */
const complaint = (gateway_params: object) => {
  const [issue] = read(gateway_params).error?.issues ?? [];
  return issue && [issue.path.join('.'), issue.message];
};
const mode = 'pre_mcp_call';

describe('a configured guardrail', () => {
  it('is read with its defaults', () => {
    assert.deepEqual(read({ guardrail: 'mcp_jwt_signer', mode }).data?.gateway_params, {
      guardrail: 'mcp_jwt_signer',
      mode,
      default_on: false,
      token_ttl_seconds: 300,
      end_user_claim_sources: ['token:sub', 'user_id'],
    });
    const both = ['pre_mcp_call', 'during_mcp_call'];
    assert.deepEqual(read({ guardrail: 'argument_schema', mode: both }).data?.gateway_params, {
      guardrail: 'argument_schema',
      mode: both,
      default_on: false,
      when_unchecked: 'refuse',
    });
  });

  it('has a mode that it can work in', () => {
    assert.ok(read({ guardrail: 'secret_redaction', mode: 'during_mcp_call', action: 'block' }).success);
    assert.deepEqual(complaint({ guardrail: 'mcp_jwt_signer', mode: 'during_mcp_call' })?.[0], 'gateway_params.mode');
    assert.deepEqual(complaint({ guardrail: 'pii_redaction', mode: [] })?.[0], 'gateway_params.mode');
  });

  it('does not promise to redact beside a call', () => {
    const words = 'redact cannot be used here or in rules with mode during_mcp_call, which cannot change a call';
    const asked = { guardrail: 'pii_redaction', mode: [mode, 'during_mcp_call'] };
    assert.deepEqual(complaint(asked), ['gateway_params.action', words]);
    const rules = { email: 'redact' };
    assert.deepEqual(complaint({ ...asked, action: 'block', rules }), ['gateway_params.action', words]);
    assert.ok(read({ ...asked, action: 'block', rules: { email: 'off' } }).success);
  });

  it('keeps tokens between one and five minutes', () => {
    for (const [seconds, isGood] of [
      [59, false],
      [60, true],
      [300, true],
      [301, false],
      [90.5, false],
    ] as const) {
      assert.equal(
        read({ guardrail: 'mcp_jwt_signer', mode, token_ttl_seconds: seconds }).success,
        isGood,
        `${seconds}`,
      );
    }
  });

  it('lets nobody edit the claims that bound a token', () => {
    for (const claim of ['iss', 'aud', 'iat', 'nbf', 'exp', 'jti']) {
      for (const edit of [{ set_claims: { [claim]: 1 } }, { add_claims: { [claim]: 1 } }, { remove_claims: [claim] }]) {
        assert.equal(read({ guardrail: 'mcp_jwt_signer', mode, ...edit }).success, false, JSON.stringify(edit));
      }
    }
    assert.ok(
      read({ guardrail: 'mcp_jwt_signer', mode, set_claims: { tenant: 'a' }, remove_claims: ['email'] }).success,
    );
  });

  it('uses claims of the caller only where somebody can verify them', () => {
    const asked = { guardrail: 'mcp_jwt_signer', mode, required_claims: ['tenant'] };
    const words =
      "is required with required_claims or optional_claims, because the caller's token must be verified first";
    assert.deepEqual(complaint(asked), ['gateway_params.jwks_uri', words]);
    const jwks_uri = 'https://login.example/keys';
    assert.equal(complaint({ ...asked, jwks_uri })?.[0], 'gateway_params.verify_audience');
    assert.ok(read({ ...asked, jwks_uri, verify_audience: 'gateway' }).success);
    assert.equal(read({ ...asked, jwks_uri: 'file:///etc/passwd', verify_audience: 'gateway' }).success, false);
  });

  it('is refused with a field or a word that is not known', () => {
    assert.equal(read({ guardrail: 'secret_redaction', mode, actoin: 'block' }).success, false);
    assert.equal(read({ guardrail: 'secret_redaction', mode, rules: { password: 'block' } }).success, false);
    assert.equal(read({ guardrail: 'mcp_jwt_signer', mode, end_user_claim_sources: ['header:x-user'] }).success, false);
    assert.equal(complaint({ guardrail: 'made_up', mode })?.[0], 'gateway_params.guardrail');
  });

  it('has a name of its own', () => {
    const one = { guardrail_name: 'g', gateway_params: { guardrail: 'tool_definition_pin', mode } };
    assert.ok(Guardrails.safeParse([one, { ...one, guardrail_name: 'h' }]).success);
    const [issue] = Guardrails.safeParse([one, one]).error?.issues ?? [];
    assert.deepEqual([issue?.path, issue?.message], [[1, 'guardrail_name'], "'g' is used twice"]);
  });
});
