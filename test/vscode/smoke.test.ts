import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { Editor } from './driver/editor.ts';
import type { EditorWindow } from './driver/window.ts';

describe('smoke: the packaged extension in a real VS Code', () => {
  let editor: Editor;
  let window: EditorWindow;

  before(async () => {
    editor = await Editor.open('smoke');
    window = await editor.openWindow();
  });
  after(() => editor?.close());

  it('Sessions, Inbox and Changes show in the container of its own', async () => {
    await window.openContainer('Switchboard');
    for (const title of ['Sessions', 'Inbox', 'Changes']) await (await window.view(title)).waitFor();
    await window.screenshot('views');
  });

  it('a click on + opens a chat page in an editor tab', async () => {
    await window.clickInView('Sessions', /New Session/);
    const chat = await window.chat();
    await chat.locator('body').waitFor({ state: 'visible' });
    const tabs = await window.probe.tabs();
    await window.screenshot('new session');
    assert.equal(tabs.filter((it) => it.kind === 'webview' && it.isActive).length, 1);
  });

  it('a command of ours is found in the palette by its title', async () => {
    await window.openPalette('Switchboard: Show Host');
    await window.page
      .getByRole('option', { name: /Switchboard: Show Host Processes/ })
      .first()
      .waitFor();
    await window.page.keyboard.press('Escape');
  });
});
