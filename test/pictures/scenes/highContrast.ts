import { chooseAgent, say } from '../../vscode/driver/chat.ts';
import { untilSeen } from '../../vscode/driver/until.ts';
import type { Album } from '../album.ts';
import type { SubjectOf } from '../list.ts';
import { writeRunbooks } from '../runbooks.ts';
import { inEditor, showOnly } from '../stage.ts';

/** The main views and a chat in the editor's high contrast themes, which the editor chooses because the system requests them. */
export const highContrast = (album: Album<SubjectOf<'highContrast'>>) =>
  inEditor('high contrast', { prepare: ({ workspace }) => writeRunbooks(workspace) }, async (window) => {
    await window.page.emulateMedia({ forcedColors: 'active' });
    await untilSeen(
      'the window has a high contrast theme',
      async () => (await window.page.locator('.monaco-workbench').first().getAttribute('class')) ?? '',
      (it) => /\bhc-(black|light)\b/.test(it),
    );
    await showOnly(window, 'Sessions', 'Inbox', 'Changes');
    await window.command('Switchboard: New Session');
    const chat = await window.chat();
    await chooseAgent(chat, 'Runbook');
    await album.take('high-contrast-chat-new', window);
    await say(chat, '/rename');
    await chat.getByRole('button', { name: 'Allow once' }).waitFor();
    await (await window.tree('Inbox')).waitFor('cat src/prices.js');
    await album.take('high-contrast-approval', window);
  });
