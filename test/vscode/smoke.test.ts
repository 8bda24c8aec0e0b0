import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { contributedBy } from '../../src/activation/contributed.ts';
import { projectRoot } from '../support/cache.ts';
import { Editor } from './driver/editor.ts';
import { press } from './driver/press.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

describe('smoke: the packaged extension in a real VS Code', () => {
  let editor: Editor;
  let window: EditorWindow;

  before(async () => {
    editor = await Editor.open('smoke');
    window = await editor.openWindow();
  });
  after(() => editor?.close());

  it('every tree view of package.json shows rows or a welcome text in the container of its own', async () => {
    await window.openContainer('Switchboard');
    for (const title of treeTitles()) {
      const view = await window.view(title);
      await view.locator('.monaco-list-row, .welcome-view-content').filter({ visible: true }).first().waitFor();
    }
    await window.screenshot('views');
  });

  it('every command of package.json is registered', async () => {
    const { commands } = contributedBy(JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')));
    await untilSeen('none is missing', async () => {
      const registered = new Set(
        await window.probe.run<string[]>(
          'return (await vscode.commands.getCommands(true)).filter((it) => it.startsWith("switchboard."));',
        ),
      );
      return commands.filter((it) => !registered.has(it));
    }, []);
  });

  it('a chat whose page has lost its file, or has a damaged one, says so, and offers a reload, after which the chat is there', async () => {
    const folder = await window.probe.run<string>(
      "return vscode.extensions.getExtension('switchboard.switchboard').extensionPath",
    );
    const parts = join(folder, 'dist', 'media', 'chat.parts');
    /** The message takes the place of the page, whose frame is gone then. */
    const noticeOf = async () => {
      const isThere = async () =>
        (await window.chat())
          .getByRole('alert')
          .getByText('The chat cannot be shown')
          .isVisible()
          .catch(() => false);
      await until('the chat says what is wrong', isThere);
      return window.chat();
    };
    const reloadFromNotice = async () => {
      const reload = (await noticeOf()).getByRole('button', { name: 'Reload Window' });
      await window.reloadedBy(() => press(reload));
    };
    renameSync(parts, `${parts}.away`);
    try {
      await window.reload();
      await window.openContainer('Switchboard');
      await window.clickInView('Sessions', /New Session/);
      await noticeOf();
      await window.screenshot('no chat');
      writeFileSync(parts, readFileSync(`${parts}.away`).subarray(0, 50_000));
      await reloadFromNotice();
      await noticeOf();
    } finally {
      renameSync(`${parts}.away`, parts);
    }
    await reloadFromNotice();
    await (await window.chat()).getByRole('textbox', { name: 'Message' }).waitFor();
    await window.command('View: Close All Editors');
  });

  it('a click on + opens a chat page in an editor tab', async () => {
    await window.clickInView('Sessions', /New Session/);
    const chat = await window.chat();
    await chat.locator('body').waitFor({ state: 'visible' });
    await untilSeen(
      'its tab is the active one',
      () => window.probe.tabs(),
      (all) => all.filter((it) => it.kind === 'webview' && it.isActive).length === 1,
    );
    await window.screenshot('new session');
  });

  it('a command of ours is found in the palette by its title', async () => {
    const found = window.page.getByRole('option', { name: /Switchboard: Show Host Processes/ }).first();
    // The page of the step before may take the focus as it is drawn, which closes the palette.
    await until('the palette lists the command', async () => {
      await window.openPalette('Switchboard: Show Host');
      await found.waitFor({ timeout: 5_000 });
      return true;
    });
    await window.quickInput.leave();
  });
});

/** As a person reads them. */
function treeTitles(): string[] {
  const read = (name: string) => JSON.parse(readFileSync(join(projectRoot, name), 'utf8')) as object;
  const texts = read('package.nls.json') as Readonly<Record<string, string>>;
  const titles = contributedBy(read('package.json')).trees.map(({ id }) => texts[`view.${id.split('.').at(-1)}`] ?? id);
  assert.ok(titles.length >= 5);
  return titles;
}
