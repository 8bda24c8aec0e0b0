import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { parseExactly } from '../../../../../sidecar/gateway/wire/numbers.ts';
import type { Guardrail } from '../../../../../sidecar/protocol/gateway/guardrail.ts';
import { guardedCall, guardrail } from '../../../../support/guardrails/calls.ts';
import { guardrailsUnderTest } from '../../../../support/guardrails/guardrailsUnderTest.ts';

const on = { mode: ['pre_mcp_call', 'during_mcp_call'], default_on: true };
const redacts = guardrail('redacts', { guardrail: 'pii_redaction', mode: 'pre_mcp_call', default_on: true });
const blocks = guardrail('blocks', { guardrail: 'pii_redaction', action: 'block', ...on });
const checks = guardrail('checks', { guardrail: 'argument_schema', ...on });
const signs = guardrail('signs', { guardrail: 'mcp_jwt_signer', mode: 'pre_mcp_call', default_on: true });

const properties = { repo: { type: 'string' }, count: { type: 'number' } };
const tools = [{ name: 'search', inputSchema: { type: 'object', properties } }];
const opened = (configured: readonly Guardrail[]) => Object.assign(guardrailsUnderTest(configured), { tools });
const call = (text: string) => guardedCall(parseExactly(text) as Record<string, unknown>);

describe('arguments that a guardrail judges', () => {
  const refused: readonly [says: string, by: Guardrail, text: string, message: RegExp][] = [
    ['two that fold to one', blocks, '{"a_b":1,"aB":2}', /the member 'aB' as 'a_b'/],
    ['one that ends at a NUL for some', blocks, '{"a\\u0000b":1}', /'a\\u0000b'/],
    [
      'a number that is another one for others',
      blocks,
      '{"a":[{"b":4111111111111111111}]}',
      /argument 'a.0.b' cannot be checked/,
    ],
    ['one that only folds to one of the schema', checks, '{"Repo":"x"}', /the member 'Repo' as 'repo'/],
    [
      'one with a long s',
      checks,
      '{"\\u212aount":1,"repo":"x","coun\\u017f":1,"rep\\u00f3":1,"REPO":1}',
      /'REPO' as 'repo'/,
    ],
  ];
  for (const [says, by, text, message] of refused) {
    it(`are refused in its name before the call and beside it: ${says}`, async () => {
      const { guardrails } = opened([signs, by]);
      const pre = await guardrails.preMcpCall(call(text));
      const during = await guardrails.duringMcpCall(call(text), call(text).context.signal);
      for (const refusal of [pre.refusal, during]) {
        assert.equal(refusal?.guardrail_name, by.guardrail_name);
        assert.match(refusal?.message ?? '', message);
      }
    });
  }

  it('have numbers that it can compute with, and leave as they were spelled', async () => {
    const { guardrails } = opened([checks, redacts]);
    const text = '{"count":1.0,"repo":"of a@b.co","more":[2.50,{"x":1e2}]}';
    const { refusal, arguments: left } = await guardrails.preMcpCall(call(text));
    assert.equal(refusal, undefined);
    assert.equal(JSON.stringify(left), text.replace('a@b.co', '[redacted:email]'));
  });

  it('are left alone where none of the guardrails looks at them', async () => {
    const { guardrails } = opened([signs]);
    const { refusal, arguments: left } = await guardrails.preMcpCall(call('{"a_b":1,"aB":12345678901234567890}'));
    assert.deepEqual([refusal, left], [undefined, undefined]);
  });
});
