import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { AgentProvider, AgentSession, QuestionAnswers } from '../../../../../sidecar/agents/provider.ts';
import { runbookProvider } from '../../../../../sidecar/agents/runbook/provider.ts';
import { openChildren } from '../../../../../sidecar/platform/children/children.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { contextIn, type PlayedTurn, playTurn } from '../../../../support/playTurn.ts';
import { verifies } from '../../../../support/verifies.ts';

const fence = (info: string, ...lines: string[]) => `\`\`\`${info}\n${lines.map((it) => `${it}\n`).join('')}\`\`\`\n`;
/** Why a step failed, as the turn says it. */
const whyOf = ({ failure }: { readonly failure: unknown }) => (failure instanceof Fault ? failure.message : '');
/** What a client needs for its buttons. */
const step = {
  retryWith: 'retry',
  skipWith: 'continue',
  hint: 'Send "retry" to run the step again, or "continue" to skip it.',
};
/** Why the runbook stopped at a step without a failure, for clients with and without buttons. */
const stopOf = ({ events, failure }: PlayedTurn) => {
  assert.equal(failure, undefined);
  const last = events.at(-1);
  assert.ok(last?.kind === 'stepStopped');
  assert.deepEqual(last.step, step);
  assert.ok(last.markdown.endsWith(` ${step.hint}`));
  return last.markdown;
};
const accept = (values: QuestionAnswers['values']) => () => ({ response: 'accept' as const, values });

describe('runbook', () => {
  let root: string;
  let folder: string;
  let provider: AgentProvider;
  let session: AgentSession;
  before(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'switchboard-runbook-')));
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(root, 'session-'));
    const userFolder = join(folder, 'of-the-user');
    const children = openChildren(join(root, 'children.json'), () => '2026-01-01T00:00:00Z');
    provider = runbookProvider({ timers: systemTimers, children, userFolder });
    session = await provider.open(contextIn(folder), new AbortController().signal);
  });
  after(() => rm(root, { recursive: true, force: true }));
  const play = (text: string, more: Partial<Parameters<typeof playTurn>[1]> = {}) =>
    playTurn(session, { text, ...more });
  const put = async (path: string, text: string) => {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const text = (path: string) => readFile(join(folder, path), 'utf8');

  it('plays the whole tour in an empty folder', async () => {
    const answers = {
      who: "O'Neil $(touch pwned)",
      tone: 'warm',
      topics: ['review', 'agents'],
      stars: 4,
      keep_going: true,
    };
    const tour = await play('/tour', { answer: accept(answers) });
    assert.equal(tour.failure, undefined);
    assert.deepEqual(
      tour.asked.map((it) => it.kind),
      ['shell', 'edit', 'edit'],
    );
    assert.equal(tour.questions.length, 1, 'questions in a row are asked together');
    assert.match(tour.text, /That is all\./);
    assert.equal(
      await text('switchboard-tour.md'),
      "# A note for O'Neil $(touch pwned)\n\nTone: warm\nInterested in: review, agents\nStars: 4\n\nThis line was changed by a diff. Keep it, or undo it.\n",
    );
    const shell = tour.events.find((it) => it.kind === 'toolEnded');
    assert.match(JSON.stringify(shell), /Hello O'Neil \$\(touch pwned\), this ran in/);
    await assert.rejects(text('pwned'));
  });

  it('lists what there is for a prompt that names none', async () => {
    await put('.switchboard/runbooks/release.md', '---\ntitle: Release\ndescription: Cut one\n---\n');
    await put('of-the-user/mine.md', '# Mine\n');
    await put('of-the-user/tour.md', '# My tour\n');
    const { text: answer } = await play('hello');
    assert.match(answer, /- `\/mine`: Mine\n- `\/release`: Release\. Cut one\n- `\/tour`: My tour\n/);
    assert.match((await play('/nothing')).text, /^No runbook named `nothing` was found\./);
  });

  it('completes names behind a slash at the beginning only', async () => {
    const at = (typed: string, offset = typed.length) => provider.complete!({ folders: [folder], text: typed, offset });
    assert.deepEqual(await at('/to'), [
      {
        insertText: '/tour ',
        label: '/tour',
        description: 'The two-minute tour. See a session from the first message to the last undo',
        rangeStart: 0,
        rangeEnd: 3,
      },
    ]);
    assert.equal((await at('/tour', 2))[0]?.rangeEnd, 5);
    assert.deepEqual([await at('a /to'), await at('/x'), await at('/tour now')], [[], [], []]);
  });

  it('says what is wrong with a runbook, and does nothing of it', async () => {
    const { text: answer, asked } = await play(`${fence('sh', 'ls')}${fence('write')}`);
    assert.match(answer, /^I did not start this prompt.*\n\n- line 4: the `write` block has no file path/);
    assert.deepEqual(asked, []);
    await put('.switchboard/runbooks/mine.md', fence('sh'));
    const named = /^I did not start mine.*\n\n- `\.switchboard\/runbooks\/mine\.md:1`: the `sh` block is empty/;
    assert.match((await play('/mine')).text, named);
  });

  it('fails at a failing step, repeats it for retry, and goes on after it for continue', async () => {
    const failing = await play(`${fence('sh', 'echo out; echo err >&2', 'test -e ready', 'echo never')}after`);
    const end = failing.events.find((it) => it.kind === 'toolEnded');
    assert.deepEqual(end?.kind === 'toolEnded' && [end.success, end.error, end.content], [
      false,
      'exit code 1',
      [{ kind: 'text', text: 'out\nerr\n' }],
    ]);
    assert.match(
      whyOf(failing),
      /^The command failed\. The step is on line 1 of the prompt\. Send "retry".*"continue"/,
    );
    assert.ok(failing.failure instanceof Fault);
    assert.deepEqual(failing.failure.data, step);
    assert.match(whyOf(await play('retry')), /^The command failed\./);
    await put('ready', '');
    assert.match((await play('retry')).text, /^after$/);
    assert.match(
      (await play('continue')).text,
      /There is nothing to continue\. To start a runbook, send `\/` followed by its name, for example `\/tour`/,
    );
    await play(`${fence('sh', 'false')}after`);
    assert.equal((await play('continue')).text, 'after');
  });

  for (const { where, file, says } of [
    {
      where: 'in a folder of the session',
      file: '.switchboard/runbooks/mine.md',
      says: 'at .switchboard/runbooks/mine.md:3',
    },
    { where: "in the user's folder", file: 'of-the-user/mine.md', says: 'on line 3 of the runbook "mine"' },
  ])
    it(`says on which line of which runbook a step is, for one ${where}`, async () => {
      await put(file, `# Mine\n\n${fence('sh', 'false')}`);
      assert.ok(whyOf(await play('/mine')).includes(`The step is ${says}. `));
      assert.ok(stopOf(await play('/mine', { decide: () => ({ allow: false }) })).includes(`The step is ${says}. `));
    });

  it('runs in the first folder with the environment of the session and nothing else', async () => {
    const { events } = await play(fence('sh', 'pwd; env | cut -d= -f1 | grep -v "^_$" | sort | tr "\\n" " "'));
    const end = events.find((it) => it.kind === 'toolEnded');
    assert.ok(end?.kind === 'toolEnded' && end.content[0]?.kind === 'text');
    assert.equal(end.content[0].text, `${folder}\nHOME OLDPWD PATH PWD SWITCHBOARD_LEASH `.replace('OLDPWD ', ''));
  });

  it('shows the first 16 KB and the last 48 KB of a long output, and says what was cut', async () => {
    const { events } = await play(fence('sh', "head -c 100000 /dev/zero | tr '\\0' x; echo end"));
    const end = events.find((it) => it.kind === 'toolEnded');
    assert.ok(end?.kind === 'toolEnded' && end.content[0]?.kind === 'text');
    assert.match(end.content[0].text, /^x{16384}\n… 34468 bytes omitted …\nx{49148}end\n$/);
  });

  it('runs the command as the person changed it', async () => {
    const { events } = await play(fence('sh', 'echo one'), {
      decide: () => ({ allow: true, editedInput: 'echo two' }),
    });
    assert.match(JSON.stringify(events.find((it) => it.kind === 'toolEnded')), /two/);
  });

  it('prints the reason of a denial, stops there, and goes on where the reason says so', async () => {
    const steps = `${fence('sh', 'echo one > one')}after`;
    const stopped = await play(steps, { decide: () => ({ allow: false, reason: 'not today' }) });
    assert.match(
      stopOf(stopped),
      /^You denied this step, so I stopped\. You said: not today\. The step is on line 1 of the prompt\./,
    );
    assert.match(
      (await play(steps, { decide: () => ({ allow: false, reason: 'skip it' }) })).text,
      /You said: skip it\n\nafter$/,
    );
    await assert.rejects(text('one'));
  });

  it('writes files with a preview, and makes the folders on the way', async () => {
    const { asked } = await play(fence('write a/b/c.txt', 'hello'));
    assert.equal(await text('a/b/c.txt'), 'hello\n');
    assert.deepEqual(
      [asked[0]?.paths, asked[0]?.preview],
      [[join(folder, 'a/b/c.txt')], [{ path: join(folder, 'a/b/c.txt'), after: 'hello\n' }]],
    );
  });

  for (const path of ['../out.txt', '/tmp/out.txt', 'link/out.txt', '.']) {
    it(`writes nothing outside the folders: ${path}`, async () => {
      await symlink(root, join(folder, 'link'));
      const played = await play(fence(`write ${path}`, 'x'));
      assert.deepEqual(played.asked, []);
      assert.match(whyOf(played), /is outside this session's folders/);
    });
  }

  it('does not overwrite what changed while it waited for the answer', async () => {
    await put('f', 'a\n');
    const played = await play(fence('diff', '--- a/f', '+++ b/f', '@@', '-a', '+b'), {
      decide: async () => {
        await put('f', 'a\nmine\n');
        return { allow: true };
      },
    });
    assert.match(whyOf(played), /The file changed while I was waiting for your answer, so I did not modify it/);
    assert.equal(await text('f'), 'a\nmine\n');
  });

  describe('workspace files that change while trust is asked', () => {
    const outside: readonly [string, () => string][] = [
      ['outside the folders', () => join(root, 'elsewhere')],
      ['inside of them', () => join(folder, 'inside')],
    ];
    for (const [where, target] of outside) {
      it(`lead no step ${where} that was shown in a folder which is a link now`, async () => {
        verifies('security.changed-files');
        await put('sub/other', 'x');
        await mkdir(target(), { recursive: true });
        const played = await play(fence('write sub/new', 'x'), {
          decide: async () => {
            await rm(join(folder, 'sub'), { recursive: true });
            await symlink(target(), join(folder, 'sub'));
            return { allow: true };
          },
        });
        assert.equal(played.asked.length, 1);
        assert.match(whyOf(played), /outside this session's folders|changed while I was waiting/);
        await assert.rejects(readFile(join(target(), 'new')), { code: 'ENOENT' });
      });
    }
  });

  it('changes no file that is not UTF-8 text', async () => {
    await writeFile(join(folder, 'f'), Buffer.from([0x61, 0xff, 0x0a]));
    const played = await play(fence('diff', '--- a/f', '+++ b/f', '@@', '-a', '+b'));
    assert.match(whyOf(played), /f is not UTF-8 text/);
  });

  it('stops when a question is not answered, and asks again for retry', async () => {
    const steps = `${fence('ask', 'name: a', 'message: A?', 'default: preset')}got {{a}}`;
    assert.match(
      stopOf(await play(steps, { answer: () => ({ response: 'decline', values: {} }) })),
      /^You did not answer/,
    );
    assert.equal((await play('retry', { answer: accept({}) })).text, 'got preset');
  });

  it('goes on behind questions that were asked together and not answered', async () => {
    const questions = fence('ask', 'name: a', 'message: A?') + fence('ask', 'name: b', 'message: B?');
    const stopped = await play(`${questions}the end`, { answer: () => ({ response: 'decline', values: {} }) });
    assert.match(stopOf(stopped), /^You did not answer/);
    let asked = 0;
    const answer = () => {
      asked += 1;
      return { response: 'accept' as const, values: {} };
    };
    assert.deepEqual([(await play('continue', { answer })).text, asked], ['the end', 0]);
  });

  it('talks and asks without a folder, and refuses what needs one before anybody is asked', async () => {
    verifies('host.folder.runbook');
    const nowhere = await provider.open(contextIn(undefined), new AbortController().signal);
    const talk = `hello\n${fence('ask', 'name: a', 'message: A?')}got {{a}}`;
    assert.equal((await playTurn(nowhere, { text: talk, answer: accept({ a: 'it' }) })).text, 'hello\ngot it');
    for (const step of [
      fence('sh', 'true'),
      fence('write a', 'x'),
      fence('diff', '--- a/f', '+++ b/f', '@@', '-a', '+b'),
    ]) {
      const { failure, asked, events } = await playTurn(nowhere, { text: step });
      assert.ok(failure instanceof Fault, step);
      assert.deepEqual([failure.code, asked, events], ['folder_needed', [], []]);
      assert.match(
        failure.message,
        /^This session has no working folder\. Open a folder, and then start a new session/,
      );
    }
  });

  it('can be gone on with after a cancel', async () => {
    const abort = new AbortController();
    await play(`one\n${fence('sh', 'true')}two`, {
      signal: abort.signal,
      onEvent: (event) => {
        if (event.kind === 'toolStarted') abort.abort();
      },
    });
    assert.equal((await play('retry')).text, 'two');
  });

  it('ends a command whose turn is cancelled while it is being started', async () => {
    const abort = new AbortController();
    const children = openChildren(join(folder, 'children.json'), () => '2026-01-01T00:00:00Z');
    let ended: Promise<{ readonly code: number | null }> | undefined;
    const spawn: typeof children.spawn = async (options) => {
      const child = await children.spawn(options);
      ended = child.exited;
      abort.abort();
      return child;
    };
    const cancelled = runbookProvider({
      timers: systemTimers,
      children: { ...children, spawn },
      userFolder: join(folder, 'of-the-user'),
    });
    const running = await cancelled.open(contextIn(folder), new AbortController().signal);
    await playTurn(running, { text: fence('sh', 'sleep 5', 'echo "It ran to its end."'), signal: abort.signal });
    assert.equal((await ended)?.code, null);
  });
});
