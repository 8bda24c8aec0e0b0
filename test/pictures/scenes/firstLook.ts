import type { Frame } from 'playwright-core';
import { chooseInMenu } from '../../vscode/driver/chat.ts';
import { press } from '../../vscode/driver/press.ts';
import type { Album } from '../album.ts';
import type { SubjectOf } from '../list.ts';
import { inEditor, showOnly } from '../stage.ts';
import { withAgents, worker } from '../workers.ts';

/** What a newcomer sees: every view with nothing in it, and a chat before its first word. */
export const firstLook = (album: Album<SubjectOf<'firstLook'>>) =>
  inEditor('first look', { settings: withAgents(worker('worker', 'Worker')) }, async (window) => {
    const sessions = await window.tree('Sessions');
    for (const it of ['Take the tour', 'New session', 'Agents found:']) await sessions.waitFor(it);
    await album.take('side-bar', window);
    await showOnly(window, 'Sessions');
    await album.take('view-sessions-empty', window);
    await showOnly(window, 'Inbox');
    await (await window.view('Inbox')).getByText('Nothing needs your attention.').waitFor();
    await album.take('view-inbox-empty', window);
    await showOnly(window, 'Changes');
    await (await window.view('Changes')).getByText('No changes.').waitFor();
    await album.take('view-changes-empty', window);
    await showOnly(window, 'Worktrees');
    await (await window.view('Worktrees')).getByText('that sessions work in appear here').waitFor();
    await album.take('view-worktrees-empty', window);
    await showOnly(window, 'Agents & Customizations');
    await (await window.view('Agents & Customizations')).getByText('in your sessions appear here').waitFor();
    await album.take('view-customizations-empty', window);
    await showOnly(window, 'Gateway');
    await (await window.view('Gateway')).getByRole('button', { name: 'Open Dashboard' }).waitFor();
    await album.take('view-gateway-empty', window);

    await showOnly(window, 'Sessions', 'Inbox', 'Changes');
    await window.clickInView('Sessions', /New Session/);
    const chat = await window.chat();
    const agent = chat.getByRole('button', { name: /^Agent:/, disabled: false });
    await agent.waitFor();
    await album.take('chat-new', window);
    await agent.click();
    await chat.getByRole('menuitemradio').first().waitFor();
    await album.take('chat-agents', window);
    await chooseInMenu(agent, chat.getByRole('menuitemradio', { name: /Runbook/ }));
    const message = chat.getByRole('textbox', { name: 'Message' });
    await message.click();
    await message.pressSequentially('/');
    await chat.getByRole('option', { name: /new-fruit/ }).waitFor();
    await album.take('chat-completions', window);
  });

export const tour = (album: Album<SubjectOf<'tour'>>) =>
  inEditor('tour', {}, async (window) => {
    const sessions = await window.tree('Sessions');
    await sessions.click('Take the tour');
    const chat = await window.chat();
    const submit = chat.getByRole('button', { name: 'Submit' }).last();
    await submit.waitFor();
    await album.take('tour-questions', window);
    await press(submit);
    await allow(chat, 'echo Hello', () => album.take('tour-command', window));
    await allow(chat, 'switchboard-tour.md', () => album.take('tour-edit', window));
    await allow(chat, '−1');
    await chat.getByRole('button', { name: 'Review changes' }).waitFor();
    await album.take('tour-end', window);
  });

/** Allows the step whose card says this, once it waits. */
async function allow(chat: Frame, words: string, first?: () => Promise<void>): Promise<void> {
  const card = chat.getByRole('region', { name: /^Needs your approval/ }).filter({ hasText: words });
  const button = card.getByRole('button', { name: 'Allow once' });
  await button.waitFor();
  await first?.();
  await press(button);
}
