import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { decisionsMarkdown, decisionText, type KeptDecision } from '../../../../src/commands/decisionText.ts';
import { english } from '../../../support/extensionStates.ts';

const base: KeptDecision = {
  at: '2026-11-26T01:00:00.000Z',
  session: 'host-session:/s',
  chat: 'host-chat:/c',
  turnId: 't',
  toolCallId: 'k',
  toolKind: 'shell',
  what: 'npm test',
  allowed: true,
  by: 'person',
};

describe('the history of approvals', () => {
  for (const [more, expected] of [
    [{}, 'You allowed this once'],
    [{ rule: 'npm test*', source: 'granted' }, 'You allowed this and saved the rule "npm test*"'],
    [{ edited: true }, 'You changed and allowed this'],
    [{ allowed: false }, 'You denied this'],
    [{ allowed: false, reason: 'later' }, 'You denied this: later'],
    [{ by: 'rule', rule: 'npm *' }, 'Allowed by the rule "npm *"'],
    [{ by: 'rule', rule: 'npm *', allowed: false }, 'Denied by the rule "npm *"'],
    [{ by: 'dial' }, 'Allowed by "Accept edits"'],
    [{ by: 'dial', allowed: false }, 'Denied by "Read only"'],
    [{ by: 'hook', allowed: false }, 'Denied by a hook'],
    [{ by: 'untrusted', allowed: false }, 'Denied because the workspace is not trusted'],
    [{ by: 'agent' }, 'Run by the agent without asking'],
  ] satisfies [Partial<KeptDecision>, string][])
    it(`says: ${expected}`, () => {
      assert.equal(decisionText(english, { ...base, ...more }), expected);
    });

  it('is a table in Markdown that no command breaks out of, and in which hidden characters are seen', () => {
    const odd = { ...base, what: 'echo a | b\n<b>\u202e', title: 'My session' };
    const lines = decisionsMarkdown(english, [odd, base]).split('\n');
    assert.equal(
      lines[4],
      '| 2026-11-26T01:00:00.000Z | My session | echo a \\| b ⏎ \\<b\\>‹U+202E› | You allowed this once |',
    );
    assert.match(lines[5] ?? '', /host-session:\/s/);
  });
});
