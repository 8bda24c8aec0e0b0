import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame, Locator } from 'playwright-core';
import { answersIn, chooseAgent, chooseInMenu, say } from '../driver/chat.ts';
import { Editor } from '../driver/editor.ts';
import { chooseEntry, press } from '../driver/press.ts';
import { inOrder } from '../driver/steps.ts';
import { until, untilSeen } from '../driver/until.ts';
import type { EditorWindow } from '../driver/window.ts';

const agent = join(import.meta.dirname, '../../integration/peers/acp/agent.ts');
const FRUIT = 'const prices = {\n  apple: 45,\n  pear: 60,\n};\n';
/** One red dot. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** In order: each step stands on the one before. */
describe('1c-12 attachments in a real editor', () => {
  let editor: Editor;
  let window: EditorWindow;
  let chat: Frame;

  before(async () => {
    const command = process.execPath;
    editor = await Editor.open('attachments', {
      settings: () => ({
        'terminal.integrated.gpuAcceleration': 'off',
        'switchboard.agents': [
          { id: 'blind', displayName: 'Blind', command, args: [agent] },
          { id: 'seeing', displayName: 'Seeing', command, args: [agent, '--image', '--embedded'] },
        ],
      }),
      prepare: ({ workspace }) => {
        writeFileSync(join(workspace, 'src/fruit.js'), FRUIT);
        writeFileSync(join(workspace, 'dot.png'), Buffer.from(png, 'base64'));
      },
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    await window.clickInView('Sessions', /New Session/);
    chat = await window.chat();
    await chooseAgent(chat, 'Seeing');
  });
  inOrder(() => window);
  after(() => editor?.close());

  const chips = () =>
    chat.locator('chat-composer .chip').evaluateAll((all) => all.map((it) => it.getAttribute('aria-label')));
  const uriOf = (path: string) => `file://${join(editor.workspace, path)}`;
  const untilChips = (what: string, wanted: readonly string[]) => untilSeen(what, chips, [...wanted]);
  const attach = (what: string) =>
    chooseInMenu(chat.getByRole('button', { name: 'Attach', exact: true }), chat.getByRole('menuitem', { name: what }));
  const answers = async () => (await answersIn(chat)).match(/\[\{"type".*?\}\]/g) ?? [];
  /** Sends what is attached to the agent, which says what it got. */
  const blocks = async () => {
    const before = await answers();
    await say(chat, 'blocks');
    const all = await untilSeen('the agent says what it got', answers, (it) => it.length > before.length);
    await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
    return all.at(-1) ?? '';
  };
  const chooseInMenuOf = async (place: Locator, name: string, prepare?: () => Promise<unknown>) => {
    const entry = window.page.getByRole('menuitem', { name });
    await chooseEntry(entry, async () => {
      await prepare?.();
      await place.click({ button: 'right', timeout: 5_000, position: { x: 40, y: 8 } });
    });
  };
  const open = (path: string, from: number, to: number) =>
    window.probe.run(
      `const editor = await vscode.window.showTextDocument(vscode.Uri.parse(arg.uri), { preview: false, viewColumn: 2 });
       editor.selection = new vscode.Selection(arg.from, 0, arg.to, 11);`,
      { uri: uriOf(path), from, to },
    );

  it('the menu of an editor adds its selection to the chat that was used last', async () => {
    const line = window.page.locator('.editor-instance .view-line', { hasText: 'apple' }).first();
    // While the editor is still moving into place, a click may miss the selection and clear it.
    const select = () => open('src/fruit.js', 1, 2);
    await chooseInMenuOf(line, 'Add Selection to Switchboard Chat', select);
    await untilChips('the selection is attached', ['fruit.js:2-3, selection, 2 lines']);
  });

  it('the menu of the Explorer adds a file and a folder, which reach the agent as links', async () => {
    await window.openContainer('Explorer');
    const row = window.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'src' }).first();
    await chooseInMenuOf(row, 'Add to Switchboard Chat');
    await untilChips('the folder is attached', ['fruit.js:2-3, selection, 2 lines', 'src/, folder']);
    const got = await blocks();
    assert.match(got, /"type":"resource_link","uri":"file:[^"]*\/src"/);
    assert.match(got, /apple: 45,\\n {2}pear: 60/);
  });

  it('the problems that the editor shows are attached as they are printed', async () => {
    await window.probe.run(
      `globalThis.found = vscode.languages.createDiagnosticCollection('fruits');
       const where = new vscode.Range(2, 2, 2, 6);
       globalThis.found.set(vscode.Uri.parse(arg), [new vscode.Diagnostic(where, 'A pear costs too much', 0)]);`,
      uriOf('src/fruit.js'),
    );
    await attach('Problems');
    await window.pick('All problems in the workspace');
    await untilChips('the problems are attached', ['Problem in src/fruit.js:3, problems, 1 line']);
    assert.match(await blocks(), /src\/fruit\.js:3:3 error: A pear costs too much/);
  });

  it('what a repository has not committed is attached as a diff', async () => {
    writeFileSync(join(editor.workspace, 'README.md'), 'Changed by a person\n');
    await until('the editor sees the change', async () => {
      await attach('Source control changes');
      await untilSeen(
        'the changes are attached',
        chips,
        (it) => it.some((one) => one?.startsWith('Changes in')),
        3_000,
      );
      return true;
    });
    assert.match(await blocks(), /\+Changed by a person/);
  });

  it('the output of a terminal is attached', async () => {
    await window.probe.run(
      `globalThis.terminal = vscode.window.createTerminal({ name: 'fruits', shellPath: '/bin/sh' });
       globalThis.terminal.show(true);
       globalThis.terminal.sendText('echo ripe-$((40 + 2))');`,
    );
    await window.page.locator('.terminal-wrapper .xterm-rows', { hasText: 'ripe-42' }).waitFor();
    await attach('Terminal output');
    await until('the output is attached', async () => (await chips()).some((it) => it?.startsWith('Output of fruits')));
    assert.match(await blocks(), /ripe-42/);
  });

  it('the menu of a terminal adds what is selected in it', async () => {
    await press(window.page.locator('.terminal-wrapper').first());
    await window.probe.run(`await vscode.commands.executeCommand('workbench.action.terminal.selectAll')`);
    const screen = window.page.locator('.terminal-wrapper .xterm-screen').first();
    await chooseInMenuOf(screen, 'Add Terminal Selection to Switchboard Chat');
    await untilChips('the output is attached', ['Output of fruits, terminal output, 3 lines']);
    assert.match(await blocks(), /ripe-42/);
    await window.probe.run('globalThis.terminal.dispose();');
  });

  it('the menu of Source Control adds the changes of one file', async () => {
    await window.openContainer('Source Control');
    const row = window.page.locator('.scm-view .monaco-list-row', { hasText: 'README.md' }).first();
    await chooseInMenuOf(row, 'Add Changes to Switchboard Chat');
    await untilSeen('the changes are attached', async () => (await chips()).length, 1);
    assert.match(await blocks(), /\+Changed by a person/);
  });

  it('a symbol is found by its name and attached with its lines', async () => {
    const wanted = window.quickInput.widget.getByRole('option', { name: /prices/ }).first();
    await until('the symbols of the file are found', async () => {
      await attach('Symbol');
      await wanted.waitFor({ timeout: 5_000 });
      return true;
    });
    await window.pick('prices');
    await untilChips('the symbol is attached', ['prices:1-4, symbol, 4 lines']);
    assert.match(await blocks(), /const prices = /);
  });

  it('a file that is dragged onto the chat with Shift is attached', async () => {
    await window.openContainer('Explorer');
    const row = window.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'package.json' }).first();
    const from = (await row.boundingBox())!;
    const to = (await (await chat.parentFrame()!.frameElement()).boundingBox())!;
    const { mouse, keyboard } = window.page;
    const [x, y] = [to.x + to.width / 2, to.y + to.height / 2];
    await mouse.move(from.x + 40, from.y + 8);
    await mouse.down();
    await mouse.move(x, y, { steps: 6 });
    await keyboard.down('Shift');
    // Over the page go only the moves that come after the editor has let them through.
    await until('the page takes what is dragged', async () => {
      await mouse.move(x, y + 40, { steps: 6 });
      await mouse.move(x, y + 20, { steps: 6 });
      return chat.locator('.is-drop').isVisible();
    });
    await mouse.up();
    await keyboard.up('Shift');
    await untilSeen('the file is attached', async () => (await chips()).map((it) => it?.split(',')[0]), [
      'package.json',
    ]);
    assert.match(await blocks(), /"type":"resource_link","uri":"file:[^"]*\/package\.json"/);
  });

  const pasteImage = () =>
    chat.getByRole('textbox', { name: 'Message' }).evaluate((field, base64) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(base64), (it) => it.charCodeAt(0));
      data.items.add(new File([bytes], 'image.png', { type: 'image/png' }));
      field.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }));
    }, png);

  it('a pasted image has a small picture, stays over a reload, and reaches the agent as an image', async () => {
    await pasteImage();
    await chat.getByRole('listitem', { name: 'image.png, image' }).locator('img').waitFor();
    await window.screenshot('image');
    await window.reloadByCommand();
    chat = await window.chat();
    await chat.getByRole('listitem', { name: 'image.png, image' }).locator('img').waitFor();
    assert.match(await blocks(), new RegExp(`"type":"image","data":"${png.slice(0, 40)}`));
    await chat.locator('.bubble .chip', { hasText: 'image.png' }).locator('img').waitFor();
    await untilChips('nothing is attached any more', []);
  });

  it('a file that is dropped on the row of a session is attached to its next message', async () => {
    await window.openContainer('Switchboard');
    const sessions = await window.tree('Sessions');
    const row = sessions.row('blocks');
    await row.waitFor();
    await window.page.getByRole('tab', { name: 'fruit.js' }).dragTo(row);
    chat = await window.chat();
    await untilChips('the file is attached', [`fruit.js, file, ${FRUIT.length} B`]);
  });

  it('an agent that takes no images is named before the message is sent', async () => {
    await window.closeEditors();
    await window.clickInView('Sessions', /New Session/);
    chat = await window.chat();
    await chooseAgent(chat, 'Blind');
    await attach('Images');
    const shown = window.quickInput.widget.locator('.quick-input-box input');
    await untilSeen('the dialog shows the folder', () => shown.inputValue(), `${editor.workspace}/`);
    await window.type(join(editor.workspace, 'dot.png'));
    await chat
      .getByText('Blind does not accept this type of content. It receives only the name: dot.png')
      .first()
      .waitFor();
    await window.screenshot('refused');
    await press(chat.getByRole('button', { name: 'Remove dot.png' }));
    await untilChips('the image is gone', []);
  });

  it('a long paste becomes an attachment, and text again', async () => {
    const text = Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n');
    const message = chat.getByRole('textbox', { name: 'Message' });
    await message.evaluate((field, it) => {
      const data = new DataTransfer();
      data.setData('text/plain', it);
      field.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }));
    }, text);
    await untilChips('the text is attached', ['Pasted text, pasted text, 50 lines']);
    await press(chat.getByRole('button', { name: 'Convert Pasted text back to text' }));
    await untilSeen('the text is in the message', () => message.inputValue(), text);
    await untilChips('nothing is attached', []);
  });

  it('what was said in another session is attached', async () => {
    await attach('Session');
    await window.pick('blocks');
    await untilSeen('the session is attached', async () => (await chips()).map((it) => it?.split(', ')[1]), [
      'conversation',
    ]);
  });
});
