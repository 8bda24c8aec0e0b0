import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { pressKey } from './driver/keys.ts';
import { press } from './driver/press.ts';
import { untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

describe('finding out what is wrong', () => {
  let editor: Editor;
  let window: EditorWindow;

  before(async () => {
    editor = await Editor.open('diagnostics', {
      settings: () => ({
        'switchboard.agents': [
          { id: 'mine', displayName: 'Mine', command: 'no-such-agent', args: ['--key', 'word-of-the-key'] },
        ],
      }),
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    await window.command('Switchboard: New Session');
    await say(await window.chat(), 'Room');
    await (await window.tree('Sessions')).waitFor('Room');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window?.pictureNow(`failed ${this.currentTest.title.slice(0, 30)}`);
  });
  after(() => editor?.close());

  /** The list at the top of the window, as a person reads it. */
  const list = () => window.page.locator('.quick-input-widget');
  const rows = () => list().getByRole('option').allInnerTexts();
  const shows = (what: string, test: (all: string) => boolean) =>
    untilSeen(what, async () => (await rows()).join('\n'), test);
  const leave = () => window.quickInput.leave();

  it('1c-29 Show Health says the state of each part, and opens what helps', async () => {
    await window.command('Switchboard: Show Health');
    const seen = await shows('each part has a line', (it) => it.includes('Versions'));
    for (const part of ['Host', 'Gateway', 'Agents', 'Disk', 'Database', 'Versions'])
      assert.match(seen, new RegExp(`^\\s*${part}`, 'm'));
    assert.match(seen, /Running/);
    assert.match(seen, /GB free/);
    await window.screenshot('health');
    await press(list().getByRole('option', { name: /Host/ }).first());
    await shows('the processes of the host are listed', (it) => /PID \d+/.test(it));
    await leave();
  });

  it('1c-29 Show Protocol Traffic lists what passes from then on, by direction, and opens a message', async () => {
    await window.command('Switchboard: Show Protocol Traffic');
    await list()
      .getByPlaceholder(/^Recording\./)
      .waitFor();
    await leave();
    await window.command('Switchboard: Show Health');
    await shows('the host was asked for something', (it) => it.includes('Versions'));
    await leave();
    await window.command('Switchboard: Show Protocol Traffic');
    const all = await shows('the request and its response are listed', (it) => it.includes('x-switchboard/processes'));
    assert.match(all, /response/);
    await window.screenshot('protocol traffic');
    await pressKey(list().getByRole('button', { name: 'Filter by Direction' }), 'Enter');
    await shows('only what was sent is listed', (it) => it.includes('request') && !it.includes('response'));
    await press(
      list()
        .getByRole('option', { name: /x-switchboard\/processes/ })
        .first(),
    );
    await untilSeen(
      'the message is open as a document',
      () => window.openEditors(),
      (it) => it.some((one) => one.includes('x-switchboard processes')),
    );
    await pressKey(list().getByRole('button', { name: 'Stop Recording' }), 'Enter');
  });

  it('1c-29 Export Diagnostics shows them without secrets, and saves them where the person says', async () => {
    await window.command('Switchboard: Export Diagnostics…');
    const save = window.page.getByRole('button', { name: 'Save As…' });
    await save.waitFor();
    await untilSeen(
      'they are open as a document',
      () => window.openEditors(),
      (it) => it.some((one) => one.includes('Switchboard diagnostics')),
    );
    await window.screenshot('diagnostics');
    await press(save);
    const target = join(editor.workspace, 'diagnostics.md');
    assert.ok(!existsSync(target));
    const where = window.page.locator('.quick-input-widget input').first();
    await untilSeen(
      'the editor asks where',
      () => where.inputValue(),
      (it) => it.includes('Switchboard diagnostics'),
    );
    await window.quickInput.typePath(target);
    const text = await untilSeen(
      'the file is written',
      async () => (existsSync(target) ? readFileSync(target, 'utf8') : ''),
      (it) => it.includes('## Host log'),
    );
    for (const title of ['Versions', 'Health', 'Counts', 'Settings', 'Processes', 'Host log'])
      assert.ok(text.includes(`## ${title}`), title);
    assert.match(text, /"command": "no-such-agent"/);
    assert.doesNotMatch(text, /word-of-the-key/);
  });

  it('1c-29 Report Issue shows what to report where the editor has no reporter, as in a browser', async () => {
    await window.command('Switchboard: Report Issue');
    await untilSeen(
      'the text is open as a document',
      () => window.openEditors(),
      (it) => it.some((one) => one.includes('Switchboard issue')),
    );
    await window.page.getByText('Copy the text into your report.').first().waitFor();
    await window.screenshot('report of an issue');
  });
});
