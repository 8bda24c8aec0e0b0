import assert from 'node:assert/strict';
import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { Editor } from './driver/editor.ts';
import { press } from './driver/press.ts';
import { untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

/** An access time older than the change: any read moves it, also where the file system keeps access times lazily. */
const LONG_AGO = new Date('2001-01-01T00:00:00Z');

describe('restricted: a folder that is not trusted runs nothing', () => {
  let editor: Editor;
  let window: EditorWindow;
  let runbook = '';

  before(async () => {
    editor = await Editor.open('restricted', {
      asksForTrust: true,
      prepare: ({ workspace }) => {
        const folder = join(workspace, '.switchboard/runbooks');
        mkdirSync(folder, { recursive: true });
        runbook = join(folder, 'secret.md');
        writeFileSync(runbook, '# Secret\n\n```sh\ntouch ran.txt\n```\n');
        utimesSync(runbook, LONG_AGO, new Date());
      },
    });
    window = await editor.openWindow();
  });
  after(() => editor?.close());

  it('starts no process, reads no runbook, and refuses the prompt with a button', async () => {
    await window.openContainer('Switchboard');
    const view = await window.view('Sessions');
    await view.getByText('Trust this folder to run agents').first().waitFor();
    await window.screenshot('view');
    await window.command('Switchboard: New Session');
    const chat = await window.chat();
    const trust = chat.getByRole('button', { name: /Trust this folder/ });
    await trust.waitFor();
    await chat.getByRole('textbox', { name: 'Message', disabled: true }).waitFor();
    await window.screenshot('chat');

    const processes = editor.hostProcesses().length;
    const reads = statSync(runbook).atimeMs === LONG_AGO.getTime() ? 0 : 1;
    process.stdout.write(`${processes} processes, ${reads} reads of .switchboard, prompt refused with a button\n`);
    assert.equal(processes, 0);
    assert.equal(reads, 0);
  });

  it('no command of the gateway starts anything, and each says what would', async () => {
    await window.view('Gateway');
    const refusal = /does not start programs in an untrusted folder/;
    const run = (id: string) =>
      window.probe.run('void vscode.commands.executeCommand(arg); return null;', `switchboard.gateway.${id}`);
    await run('addServer');
    await window.notifications.toast(refusal).first().waitFor();
    await window.screenshot('gateway');
    // The editor shows no toast for a message that comes soon after three others.
    for (const id of ['addAgent', 'newKey', 'openOwnConfiguration', 'openDashboard', 'refresh']) {
      await window.notifications.clear();
      await run(id);
      await untilSeen(
        `${id} says so`,
        () => window.notifications.centre(),
        (all) => all.some((it) => refusal.test(it)),
      );
    }
    assert.deepEqual(editor.hostProcesses(), []);
    assert.equal(existsSync(join(editor.hostDataDir, 'switchboard.jsonc')), false);
  });

  it('the access time would have told: reading the file moves it', async () => {
    await window.probe.run('return (await vscode.workspace.fs.readFile(vscode.Uri.file(arg))).length;', runbook);
    assert.notEqual(statSync(runbook).atimeMs, LONG_AGO.getTime());
  });

  it('the button leads to VS Code’s own question of trust', async () => {
    await press((await window.chat()).getByRole('button', { name: /Trust this folder/ }));
    await window.page
      .getByText(/Workspace Trust|trust the authors/i)
      .first()
      .waitFor();
    await window.screenshot('trust');
  });

  it('the question closes by itself once the folder is trusted', async () => {
    await press(window.page.getByRole('button', { name: 'Trust', exact: true }));
    await window.page.getByRole('button', { name: /^Close Modal Editor/ }).waitFor({ state: 'detached' });
    await (await window.tree('Sessions')).waitFor('New session');
    await window.screenshot('trusted');
  });
});
