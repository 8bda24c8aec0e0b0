import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { LineAuthor } from '../../../../../sidecar/protocol/channels/changeset/lineAuthors.ts';
import { authorAt, factsOf, noteOf } from '../../../../../src/changes/authors/authorTexts.ts';
import { english } from '../../../../support/extensionStates.ts';

const author: LineAuthor = {
  session: 'host-session:/s',
  title: 'Raise the price',
  provider: 'claude',
  chat: 'host-chat:/c',
  turnId: 't',
  at: '2026-01-01T10:00:00.000Z',
  model: 'opus',
  prompt: 'raise it',
};
const context = { nowMs: Date.parse('2026-01-01T12:00:00.000Z'), agentName: () => 'Claude' };
const approvalOf = (tool: LineAuthor['tool']) =>
  Object.fromEntries(factsOf(english, { ...author, ...(tool && { tool }) }, context))['Approval'];

describe('the words about who wrote a line', () => {
  it('name agent, session and age behind the line', () => {
    assert.equal(noteOf(english, author, context), 'Claude · Raise the price · 2 h');
  });

  it('say in the card what is known, and nothing of what is not', () => {
    const { model: _model, ...unknown } = author;
    assert.deepEqual(
      factsOf(english, unknown, context).map(([name]) => name),
      ['Session', 'Agent', 'Prompt', 'Approval', 'Written'],
    );
    assert.deepEqual(
      factsOf(english, { ...author, tool: { name: 'Edit' } }, context).map(([name]) => name),
      ['Session', 'Agent', 'Model', 'Prompt', 'Tool', 'Approval', 'Written'],
    );
  });

  it('say who approved it', () => {
    assert.equal(approvalOf(undefined), 'not known: the agent did not report this edit');
    assert.equal(approvalOf({ name: 'Edit' }), 'not known');
    assert.equal(approvalOf({ name: 'Edit', confirmed: 'setting' }), 'by a rule');
    assert.equal(approvalOf({ name: 'Edit', confirmed: 'not-needed' }), 'not required');
    assert.equal(approvalOf({ name: 'Edit', confirmed: 'user-action' }), 'by a person');
    assert.equal(
      approvalOf({ name: 'Edit', confirmed: 'user-action', answer: 'Allow once' }),
      'by a person: Allow once',
    );
  });

  it('are found for a line by its range alone', () => {
    const result = { ranges: [{ start: 2, end: 4, author: 0 }], authors: [author] };
    assert.deepEqual(
      [1, 2, 3, 4].map((it) => authorAt(result, it)?.turnId),
      [undefined, 't', 't', undefined],
    );
  });
});
