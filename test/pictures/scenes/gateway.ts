import { agentPath, startSdkAgent } from '../../support/a2a/sdkAgent.ts';
import { startEchoBackend } from '../../support/backends/echoBackend.ts';
import { speakMcp } from '../../support/gateway/backendAnswers.ts';
import { press } from '../../vscode/driver/press.ts';
import { untilSeen } from '../../vscode/driver/until.ts';
import type { EditorWindow } from '../../vscode/driver/window.ts';
import type { Album } from '../album.ts';
import type { SubjectOf } from '../list.ts';
import { clearNotifications, inEditor, showOnly } from '../stage.ts';

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tools = [
  { name: 'search', description: 'Finds notes by their words', inputSchema: text },
  { name: 'read_note', description: 'One note, as Markdown', inputSchema: text },
  { name: 'write_note', description: 'Keeps a note', inputSchema: text },
  { name: 'list_folders', description: 'Where notes lie', inputSchema: { type: 'object' } },
];

type Gateway = Album<SubjectOf<'gateway'>>;

/** What a person does with the gateway in the editor. */
export async function gateway(album: Gateway): Promise<void> {
  const server = await startEchoBackend();
  server.answer = (heard, response) => speakMcp(heard, response, tools);
  const agent = await startSdkAgent('1.0');
  try {
    await inEditor('gateway', {}, async (window) => {
      await showOnly(window, 'Gateway');
      await addsServer(album, window, `${server.url}/mcp`);
      await addsAgent(window, `${agent.url}${agentPath}`);
      await makesKey(album, window);
      await looks(album, window);
    });
  } finally {
    await agent.close();
    await server.close();
  }
}

const asks = (window: EditorWindow, words: string | RegExp) =>
  window.quickInput.widget.getByText(words).first().waitFor();

async function addsServer(album: Gateway, window: EditorWindow, url: string): Promise<void> {
  const rows = await window.tree('Gateway');
  await window.clickInView('Gateway', 'Add Server');
  await asks(window, 'streamable HTTP');
  await album.take('quick-pick-add-server-transport', window);
  await window.pick('HTTP');
  await asks(window, "The server's address");
  await album.take('quick-pick-add-server-address', window);
  await window.type(url);
  await window.pick('Allow');
  await window.type('notes');
  await asks(window, 'No authentication');
  await album.take('quick-pick-add-server-authentication', window);
  await window.pick('No authentication');
  await window.notifications
    .toast(/Server "notes" was added with \d+ tools\./)
    .first()
    .waitFor();
  await rows.waitFor('notes', { description: 'healthy · http' });
  await album.take('notification-server-added', window);
  await clearNotifications(window);
  await rows.click('notes');
  await rows.action('search', /Test Tool/);
  await asks(window, 'Finds notes by their words');
  await album.take('quick-pick-test-tool', window);
  await window.type('{"text":"release"}');
  await untilSeen(
    'the answer is shown',
    () => window.openEditors(),
    (all) => all.length === 1,
  );
  await rows.waitFor('Calls', { description: /^[1-9]\d*$/ });
  await window.closeEditors();
}

async function addsAgent(window: EditorWindow, address: string): Promise<void> {
  const { widget } = window.quickInput;
  const value = () => widget.locator('input').first().inputValue();
  await window.command('Switchboard: Add A2A Agent');
  await window.type(`${address}/.well-known/agent-card.json`);
  await untilSeen('the name of the card is offered', value, 'Weather');
  await window.accept();
  await untilSeen('the address is offered', value, address);
  await window.accept();
  await asks(window, 'Agent API key');
  await window.accept();
  await (await window.tree('Gateway')).waitFor('Weather');
  await clearNotifications(window);
}

async function makesKey(album: Gateway, window: EditorWindow): Promise<void> {
  await window.command('Switchboard: New Virtual Key');
  await window.type('ci pipeline');
  await window.page.locator('.quick-input-list').getByText('notes').waitFor();
  await album.take('quick-pick-new-key-servers', window);
  await window.quickInput.check('All servers, also those added later');
  await window.accept();
  await asks(window, 'Expires after 30 days');
  await album.take('quick-pick-new-key-end', window);
  await window.pick('Expires after 30 days');
  await asks(window, 'Maximum spend in US dollars');
  await album.take('quick-pick-new-key-budget', window);
  await window.type('5');
  const dialog = window.page.getByRole('dialog');
  await dialog.getByText(/The key "ci pipeline" was copied to the clipboard/).waitFor();
  await album.take('dialog-new-key', window);
  await press(dialog.getByRole('button', { name: 'Done' }));
  await (await window.tree('Gateway')).waitFor('ci pipeline');
  await album.take('view-gateway-content', window);
}

async function looks(album: Gateway, window: EditorWindow): Promise<void> {
  const rows = await window.tree('Gateway');
  await rows.menu('ci pipeline', 'Explain Access');
  await asks(window, 'Weather');
  await album.take('quick-pick-explain-access', window);
  await window.pick('notes');
  await window.pick('search');
  await untilSeen(
    'the explanation is shown',
    () => window.probe.run<string>('return vscode.window.activeTextEditor?.document.getText() ?? "";'),
    (it) => it.startsWith('notes / search: allowed\n'),
  );
  await album.take('explain-access', window);
  await window.closeEditors();
  await window.command('Switchboard: Open Gateway Dashboard');
  const page = await window.chat();
  await page
    .getByRole('row', { name: /tools\/call/ })
    .first()
    .waitFor();
  await album.take('gateway-dashboard', window);
  await rows.menu('notes', 'Edit MCP Server');
  await page.getByRole('row', { name: /notes/ }).getByText('Healthy').waitFor();
  await album.take('gateway-dashboard-servers', window);
  await window.closeEditors();
  await window.command('Switchboard: Open My Gateway Configuration');
  await untilSeen(
    'the configuration is shown',
    () => window.probe.run<string>('return vscode.window.activeTextEditor?.document.uri.scheme ?? "";'),
    'file',
  );
  await album.take('gateway-configuration', window);
  await rows.action('ci pipeline', /Revoke Virtual Key/);
  const dialog = window.page.getByRole('dialog');
  await dialog.getByText('Revoke "ci pipeline"?').waitFor();
  await album.take('dialog-revoke-key', window);
  await press(dialog.getByRole('button', { name: 'Cancel' }));
}
