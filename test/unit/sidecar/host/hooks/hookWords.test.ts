import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ToolFacts } from '../../../../../sidecar/agents/provider.ts';
import { readAnswer } from '../../../../../sidecar/host/hooks/hookAnswer.ts';
import { type Hook, parseHooks } from '../../../../../sidecar/host/hooks/hookFile.ts';
import { type Happening, payloadFor } from '../../../../../sidecar/host/hooks/hookPayload.ts';
import { inputOf, isMeant, namesOf } from '../../../../../sidecar/host/hooks/toolWords.ts';
import { verifies } from '../../../../support/verifies.ts';

const hook = (more: Partial<Hook> = {}): Hook => ({
  event: 'beforeTool',
  dialect: 'snake',
  label: 'a label',
  eventName: 'PreToolUse',
  run: { kind: 'shell', text: 'x' },
  cwd: '/ws/sub',
  env: {},
  timeoutMs: 1,
  ...more,
});
const call = (facts: Partial<ToolFacts> = {}, toolName = 'run') => ({
  facts: { toolCallId: 'c1', kind: 'shell', invocationMessage: 'm', paths: [], ...facts } satisfies ToolFacts,
  toolName,
});

describe('the answer of a hook', () => {
  const inner = (it: object) => ({ hookSpecificOutput: it });
  const noReason = 'No reason was given.';
  const other = 'The hook tried to change the tool input, which is not supported.';
  for (const [says, expected] of [
    [{ decision: 'deny' }, { verdict: 'deny', reason: noReason }],
    [{ decision: 'block' }, { verdict: 'deny', reason: noReason }],
    [
      { permissionDecision: 'block', reason: 'r' },
      { verdict: 'deny', reason: 'r' },
    ],
    [
      { permissionDecision: 'deny', reason: 'r', permissionDecisionReason: 'p' },
      { verdict: 'deny', reason: 'p' },
    ],
    [{ decision: 'approve' }, {}],
    [{ decision: 'allow', reason: 'r' }, {}],
    [{ decision: 'ask' }, { verdict: 'ask' }],
    [
      { decision: 'ask', reason: 'r' },
      { verdict: 'ask', reason: 'r' },
    ],
    [
      { decision: 'allow', permissionDecision: 'deny' },
      { verdict: 'deny', reason: noReason },
    ],
    [
      { decision: 'deny', permissionDecision: 'allow' },
      { verdict: 'deny', reason: noReason },
    ],
    [{ decision: 'ask', permissionDecision: 'allow' }, { verdict: 'ask' }],
    [{ continue: true }, {}],
    [{ continue: false }, { verdict: 'deny', reason: noReason }],
    [
      { continue: false, reason: 'r' },
      { verdict: 'deny', reason: 'r' },
    ],
    [
      { continue: false, reason: 'r', stopReason: 's' },
      { verdict: 'deny', reason: 's' },
    ],
    [
      { continue: false, decision: 'allow' },
      { verdict: 'deny', reason: noReason },
    ],
    [{ updatedInput: {} }, { verdict: 'ask', reason: other }],
    [{ updatedInput: null }, { verdict: 'ask', reason: other }],
    [
      { modifiedArgs: 'x', decision: 'allow' },
      { verdict: 'ask', reason: other },
    ],
    [
      { modifiedArgs: {}, decision: 'deny' },
      { verdict: 'deny', reason: noReason },
    ],
    [
      { systemMessage: 'for you', additionalContext: 'for it' },
      { message: 'for you', context: 'for it' },
    ],
    [
      { systemMessage: 'm', decision: 'deny' },
      { message: 'm', verdict: 'deny', reason: noReason },
    ],
    [
      { additionalContext: 'c', decision: 'ask' },
      { context: 'c', verdict: 'ask' },
    ],
    [
      { additionalContext: 'c', continue: false },
      { context: 'c', verdict: 'deny', reason: noReason },
    ],
    [
      { additionalContext: 'c', updatedInput: 1 },
      { context: 'c', verdict: 'ask', reason: other },
    ],
    [{ unknown: 1 }, {}],
    [inner({ decision: 'deny', reason: 'in' }), { verdict: 'deny', reason: 'in' }],
    [inner({ continue: false, stopReason: 'in' }), { verdict: 'deny', reason: 'in' }],
    [inner({ updatedInput: 1 }), { verdict: 'ask', reason: other }],
    [inner({ additionalContext: 'in' }), { context: 'in' }],
    [
      { reason: 'out', ...inner({ decision: 'deny' }) },
      { verdict: 'deny', reason: 'out' },
    ],
    [
      { reason: 'out', ...inner({ decision: 'deny', reason: 'in' }) },
      { verdict: 'deny', reason: 'in' },
    ],
    // What narrows most counts, wherever it stands.
    [
      { decision: 'deny', ...inner({ decision: 'allow' }) },
      { verdict: 'deny', reason: noReason },
    ],
    [
      { permissionDecision: 'block', ...inner({ permissionDecision: 'allow' }) },
      { verdict: 'deny', reason: noReason },
    ],
    [{ decision: 'ask', ...inner({ decision: 'approve' }) }, { verdict: 'ask' }],
    [
      { continue: false, ...inner({ continue: true }) },
      { verdict: 'deny', reason: noReason },
    ],
  ] as const)
    it(`${JSON.stringify(says)} means ${JSON.stringify(expected)}`, () => {
      verifies('host.hooks.narrowest');
      const run = { code: 0, stdout: ` ${JSON.stringify(says)}\n`, stderr: 'noise' };
      assert.deepEqual(readAnswer({ event: 'beforeTool' }, run), expected);
    });

  for (const [event, code, stdout, stderr, expected] of [
    ['beforeTool', 2, '{"decision":"allow"}', '', { verdict: 'deny', reason: noReason }],
    ['beforeTool', 2, '', '  why \n', { verdict: 'deny', reason: 'why' }],
    ['beforeTool', 1, '{"decision":"deny"}', '', { failure: 'exit code 1' }],
    ['beforeTool', 3, '', ' oh \n', { failure: 'exit code 3: oh' }],
    ['sessionStart', 0, ' text \n', '', { context: 'text' }],
    ['promptSubmitted', 0, 'text', '', { context: 'text' }],
    ['sessionStart', 0, ' \n', '', {}],
    ['beforeTool', 0, 'text', '', {}],
    ['afterTool', 0, 'text', '', {}],
    ['turnEnd', 0, 'text', '', {}],
    ['sessionStart', 0, '{"additionalContext":"c"}', '', { context: 'c' }],
    [
      'turnEnd',
      0,
      '{"continue":"no"}',
      '',
      { failure: 'its output cannot be read: continue: Invalid input: expected boolean, received string' },
    ],
    [
      'turnEnd',
      0,
      '{"hookSpecificOutput":{"reason":1}}',
      '',
      {
        failure:
          'its output cannot be read: hookSpecificOutput.reason: Invalid input: expected string, received number',
      },
    ],
  ] as const)
    it(`at ${event} with ${code}, ${JSON.stringify(stdout)} and ${JSON.stringify(stderr)} is ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(readAnswer({ event }, { code, stdout, stderr }), expected));
});

describe('a tool in the words of hooks', () => {
  for (const [kind, toolName, snake, camel] of [
    ['shell', 'run', ['Bash', 'run'], ['bash', 'powershell', 'run']],
    ['edit', 'patch', ['Edit', 'Write', 'MultiEdit', 'patch'], ['edit', 'create', 'patch']],
    ['read', 'r', ['Read', 'r'], ['view', 'r']],
    ['delete', 'd', ['Delete', 'd'], ['delete', 'd']],
    ['move', 'm', ['Move', 'm'], ['move', 'm']],
    ['search', 's', ['Grep', 'Glob', 's'], ['grep', 'glob', 's']],
    ['fetch', 'f', ['WebFetch', 'f'], ['web_fetch', 'f']],
    ['think', 't', ['t'], ['t']],
    ['other', 'mcp:db/query', ['mcp__db__query', 'mcp:db/query'], ['mcp__db__query', 'mcp:db/query']],
    ['other', 'mcp:db/a/b', ['mcp__db__a/b', 'mcp:db/a/b'], ['mcp__db__a/b', 'mcp:db/a/b']],
    ['other', 'mcp:db', ['mcp:db'], ['mcp:db']],
    ['other', 'xmcp:a/b', ['xmcp:a/b'], ['xmcp:a/b']],
  ] as const)
    it(`${kind} ${toolName} has its names in both dialects`, () => {
      assert.deepEqual(namesOf(call({ kind }, toolName), 'snake'), snake);
      assert.deepEqual(namesOf(call({ kind }, toolName), 'camel'), camel);
    });

  for (const [matcher, dialect, kind, toolName, expected] of [
    [undefined, 'snake', 'shell', 'run', true],
    ['', 'snake', 'shell', 'run', true],
    ['*', 'snake', 'shell', 'run', true],
    ['.*', 'snake', 'shell', 'run', true],
    ['Bash', 'snake', 'shell', 'run', true],
    ['Bash', 'camel', 'shell', 'run', false],
    ['bash', 'camel', 'shell', 'run', true],
    ['run', 'snake', 'shell', 'run', true],
    ['Bas', 'snake', 'shell', 'run', false],
    ['ash', 'snake', 'shell', 'run', false],
    ['Read|Bash', 'snake', 'shell', 'run', true],
    ['Read|Bashful', 'snake', 'shell', 'run', false],
    ['run|Read', 'snake', 'other', 'runner', false],
    ['Read|ner', 'snake', 'other', 'runner', false],
    ['Write', 'snake', 'edit', 'patch', true],
    ['mcp__db__.*', 'snake', 'other', 'mcp:db/query', true],
    ['mcp__db', 'snake', 'other', 'mcp:db/query', false],
    ['mcp__d__.*', 'snake', 'other', 'mcp:db/query', false],
  ] as const)
    it(`the matcher ${matcher} is ${expected ? '' : 'not '}about ${kind} ${toolName} in ${dialect}`, () => {
      const it = hook({ dialect, ...(matcher !== undefined && { matcher }) });
      assert.equal(isMeant(it, call({ kind }, toolName)), expected);
    });
  it('is matched by no pattern that is none', () =>
    void assert.throws(() => isMeant(hook({ matcher: '(' }), call()), SyntaxError));

  for (const [facts, expected] of [
    [{}, {}],
    [
      { toolInput: 'ls', command: 'ls' },
      { input: 'ls', command: 'ls' },
    ],
    [{ toolInput: '{"a":1}' }, { a: 1 }],
    [
      { toolInput: '{"a":1}', command: 'ls', paths: ['/p'] },
      { a: 1, command: 'ls' },
    ],
    [{ toolInput: '{"command":"old"}', command: 'new' }, { command: 'new' }],
    [{ paths: ['/p', '/q'] }, { file_path: '/p' }],
    [{ toolInput: '{"file_path":"/x"}', paths: ['/p'] }, { file_path: '/p' }],
    [{ toolInput: '[1]' }, { input: '[1]' }],
    [{ toolInput: 'null' }, { input: 'null' }],
    [{ toolInput: '7' }, { input: '7' }],
    [{ toolInput: '{' }, { input: '{' }],
  ] as const)
    it(`${JSON.stringify(facts)} has the input ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(inputOf(call(facts)), expected));
});

describe('what a hook is told', () => {
  const ran = call({ command: 'ls' });
  for (const [happening, snake, camel] of [
    [{ event: 'sessionStart', source: 'startup' }, { source: 'startup' }, { source: 'new' }],
    [{ event: 'sessionStart', source: 'resume' }, { source: 'resume' }, { source: 'resume' }],
    [{ event: 'promptSubmitted', prompt: 'p' }, { prompt: 'p' }, { prompt: 'p' }],
    [
      { event: 'beforeTool', call: ran },
      { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'c1' },
      { toolName: 'bash', toolArgs: '{"command":"ls"}' },
    ],
    [
      { event: 'afterTool', call: ran, success: true, output: 'o' },
      {
        tool_name: 'Bash',
        tool_input: { command: 'ls' },
        tool_use_id: 'c1',
        tool_response: { success: true, output: 'o' },
      },
      { toolName: 'bash', toolArgs: '{"command":"ls"}', toolResult: { resultType: 'success', textResultForLlm: 'o' } },
    ],
    [
      { event: 'afterTool', call: ran, success: false, output: 'e' },
      {
        tool_name: 'Bash',
        tool_input: { command: 'ls' },
        tool_use_id: 'c1',
        tool_response: { success: false, output: 'e' },
      },
      { toolName: 'bash', toolArgs: '{"command":"ls"}', toolResult: { resultType: 'failure', textResultForLlm: 'e' } },
    ],
    [{ event: 'turnEnd', isAgain: false }, { stop_hook_active: false }, { stopReason: 'end_turn' }],
    [{ event: 'turnEnd', isAgain: true }, { stop_hook_active: true }, { stopReason: 'end_turn' }],
  ] as readonly [Happening, object, object][])
    it(`of ${JSON.stringify(happening)} is in the words of its dialect`, () => {
      const now = '2026-01-01T00:00:00.000Z';
      const head = { session_id: 's', hook_event_name: 'PreToolUse', cwd: '/ws/sub', timestamp: now };
      assert.deepEqual(payloadFor(hook(), happening, 's', now), { ...head, ...snake });
      const short = { sessionId: 's', cwd: '/ws/sub', timestamp: Date.parse(now) };
      assert.deepEqual(payloadFor(hook({ dialect: 'camel' }), happening, 's', now), { ...short, ...camel });
    });
});

describe('one entry of a file of hooks', () => {
  const parse = (entry: unknown, platform: NodeJS.Platform = 'linux', plugin?: string) =>
    parseHooks(
      JSON.stringify({ hooks: { PreToolUse: [entry] } }),
      { path: 'h.json', folder: '/ws', ...(plugin && { plugin }) },
      () => true,
      platform,
    );
  for (const [platform, entry, text] of [
    ['linux', { command: 'c', bash: 'b', linux: 'l', osx: 'o', windows: 'w' }, 'l'],
    ['darwin', { command: 'c', bash: 'b', linux: 'l', osx: 'o', windows: 'w' }, 'o'],
    ['linux', { command: 'c', bash: 'b', osx: 'o' }, 'b'],
    ['linux', { command: 'c', osx: 'o', powershell: 'p' }, 'c'],
    ['win32', { command: 'c', windows: 'w', powershell: 'p' }, 'w'],
    ['win32', { command: 'c', bash: 'b', linux: 'l' }, 'c'],
  ] as const)
    it(`${JSON.stringify(entry)} runs ${text} on ${platform}`, () => {
      const [found] = parse(entry, platform).hooks;
      assert.deepEqual(found?.run, { kind: text === 'w' ? 'powershell' : 'shell', text });
    });
  it('has the time that it asks for in seconds, the folder that it asks for, and its own environment last', () => {
    const entry = { command: 'c', cwd: '../x', env: { A: '1', CLAUDE_PROJECT_DIR: 'mine' }, timeout: 3, timeoutSec: 9 };
    const [own] = parse(entry, 'linux', '/plugins/p').hooks;
    assert.deepEqual([own?.cwd, own?.timeoutMs], ['/x', 3_000]);
    assert.deepEqual(own?.env, { CLAUDE_PROJECT_DIR: 'mine', CLAUDE_PLUGIN_ROOT: '/plugins/p', A: '1' });
    assert.deepEqual(parse({ command: 'c', timeout: 600 }).hooks[0]?.timeoutMs, 600_000);
    assert.deepEqual([own?.label, own?.eventName], ['PreToolUse in h.json', 'PreToolUse']);
    assert.equal('matcher' in own!, false);
  });
  it('has its own matcher before that of its group, and entries of a group are as many hooks', () => {
    const { hooks } = parse({ matcher: 'Bash', hooks: [{ command: 'a' }, { command: 'b', matcher: 'Read' }] });
    assert.deepEqual(
      hooks.map((it) => [it.run, it.matcher]),
      [
        [{ kind: 'shell', text: 'a' }, 'Bash'],
        [{ kind: 'shell', text: 'b' }, 'Read'],
      ],
    );
  });
  for (const [entry, problem] of [
    [null, 'PreToolUse: 0: Invalid input: expected object, received null'],
    ['x', 'PreToolUse: 0: Invalid input: expected object, received string'],
    [{ hooks: [{ command: 1 }] }, 'PreToolUse: 0.hooks.0.command: Invalid input: expected string, received number'],
    [{ type: 'http', command: 'c' }, 'PreToolUse: hooks of type "http" are not supported'],
  ] as const)
    it(`${JSON.stringify(entry)} is a problem with its place`, () =>
      assert.deepEqual(parse(entry), { hooks: [], problems: [{ file: 'h.json', why: problem }] }));
});
