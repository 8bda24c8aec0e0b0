import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readAnswer } from '../../../../../sidecar/host/hooks/hookAnswer.ts';
import { parseHooks } from '../../../../../sidecar/host/hooks/hookFile.ts';

const place = { path: '.github/hooks/a.json', folder: '/ws' };
const parse = (file: unknown, platform: NodeJS.Platform = 'linux', isOn = (_name: string) => true) =>
  parseHooks(typeof file === 'string' ? file : JSON.stringify(file), place, isOn, platform);

describe('a file of hooks', () => {
  it('has groups under matchers, or entries one after the other, with comments between', () => {
    const { hooks, problems } = parse(`{
      // as Claude Code has it
      "hooks": {
        "PreToolUse": [{ "matcher": "Bash|Edit", "hooks": [{ "type": "command", "command": "one", "timeout": 5 }] }],
        "preToolUse": [{ "type": "command", "bash": "two", "cwd": "scripts", "env": { "A": "1" }, "timeoutSec": 7 }],
      }
    }`);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      hooks.map(({ event, dialect, matcher, run, cwd, timeoutMs }) => ({
        event,
        dialect,
        matcher,
        run,
        cwd,
        timeoutMs,
      })),
      [
        {
          event: 'beforeTool',
          dialect: 'snake',
          matcher: 'Bash|Edit',
          run: { kind: 'shell', text: 'one' },
          cwd: '/ws',
          timeoutMs: 5_000,
        },
        {
          event: 'beforeTool',
          dialect: 'camel',
          matcher: undefined,
          run: { kind: 'shell', text: 'two' },
          cwd: '/ws/scripts',
          timeoutMs: 7_000,
        },
      ],
    );
    assert.deepEqual(hooks[1]?.env, { CLAUDE_PROJECT_DIR: '/ws', A: '1' });
  });

  for (const [platform, entry, expected] of [
    ['linux', { command: 'all', linux: 'own' }, { kind: 'shell', text: 'own' }],
    ['darwin', { command: 'all', osx: 'own' }, { kind: 'shell', text: 'own' }],
    ['darwin', { bash: 'own', linux: 'other' }, { kind: 'shell', text: 'own' }],
    ['win32', { bash: 'other', powershell: 'own' }, { kind: 'powershell', text: 'own' }],
    ['win32', { command: 'all', windows: 'own' }, { kind: 'powershell', text: 'own' }],
    ['win32', { command: 'all' }, { kind: 'shell', text: 'all' }],
    ['win32', { bash: 'other' }, undefined],
    ['linux', { powershell: 'other' }, undefined],
    ['linux', { command: 'node', args: ['a b'] }, { kind: 'program', command: 'node', args: ['a b'] }],
  ] as const) {
    it(`with ${JSON.stringify(entry)} runs ${JSON.stringify(expected)} on ${platform}`, () => {
      const { hooks, problems } = parse({ hooks: { Stop: [entry] } }, platform);
      assert.deepEqual(
        { commands: hooks.map((it) => it.run), problems },
        { commands: expected ? [expected] : [], problems: [] },
      );
    });
  }

  for (const [says, file, expected] of [
    ['is no JSON', '{', ['it is not a valid hooks file']],
    ['names an event with no list', { hooks: { Stop: {} } }, ['Stop: must be a list']],
    [
      'has a time that is none',
      { hooks: { Stop: [{ command: 'x', timeout: -1 }] } },
      ['Stop: 0.timeout: Too small: expected number to be >0'],
    ],
    [
      'asks for a model',
      { hooks: { Stop: [{ hooks: [{ type: 'prompt', prompt: 'Is it done?' }] }] } },
      ['Stop: hooks of type "prompt" are not supported'],
    ],
    ['names events that are not known', { hooks: { Notification: [{ command: 'x' }], constructor: 1 } }, []],
    ['turns all of them off', { disableAllHooks: true, hooks: { Stop: [{ command: 'x' }] } }, []],
    ['has none', { permissions: {} }, []],
  ] as const) {
    it(`that ${says} runs nothing, and says ${JSON.stringify(expected)}`, () => {
      const { hooks, problems } = parse(file);
      const inFile = expected.map((why) => ({ file: '.github/hooks/a.json', why }));
      assert.deepEqual({ hooks, problems }, { hooks: [], problems: inFile });
    });
  }

  it('gives no hook more than ten minutes, and those that name no time one', () => {
    const { hooks } = parse({ hooks: { Stop: [{ command: 'a', timeout: 1e9 }, { command: 'b' }] } });
    assert.deepEqual(
      hooks.map((it) => it.timeoutMs),
      [600_000, 60_000],
    );
  });

  it('leaves out the events that a person turned off', () => {
    const file = { hooks: { Stop: [{ command: 'a' }], SessionStart: [{ command: 'b' }] } };
    const { hooks } = parse(file, 'linux', (name) => name !== 'Stop');
    assert.deepEqual(
      hooks.map((it) => it.eventName),
      ['SessionStart'],
    );
  });
});

describe('what a hook says', () => {
  const said = (event: 'beforeTool' | 'promptSubmitted', stdout: string, code = 0, stderr = '') =>
    readAnswer({ event }, { code, stdout, stderr });
  const specific = (more: object) => JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...more } });
  for (const [says, answer, expected] of [
    ['nothing', said('beforeTool', ''), {}],
    ['no, with the exit code 2', said('beforeTool', '', 2, 'not that\n'), { verdict: 'deny', reason: 'not that' }],
    [
      'no, in the answer',
      said('beforeTool', specific({ permissionDecision: 'deny', permissionDecisionReason: 'no' })),
      { verdict: 'deny', reason: 'no' },
    ],
    [
      'no, as GitHub has it',
      said('beforeTool', '{"permissionDecision":"deny","permissionDecisionReason":"no"}'),
      { verdict: 'deny', reason: 'no' },
    ],
    [
      'no, in the older way',
      said('beforeTool', '{"decision":"block","reason":"no"}'),
      { verdict: 'deny', reason: 'no' },
    ],
    [
      'that nothing goes on',
      said('beforeTool', '{"continue":false,"stopReason":"enough"}'),
      { verdict: 'deny', reason: 'enough' },
    ],
    ['yes, which decides nothing', said('beforeTool', specific({ permissionDecision: 'allow' })), {}],
    ['that a person decides', said('beforeTool', specific({ permissionDecision: 'ask' })), { verdict: 'ask' }],
    [
      'that something else be run, which a person looks at',
      said('beforeTool', specific({ permissionDecision: 'allow', updatedInput: { command: 'x' } })),
      { verdict: 'ask', reason: 'The hook tried to change the tool input, which is not supported.' },
    ],
    ['plain words before a tool, which are nobody’s', said('beforeTool', 'hello'), {}],
    ['plain words to a message, which are the agent’s', said('promptSubmitted', 'hello\n'), { context: 'hello' }],
    ['that it failed', said('beforeTool', '', 1, 'no such file\n'), { failure: 'exit code 1: no such file' }],
    [
      'a decision that nobody knows',
      said('beforeTool', '{"permissionDecision":"denied"}'),
      {
        failure:
          'its output cannot be read: permissionDecision: Invalid option: expected one of "allow"|"deny"|"ask"|"approve"|"block"',
      },
    ],
    [
      'half an answer',
      said('beforeTool', '{"permissionDecision":'),
      { failure: 'its output cannot be read: JSON: Invalid input: expected object, received undefined' },
    ],
  ] as const) {
    it(`may be ${says}`, () => assert.deepEqual(answer, expected));
  }
});
