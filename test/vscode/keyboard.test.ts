import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame } from 'playwright-core';
import { Editor } from './driver/editor.ts';
import { pressKeyIn, typeIn } from './driver/keys.ts';
import { inOrder } from './driver/steps.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

/** The main job without a mouse, in order: each step stands on the one before. */
describe('the main job by keyboard alone', () => {
  let editor: Editor;
  let window: EditorWindow;
  let chat: Frame;

  before(async () => {
    editor = await Editor.open('keyboard', {
      prepare: ({ workspace }) => {
        const folder = join(workspace, '.switchboard/runbooks');
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, 'look.md'), '# Look\n\n```sh\ncat package.json\n```\n\nSeen.\n');
        writeFileSync(
          join(folder, 'note.md'),
          '# Note\n\n```write docs/note.md\nA note.\n```\n\nThe note is written.\n',
        );
      },
    });
    window = await editor.openWindow();
    await window.page.evaluate(() => {
      const seen = globalThis as unknown as { pressed: number };
      seen.pressed = 0;
      document.addEventListener('pointerdown', () => seen.pressed++, true);
    });
  });
  inOrder(() => window);
  after(() => editor?.close());

  /** What has the focus, in the window or in the page of ours that has it there. */
  async function focused(): Promise<string> {
    const name = (): string => {
      const it = document.activeElement;
      return it ? `${it.tagName} ${it.getAttribute('aria-label') ?? it.className}`.trim() : 'nothing';
    };
    const inWindow = await window.page.evaluate(name);
    if (!inWindow.startsWith('IFRAME')) return inWindow;
    const [frame] = await window.webviews();
    return frame ? frame.evaluate(name) : inWindow;
  }
  const isSomewhere = (it: string) => !/^(BODY|IFRAME|nothing)/.test(it);

  async function press(key: string): Promise<void> {
    await untilSeen(`something has the focus before ${key}`, focused, isSomewhere);
    await window.page.keyboard.press(key);
  }
  /** Opens a session by key, and sends a prompt from its composer. */
  async function begin(prompt: string): Promise<void> {
    const before = (await window.webviews())[0];
    await window.page.keyboard.press('Control+Alt+j');
    chat = await until('another chat page is visible', async () => {
      const [frame] = await window.webviews();
      return frame && frame !== before && (await frame.getByRole('textbox', { name: 'Message' }).count()) > 0
        ? frame
        : undefined;
    });
    const message = chat.getByRole('textbox', { name: 'Message' });
    await typeIn(message, prompt);
    const commands = chat.getByRole('option', { name: new RegExp(prompt.slice(1)) });
    await commands.waitFor();
    await pressKeyIn(message, 'Escape');
    await commands.waitFor({ state: 'hidden' });
    await pressKeyIn(message, 'Enter');
  }

  it('1b-8 a new session, its prompt and the request that it makes need no mouse', async () => {
    await begin('/look');
    await chat.getByRole('button', { name: 'Allow once' }).waitFor();
    await window.screenshot('a request');
    await untilSeen('the composer keeps the focus', focused, (it) => it.startsWith('TEXTAREA Message'));
  });

  it('1b-8 Ctrl+Enter allows the edit of another session, and the focus stays in its chat', async () => {
    await begin('/note');
    await chat.getByRole('button', { name: 'Allow once' }).waitFor();
    assert.equal(existsSync(join(editor.workspace, 'docs/note.md')), false);
    await press('Control+Enter');
    await chat.getByText('The note is written.', { exact: true }).waitFor(); // not its announcement for screen readers
    await untilSeen('something in the chat has the focus', focused, isSomewhere);
    assert.equal(readFileSync(join(editor.workspace, 'docs/note.md'), 'utf8').trim(), 'A note.');
  });

  it('1c-3 the changes open from the palette, and Keep File keeps them by its key', async () => {
    await window.openPalette();
    await typeIn(window.quickInput.widget, 'Switchboard: Review Changes');
    await window.quickInput.widget
      .getByRole('option', { name: /^Switchboard: Review Changes/ })
      .first()
      .waitFor();
    await pressKeyIn(window.quickInput.widget, 'Enter');
    await window.page.locator('.editor.modified .view-line', { hasText: 'A note.' }).first().waitFor();
    await untilSeen('the diff has the focus', focused, (it) => /^(TEXTAREA|DIV)/.test(it));
    await window.screenshot('the changes');
    await press('Control+Shift+Alt+Enter');
    await untilSeen(
      'the file is reviewed',
      () => window.statusBar(),
      (all) => all.some((it) => it.includes('1 of 1 file reviewed')),
    );
  });

  it('1a-2 Ctrl+Alt+U leads to the session that waits, and Ctrl+Enter allows its command', async () => {
    await press('Control+Alt+u');
    chat = await until('the chat that waits is visible', async () => {
      const [frame] = await window.webviews();
      return frame && (await frame.getByText('cat package.json').count()) > 0 ? frame : undefined;
    });
    await untilSeen('something in the chat has the focus', focused, isSomewhere);
    await press('Control+Enter');
    await chat.getByRole('log').getByText('Seen.').waitFor();
    await untilSeen('something in the chat has the focus still', focused, isSomewhere);
    await window.screenshot('the next session');
    const pressed = await window.page.evaluate(() => (globalThis as unknown as { pressed: number }).pressed);
    assert.equal(pressed, 0, 'no pointer was used');
  });
});
