import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import { agentProgram } from '../../support/registry/agentProgram.ts';
import { type AgentServer, openAgentServer } from '../../support/registry/agentServer.ts';
import { answersIn, chooseAgent, chooseInMenu, openMenu, say } from '../driver/chat.ts';
import { Editor } from '../driver/editor.ts';
import { pressKey, pressKeyIn, typeIn } from '../driver/keys.ts';
import { press } from '../driver/press.ts';
import { inOrder } from '../driver/steps.ts';
import { until, untilSeen } from '../driver/until.ts';
import type { EditorWindow } from '../driver/window.ts';

const LIMIT = 6;
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="currentColor" d="M8 1l7 14H1z"/></svg>';

/** The registry of agents and that of packages are on this machine; the editor, npm and the agent are real. */
describe('adding an agent from the registry', () => {
  let server: AgentServer;
  let editor: Editor;
  let window: EditorWindow;
  let clicks = 0;

  const entry = (id: string, name: string, version: string, more: object = {}) => ({
    ...{ id, name, version, license: 'MIT', authors: ['Somebody'], icon: `${server.origin}/icon.svg` },
    distribution: { npx: { package: `@test/${id}@${version}`, args: ['--early'] } },
    ...more,
  });
  const publish = (id: string, version: string, more: object = {}) =>
    server.publish(`@test/${id}`, version, { 'agent.sh': agentProgram() }, { bin: { [id]: 'agent.sh' }, ...more });
  const installedFolder = (id: string) => join(editor.hostDataDir, 'agents', id);

  before(async () => {
    server = await openAgentServer();
    server.put('/icon.svg', svg);
    publish('helpful', '1.0.0');
    publish('scripted', '2.0.0', { scripts: { postinstall: 'node -e 0' } });
    server.list([
      entry('helpful', 'Helpful', '1.0.0'),
      entry('scripted', 'Scripted', '2.0.0'),
      entry('python', 'Python Agent', '3.0.0', { distribution: { uvx: { package: 'python-agent==3.0.0' } } }),
      { id: 'Odd Entry' },
    ]);
    editor = await Editor.open('add agent', {
      asksForTrust: true,
      env: { npm_config_registry: server.npm },
      settings: {
        'security.workspace.trust.startupPrompt': 'always',
        'switchboard.agentRegistry': server.address,
        'window.autoDetectColorScheme': true,
      },
    });
    window = await editor.openWindow();
  });
  inOrder(() => window);
  after(async () => {
    await editor?.close();
    await server?.close();
  });

  async function click(target: Locator): Promise<void> {
    await press(target);
    clicks += 1;
  }
  async function key(name: string, place: Locator): Promise<void> {
    await pressKeyIn(place, name);
    clicks += 1;
  }
  const list = () => window.page.locator('.quick-input-widget');
  const row = (name: string | RegExp) => list().getByRole('option', { name }).first();
  const dialog = () => window.page.locator('.monaco-dialog-box');

  it(`1c-26 first minutes: trust, an agent installed from the registry, and its answer to a first prompt take at most ${LIMIT} clicks`, async () => {
    await click(window.page.getByRole('button', { name: /^Yes, I trust the authors/ }));
    await until('the window works', () => window.probe.run<boolean>('return vscode.workspace.isTrusted;'));
    await key('Control+Alt+j', window.page.locator('body'));
    const chat = await window.chat();
    await chat.getByRole('button', { name: /^Agent:.*Runbook/ }).waitFor();
    await chat.getByRole('button', { name: 'Add Agent…' }).waitFor();
    await window.screenshot('empty chat');
    await click(chat.getByRole('button', { name: 'Add Agent…' }));
    await row(/^Helpful/).waitFor();
    await window.screenshot('list');
    await click(row(/^Helpful/));
    const install = dialog().getByRole('button', { name: 'Install' });
    await install.waitFor();
    const words = (await dialog().textContent()) ?? '';
    for (const part of [
      'Install Helpful 1.0.0?',
      'npm install --ignore-scripts @test/helpful@1.0.0',
      `${server.origin}/npm/-/@test-helpful-1.0.0.tgz`,
      installedFolder('helpful'),
      'sha512-',
      '--early',
      'Package install scripts do not run.',
    ])
      assert.ok(words.includes(part), `${part} in: ${words}`);
    await window.screenshot('confirmation');
    await click(install);
    await chat.getByRole('button', { name: /^Agent:.*Helpful/ }).waitFor();
    const message = chat.getByRole('textbox', { name: 'Message' });
    await typeIn(message, 'say good morning');
    await key('Enter', message);
    await untilSeen(
      'the agent answers',
      () => answersIn(chat),
      (it) => it.includes('good morning'),
    );
    await window.screenshot('answer');
    process.stdout.write(`first prompt to an installed agent: ${clicks} clicks\n`);
    assert.ok(clicks <= LIMIT, `${clicks} clicks`);
  });

  it('1c-26 the list shows what is installed, what cannot be installed here and why, and what was skipped', async () => {
    await window.command('Switchboard: Add Agent…');
    await row(/^Helpful.*1\.0\.0 installed/).waitFor();
    await row(/^Python Agent.*uv was not found/).waitFor();
    await row(/^1 entry was skipped/).waitFor();
    await row(/^Configure Agents in Settings…/).waitFor();
    await window.pictures((scheme) => editor.screenshotPath(`list ${scheme}`));
    await window.quickInput.leave();
  });

  it('1c-26 the picker of a new session ends in Add Agent…, and Cancel in the confirmation installs nothing', async () => {
    await window.closeEditors();
    await window.command('Switchboard: New Session');
    const chat = await window.chat();
    const menu = chat.getByRole('menu', { name: 'Agent' });
    await openMenu(chat.getByRole('button', { name: /^Agent:/ }), menu);
    const names = () => chat.locator('.menu .menu-label').allInnerTexts();
    await untilSeen('the menu ends in Add Agent…', names, ['Helpful', 'Runbook', 'Switchboard', 'Add Agent…']);
    await window.screenshot('picker');
    await pressKey(menu, 'Escape');
    await chooseInMenu(
      chat.getByRole('button', { name: /^Agent:/ }),
      chat.getByRole('menuitem', { name: 'Add Agent…' }),
    );
    await press(row(/^Scripted/));
    await press(dialog().getByRole('button', { name: 'Cancel' }));
    assert.equal(existsSync(installedFolder('scripted')), false);
  });

  it('1c-26 the built-in agent says what to do while it has no model, and its button shows where models come from', async () => {
    await window.closeEditors();
    await window.command('Switchboard: New Session');
    const chat = await window.chat();
    await chooseAgent(chat, 'Switchboard');
    await chat.getByText('Switchboard has no model yet.').first().waitFor();
    await window.screenshot('no model');
    await press(chat.getByRole('button', { name: 'Connect a model…' }));
    await list()
      .getByPlaceholder(/^(?:No model found|Select where)/)
      .waitFor();
    await row(/^Add a Key…/).waitFor();
    await row(/^Sign In with Another Agent…/).waitFor();
    await window.screenshot('connect a model');
    await window.quickInput.leave();
  });

  it('1c-26 install scripts that did not run are named, and a person chooses which ones run', async () => {
    await window.command('Switchboard: Add Agent…');
    await press(row(/^Scripted/));
    await press(dialog().getByRole('button', { name: 'Install' }));
    const toast = window.page.locator('.notification-toast', { hasText: '@test/scripted@2.0.0' });
    await toast.waitFor();
    await window.screenshot('scripts');
    await press(toast.getByRole('button', { name: 'Run Install Scripts…' }));
    await press(list().locator('.monaco-list-row', { hasText: '@test/scripted@2.0.0' }));
    await press(list().getByRole('button', { name: 'OK' }));
    await window.page.locator('.notification-toast', { hasText: /^.*Scripted 2\.0\.0 is installed\.$/s }).waitFor();
  });

  it('1c-26 an installed agent is removed with its folder, and a session of it says so', async () => {
    await window.command('Switchboard: Add Agent…');
    await press(row(/^Helpful/));
    await press(row(/^Remove/));
    await press(dialog().getByRole('button', { name: 'Remove' }));
    await until('the folder is gone', () => !existsSync(installedFolder('helpful')));
    assert.ok(readdirSync(join(editor.hostDataDir, 'agents')).includes('scripted'));
    await window.closeEditors();
    await window.openContainer('Switchboard');
    await (await window.tree('Sessions')).click('say good morning');
    const chat = await window.chat();
    await say(chat, 'say good evening');
    await untilSeen(
      'the session says what happened',
      () => chat.locator('body').textContent(),
      (it) => /Helpful was removed on .* install it again/.test(it ?? ''),
    );
    await chat.getByRole('button', { name: 'Add agent…' }).waitFor();
    await window.screenshot('removed');
  });
});
