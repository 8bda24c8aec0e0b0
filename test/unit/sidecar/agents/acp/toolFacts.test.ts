import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ToolCalls } from '../../../../../sidecar/agents/acp/toolCalls.ts';
import { ToolCallUpdate } from '../../../../../sidecar/agents/acp/wire.ts';

const parsed = (more: object) => ToolCallUpdate.parse({ toolCallId: 'c', ...more });
const facts = (...all: object[]) => {
  const calls = new ToolCalls('/repo');
  for (const it of all.slice(0, -1)) calls.update(parsed(it));
  return calls.ask(parsed(all.at(-1)!)).facts;
};
const ended = (...all: object[]) => {
  const calls = new ToolCalls('/repo');
  const events = all.flatMap((it) => calls.update(parsed(it)));
  return events.find((it) => it.kind === 'toolEnded');
};
const shell = (rawInput: unknown, title = 'T') => facts({ kind: 'execute', title, rawInput });
const text = (it: string) => ({ type: 'content', content: { type: 'text', text: it } });
const long = 'x'.repeat(65_536);

describe('what an ACP agent says of a tool call', () => {
  for (const [rawInput, command] of [
    [{ command: 'a', cmd: 'b' }, 'a'],
    [{ command: '', cmd: 'b' }, 'T'],
    [{ command: null, cmd: 'b' }, 'b'],
    [{ cmd: ['a', 'b'] }, 'a b'],
    [{ command: 7 }, 'T'],
    [{ command: ['a', 7] }, 'T'],
    [{ command: ['sh', '-c', 'x y'] }, 'x y'],
    [{ command: ['zsh', '-lc', 'x y'] }, 'x y'],
    [{ command: ['/usr/bin/dash', '-c', 'x y'] }, 'x y'],
    [{ command: ['sh', '-c', ''] }, ''],
    [{ command: ['sh', '-x', 'x y'] }, "sh -x 'x y'"],
    [{ command: ['sh', '-c'] }, 'sh -c'],
    [{ command: ['sh', '-c', 'x y', 'z'] }, "sh -c 'x y' z"],
    [{ command: ['fish', '-c', 'x y'] }, "fish -c 'x y'"],
    [{ command: ['xbash', '-c', 'x y'] }, "xbash -c 'x y'"],
    [{ command: ['bash2', '-c', 'x y'] }, "bash2 -c 'x y'"],
    [{ command: ['sh', '-ce', 'x y'] }, "sh -ce 'x y'"],
    [{ command: ['a;b', '$c', 'd=e', './f', '@g', '100%', '-h', '~'] }, "'a;b' '$c' d=e ./f @g 100% -h '~'"],
    [{ command: ['a\nb'] }, "'a\nb'"],
    ['text', 'T'],
    [['a', 'b'], 'T'],
  ] as const)
    it(`${JSON.stringify(rawInput)} is the command ${JSON.stringify(command)}`, () =>
      assert.equal(shell(rawInput).command, command));
  for (const [says, rawInput, starts] of [
    ['starts a sub-agent', { subagent_type: 'explore', description: 'Look', prompt: 'Look around' }, true],
    ['without a task starts none', { subagent_type: 'explore' }, undefined],
    ['for the agent itself starts none', { prompt: 'Look around' }, undefined],
    ['whose input is text starts none', '{"subagent_type":"a","prompt":"b"}', undefined],
  ] as const)
    it(`of a call that ${says}`, () =>
      assert.equal(facts({ kind: 'think', title: 'T', rawInput }).startsSubAgent, starts));
  for (const [title, command] of [
    ['`ls`', 'ls'],
    ['ls `pwd`', 'ls `pwd`'],
    ['`a` `b`', '`a` `b`'],
    [' ls ', 'ls'],
  ] as const)
    it(`the title ${title} alone is the command ${command}`, () => assert.equal(shell({}, title).command, command));

  for (const [rawInput, cwd] of [
    [{ cwd: '/a' }, '/a'],
    [{ workdir: '/b' }, '/b'],
    [{ working_directory: '/c' }, '/c'],
    [{ cwd: '/a', workdir: '/b', working_directory: '/c' }, '/a'],
    [{ workdir: '/b', working_directory: '/c' }, '/b'],
    [{ cwd: 'rel' }, '/repo'],
    [{ cwd: 7 }, '/repo'],
    [{}, '/repo'],
  ] as const)
    it(`${JSON.stringify(rawInput)} runs in ${cwd}`, () => assert.equal(shell(rawInput).cwd, cwd));
  it('has a command and a folder in a shell alone', () => {
    const it = facts({ kind: 'edit', title: 'T', rawInput: { command: 'x', cwd: '/a' } });
    assert.deepEqual(['command' in it, 'cwd' in it, it.kind], [false, false, 'edit']);
  });

  for (const [says, all, message] of [
    ['a title alone', [{ title: 'Read it' }], 'Read it'],
    ['nothing', [{}], 'Tool'],
    ['a name', [{ name: 'grep' }], 'grep'],
    ['a title of blanks', [{ title: '  ', name: 'grep' }], 'grep'],
    ['a later title', [{ title: 'first' }, { title: ' second ' }], 'second'],
    ['a later title of blanks', [{ title: 'first' }, { title: ' ' }], 'first'],
    ['a command beside the title', [{ kind: 'execute', title: 'Run', rawInput: { command: 'ls' } }], 'Run: ls'],
    ['a command in the title', [{ kind: 'execute', title: 'Run ls now', rawInput: { command: 'ls' } }], 'Run ls now'],
    ['several lines', [{ title: '\n```sh\nfirst\nsecond' }], 'first'],
    ['ticks alone', [{ title: '```' }], '```'],
    ['200 letters', [{ title: 'x'.repeat(200) }], 'x'.repeat(200)],
    ['201 letters', [{ title: 'x'.repeat(201) }], `${'x'.repeat(199)}…`],
  ] as const)
    it(`is shown in one line for ${says}`, () => assert.equal(facts(...all).invocationMessage, message));

  for (const [rawInput, toolInput] of [
    [{ a: 1 }, '{\n  "a": 1\n}'],
    ['text', 'text'],
    [[1], '[\n  1\n]'],
    [false, 'false'],
    [{}, undefined],
    [null, undefined],
    [long, long],
    [`${long}yz`, `${long}\n… 2 characters omitted …`],
  ] as const)
    it(`shows the input ${JSON.stringify(rawInput).slice(0, 20)}, of ${JSON.stringify(rawInput).length} characters, as text`, () => {
      const it = facts({ title: 'T', rawInput });
      assert.deepEqual([it.toolInput, 'toolInput' in it], [toolInput, toolInput !== undefined]);
    });
  it('shows the command as the input of a shell', () => assert.equal(shell({ command: 'ls', a: 1 }).toolInput, 'ls'));
  it('keeps the input that came first when a later word brings none', () => {
    assert.equal(facts({ rawInput: { a: 1 } }, { rawInput: null }).toolInput, '{\n  "a": 1\n}');
    assert.equal(facts({ rawInput: { a: 1 } }, { rawInput: 'b' }).toolInput, 'b');
    assert.equal(facts({ kind: 'execute', rawInput: { command: 'x' } }, { title: 'y' }).command, 'x');
  });
  it('keeps the kind that came first when a later word brings none, and takes a later one', () => {
    assert.equal(facts({ kind: 'read' }, {}).kind, 'read');
    assert.equal(facts({ kind: 'read' }, { kind: 'execute' }).kind, 'shell');
    assert.equal(facts({ kind: 'read' }, { kind: 'constructor' }).kind, 'other');
  });

  for (const [rawInput, paths] of [
    [{ file_path: 'a' }, ['/repo/a']],
    [{ filePath: '/b' }, ['/b']],
    [{ path: '../c' }, ['/c']],
    [{ notebook_path: 'd' }, ['/repo/d']],
    [{ path: 'a', file_path: 'a', filePath: 'b' }, ['/repo/a', '/repo/b']],
    [{ path: '', file_path: 7, other: 'x' }, []],
    ['a', []],
  ] as const)
    it(`${JSON.stringify(rawInput)} touches ${paths.join(', ') || 'no path'}`, () =>
      assert.deepEqual(facts({ kind: 'edit', rawInput }).paths, paths));
  it('touches all paths that were ever named, in their order and once', () => {
    const all = [
      { locations: [{ path: 'a' }] },
      { content: [{ type: 'diff', path: 'b', newText: '1' }] },
      { content: [{ type: 'diff', path: 'c', newText: '2' }], rawInput: { path: '/repo/a' } },
    ];
    assert.deepEqual(facts(...all).paths, ['/repo/a', '/repo/b', '/repo/c']);
    assert.deepEqual(facts(...all).preview, [{ path: '/repo/c', after: '2' }]);
    assert.deepEqual(facts(...all, {}).preview, [{ path: '/repo/c', after: '2' }]);
    const words = { content: [{ type: 'content', content: { type: 'text', text: 'done' } }] };
    assert.deepEqual(facts(...all, words).preview, [{ path: '/repo/c', after: '2' }], 'words take no preview away');
  });
  for (const [diff, preview] of [
    [{ path: 'a', oldText: 'o', newText: 'n' }, [{ path: '/repo/a', before: 'o', after: 'n' }]],
    [{ path: 'a', oldText: 'o', newText: '' }, [{ path: '/repo/a', before: 'o', after: '' }]],
    [{ path: 'a', oldText: 'o', newText: null }, [{ path: '/repo/a', before: 'o' }]],
    [{ path: 'a', oldText: 'o' }, [{ path: '/repo/a', before: 'o' }]],
    [{ path: '', newText: 'n' }, undefined],
    [{ newText: 'n' }, undefined],
  ] as const)
    it(`shows the diff ${JSON.stringify(diff)} as it is`, () =>
      assert.deepEqual(facts({ content: [{ type: 'diff', ...diff }] }).preview, preview));
});

describe('the end of a tool call of an ACP agent', () => {
  const image = { type: 'content', content: { type: 'image', data: 'AA==', mimeType: 'image/png' } };
  for (const [says, all, content] of [
    ['text', [{ content: [text('a')] }], [{ kind: 'text', text: 'a' }]],
    ['an image', [{ content: [image] }], [{ kind: 'data', base64: 'AA==', contentType: 'image/png' }]],
    [
      'both',
      [{ content: [text('a'), image] }],
      [
        { kind: 'text', text: 'a' },
        { kind: 'data', base64: 'AA==', contentType: 'image/png' },
      ],
    ],
    ['content again', [{ content: [text('a')] }, { content: [text('b')] }], [{ kind: 'text', text: 'b' }]],
    ['empty content later', [{ content: [text('a')] }, { content: [text('')] }], [{ kind: 'text', text: 'a' }]],
    ['data without a type', [{ content: [{ type: 'content', content: { type: 'image', data: 'AA==' } }] }], []],
    [
      'a type without data',
      [{ content: [{ type: 'content', content: { type: 'image', mimeType: 'image/png' } }] }],
      [],
    ],
    ['output of its own', [{ rawOutput: 'raw' }], [{ kind: 'text', text: 'raw' }]],
    ['output beside content', [{ rawOutput: 'raw', content: [text('a')] }], [{ kind: 'text', text: 'a' }]],
    ['output, then none', [{ rawOutput: 'raw' }, { rawOutput: null }], [{ kind: 'text', text: 'raw' }]],
    ['members', [{ rawOutput: { output: 'o', stdout: 's', error: 'e' } }], [{ kind: 'text', text: 'o' }]],
    ['the second member', [{ rawOutput: { output: '', stdout: 's', error: 'e' } }], [{ kind: 'text', text: 's' }]],
    ['the third member', [{ rawOutput: { output: 7, error: 'e' } }], [{ kind: 'text', text: 'e' }]],
    ['other members', [{ rawOutput: { exit: 0 } }], []],
    ['an empty text', [{ rawOutput: '' }], []],
    ['long output', [{ rawOutput: `${long}z` }], [{ kind: 'text', text: `${long}\n… 1 characters omitted …` }]],
    [
      'a long member',
      [{ rawOutput: { output: `${long}z` } }],
      [{ kind: 'text', text: `${long}\n… 1 characters omitted …` }],
    ],
  ] as const)
    it(`shows ${says} as its content`, () => {
      const end = ended(...all, { status: 'completed' });
      assert.deepEqual([end?.content, end?.success, 'error' in end!], [content, true, false]);
    });
  for (const [all, error] of [
    [{ content: [text('\nwhy\nmore')] }, 'why'],
    [{ rawOutput: 'why' }, 'why'],
    [{ content: [image] }, 'The tool call ended without a result.'],
    [{}, 'The tool call ended without a result.'],
  ] as const)
    it(`says “${error}” where it failed with ${JSON.stringify(all).slice(0, 40)}`, () => {
      const end = ended({ title: 'A\nB', locations: [{ path: 'p' }] }, { ...all, status: 'failed' });
      assert.deepEqual([end?.error, end?.success, end?.pastTenseMessage, end?.paths], [error, false, 'A', ['/repo/p']]);
    });

  it('comes once, also at the end of the turn, and nothing after it is heard', () => {
    const calls = new ToolCalls('/repo');
    calls.update(parsed({ status: 'completed' }));
    assert.deepEqual([calls.update(parsed({ status: 'failed', content: [text('x')] })), calls.endAll()], [[], []]);
    const { facts: later } = calls.ask(parsed({}));
    assert.equal(later.toolCallId, 'c');
    calls.allowed('c');
    assert.deepEqual([calls.update(parsed({ status: 'in_progress' })), calls.endAll()], [[], []]);
  });
  it('comes at the end of the turn for each that is open, and for no other', () => {
    const calls = new ToolCalls('/repo');
    calls.update(parsed({ toolCallId: 'done', status: 'completed' }));
    for (const toolCallId of ['a', 'b']) calls.update(parsed({ toolCallId, status: 'in_progress' }));
    calls.ask(parsed({ toolCallId: 'q' }));
    calls.allowed('unknown');
    assert.deepEqual(
      calls.endAll().map((it) => 'toolCallId' in it && it.toolCallId),
      ['a', 'b', 'q'],
    );
    assert.deepEqual(calls.endAll(), []);
  });
  it('is that of a call which a person allowed, whose content is shown on the way', () => {
    const calls = new ToolCalls('/repo');
    const { events } = calls.ask(parsed({ title: 'T', name: 'n', kind: 'read' }));
    assert.deepEqual(events, [{ kind: 'toolStarted', toolCallId: 'c', toolName: 'n', displayName: 'Read file' }]);
    assert.deepEqual(calls.update(parsed({ content: [text('early')] })), []);
    calls.allowed('c');
    assert.deepEqual(calls.update(parsed({ content: [text('x')] })), [
      { kind: 'toolContent', toolCallId: 'c', content: [{ kind: 'text', text: 'x' }] },
    ]);
    assert.deepEqual(calls.update(parsed({})), []);
    assert.deepEqual(calls.ask(parsed({})).events, []);
    assert.deepEqual(
      calls.update(parsed({ status: 'completed' })).map((it) => it.kind),
      ['toolEnded'],
    );
  });
  for (const [update, name] of [
    [{ name: 'n', kind: 'read' }, 'n'],
    [{ kind: 'read' }, 'read'],
    [{}, 'tool'],
  ] as const)
    it(`is of a tool that ${JSON.stringify(update)} calls ${name}`, () => {
      const [started] = new ToolCalls('/repo').update(parsed(update));
      assert.equal(started?.kind === 'toolStarted' && started.toolName, name);
    });
});
