import type { Album } from '../album.ts';
import type { SubjectOf } from '../list.ts';
import { writeRunbooks } from '../runbooks.ts';
import { inEditor, showOnly } from '../stage.ts';
import { inSideBar } from './sideBarChat.ts';

/** What there is before somebody trusts the folder. */
export const untrusted = (album: Album<SubjectOf<'untrusted'>>) =>
  inEditor(
    'untrusted',
    { asksForTrust: true, settings: inSideBar, prepare: ({ workspace }) => writeRunbooks(workspace) },
    async (window) => {
      await showOnly(window, 'Sessions');
      await (await window.view('Sessions')).getByText('Trust this folder to run agents').first().waitFor();
      await album.take('view-sessions-untrusted', window);
      await showOnly(window, 'Inbox');
      await album.take('view-inbox-untrusted', window);
      await showOnly(window, 'Changes');
      await album.take('view-changes-untrusted', window);
      await showOnly(window, 'Worktrees');
      await (await window.view('Worktrees'))
        .getByText(/^The worktrees that sessions work in appear here after/)
        .waitFor();
      await album.take('view-worktrees-untrusted', window);
      await showOnly(window, 'Agents & Customizations');
      await album.take('view-customizations-untrusted', window);
      await showOnly(window, 'Gateway');
      await (await window.view('Gateway')).getByText('The gateway starts when you trust this folder.').waitFor();
      await album.take('view-gateway-untrusted', window);
      await showOnly(window, 'Sessions', 'Inbox', 'Changes');
      await window.command('Switchboard: New Session');
      await (await window.chat()).getByRole('button', { name: /Trust this folder/ }).waitFor();
      await album.take('view-chat-untrusted', window);
    },
  );
