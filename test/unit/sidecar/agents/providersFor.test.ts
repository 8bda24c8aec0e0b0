import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { type ProviderChoice, providersFor } from '../../../../sidecar/agents/index.ts';
import { MemoryAgent } from '../../../support/agents/memoryAgent.ts';
import { ManualTimers } from '../../../support/manualTimers.ts';
import { contextIn } from '../../../support/playTurn.ts';

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

  const NAME = 'CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION';
  for (const { what, agents, window, expected } of [
    {
      what: 'do not let Claude predict the next prompt after each turn, where it is declared',
      agents: [{ ...declared('mine'), command: 'claude-agent-acp' }],
      window: {},
      expected: 'false',
    },
    {
      what: 'do not let Claude predict the next prompt after each turn, where it is found on PATH',
      agents: [],
      window: {},
      expected: 'false',
    },
    {
      what: 'let Claude predict the next prompt where the environment of the window says so',
      agents: [],
      window: { [NAME]: 'true' },
      expected: 'true',
    },
  ])
    it(what, async () => {
      const bin = mkdtempSync(join(tmpdir(), 'switchboard-agents-'));
      try {
        writeFileSync(join(bin, 'claude-agent-acp'), '#!/bin/sh\n', { mode: 0o755 });
        const agent = new MemoryAgent();
        let started: Readonly<Record<string, string>> = {};
        const children = {
          async spawn({ env }: { env: Readonly<Record<string, string>> }) {
            started = env;
            return agent.child;
          },
        };
        const env = { PATH: bin, HOME: bin, ...window };
        const choice = { agents, env, wellKnown: true, children, timers: new ManualTimers() };
        const [claude] = providersFor(choice as unknown as ProviderChoice);
        await claude!.open(contextIn(bin, { env }), new AbortController().signal);
        assert.equal(started[NAME], expected);
      } finally {
        rmSync(bin, { recursive: true });
      }
    });
});
