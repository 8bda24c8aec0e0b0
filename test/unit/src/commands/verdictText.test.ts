import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { RuleVerdict } from '../../../../sidecar/protocol/window.ts';
import { verdictText } from '../../../../src/commands/verdictText.ts';
import { english } from '../../../support/extensionStates.ts';

describe('the answer to what would happen with a request', () => {
  const rule = { id: 'r', effect: 'allow', target: 'edit', pattern: 'src/**', source: 'granted' } as const;
  for (const [verdict, expected] of [
    [
      { verdict: 'allow', because: 'rule', rule },
      'This would run without asking. The rule "edit src/**" that you saved applies.',
    ],
    [
      { verdict: 'deny', because: 'rule', rule: { ...rule, source: 'user' } },
      'This would be denied. The rule "edit src/**" in user settings applies.',
    ],
    [
      { verdict: 'ask', because: 'rule', rule: { ...rule, source: 'workspace' } },
      'You would be asked. The rule "edit src/**" in workspace settings applies.',
    ],
    [{ verdict: 'ask', because: 'destructive' }, 'You would be asked. It can delete data, and no rule allows that.'],
    [{ verdict: 'ask', because: 'default' }, 'You would be asked. No rule applies to it.'],
    [{ verdict: 'allow', because: 'default' }, 'This would run without asking. No rule applies to it.'],
    [{ verdict: 'deny', because: 'untrusted' }, 'This would be denied. This workspace is not trusted.'],
  ] satisfies [RuleVerdict, string][])
    it(`says for ${verdict.verdict} because of ${verdict.because}: ${expected}`, () => {
      assert.equal(verdictText(english, verdict), expected);
    });
});
