import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { CurrentGuardrails } from '../../../../../sidecar/gateway/configuration/currentGuardrails.ts';
import { Guardrails } from '../../../../../sidecar/protocol/gateway/guardrail.ts';

const read = (action: string) =>
  Guardrails.parse([
    { guardrail_name: 'pins', gateway_params: { guardrail: 'tool_definition_pin', mode: 'pre_mcp_call' } },
    {
      guardrail_name: 'secrets',
      gateway_params: { guardrail: 'secret_redaction', mode: 'pre_mcp_call', default_on: true, action },
    },
  ]);

describe('CurrentGuardrails', () => {
  it('stays the same list while readings say the same', () => {
    const first = read('redact');
    const current = new CurrentGuardrails(first);
    current.set(read('redact'));
    assert.equal(current.now, first);
  });

  it('keeps the guardrails that a reading did not change, in the new order', () => {
    const current = new CurrentGuardrails(read('redact'));
    const [pins] = current.now;
    current.set(read('block').toReversed());
    assert.deepEqual(current.now, read('block').toReversed());
    assert.equal(current.now[1], pins);
    current.set([]);
    assert.deepEqual(current.now, []);
  });
});
