import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { type Served, serve } from '../support/host/served.ts';
import { openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';
import { verifies } from '../support/verifies.ts';
import { say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { typeIn } from './driver/keys.ts';
import { press } from './driver/press.ts';
import { inOrder } from './driver/steps.ts';
import type { TreeRows } from './driver/tree.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const RUNBOOK = `# Paint

\`\`\`ask
name: colour
message: Which colour?
\`\`\`

\`\`\`write wall.txt
{{colour}}
\`\`\`

The wall is painted.
`;

describe('two hosts side by side: the one of this machine, and one that is attached to', () => {
  let far: SidecarPlace;
  let served: Served;
  let root: string;
  let folder: string;
  let editor: Editor;
  let window: EditorWindow;
  let sessions: TreeRows;

  before(async () => {
    far = openSidecarPlace();
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-elsewhere-')));
    folder = join(root, 'house');
    mkdirSync(join(folder, '.switchboard/runbooks'), { recursive: true });
    writeFileSync(join(folder, '.switchboard/runbooks/paint.md'), RUNBOOK);
    writeFileSync(join(folder, 'wall.txt'), 'white\n');
    served = await serve(far, root);
    editor = await Editor.open('two hosts');
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    await window.fold('Gateway');
    sessions = await window.tree('Sessions');
  });
  inOrder(() => window);
  after(async () => {
    await editor?.close();
    await far?.close();
    rmSync(root, { recursive: true, force: true });
  });

  const says = (label: string, description: string) => sessions.waitFor(label, { description }, 60_000);
  const named = () =>
    window.probe.run<unknown>(`return vscode.workspace.getConfiguration('switchboard').get('host.remote');`);
  async function answer(prompt: string, text: string): Promise<void> {
    await window.page.locator('.quick-input-widget').getByText(prompt).first().waitFor();
    await window.type(text);
  }
  async function attach(token: string): Promise<void> {
    await window.command('Switchboard: Attach to Host…');
    await answer('The address where "switchboard serve" is listening', served.url);
    await answer('Enter a name for this host', 'House');
    await answer('stores the token in Secret Storage', token);
  }

  it('shows one that is attached to below the own one, first with a wrong token and a button for another', async () => {
    await attach('a-token-of-another-host');
    await says('House', 'token rejected');
    await says('This machine', 'attached');
    const outermost = async () => (await sessions.rows()).filter((it) => it.level === 1).map((it) => it.label);
    await untilSeen('the own host stands above it', outermost, ['This machine', 'House']);
    await window.screenshot('the token is refused');
    await sessions.click('The token was rejected');
    await answer('stores the token in Secret Storage', served.token);
    await says('House', 'attached');
    await untilSeen('the setting names it', named, [{ name: 'House', address: served.url }]);
  });

  it('1c-24 runs a session there, and asks its question in the Inbox with the name of the host', async () => {
    await window.command('Switchboard: New Session');
    await window.page.getByPlaceholder('Select a host for the session').waitFor();
    await window.pick('House');
    await answer('Enter the path to a folder on that machine', folder);
    await say(await window.chat(), '/paint');
    const inbox = await window.tree('Inbox');
    await inbox.waitFor('Which colour?', { description: / · House$/ }, 60_000);
    await sessions.waitFor('/paint');
    await window.screenshot('its question in the inbox');
    await inbox.click('Which colour?');
    await answer('Which colour?', 'green');
    const chat = await window.chat();
    await press(chat.getByRole('button', { name: 'Allow once' }).last());
    await chat.getByText('The wall is painted.').last().waitFor();
    await untilSeen('it is', () => readFileSync(join(folder, 'wall.txt'), 'utf8').trim(), 'green');
  });

  it('shows its changes with both sides read there', async () => {
    const changes = await window.tree('Changes');
    await changes.click('wall.txt');
    const tab = await until('the diff is open', async () =>
      (await window.probe.tabs()).find((it) => it.isActive && it.kind === 'diff' && it.label.startsWith('wall.txt')),
    );
    for (const side of [tab.original, tab.uri]) assert.match(side ?? '', /^switchboard-content:\/\/ws\.127/);
    await until('both sides are read', async () => {
      const texts = (await window.probe.documents()).map((it) => [it.uri, it.text.trim()] as const);
      return [tab.original, tab.uri].every((uri, at) =>
        texts.some(([own, text]) => own === uri && text === ['white', 'green'][at]),
      );
    });
    await window.screenshot('its changes');
  });

  it('takes a comment on a line of such a diff, which stays with that host', async () => {
    verifies('host.remote.comments');
    await window.putCursor('green');
    await window.page.locator('.editor.modified .comment-range-glyph').first().waitFor({ state: 'attached' });
    await window.probe.run(`await vscode.commands.executeCommand('workbench.action.addComment');`);
    const box = window.page.locator('.review-widget').first();
    await typeIn(box, 'Why not blue?');
    await press(box.getByRole('button', { name: 'Add Comment' }));
    await box.getByText('Why not blue?').waitFor();
    await box.getByText('You', { exact: true }).waitFor();
    await window.screenshot('a comment there');
    await press(box.getByRole('button', { name: 'Resolve' }));
    await box.waitFor({ state: 'hidden' });
  });

  it('1c-28 is lost when its server ends, and comes back with its sessions', async () => {
    const { port } = new URL(served.url);
    await served.stop();
    await says('House', 'disconnected, reconnecting…');
    await sessions.waitFor('Not connected');
    await window.screenshot('it is lost');
    const tokenFile = join(root, 'token');
    writeFileSync(tokenFile, served.token, { mode: 0o600 });
    far.spawn(['serve', '--port', port, '--token-file', tokenFile]);
    await says('House', 'attached');
    await sessions.waitFor('/paint');
    await window.screenshot('it is back');
  });

  it('is gone when it is detached from, and the own host stands as before', async () => {
    await window.command('Switchboard: Detach from Host…');
    await window.page.getByPlaceholder('Which host do you want to detach from?').waitFor();
    await window.pick('House');
    await untilSeen(
      'no host is named',
      () => sessions.labels(),
      (all) => !all.includes('House') && !all.includes('This machine'),
    );
    await untilSeen('the setting names none', named, []);
  });
});
