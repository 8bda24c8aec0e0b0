import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame, Page } from 'playwright-core';
import { type AuthorizationServer, startAuthorizationServer } from '../support/backends/authorizationServer.ts';
import { type Listening, listen } from '../support/backends/listen.ts';
import { chooseAgent, say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { pressKey } from './driver/keys.ts';
import { press } from './driver/press.ts';
import { pictureFailures } from './driver/steps.ts';
import { untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

/** A served editor sends pages of 127.0.0.1 through a proxy of its own, which this one does not have. */
const host = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';
const agent = join(import.meta.dirname, '../integration/peers/acp/agent.ts');

describe('sign in: an agent that needs a token of a protected resource', () => {
  let server: AuthorizationServer;
  let vault: Listening;
  let editor: Editor;
  let window: EditorWindow;
  let chat: Frame;

  before(async () => {
    server = await startAuthorizationServer({}, host);
    vault = await listen(
      createServer((request, response) => {
        const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
        server.accountOf(token).then(
          (account) => response.writeHead(account === undefined ? 401 : 200).end(`hello ${account}`),
          () => response.writeHead(500).end(),
        );
      }),
    );
    const metadata = {
      resource: vault.url,
      resource_name: 'The vault',
      authorization_servers: [server.url],
      scopes_supported: ['read'],
    };
    editor = await Editor.open('sign in', {
      settings: () => ({
        'switchboard.agents': [
          {
            id: 'keeper',
            displayName: 'Keeper',
            command: process.execPath,
            args: [agent, '--token=VAULT_TOKEN'],
            protectedResources: [{ env: 'VAULT_TOKEN', metadata }],
          },
        ],
      }),
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    await window.command('Switchboard: New Session');
    chat = await window.chat();
    await chooseAgent(chat, 'Keeper');
  });
  pictureFailures(() => window);
  after(async () => {
    await editor?.close();
    await vault?.close();
    await server?.close();
  });

  const message = () => chat.getByRole('textbox', { name: 'Message' });
  const dialog = () => window.page.locator('.monaco-dialog-box');
  const says = (text: string | RegExp) => chat.getByText(text).last().waitFor();
  /** The editor may show its next question in the same moment, so it is this one's button that goes. */
  async function answer(name: string): Promise<void> {
    const button = dialog().getByRole('button', { name, exact: true });
    await press(button);
    await button.waitFor({ state: 'hidden' });
  }
  const prompt = () => `fetch ${vault.url}`;
  const hasPrompt = () => untilSeen('the prompt is back in its field', () => message().inputValue(), prompt());
  /** Chooses a way to sign in, and lets the editor open the server's page for it. */
  async function openBrowser(way: 'Sign In'): Promise<Page> {
    await pressKey(message(), 'Enter');
    await dialog().waitFor();
    await answer(way);
    return openPage();
  }
  /** The editor asks before it opens what is not on its list; the page comes after that. */
  async function openPage(): Promise<Page> {
    const opened = window.page.context().waitForEvent('page', { timeout: 60_000 });
    await dialog().filter({ hasText: 'external website' }).waitFor();
    await window.screenshot('the editor asks');
    await answer('Open');
    return opened;
  }

  it('asks before the first prompt, says who asks, for what and where, and keeps the prompt of who says no', async () => {
    await say(chat, prompt());
    const words = ['Sign in to The vault?', 'Keeper', vault.url, server.url, 'read'];
    await untilSeen(
      `the dialog says ${words.join(', ')}`,
      async () => (await dialog().textContent({ timeout: 5_000 })) ?? '',
      (text) => words.every((it) => text.includes(it)),
    );
    await window.screenshot('the question');
    await answer('Cancel');
    await says('The agent needs you to sign in. Nothing was sent, and your prompt is still here.');
    await hasPrompt();
    await window.screenshot('said no');
    assert.deepEqual(server.tokenRequests, []);
  });

  it('says what the server said, and still has the prompt', async () => {
    server.refuses = true;
    const page = await openBrowser('Sign In');
    await window.notifications.toast('Sign-in to The vault failed').waitFor();
    await page.close();
    server.refuses = false;
    const { host } = new URL(server.url);
    await untilSeen(
      'the notification says why',
      async () => (await window.notifications.toasts()).filter((it) => it.includes('failed')),
      [`Sign-in to The vault failed. ${host} responded: access was denied there`],
    );
    await hasPrompt();
  });

  it('signs in with the browser, and the agent works with the token', async () => {
    const page = await openBrowser('Sign In');
    await says('hello alice');
    await page.close();
    await window.screenshot('signed in');
  });

  it('asks again after a sign-out', async () => {
    await window.command('Switchboard: Sign Out…');
    await window.page.getByPlaceholder('What do you want to sign out of?').waitFor();
    await window.pick('The vault');
    await window.notifications.toast('Signed out of The vault.').waitFor();
    await say(chat, prompt());
    await says('Sign in to The vault first.');
    await window.screenshot('asked again');
  });

  it('signs in with a code, which is copied and closes with the sign-in', async () => {
    server.account = 'bob';
    await window.notifications.click('Keeper needs you to sign in', 'Sign In');
    await dialog().waitFor();
    await answer('Use a Device Code');
    const notice = window.notifications.toast('Enter the code');
    const text = await untilSeen(
      'the notification names a code',
      async () => (await notice.textContent({ timeout: 5_000 })) ?? '',
      (it) => /Enter the code \S+ at/.test(it),
    );
    const [, code = ''] = /Enter the code (\S+) at/.exec(text) ?? [];
    await window.screenshot('a code');
    await press(notice.getByRole('link', { name: 'Copy the code and open the page' }));
    const page = await openPage();
    await untilSeen(
      'the code is in the clipboard',
      () => window.probe.run('return vscode.env.clipboard.readText();'),
      code,
    );
    await page.getByText(`Is it ${code}?`).waitFor();
    await press(page.getByRole('button', { name: 'Continue' }));
    await page.getByText('You are signed in.').waitFor();
    await page.close();
    await notice.waitFor({ state: 'hidden' });
    await say(chat, prompt());
    await says('hello bob');
    await window.screenshot('signed in with a code');
  });
});
