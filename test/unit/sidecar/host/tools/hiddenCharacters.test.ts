import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ToolFacts } from '../../../../../sidecar/agents/provider.ts';
import { toolQuestion } from '../../../../../sidecar/host/tools/toolQuestion.ts';

const hidden = '\u202e';
const facts = (more: Partial<ToolFacts>): ToolFacts => ({
  toolCallId: 'k',
  kind: 'shell',
  invocationMessage: 'Do it',
  paths: [],
  ...more,
});

describe('characters that nobody sees in a tool call', () => {
  for (const [where, call, shown] of [
    ['the command', { command: `rm ${hidden}a`, toolInput: 'rm a' }, /rm \\?.*202e/i],
    ['the input', { toolInput: `x${hidden}y` }, /x.*202e.*y/i],
    ["the agent's words", { invocationMessage: `Do ${hidden}it` }, /Do .*202e.*it/i],
  ] as const)
    it(`in ${where} are named, and written out where they stand`, () => {
      const { confirmationTitle, riskAssessment } = toolQuestion(facts(call));
      assert.equal(confirmationTitle, 'Run this command? It contains hidden characters.');
      const reason = riskAssessment?.reason;
      assert.match(typeof reason === 'object' ? reason.markdown : '', shown);
    });

  it('in a path alone are named too, and nothing is said where there are none', () => {
    assert.equal(toolQuestion(facts({ kind: 'edit', paths: [`/w/${hidden}a`] })).riskAssessment?.safety, 0);
    assert.equal(toolQuestion(facts({ command: 'rm a' })).riskAssessment, undefined);
  });
});
