import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame } from 'playwright-core';
import { chooseAgent, say } from '../driver/chat.ts';
import { Editor } from '../driver/editor.ts';
import { press } from '../driver/press.ts';
import { inOrder } from '../driver/steps.ts';
import { until, untilSeen } from '../driver/until.ts';
import type { EditorWindow } from '../driver/window.ts';

const agent = join(import.meta.dirname, '../../integration/peers/acp/agent.ts');

/** In order: each step stands on the one before. */
describe('a command of an agent in a terminal', () => {
  let editor: Editor;
  let window: EditorWindow;
  let chat: Frame;

  before(async () => {
    editor = await Editor.open('agent terminals', {
      settings: () => ({
        // The screen of a terminal is text in the page then.
        'terminal.integrated.gpuAcceleration': 'off',
        'window.autoDetectColorScheme': true,
        'switchboard.agents': [{ id: 'echo', displayName: 'Echo', command: process.execPath, args: [agent] }],
      }),
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    chat = await window.chatAfter(() => window.clickInView('Sessions', /New Session/));
    await chooseAgent(chat, 'Echo');
  });
  inOrder(() => window);
  after(() => editor?.close());

  const cardOf = (prompt: string) => chat.locator('.turn', { hasText: prompt }).first().locator('chat-tool');
  const made = (name: string) => join(editor.workspace, name);
  /** What a loop does no rule can tell, so a person has to click twice. */
  const allow = async () => {
    await press(chat.getByRole('button', { name: 'Run anyway' }));
    await press(chat.getByRole('button', { name: 'Press again to allow' }));
  };

  it('1c-9 a tool call shows what its command prints while it runs, opens its terminal, and keeps how it ended', async () => {
    const command = 'echo begun; until [ -e go ]; do sleep 0.1; done; echo over; exit 3';
    await say(chat, `terminal ${command}`);
    await allow();
    const card = cardOf('terminal echo begun');
    await card.locator('.output', { hasText: 'begun' }).waitFor();
    await window.pictures((scheme) => editor.screenshotPath(`running ${scheme}`));
    await press(card.getByRole('button', { name: 'Open Terminal' }));
    const screen = window.page.locator('.terminal-wrapper.active .xterm-rows');
    await untilSeen(
      'the terminal shows what it printed',
      async () => (await screen.allInnerTexts()).join(),
      (it) => it.includes('begun'),
    );
    await window.screenshot('opened');
    writeFileSync(made('go'), '');
    await chat.locator('.markdown', { hasText: 'It ended with 3.' }).waitFor();
    await card.locator('.output', { hasText: 'over' }).waitFor();
    await card.getByText('exit code 3').waitFor();
    await card.getByRole('button', { name: 'Open Terminal' }).waitFor({ state: 'detached' });
    await window.pictures((scheme) => editor.screenshotPath(`ended ${scheme}`));
  });

  it('1c-9 a command continues in the background, and its agent continues without it', async () => {
    await say(chat, 'terminal until [ -e on ]; do sleep 0.1; done; echo x > on-and-on; sleep 300');
    await allow();
    const card = cardOf('terminal until');
    await press(card.getByRole('button', { name: 'Continue in Background' }));
    await chat.locator('.markdown', { hasText: 'It ended with null.' }).waitFor();
    await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
    await card.getByText('running in the background').waitFor();
    assert.equal(existsSync(made('on-and-on')), false);
    writeFileSync(made('on'), '');
    await until('it still runs after its turn', () => existsSync(made('on-and-on')));
    await window.pictures((scheme) => editor.screenshotPath(`in the background ${scheme}`));
  });
});
