import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AgentProvider, AgentSession } from '../../../../../sidecar/agents/provider.ts';
import { runbookProvider } from '../../../../../sidecar/agents/runbook/provider.ts';
import { openChildren } from '../../../../../sidecar/platform/children/children.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { contextIn, playTurn } from '../../../../support/playTurn.ts';

const fence = (info: string, ...lines: string[]) => `\`\`\`${info}\n${lines.map((it) => `${it}\n`).join('')}\`\`\`\n`;
const whyOf = (failure: unknown) => (failure instanceof Fault ? failure.message : '');
const RUNBOOKS = '.switchboard/runbooks';

describe('a runbook that fails half-way', () => {
  let folder: string;
  let provider: AgentProvider;
  let session: AgentSession;
  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-half-')));
    const children = openChildren(join(folder, 'children.json'), () => '2026-01-01T00:00:00Z');
    provider = runbookProvider({ timers: systemTimers, children });
    session = await open();
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const open = () => provider.open(contextIn(folder), new AbortController().signal);
  const play = (text: string, more: Partial<Parameters<typeof playTurn>[1]> = {}) =>
    playTurn(session, { text, ...more });
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const text = (path: string) => readFileSync(join(folder, path), 'utf8');
  const ended = (events: Awaited<ReturnType<typeof play>>['events']) => {
    const end = events.find((it) => it.kind === 'toolEnded');
    assert.ok(end?.kind === 'toolEnded');
    return end;
  };

  it('at one of several files leaves all of them as they were', async () => {
    put('a', 'one\n');
    put('gone', 'bye\n');
    const diff = fence(
      'diff',
      ...['--- a/a', '+++ b/a', '@@', '-one', '+two'],
      ...['--- a/gone', '+++ /dev/null', '@@', '-bye'],
      ...['--- /dev/null', '+++ b/new', '@@', '+new'],
      ...['--- /dev/null', '+++ b/new/below', '@@', '+cannot be'],
    );
    const { events, failure, asked } = await play(diff);
    assert.equal(asked[0]?.paths.length, 4);
    const { success, pastTenseMessage } = ended(events);
    assert.deepEqual([success, pastTenseMessage], [false, 'Did not change a, gone, new, new/below']);
    assert.match(whyOf(failure), /below could not be written/);
    assert.deepEqual([text('a'), text('gone'), existsSync(join(folder, 'new'))], ['one\n', 'bye\n', false]);
  });

  it('names a file twice in a diff asks nobody and changes nothing', async () => {
    put('a', 'one\ntwo\n');
    symlinkSync('a', join(folder, 'same'));
    for (const name of ['a', './a', 'same']) {
      const { asked, failure } = await play(
        fence(
          'diff',
          ...['--- a/a', '+++ b/a', '@@', '-one', '+1'],
          ...[`--- a/${name}`, `+++ b/${name}`, '@@', '-two', '+2'],
        ),
      );
      assert.deepEqual(asked, []);
      assert.match(whyOf(failure), new RegExp(`The diff does not apply: ${name} appears more than once in the diff`));
      assert.equal(text('a'), 'one\ntwo\n');
    }
  });

  for (const [reason, goesOn] of [
    ['skip it', true],
    ['go on without it', true],
    ['please continue', true],
    ['do not continue, this is wrong', false],
    ["don't go on", false],
    ['never skip this', false],
    ['stop. You may continue tomorrow', false],
  ] as const) {
    it(`goes ${goesOn ? 'on' : 'no further'} after a denial that says: ${reason}`, async () => {
      const { text: answer } = await play(`${fence('sh', 'touch ran')}after`, {
        decide: () => ({ allow: false, reason }),
      });
      assert.equal(answer.endsWith('\nafter'), goesOn);
      assert.ok(answer.includes(`You said: ${reason}`));
      assert.ok(!existsSync(join(folder, 'ran')));
    });
  }

  it('names the command that ran, where a person changed it', async () => {
    for (const [command, words] of [
      ['echo two\necho three', 'Ran echo two'],
      ['exit 3', 'Ran exit 3'],
    ] as const) {
      const { events } = await play(fence('sh', 'echo one'), { decide: () => ({ allow: true, editedInput: command }) });
      assert.equal(ended(events).pastTenseMessage, words);
    }
  });

  it('because of a link whose target does not exist, or a folder, among the runbooks still has the others', async () => {
    put(`${RUNBOOKS}/good.md`, '# Good\n');
    symlinkSync('nowhere', join(folder, RUNBOOKS, 'dangling.md'));
    symlinkSync('loop.md', join(folder, RUNBOOKS, 'loop.md'));
    mkdirSync(join(folder, RUNBOOKS, 'folder.md'));
    put(`${RUNBOOKS}/large.md`, 'x'.repeat(1024 * 1024 + 1));
    put(`${RUNBOOKS}/largest.md`, 'x'.repeat(1024 * 1024));
    put(`${RUNBOOKS}/.hidden.md`, '# Hidden\n');
    put(`${RUNBOOKS}/other.txt`, '# Other\n');
    const names = (await open()).options.commands?.map((it) => it.name);
    assert.deepEqual(names, ['good', 'largest', 'tour']);
    assert.match((await play('/good')).text, /^# Good/);
  });
});
