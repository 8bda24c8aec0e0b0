import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type ProviderChoice, providersFor } from '../../../../sidecar/agents/index.ts';

const declared = (id: string) => ({ id, displayName: id, command: id, args: [], env: [] });

describe('the agents of a window', () => {
  for (const [what, agents, offered] of [
    ['are the runbooks alone where no agent was declared or found', [], ['runbook']],
    ['begin with an agent that was declared, and the runbooks are last', ['a', 'b'], ['a', 'b', 'runbook']],
    ['are each there once', ['a', 'a'], ['a', 'runbook']],
    ['keep the runbooks where a declared agent takes their id', ['runbook', 'a'], ['a', 'runbook']],
  ] as const)
    it(what, () => {
      const choice = { agents: agents.map(declared), env: {}, wellKnown: false } as unknown as ProviderChoice;
      assert.deepEqual(
        providersFor(choice).map((it) => it.id),
        offered,
      );
    });
});
