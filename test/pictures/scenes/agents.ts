import { answersIn, chooseAgent, say } from '../../vscode/driver/chat.ts';
import { press } from '../../vscode/driver/press.ts';
import { untilSeen } from '../../vscode/driver/until.ts';
import type { EditorWindow } from '../../vscode/driver/window.ts';
import type { Album } from '../album.ts';
import type { SubjectOf } from '../list.ts';
import { write, writeRunbooks } from '../runbooks.ts';
import { inEditor, showOnly } from '../stage.ts';
import { withAgents, worker } from '../workers.ts';

type Agents = Album<SubjectOf<'agents'>>;

const rules = 'switchboard.permissions.rules';
/** Sessions of several agents, those that end well and those that do not, and what a person sets for them. */
export const agents = (album: Agents) =>
  inEditor(
    'agents',
    {
      settings: {
        [rules]: [
          { effect: 'deny', target: 'edit', pattern: 'keys/**' },
          { effect: 'allow', target: 'shell', pattern: 'npm test' },
        ],
        ...withAgents(worker('worker', 'Worker'), worker('former', 'Former', '--offer=form,models,many'), {
          id: 'ghost',
          displayName: 'Ghost',
          command: '/opt/ghost/bin/ghost',
        }),
      },
      prepare: ({ workspace }) => {
        writeRunbooks(workspace);
        const hooks = { PostToolUse: [{ hooks: [{ type: 'command', command: 'npm run format' }] }] };
        write(workspace, '.claude/settings.json', JSON.stringify({ hooks }, null, 2));
        const reviewer = '---\nname: reviewer\ndescription: Looks at changes\n---\nReview well.\n';
        write(workspace, '.github/agents/reviewer.agent.md', reviewer);
        write(workspace, '.github/instructions/house.instructions.md', '---\napplyTo: "**"\n---\nShort names.\n');
        write(workspace, '.github/prompts/release.prompt.md', '---\ndescription: Release notes\n---\nWrite them.\n');
      },
    },
    async (window) => {
      await ends(album, window);
      await isSet(album, window);
      await isAllowed(album, window);
    },
  );

/** A new session with the named agent, and its first prompt. */
async function prompt(window: EditorWindow, agent: string, text: string): Promise<void> {
  await window.closeEditors();
  await window.command('Switchboard: New Session');
  const chat = await window.chat();
  await chooseAgent(chat, agent);
  await say(chat, text);
}
const answers = (window: EditorWindow, text: string) =>
  untilSeen(
    `the agent says ${text}`,
    async () => answersIn(await window.chat()),
    (it) => it.includes(text),
  );

async function ends(album: Agents, window: EditorWindow): Promise<void> {
  const sessions = await window.tree('Sessions');
  await prompt(window, 'Runbook', '/report');
  await answers(window, 'Prices are in cents everywhere.');
  await (await window.chat()).getByRole('button', { name: 'Send', exact: true }).waitFor();
  await album.take('chat-finished', window);

  await prompt(window, 'Runbook', '/broken');
  await press((await window.chat()).getByRole('button', { name: 'Allow once' }).last());
  await (await window.chat())
    .getByRole('group', { name: 'The turn failed' })
    .getByText('The command failed.')
    .waitFor();
  await (await window.chat()).getByRole('button', { name: 'Send', exact: true }).waitFor();
  await album.take('chat-step-failed', window);

  await prompt(window, 'Worker', 'crash');
  await (await window.chat()).getByRole('group', { name: 'The turn failed' }).waitFor();
  await album.take('chat-error', window);

  await prompt(window, 'Ghost', 'say boo');
  await sessions.waitFor('The agent for "say boo" was not found');
  await prompt(window, 'Worker', 'wait');
  await sessions.waitFor('wait');
  await prompt(window, 'Worker', 'run echo walnut');
  await sessions.waitFor('run echo walnut');
  await showOnly(window, 'Sessions');
  await sessions.waitFor('Needs you');
  await album.take('view-sessions-content', window);
}

async function isSet(album: Agents, window: EditorWindow): Promise<void> {
  write(window.editor.workspace, '.github/hooks/broken.json', '{ "hooks": ');
  await prompt(window, 'Worker', 'say hello');
  await window.notifications.click('echo walnut', 'Later');
  await window.notifications.toast('echo walnut').waitFor({ state: 'detached' });
  await showOnly(window, 'Agents & Customizations');
  const rows = await window.tree('Agents & Customizations');
  await rows.waitFor('.github/agents', { description: 'Agents · 1' });
  for (const it of ['.github/agents', '.claude/settings', '.github/prompts']) await rows.expand(it);
  await rows.waitFor('reviewer');
  await rows.row('.github/hooks').locator('.codicon-warning').waitFor();
  await album.take('view-customizations-content', window);
  await showOnly(window, 'Sessions', 'Inbox', 'Changes');

  await window.closeEditors();
  await window.command('Switchboard: New Session');
  const chat = await window.chat();
  await chooseAgent(chat, 'Former');
  await press(chat.getByRole('button', { name: 'Options…' }));
  await window.quickInput.widget.getByText('Region', { exact: true }).first().waitFor();
  await album.take('quick-pick-options', window);
  await window.page.keyboard.press('Escape');
}

async function isAllowed(album: Agents, window: EditorWindow): Promise<void> {
  const inbox = await window.tree('Inbox');
  const dialog = window.page.locator('.monaco-dialog-box');
  await inbox.menu('echo walnut', 'Allow in This Session');
  await dialog.getByText('Allow this in "run echo walnut"?').waitFor();
  await album.take('dialog-allow', window);
  await press(dialog.getByRole('button', { name: 'Allow in This Session' }));
  await untilSeen('the Inbox is empty', () => inbox.labels(), []);
  await window.command('Switchboard: Manage Approvals…');
  await window.quickInput.widget.getByText('Reading workspace files').first().waitFor();
  await album.take('quick-pick-approvals', window);
  await window.page.keyboard.press('Escape');
  await (await window.tree('Sessions')).action('The agent for "say boo" was not found', 'Configure Agents');
  await window.page
    .locator('.settings-editor')
    .getByRole('treeitem', { name: /Agents/ })
    .first()
    .waitFor();
  await album.take('settings-agents', window);
}
