import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, it } from 'mocha';
import { readHostFile } from '../../sidecar/launch/attach/hostFile.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { refuseWrites } from '../support/host/refusingDatabase.ts';
import { builtSidecar, openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';
import { answersIn, chooseAgent, say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { pressKeyOnce, write } from './driver/keys.ts';
import { press } from './driver/press.ts';
import { pictureFailures } from './driver/steps.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const agent = join(import.meta.dirname, '../integration/peers/acp/agent.ts');
const scripted = (id: string, displayName: string, ...flags: string[]) => ({
  id,
  displayName,
  command: process.execPath,
  args: [agent, ...flags],
});
/** After so long without a word an agent is called silent. */
const SILENT_SECONDS = 2;

const flows = [
  'no folder open',
  'several folders',
  'agent command missing',
  'sign-in needed',
  'agent silent',
  'window and host of different builds',
  'host stopped',
  'database set aside',
  'disk full',
  'the agent forgot earlier turns',
] as const;

describe('flows: each unhappy flow is one row with one button that does it', () => {
  let editor: Editor;
  let window: EditorWindow;
  const shown = new Set<(typeof flows)[number]>();
  after(() => void process.stdout.write(`flows: ${shown.size}/${flows.length}\n`));

  const answers = async (text: RegExp) =>
    untilSeen(
      `the agent says ${text}`,
      async () => answersIn(await window.chat()),
      (it) => text.test(it),
    );

  /** The row of the Sessions view that begins with `label`: there is one, it says what and why, and it has one button. */
  async function isTheRow(label: string, button: string): Promise<void> {
    const sessions = await window.tree('Sessions');
    const { label: whole } = await sessions.waitFor(label, { description: /^.{21}/, actions: [button] });
    const about = (all: readonly string[]) => all.filter((it) => it.startsWith(label));
    await untilSeen('there is one such row', async () => about(await sessions.labels()), [whole]);
    await window.screenshot(label); // at rest, a toast has come where one would
    assert.deepEqual(
      (await window.notifications.toasts()).filter((it) => it.includes(label)),
      [],
    );
  }
  async function take(label: string, button: string): Promise<void> {
    await (await window.tree('Sessions')).action(label, button);
  }
  async function isGone(label: string): Promise<void> {
    await (await window.tree('Sessions')).waitForNone(label);
  }
  async function send(text: string): Promise<void> {
    await say(await window.chat(), text);
  }
  /** A new session with the named agent, and its first prompt. */
  async function prompt(agentName: string, text: string): Promise<void> {
    await window.closeEditors();
    await window.command('Switchboard: New Session');
    await chooseAgent(await window.chat(), agentName);
    await send(text);
  }
  /** Called after part of the answer is shown. After the turn, the host can be stopped without a question. */
  const hasEnded = async () =>
    (await window.chat()).getByRole('button', { name: /^Stop/ }).waitFor({ state: 'detached' });
  const folderCount = () => window.probe.run<number>('return vscode.workspace.workspaceFolders?.length ?? 0;');
  async function openWindow(folder?: string | null): Promise<void> {
    window = await editor.openWindow(folder);
    await window.openContainer('Switchboard');
  }

  describe('of agents and folders', () => {
    let login = '';
    let ghost = '';

    before(async () => {
      editor = await Editor.open('flows', {
        prepare: ({ root, workspace }) => {
          login = join(root, 'login');
          ghost = join(root, 'ghost');
          writeFileSync(login, '#!/bin/sh\necho "Signing in."\necho "$*" > "$0.done"\nexec sleep 600\n');
          chmodSync(login, 0o755);
          mkdirSync(join(root, 'second'));
          const folders = [{ path: workspace }, { path: join(root, 'second') }];
          writeFileSync(join(root, 'both.code-workspace'), JSON.stringify({ folders }));
        },
        settings: () => ({
          'switchboard.agents': [
            { id: 'ghost', displayName: 'Ghost', command: ghost },
            scripted('member', 'Member', '--auth=terminal', `--login=${login}`),
            { ...scripted('quiet', 'Quiet'), silentAfterSeconds: SILENT_SECONDS },
            scripted('forgetful', 'Forgetful'),
          ],
        }),
      });
      await openWindow();
    });
    pictureFailures(() => window);
    after(() => editor?.close());

    it('agent command missing: the button opens the setting; when the command is there, the next prompt is answered', async () => {
      await prompt('Ghost', 'say boo');
      const label = 'The agent for "say boo" was not found';
      await isTheRow(label, 'Configure Agents…');
      await take(label, 'Configure Agents…');
      const settings = window.page.locator('.settings-editor');
      await settings
        .getByRole('treeitem', { name: /Agents/ })
        .first()
        .waitFor();
      await window.screenshot('the setting');
      await until('the setting is closed', async () => {
        if ((await settings.count()) > 0) await pressKeyOnce(settings.getByRole('textbox').first(), 'Escape');
        await settings.waitFor({ state: 'detached', timeout: 2_000 });
        return true;
      });
      writeFileSync(ghost, `#!/bin/sh\nexec "${process.execPath}" "${agent}"\n`, { mode: 0o755 });
      await send('say here I am');
      await answers(/here I am/);
      await isGone(label);
      shown.add('agent command missing');
    });

    it('sign-in needed: the button runs the own sign-in of the agent in a terminal; after it the prompt is answered', async () => {
      await prompt('Member', 'say hello member');
      const label = 'Sign in to continue "say hello member"';
      await isTheRow(label, 'Sign In…');
      await take(label, 'Sign In…');
      await until('the sign-in ran in a terminal', () => existsSync(`${login}.done`));
      await untilSeen('it got its argument', () => readFileSync(`${login}.done`, 'utf8'), 'login\n');
      await untilSeen(
        'its terminal is the only one',
        () => window.probe.run<string[]>('return vscode.window.terminals.map((it) => it.name);'),
        ['Sign in: member'],
      );
      await window.screenshot('the sign-in');
      await window.command('Terminal: Kill All Terminals');
      await untilSeen(
        'no terminal is left',
        () => window.probe.run<number>('return vscode.window.terminals.length;'),
        0,
      );
      await send('say I am in');
      await answers(/I am in/);
      await isGone(label);
      shown.add('sign-in needed');
    });

    it('the agent forgot earlier turns: the button hands it the transcript with the next prompt', async () => {
      await prompt('Forgetful', 'say the word is walnut');
      await answers(/the word is walnut/);
      await hasEnded();
      await window.restartHost();
      await send('say what was it');
      const label = 'The agent for "say the word is walnut" lost its history';
      await isTheRow(label, 'Attach Transcript');
      await take(label, 'Attach Transcript');
      await (await window.chat()).getByText('Transcript', { exact: true }).waitFor();
      await window.screenshot('the transcript');
      await send('blocks');
      await answers(/\[\{.*the word is walnut/);
      await isGone(label);
      shown.add('the agent forgot earlier turns');
    });

    it('agent silent: the row comes after the time that the agent has, and the button stops the turn', async () => {
      await prompt('Quiet', 'wait');
      const label = 'The agent for "wait" is not responding';
      await isTheRow(label, 'Stop');
      await take(label, 'Stop');
      await answers(/Stopped/);
      await isGone(label);
      shown.add('agent silent');
    });

    it('no folder open: the button asks which', async () => {
      await window.close();
      await openWindow(null);
      await isTheRow('No folder is open', 'Open Folder…');
      await take('No folder is open', 'Open Folder…');
      const input = window.page.locator('.quick-input-widget');
      await input.getByText('Open Folder').first().waitFor();
      await window.screenshot('which folder');
      await window.quickInput.leave();
      await window.close();
      await openWindow();
      await (await window.tree('Sessions')).waitFor('Today');
      await isGone('No folder is open');
      shown.add('no folder open');
    });

    it('several folders: the button asks in which one new sessions work, and they do', async () => {
      await window.close();
      await openWindow(join(editor.scratch.root, 'both.code-workspace'));
      // A served editor that is busy may open the workspace without what is in it, until it is loaded again.
      await until('the editor has both folders', async () => {
        if ((await folderCount()) === 2) return true;
        await window.reload();
        await window.openContainer('Switchboard');
        return (await folderCount()) === 2;
      });
      await isTheRow('2 folders are open', 'Choose Folder for New Sessions…');
      await take('2 folders are open', 'Choose Folder for New Sessions…');
      await window.pick('second');
      await isGone('2 folders are open');
      await prompt('Quiet', 'runs pwd');
      const chat = await window.chat();
      await press(chat.getByRole('button', { name: /Run something/ }));
      await answers(new RegExp(join(editor.scratch.root, 'second')));
      await window.screenshot('in the second folder');
      shown.add('several folders');
    });
  });

  describe('of the host', () => {
    let old: SidecarPlace | undefined;

    before(async () => {
      editor = await Editor.open('flows of the host', {
        prepare: ({ workspace }) => {
          const folder = join(workspace, '.switchboard/runbooks');
          mkdirSync(folder, { recursive: true });
          writeFileSync(join(folder, 'talk.md'), '# Talk\n\nA word, and then a wait.\n\n```sh\nsleep 600\n```\n');
        },
      });
    });
    pictureFailures(() => window);
    after(async () => {
      await old?.close();
      await editor?.close();
    });

    it('window and host of different builds: the older host works on, and the button replaces it', async () => {
      old = openSidecarPlace(olderBuild(editor.scratch.root), editor.hostDataDir);
      const peer = new HostPeer(old.start().peer);
      const folder = pathToFileURL(editor.workspace).href;
      await peer.initialize('older', { ...testWindow, folders: [folder], env: { PATH: process.env['PATH'] ?? '' } });
      const { session, chat } = await peer.newSession({ provider: 'runbook', workingDirectories: [folder] });
      await peer.prompt(chat, '/talk');
      await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 1);
      const before = readHostFile(editor.hostDataDir)!;

      await openWindow();
      const label = 'A newer version of Switchboard is ready';
      await isTheRow(label, 'Restart Host');
      assert.equal(readHostFile(editor.hostDataDir)!.pid, before.pid);
      await take(label, 'Restart Host');
      const dialog = window.page.getByRole('dialog');
      await dialog.getByText('An agent is working.').waitFor();
      await window.screenshot('it works');
      await press(dialog.getByRole('button', { name: 'Restart Anyway' }));
      await isGone(label);
      const now = await until('the newer host runs', () => {
        const found = readHostFile(editor.hostDataDir);
        return found && found.pid !== before.pid ? found : undefined;
      });
      assert.ok(now.build.builtAtMs > before.build.builtAtMs);
      await (await window.tree('Sessions')).waitFor('/talk');
      shown.add('window and host of different builds');
    });

    it('1c-28 host stopped: the list, the status bar, and an open chat say so, and the button starts it', async () => {
      await prompt('Runbook', 'hello');
      await answers(/I run runbooks/);
      await hasEnded();
      const chat = await window.chat();
      await window.command('Switchboard: Stop Host');
      const label = 'The host is stopped';
      await isTheRow(label, 'Restart Host');
      await chat.getByRole('group', { name: 'The host is stopped.' }).getByText('Restart host').waitFor();
      await untilSeen(
        'the status bar says so',
        () => window.statusBar(),
        (all) => all.includes('Switchboard: The host is stopped.'),
      );
      await until('the host is gone', () => readHostFile(editor.hostDataDir) === undefined);
      await take(label, 'Restart Host');
      await isGone(label);
      await chat.getByText('The host is stopped.').waitFor({ state: 'detached' });
      shown.add('host stopped');
    });

    it('database set aside: the button opens the folder where it is; the next start has nothing to say', async () => {
      await window.command('Switchboard: Stop Host');
      await until('the host is gone', () => readHostFile(editor.hostDataDir) === undefined);
      const damaged = Buffer.alloc(8192, 'this is no database ');
      writeFileSync(join(editor.hostDataDir, 'host.db'), damaged);
      await window.command('Switchboard: Restart Host');
      const label = 'Earlier sessions were moved to a backup';
      await isTheRow(label, 'Open Data Folder');
      const [aside = ''] = readdirSync(join(editor.hostDataDir, 'set-aside'));
      assert.deepEqual(readFileSync(join(editor.hostDataDir, 'set-aside', aside, 'host.db')), damaged);
      await take(label, 'Open Data Folder');
      await window.page.locator('.quick-input-widget').getByText('host.db').first().waitFor();
      await window.screenshot('the folder');
      await window.quickInput.leave();
      await window.restartHost();
      await isGone(label);
      shown.add('database set aside');
    });

    it('disk full: what the agent said is kept until there is space, and the button opens the folder', async () => {
      await prompt('Runbook', '/talk');
      await (await window.chat()).getByRole('button', { name: 'Allow once' }).waitFor();
      const pid = readHostFile(editor.hostDataDir)!.pid;
      const makeRoom = refuseWrites(editor.hostDataDir, 'full');
      const message = (await window.chat()).getByRole('textbox', { name: 'Message' });
      await write(message, 'and'); // the draft is the first that finds no room
      const label = 'The disk is full';
      await isTheRow(label, 'Open Data Folder');
      await send('and then?');
      await until('the refused text is back', async () => (await message.inputValue()) === 'and then?');
      await take(label, 'Open Data Folder');
      await window.page.locator('.quick-input-widget').getByText('host.db').first().waitFor();
      await window.screenshot('the full disk');
      await window.quickInput.leave();
      makeRoom();
      await isGone(label);
      assert.equal(readHostFile(editor.hostDataDir)!.pid, pid);
      await answers(/A word, and then a wait\./);
      shown.add('disk full');
    });
  });
});

/** A copy of the built sidecar that says it was built earlier. */
function olderBuild(root: string): string {
  const folder = join(root, 'older');
  cpSync(join(builtSidecar, '..'), folder, { recursive: true });
  // Its entry says when it was built, too, because what is kept of compiled code is kept by build.
  const [built = ''] = /\b\d{13}\b/.exec(readFileSync(builtSidecar, 'utf8')) ?? [];
  assert.notEqual(built, '');
  for (const name of readdirSync(folder).filter((it) => /\.[cm]js$/.test(it))) {
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replaceAll(built, '1500000000000'));
  }
  return join(folder, basename(builtSidecar));
}
