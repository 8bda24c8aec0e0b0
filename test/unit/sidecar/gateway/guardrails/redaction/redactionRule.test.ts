import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { redactionRule } from '../../../../../../sidecar/gateway/guardrails/redaction/redactionRule.ts';
import { guardedCall, guardrail } from '../../../../../support/guardrails/calls.ts';

function ruleOf(fields: object) {
  const { guardrail_name, gateway_params } = guardrail('clean', { mode: 'pre_mcp_call', ...fields });
  assert.ok(gateway_params.guardrail === 'pii_redaction' || gateway_params.guardrail === 'secret_redaction');
  return redactionRule(guardrail_name, gateway_params);
}
const signal = new AbortController().signal;

describe('a redaction guardrail', () => {
  it('sends the arguments on without what it looks for', async () => {
    const rule = ruleOf({ guardrail: 'secret_redaction' });
    const call = guardedCall({ text: 'use AKIAIOSFODNN7EXAMPLE', to: 'a@b.co' });
    assert.deepEqual(await rule.pre?.(call), { arguments: { text: 'use [redacted:aws_access_key]', to: 'a@b.co' } });
  });

  it('says nothing of arguments that are clean', async () => {
    assert.deepEqual(await ruleOf({ guardrail: 'pii_redaction' }).pre?.(guardedCall({ text: 'hello' })), {});
  });

  it('refuses personal data under its own error word', async () => {
    const rule = ruleOf({ guardrail: 'pii_redaction', rules: { iban: 'block' } });
    const refusal = {
      guardrail_name: 'clean',
      error: 'blocked_pii_entity',
      message: "The argument 'to.account' contains data that must not be sent: iban.",
    } as const;
    const call = guardedCall({ to: { account: 'DE89370400440532013000' } });
    assert.deepEqual(await rule.pre?.(call), { refusal });
  });

  it('refuses a secret as a violation, beside the call too', async () => {
    const rule = ruleOf({ guardrail: 'secret_redaction', mode: ['pre_mcp_call', 'during_mcp_call'], action: 'block' });
    const call = guardedCall({ text: `sk-${'a'.repeat(20)}` });
    const refusal = {
      guardrail_name: 'clean',
      error: 'guardrail_violation',
      message: "The argument 'text' contains data that must not be sent: api_key.",
    } as const;
    assert.deepEqual(await rule.pre?.(call), { refusal });
    assert.deepEqual(await rule.during?.(call, signal), refusal);
    assert.equal(await rule.during?.(guardedCall({ text: 'x' }), signal), undefined);
  });

  it('leaves a kind alone that is off, and addresses of machines unless they are named', async () => {
    const text = 'a@b.co at 10.0.0.1';
    const plain = await ruleOf({ guardrail: 'pii_redaction' }).pre?.(guardedCall({ text }));
    assert.deepEqual(plain, { arguments: { text: '[redacted:email] at 10.0.0.1' } });
    const rules = { email: 'off', ipv4: 'redact' };
    const named = await ruleOf({ guardrail: 'pii_redaction', rules }).pre?.(guardedCall({ text }));
    assert.deepEqual(named, { arguments: { text: 'a@b.co at [redacted:ipv4]' } });
  });

  it('refuses more text than it may look at', async () => {
    const rule = ruleOf({ guardrail: 'pii_redaction', max_characters: 1000 });
    const verdict = await rule.pre?.(guardedCall({ text: 'x'.repeat(1001) }));
    assert.equal(verdict?.refusal?.message, 'The arguments have more than 1000 characters.');
    assert.equal(verdict.refusal.error, 'guardrail_violation');
  });

  it('shortens a place with a long way to it', async () => {
    const path = ['a'.repeat(64), 'b'.repeat(64), 'c'.repeat(64), 'd'.repeat(64), 'e'.repeat(64)];
    const args = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), 'a@b.co') as Record<string, unknown>;
    const verdict = await ruleOf({ guardrail: 'pii_redaction', action: 'block' }).pre?.(guardedCall(args));
    assert.match(verdict?.refusal?.message ?? '', /^The argument 'a{64}\.b{64}\.c{64}\.d{61}…' contains/);
  });
});
