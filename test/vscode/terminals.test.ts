import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { verifies } from '../support/verifies.ts';
import { say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { pressKeyIn, typeIn } from './driver/keys.ts';
import { press } from './driver/press.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

describe("terminals of the host in the editor's panel", () => {
  let editor: Editor;
  let first: EditorWindow;
  let second: EditorWindow;

  before(async () => {
    editor = await Editor.open('terminals', {
      // The screen of a terminal is text in the page then.
      settings: () => ({ 'terminal.integrated.gpuAcceleration': 'off' }),
    });
    first = await editor.openWindow();
    await first.openContainer('Switchboard');
  });
  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    await first?.pictureNow(`failed first ${this.currentTest.title.slice(0, 30)}`);
    await second?.pictureNow(`failed second ${this.currentTest.title.slice(0, 30)}`);
  });
  after(() => editor?.close());

  const screen = async (window: EditorWindow) =>
    (await window.page.locator('.terminal-wrapper.active .xterm-rows').allInnerTexts())
      .join('\n')
      .replaceAll('\u00a0', ' ');
  const shows = (window: EditorWindow, text: string) =>
    untilSeen(
      `the terminal shows ${text}`,
      () => screen(window),
      (it) => it.includes(text),
    );
  async function type(window: EditorWindow, line: string): Promise<void> {
    const terminal = window.page.locator('.terminal-wrapper.active .xterm');
    await press(terminal);
    await typeIn(terminal, line);
    await pressKeyIn(terminal, 'Enter');
  }
  /** Of several lists one after the other, the one that asks this. */
  async function choose(window: EditorWindow, question: string, label: string): Promise<void> {
    await window.page.getByPlaceholder(question).waitFor();
    await window.pick(label);
  }
  const isHeldBy = async (window: EditorWindow, holder: string) => {
    const sessions = await window.tree('Sessions');
    await untilSeen(
      `a row says ${holder}`,
      () => sessions.rows(),
      (all) => all.some((it) => it.description === holder),
    );
  };

  it('one is opened in the folder of a session, and what is typed runs there', async () => {
    verifies('host.command.createTerminal', 'host.root.terminals');
    await first.command('Switchboard: New Session');
    await say(await first.chat(), 'Room');
    await (await first.tree('Sessions')).waitFor('Room');
    await first.command('Switchboard: New Terminal in Session Folder');
    await choose(first, "Which session's folder do you want to use?", 'Room');
    await first.page.locator('.terminal-wrapper.active .xterm-rows').waitFor();
    await type(first, 'echo "sum $((40+2))" && touch made-here');
    await shows(first, 'sum 42');
    await until('the command ran', () => existsSync(join(editor.workspace, 'made-here')));
    await (await first.tree('Sessions')).waitFor('Terminals');
    await first.screenshot('a terminal of the host');
  });

  it('another window sees it, watches, and types when it was given to a session', async () => {
    second = await editor.openWindow();
    await second.openContainer('Switchboard');
    const sessions = await second.tree('Sessions');
    await sessions.waitFor('Terminals');
    await second.command('Switchboard: Open Terminal');
    await choose(second, 'Which terminal?', 'Room');
    await shows(second, 'sum 42');
    await type(second, 'echo "not $((1+1))"');
    await shows(second, 'Another client is controlling this terminal.');
    await second.screenshot('watched in another window');
    await first.command('Switchboard: Assign Terminal to Session…');
    await choose(first, 'Which terminal?', 'Room');
    await choose(first, 'Select a session for the terminal', 'Room');
    await isHeldBy(second, 'in use by "Room"');
    await type(second, 'echo "both $((50+5))"');
    await shows(second, 'both 55');
    await shows(first, 'both 55');
    assert.equal((await screen(first)).includes('not 2'), false);
  });

  it('one that ends is gone from every window', async () => {
    verifies('host.command.disposeTerminal');
    await first.command('Switchboard: Take Over Terminal');
    await choose(first, 'Which terminal?', 'Room');
    await isHeldBy(first, 'used here');
    await isHeldBy(second, 'in use in another window');
    await first.command('Switchboard: Kill Terminal');
    await choose(first, 'Which terminal?', 'Room');
    for (const window of [first, second]) {
      const sessions = await window.tree('Sessions');
      await sessions.waitForNone('Terminals');
      await untilSeen(
        'its tab is gone',
        () => window.probe.run<string[]>('return vscode.window.terminals.map((it) => it.name);'),
        (names) => !names.includes('Room'),
      );
    }
    await first.screenshot('after the end');
  });
});
