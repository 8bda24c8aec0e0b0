import { chooseAgent, say } from '../../vscode/driver/chat.ts';
import type { Album } from '../album.ts';
import type { SubjectOf } from '../list.ts';
import { writeRunbooks } from '../runbooks.ts';
import { inEditor } from '../stage.ts';

export const inSideBar = { 'switchboard.chat.location': 'sideBar' };

/** The chat where a person has it in the secondary side bar. */
export const sideBarChat = (album: Album<SubjectOf<'sideBarChat'>>) =>
  inEditor(
    'side bar chat',
    { settings: inSideBar, prepare: ({ workspace }) => writeRunbooks(workspace) },
    async (window) => {
      await (await window.tree('Sessions')).waitFor('Take the tour');
      await window.probe.command('switchboard.chat.focus');
      const chat = await window.chat();
      await chat.getByRole('textbox', { name: 'Message' }).waitFor();
      await chat.getByRole('button', { name: /^Agent:/ }).waitFor();
      await album.take('view-chat-empty', window);
      await chooseAgent(chat, 'Runbook');
      await say(chat, '/report');
      await chat.getByText('Prices are in cents everywhere.', { exact: true }).waitFor();
      await chat.getByRole('button', { name: 'Send', exact: true }).waitFor();
      await album.take('view-chat-content', window);
    },
  );
