import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type ProviderChoice, providersFor } from '../../../../sidecar/agents/index.ts';

const declared = (id: string) => ({ id, displayName: id, command: id, args: [], env: [] });

describe('the agents of a window', () => {
  for (const [what, agents, offered] of [
    ['are the runbooks and the built-in agent where no agent was declared or found', [], ['runbook', 'coder']],
    [
      'begin with an agent that was declared, and those of the product are last',
      ['a', 'b'],
      ['a', 'b', 'runbook', 'coder'],
    ],
    ['are each there once', ['a', 'a'], ['a', 'runbook', 'coder']],
    [
      'keep those of the product where declared agents take their ids',
      ['runbook', 'coder', 'a'],
      ['a', 'runbook', 'coder'],
    ],
  ] as const)
    it(what, () => {
      const choice = { agents: agents.map(declared), env: {}, wellKnown: false } as unknown as ProviderChoice;
      assert.deepEqual(
        providersFor(choice).map((it) => it.id),
        offered,
      );
    });

  it('offer the built-in agent before the runbooks where it has a model, and list its models before it is opened', () => {
    const models = [
      { name: 'fast', dialects: ['chat'] },
      { name: 'claude-*', dialects: ['messages'] },
    ];
    const choice = { agents: [declared('a')], models, env: {}, wellKnown: false } as unknown as ProviderChoice;
    assert.deepEqual(
      providersFor(choice).map((it) => [it.id, it.models]),
      [
        ['a', undefined],
        ['coder', [{ id: 'fast', name: 'fast' }]],
        ['runbook', undefined],
      ],
    );
  });
});
