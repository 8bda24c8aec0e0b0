import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, it } from 'mocha';
import type { Hook, ParsedHooks } from '../../../../../sidecar/host/hooks/hookFile.ts';
import { TurnHooks } from '../../../../../sidecar/host/hooks/turnHooks.ts';
import type { LeashedChild, SpawnRequest } from '../../../../../sidecar/platform/children/children.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { later } from '../../../../support/later.ts';
import { outcomeOf } from '../../../../support/outcomeOf.ts';

/** What a program answers: its output, or how it goes otherwise. */
type Script =
  | string
  | {
      readonly code?: number | null;
      readonly out?: string | Buffer;
      readonly err?: string;
      readonly hangs?: true;
      readonly fault?: string;
    };
type Row = Partial<Omit<Hook, 'run'>> & { readonly says: Script };

/** As a file has it: a dollar sign and a name in braces. */
const filled = (name: string) => `\${${name}}`;

const message = (text: string) => `hookSays: Message from the hook \`h0\`: ${text}`;

describe('the hooks of a turn', () => {
  let spawned: SpawnRequest[];
  let input: string[];
  let stopped: number;
  let told: string[];
  let timers: { work: () => void; delayMs: number }[];
  let trusted: boolean;
  beforeEach(() => {
    [spawned, input, stopped, told, timers, trusted] = [[], [], 0, [], [], true];
  });
  const abort = () => new AbortController();

  function open(
    rows: readonly Row[],
    more: {
      problems?: ParsedHooks['problems'];
      once?: Set<string>;
      signal?: AbortSignal;
      platformEnv?: Record<string, string>;
    } = {},
  ) {
    const hooks = rows.map(({ says, ...it }, index): Hook & { says: Script } => ({
      event: 'beforeTool',
      dialect: 'snake',
      label: `h${index}`,
      eventName: 'E',
      run: { kind: 'shell', text: `t${index}` },
      cwd: '/ws',
      env: {},
      timeoutMs: 60_000,
      ...it,
      says,
    }));
    const spawn = async (request: SpawnRequest): Promise<LeashedChild> => {
      spawned.push(request);
      const says = hooks.find((it) => it.label === request.title)!.says;
      const script = typeof says === 'string' ? { out: says } : says;
      if (script.fault !== undefined) throw new Fault('command_missing', script.fault);
      const [stdin, stdout, exited] = [new PassThrough(), new PassThrough(), later<Awaited<LeashedChild['exited']>>()];
      stdin.on('data', (data) => input.push(String(data)));
      stdout.once('end', () => {
        if (!script.hangs)
          exited.resolve({
            code: script.code === undefined ? 0 : script.code,
            signal: script.code === null ? 'SIGKILL' : null,
          });
      });
      stdout.end(script.out ?? '');
      const stop = async () => {
        stopped += 1;
        exited.resolve({ code: 0, signal: null });
      };
      return { pid: 1, stdin, stdout, exited: exited.promise, stderrTail: () => script.err ?? '', stop };
    };
    return new TurnHooks({
      children: { spawn },
      session: 'the-session',
      env: { PATH: '/bin', OWN: 'window' },
      timers: {
        after(delayMs, work) {
          const timer = { work, delayMs };
          timers.push(timer);
          return () => void timers.splice(timers.indexOf(timer), 1);
        },
      },
      found: { hooks, problems: more.problems ?? [] },
      isTrusted: () => trusted,
      clock: { now: () => '2026-01-01T00:00:00Z' },
      notify: (sentence, kind) => void told.push(`${kind}: ${sentence}`),
      notified: more.once ?? new Set(),
      signal: more.signal ?? abort().signal,
    });
  }
  const call = (toolCallId = 'c1', toolName = 'run') =>
    ({ facts: { toolCallId, kind: 'shell', invocationMessage: 'm', paths: [], command: 'ls' }, toolName }) as const;
  const ran = () => spawned.map((it) => it.title);
  const deny = '{"decision":"deny","reason":"not that"}';
  const ask = '{"decision":"ask","reason":"look first"}';

  for (const [says, rows, verdict, started, sentences] of [
    ['nothing', [{ says: '' }], undefined, ['h0'], []],
    [
      'no',
      [{ says: deny }, { says: '' }],
      { verdict: 'deny', reason: 'The hook h0 denied this tool call: not that' },
      ['h0'],
      [],
    ],
    [
      'ask and then no',
      [{ says: ask }, { says: deny }],
      { verdict: 'deny', reason: 'The hook h1 denied this tool call: not that' },
      ['h0', 'h1'],
      [],
    ],
    [
      'ask',
      [{ says: ask }, { says: '' }],
      { verdict: 'ask' },
      ['h0', 'h1'],
      ['hookSays: Message from the hook `h0`: `look first`'],
    ],
    ['ask without a reason', [{ says: '{"decision":"ask"}' }], { verdict: 'ask' }, ['h0'], []],
    ['a message', [{ says: '{"systemMessage":"hi"}' }], undefined, ['h0'], [message('`hi`')]],
    [
      'a failure',
      [{ says: { code: 1, err: 'oh' } }, { says: '' }],
      { verdict: 'ask' },
      ['h0', 'h1'],
      ['hookFailed: A hook failed. `h0: exit code 1: oh`'],
    ],
    [
      'a failure and then no',
      [{ says: { code: 1 } }, { says: deny }],
      { verdict: 'deny', reason: 'The hook h1 denied this tool call: not that' },
      ['h0', 'h1'],
      ['hookFailed: A hook failed. `h0: exit code 1`'],
    ],
    [
      'a signal',
      [{ says: { code: null } }],
      { verdict: 'ask' },
      ['h0'],
      ['hookFailed: A hook failed. `h0: it was terminated by SIGKILL`'],
    ],
    [
      'no program',
      [{ says: { fault: 'no shell' } }],
      { verdict: 'ask' },
      ['h0'],
      ['hookFailed: A hook failed. `h0: no shell`'],
    ],
    ['64 KB', [{ says: ' '.repeat(65_536) }], undefined, ['h0'], []],
    [
      'more than 64 KB',
      [{ says: ' '.repeat(65_537) }],
      { verdict: 'ask' },
      ['h0'],
      ['hookFailed: A hook failed. `h0: it wrote more than 64 KB of output`'],
    ],
    ['other tools', [{ says: deny, matcher: 'Read' }], undefined, [], []],
    [
      'a bad matcher',
      [{ says: '', matcher: '(' }],
      undefined,
      ['h0'],
      [
        'hookFailed: A hook failed. `h0: its matcher is not a valid regular expression, so the hook applies to every tool`',
      ],
    ],
    ['another event', [{ says: deny, event: 'afterTool' }], undefined, [], []],
    [
      'backticks and lines',
      [{ says: JSON.stringify({ systemMessage: 'a`b\nc' }) }],
      undefined,
      ['h0'],
      ["hookSays: Message from the hook `h0`: \n\n```text\na'b\nc\n```"],
    ],
    [
      '2000 letters',
      [{ says: JSON.stringify({ systemMessage: 'x'.repeat(2_000) }) }],
      undefined,
      ['h0'],
      [`hookSays: Message from the hook \`h0\`: \`${'x'.repeat(2_000)}\``],
    ],
    [
      '2001 letters',
      [{ says: JSON.stringify({ systemMessage: 'x'.repeat(2_001) }) }],
      undefined,
      ['h0'],
      [`hookSays: Message from the hook \`h0\`: \`${'x'.repeat(2_000)}…\``],
    ],
  ] as readonly [string, readonly Row[], object | undefined, readonly string[], readonly string[]][])
    it(`that say ${says} before a tool lead to ${verdict === undefined ? 'no verdict' : JSON.stringify(verdict)}`, async () => {
      assert.deepEqual(await open(rows).beforeTool(call()), verdict);
      assert.deepEqual([ran(), told], [started, sentences]);
      assert.deepEqual(
        [timers.length, stopped >= started.filter((_, n) => !JSON.stringify(rows[n]).includes('fault')).length],
        [0, true],
      );
    });

  it('are started for their session with the environment of the window, and their own before it', async () => {
    const hooks = open([{ says: '', env: { OWN: 'hook', MORE: '1' }, cwd: '/ws/x', timeoutMs: 7_000 }]);
    await hooks.beforeTool(call());
    assert.deepEqual(spawned, [
      {
        command: '/bin/sh',
        args: ['-c', 't0'],
        cwd: '/ws/x',
        env: { PATH: '/bin', OWN: 'hook', MORE: '1' },
        role: 'tool',
        title: 'h0',
        session: 'the-session',
        confined: { variables: ['OWN', 'MORE'] },
      },
    ]);
    assert.equal(input.join('').endsWith('}\n'), true);
    assert.equal(JSON.parse(input.join('')).tool_input.command, 'ls');
  });
  it('end when their time is up, which a person is told, and a person decides', async () => {
    const hooks = open([{ says: { hangs: true }, timeoutMs: 7_000 }]);
    const verdict = hooks.beforeTool(call());
    await new Promise(setImmediate);
    assert.deepEqual(
      timers.map((it) => it.delayMs),
      [7_000],
    );
    timers[0]!.work();
    assert.deepEqual(
      [await verdict, told],
      [{ verdict: 'ask' }, ['hookFailed: A hook failed. `h0: it did not finish within 7 seconds`']],
    );
    assert.deepEqual(timers, []);
  });
  it('end with the turn that is stopped, and none is started after it', async () => {
    const controller = abort();
    const hooks = open([{ says: { hangs: true } }, { says: '' }], { signal: controller.signal });
    const verdict = hooks.beforeTool(call());
    await new Promise(setImmediate);
    controller.abort(new Error('stopped'));
    await assert.rejects(verdict, /stopped/);
    assert.deepEqual([ran(), timers, told], [['h0'], [], []]);
    assert.ok(stopped > 0);
    await assert.rejects(
      hooks.turnEnds().then(() => hooks.beforeTool(call())),
      /stopped/,
    );
    assert.deepEqual(ran(), ['h0']);
  });
  it('end with the turn that is stopped while they are being started', async () => {
    const controller = abort();
    const verdict = open([{ says: { hangs: true } }], { signal: controller.signal }).beforeTool(call());
    controller.abort(new Error('stopped'));
    await assert.rejects(verdict, /stopped/);
    assert.ok(stopped > 0);
  });
  it('are not started any more from the moment on in which trust is taken back', async () => {
    const hooks = open([{ says: '' }, { says: deny }]);
    const verdict = hooks.beforeTool(call());
    trusted = false;
    assert.equal(await verdict, undefined);
    assert.deepEqual(ran(), ['h0']);
    assert.equal(await hooks.beforeTool(call()), undefined);
    assert.deepEqual(ran(), ['h0']);
  });

  for (const [outcome, success, isRun] of [
    [undefined, true, true],
    [undefined, false, true],
    ['success', true, true],
    ['success', false, false],
    ['failure', false, true],
    ['failure', true, false],
  ] as const)
    it(`for ${outcome ?? 'any'} outcome are ${isRun ? '' : 'not '}run after a tool that ${success ? 'worked' : 'failed'}`, async () => {
      const hooks = open([
        {
          event: 'afterTool',
          ...(outcome && { outcome }),
          says: '{"decision":"block","reason":"r","additionalContext":"c"}',
        },
      ]);
      await hooks.beforeTool(call());
      await hooks.afterTool('c1', success, 'out');
      assert.deepEqual(ran(), isRun ? ['h0'] : []);
      assert.deepEqual(told, isRun ? [message('`r`'), message('`c`')] : []);
      await hooks.afterTool('c1', success, 'again');
      assert.equal(ran().length, isRun ? 1 : 0);
    });
  it('after a tool say nothing of a reason that denies nothing, and run for no call that was denied or is not known', async () => {
    const hooks = open([
      { says: deny, matcher: 'other' },
      { event: 'afterTool', says: '{"decision":"ask","reason":"r"}' },
    ]);
    await hooks.beforeTool(call('c1'));
    await hooks.beforeTool(call('c2', 'other'));
    await hooks.afterTool('c2', true, '');
    await hooks.afterTool('c3', true, '');
    assert.deepEqual(ran(), ['h0']);
    await hooks.afterTool('c1', true, '');
    assert.deepEqual([ran(), told], [['h0', 'h1'], []]);
  });

  for (const [source, first] of [
    ['startup', ['h0', 'h1']],
    ['resume', ['h0', 'h1']],
    [undefined, ['h1']],
  ] as const)
    it(`at a message run ${first.join(' and ')} when its conversation begins with ${source ?? 'nothing'}, and give the agent what they add`, async () => {
      const hooks = open([
        { event: 'sessionStart', says: 'of start' },
        { event: 'promptSubmitted', says: 'of prompt' },
      ]);
      const added = await hooks.begin('the prompt', source);
      assert.deepEqual(added, [
        ...(source ? [{ kind: 'text', label: 'h0', text: 'of start' }] : []),
        { kind: 'text', label: 'h1', text: 'of prompt' },
      ]);
      assert.deepEqual(ran(), first);
    });
  for (const event of ['sessionStart', 'promptSubmitted'] as const)
    it(`at ${event} may refuse a message, with the reason cut`, async () => {
      const hooks = open([
        { event, says: { code: 2, err: 'y'.repeat(2_100) } },
        { event, says: 'added' },
      ]);
      const refused = `forbidden The hook h0 rejected this message: ${'y'.repeat(2_000)}…`;
      assert.equal(await outcomeOf(hooks.begin('p', 'startup')), refused);
    });
  it('that fail at a message keep nobody from sending it', async () => {
    assert.deepEqual(await open([{ event: 'promptSubmitted', says: { code: 1 } }]).begin('p', undefined), []);
    assert.deepEqual(told, ['hookFailed: A hook failed. `h0: exit code 1`']);
  });

  it('at the end have the agent go on three times, and not a fourth time', async () => {
    const hooks = open([{ event: 'turnEnd', says: deny }]);
    const answers = [];
    for (let n = 0; n < 4; n += 1) answers.push(await hooks.turnEnds());
    assert.deepEqual(answers, ['not that', 'not that', 'not that', undefined]);
    assert.deepEqual(told, [
      'hookFailed: A hook failed. `h0: it continued the turn 3 times, which is the limit. Last reason: not that`',
    ]);
    assert.deepEqual(
      input.map((it) => JSON.parse(it).stop_hook_active),
      [false, true, true, true],
    );
  });
  it('at the end let it end where none denies', async () => {
    assert.equal(
      await open([
        { event: 'turnEnd', says: ask },
        { event: 'turnEnd', says: '' },
      ]).turnEnds(),
      undefined,
    );
    assert.deepEqual(told, []);
  });
  it('say once in a conversation which files are broken, and each time which program fails', async () => {
    const broken = { problems: [{ file: 'h.json', why: 'broken' }], once: new Set<string>() };
    for (let n = 0; n < 2; n += 1) await open([{ says: { code: 1 }, matcher: '(' }], broken).beforeTool(call());
    assert.deepEqual(
      told.map((it) => it.replace('hookFailed: A hook failed. ', '')),
      [
        'hookFailed: Hooks in `h.json` have errors and did not run. `broken`',
        '`h0: its matcher is not a valid regular expression, so the hook applies to every tool`',
        '`h0: exit code 1`',
        '`h0: exit code 1`',
      ],
    );
  });
  it('that are programs get the two folders in their words, and nothing else', async () => {
    const run = {
      kind: 'program',
      command: `${filled('CLAUDE_PLUGIN_ROOT')}/x`,
      args: [
        filled('CLAUDE_PROJECT_DIR'),
        filled('HOME'),
        '$CLAUDE_PROJECT_DIR',
        `${filled('CLAUDE_PROJECT_DIR')}/${filled('CLAUDE_PROJECT_DIR')}`,
      ],
    };
    await open([{ says: '', env: { CLAUDE_PROJECT_DIR: '/w s', HOME: '/h' }, ...({ run } as object) }]).beforeTool(
      call(),
    );
    assert.deepEqual(
      [spawned[0]?.command, spawned[0]?.args],
      [`${filled('CLAUDE_PLUGIN_ROOT')}/x`, ['/w s', filled('HOME'), '$CLAUDE_PROJECT_DIR', '/w s//w s']],
    );
  });
});
