import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { OptionProperty } from '../../../../../sidecar/agents/options.ts';
import {
  listed,
  refuseModel,
  suggestionsFrom,
  toModels,
  WORKTREE,
  withWorktree,
} from '../../../../../sidecar/host/agents/sessionConfig.ts';

describe('the choices of a session', () => {
  const property = {
    id: 'model',
    title: 'Model',
    value: 'big',
    values: [
      { id: 'big', label: 'Large One', description: 'Thinks.' },
      { id: 'small', label: 'Small One' },
      { id: 'auto', label: 'Automatic', agentDecides: true },
    ],
  } as OptionProperty;

  for (const [typed, found] of [
    ['', ['big', 'small', 'auto']],
    ['ONE', ['big', 'small']],
    ['auto', ['auto']],
    ['bi', ['big']],
    ['none', []],
  ] as const)
    it(`that go with '${typed}' are ${found.join(', ') || 'none'}`, () => {
      assert.deepEqual(
        suggestionsFrom(property, typed).map((it) => it.value),
        found,
      );
    });
  it('say what they are, and where the agent decides by itself', () => {
    assert.deepEqual(suggestionsFrom(property, ''), [
      { value: 'big', label: 'Large One', description: 'Thinks.' },
      { value: 'small', label: 'Small One' },
      { value: 'auto', label: 'Automatic', description: 'Agent decides: ' },
    ]);
  });
  it('of a field are its values, named where it names them', () => {
    const field = { type: 'string', title: 'Effort', enum: ['a', 'b'], enumLabels: ['Alpha'], enumDescriptions: ['x'] };
    assert.deepEqual(listed(field as never).values, [
      { id: 'a', label: 'Alpha', description: 'x' },
      { id: 'b', label: 'b' },
    ]);
  });
  it('hold a worktree that nobody chose as false', () => {
    const state = { schema: { type: 'object' as const, properties: {} }, values: { a: 1 } };
    assert.deepEqual(withWorktree(state, {}).values, { a: 1, [WORKTREE]: false });
    assert.deepEqual(withWorktree(state, { [WORKTREE]: true }).values, { a: 1, [WORKTREE]: true });
    assert.deepEqual(withWorktree(state, { [WORKTREE]: 'yes' }).values, { a: 1, [WORKTREE]: false });
  });
  it('1c-16 leave out models that a policy forbids, and no others, and name the usual one', () => {
    const models = toModels(
      'p',
      {
        properties: [],
        models: [
          { id: 'free', name: 'Free' },
          { id: 'on', name: 'On', policyState: 'enabled' },
          { id: 'off', name: 'Off', policyState: 'disabled' },
        ],
      } as never,
      'on',
    );
    assert.deepEqual(
      models.map((it) => it._meta),
      [undefined, { isDefault: true }, undefined],
    );
    assert.deepEqual(
      ['free', 'on', 'off', 'unlisted', undefined].map((it) => refuseModel(models, it) === undefined),
      [true, true, false, true, true],
    );
  });
});
