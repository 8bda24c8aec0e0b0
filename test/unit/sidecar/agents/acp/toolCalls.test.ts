import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ToolCalls } from '../../../../../sidecar/agents/acp/toolCalls.ts';
import { ToolCallUpdate } from '../../../../../sidecar/agents/acp/wire.ts';
import type { ToolFacts } from '../../../../../sidecar/agents/provider.ts';
import { verifies } from '../../../../support/verifies.ts';

const factsOf = (update: object): ToolFacts =>
  new ToolCalls('/repo').ask(ToolCallUpdate.parse({ toolCallId: 'c', ...update })).facts;
const play = (...updates: object[]) => {
  const calls = new ToolCalls('/repo');
  const events = updates.flatMap((it) => calls.update(ToolCallUpdate.parse({ toolCallId: 'c', ...it })));
  return [...events, ...calls.endAll()].map((it) => (it.kind === 'toolEnded' ? `${it.kind} ${it.success}` : it.kind));
};

describe('tool calls of an ACP agent', () => {
  for (const { says, rawInput, title = 'Run the tests', expected } of [
    { says: 'a text', rawInput: { command: 'npm test' }, expected: 'npm test' },
    { says: 'a list', rawInput: { command: ['npm', 'test'] }, expected: 'npm test' },
    {
      says: 'a list with blanks and quotes in it',
      rawInput: { command: ['rm', 'a b', "it's", ''] },
      expected: String.raw`rm 'a b' 'it'\''s' ''`,
    },
    {
      says: 'a shell with a script',
      rawInput: { command: ['/bin/bash', '-lc', 'cd a && ls'] },
      expected: 'cd a && ls',
    },
    { says: 'another member', rawInput: { cmd: 'ls' }, expected: 'ls' },
    { says: 'the title alone, in ticks', rawInput: {}, title: '`ls -l`', expected: 'ls -l' },
  ]) {
    it(`know the exact command from ${says}`, () =>
      assert.equal(factsOf({ kind: 'execute', title, rawInput }).command, expected));
  }
  for (const [kind, name] of [
    ['execute', 'Run command'],
    ['edit', 'Edit file'],
    ['read', 'Read file'],
    ['delete', 'Delete file'],
    ['move', 'Move file'],
    ['search', 'Search'],
    ['fetch', 'Fetch'],
    ['think', 'Think'],
    ['other', 'Use tool'],
    ['switch_mode', 'Use tool'],
    [undefined, 'Use tool'],
  ] as const) {
    it(`are called “${name}” where the kind is ${kind ?? 'not known'}, whatever their title is`, () => {
      verifies('host.tools.name-by-kind');
      const update = { toolCallId: 'c', title: '`echo a > b`', ...(kind && { kind }) };
      const [started] = new ToolCalls('/repo').update(ToolCallUpdate.parse(update));
      assert.ok(started?.kind === 'toolStarted');
      assert.equal(started.displayName, name);
    });
  }

  it('collect paths from locations, diffs and input, absolute and once', () => {
    const diff = { type: 'diff', path: '/repo/b', oldText: '', newText: 'x' };
    const facts = factsOf({
      kind: 'edit',
      locations: [{ path: 'a', line: 3 }],
      content: [diff],
      rawInput: { file_path: '/repo/a' },
    });
    assert.deepEqual(facts.paths.toSorted(), ['/repo/a', '/repo/b']);
    assert.deepEqual(facts.preview, [{ path: '/repo/b', after: 'x' }]);
  });
  it('take a null, empty or missing old text for a creation', () => {
    for (const old of [{ oldText: null }, { oldText: '' }, {}]) {
      assert.deepEqual(
        factsOf({ kind: 'edit', content: [{ type: 'diff', path: '/repo/b', newText: 'x', ...old }] }).preview,
        [{ path: '/repo/b', after: 'x' }],
      );
    }
  });
  for (const { says, text, expected } of [
    { says: 'a fence with a language', text: '```console\nok 1\nok 2\n```', expected: 'ok 1\nok 2' },
    { says: 'a longer fence around code', text: '````\n```js\nx\n```\n````\n', expected: '```js\nx\n```' },
    { says: 'nothing around two blocks', text: '```\na\n```\nb\n```\nc\n```', expected: undefined },
    { says: 'words before a block', text: 'So:\n```\na\n```', expected: undefined },
  ])
    it(`1b-4 put out what was printed where the agent says it with ${says}`, () => {
      const content = [{ type: 'content', content: { type: 'text', text } }];
      const calls = new ToolCalls('/repo');
      const ended = calls
        .update(ToolCallUpdate.parse({ toolCallId: 'c', kind: 'execute', status: 'completed', content }))
        .at(-1);
      assert.deepEqual(ended?.kind === 'toolEnded' && ended.content, [{ kind: 'text', text: expected ?? text }]);
    });

  it('1b-6 belong to the call of whose worker they are, where the turn has that call', () => {
    const calls = new ToolCalls('/repo');
    const parentOf = (toolCallId: string, parentToolUseId?: string) => {
      const _meta = { claudeCode: { toolName: 'Bash', ...(parentToolUseId && { parentToolUseId }) } };
      const [started] = calls.update(ToolCallUpdate.parse({ toolCallId, _meta }));
      return started?.kind === 'toolStarted' && started.parentToolCallId;
    };
    assert.deepEqual(
      [parentOf('task'), parentOf('inner', 'task'), parentOf('lost', 'unknown'), parentOf('own', 'own')],
      [undefined, 'task', undefined, undefined],
    );
  });

  it('start, run and end once, whatever the agent leaves out or repeats', () => {
    const content = [{ type: 'content', content: { type: 'text', text: 'out' } }];
    assert.deepEqual(play({ status: 'completed' }), ['toolStarted', 'toolRunning', 'toolEnded true']);
    assert.deepEqual(
      play(
        { status: 'pending' },
        { status: 'in_progress' },
        { content },
        { status: 'in_progress' },
        { status: 'completed' },
        { status: 'completed' },
      ),
      ['toolStarted', 'toolRunning', 'toolContent', 'toolEnded true'],
    );
    assert.deepEqual(play({ status: 'in_progress' }, { status: 'failed' }, { content }), [
      'toolStarted',
      'toolRunning',
      'toolEnded false',
    ]);
    assert.deepEqual(play({ title: 'left open' }), ['toolStarted', 'toolEnded false']);
  });
  it('do not run while they are asked about, and run silently once allowed', () => {
    const calls = new ToolCalls('/repo');
    const update = (more: object) =>
      calls.update(ToolCallUpdate.parse({ toolCallId: 'c', ...more })).map((it) => it.kind);
    assert.deepEqual(update({ status: 'pending' }), ['toolStarted']);
    calls.ask(ToolCallUpdate.parse({ toolCallId: 'c' }));
    assert.deepEqual(
      update({ status: 'in_progress', content: [{ type: 'content', content: { type: 'text', text: 'x' } }] }),
      [],
    );
    calls.allowed('c');
    assert.deepEqual(update({ status: 'in_progress' }), []);
    assert.deepEqual(update({ status: 'completed' }), ['toolEnded']);
  });
  it('survive kinds, statuses and content that nobody heard of', () => {
    assert.deepEqual(
      play({
        kind: 'teleport',
        status: 'paused',
        content: [{ type: 'terminal', terminalId: 't' }, 7, { type: 'content', content: 'text' }],
      }),
      ['toolStarted', 'toolEnded false'],
    );
  });
});
