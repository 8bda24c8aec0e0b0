import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { agentPath, type SdkAgent, startSdkAgent } from '../support/a2a/sdkAgent.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../support/backends/authorizationServer.ts';
import { projectRoot } from '../support/cache.ts';
import { type GuardedServer, guardedServer } from '../support/mcp/guardedServer.ts';
import { type HttpFixture, httpFixture } from '../support/mcp/httpFixture.ts';
import { type ModelServer, startModel } from '../support/model/server.ts';
import { freePort } from '../support/network/freePort.ts';
import { answersIn, say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { hasTool, mcpFile, setForAll, toolsOf } from './driver/gatewayTools.ts';
import { pressKeyOnce } from './driver/keys.ts';
import { press } from './driver/press.ts';
import { inOrder } from './driver/steps.ts';
import type { TreeRows } from './driver/tree.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

/** What a person does with the gateway, in order: each step stands on the one before. */
describe('gateway: servers, tools, keys and the dashboard in the editor', () => {
  let fixture: HttpFixture;
  let model: ModelServer;
  let agent: SdkAgent;
  let idp: AuthorizationServer;
  let guarded: GuardedServer;
  let editor: Editor;
  let window: EditorWindow;
  let rows: TreeRows;
  let key = '';
  let endpoint = '';

  const clipboard = () => window.probe.run<string>('return vscode.env.clipboard.readText();');
  const document = () => window.probe.run<string>('return vscode.window.activeTextEditor?.document.getText() ?? "";');

  before(async () => {
    fixture = await httpFixture();
    model = await startModel();
    agent = await startSdkAgent('1.0');
    idp = await startAuthorizationServer();
    guarded = await guardedServer(fixture, idp);
    editor = await Editor.open('gateway', {
      env: { OLLAMA_HOST: new URL(model.url).host },
      viewport: { width: 1440, height: 1000 },
      prepare: ({ workspace }) => {
        mkdirSync(join(workspace, '.vscode'), { recursive: true });
        writeFileSync(join(workspace, '.vscode/mcp.json'), mcpFile(fixture.url));
      },
      // The editor's own MCP client belongs to what this turns off elsewhere.
      settings: { 'chat.disableAIFeatures': false },
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
  });
  inOrder(() => window);
  after(async () => {
    await editor?.close();
    await Promise.all([guarded?.close(), agent?.close(), idp?.close(), model?.close()]);
    await fixture?.close();
  });

  it('is folded at first, and nothing of it runs', async () => {
    await (await window.tree('Sessions')).waitFor('Take the tour');
    assert.equal(existsSync(join(editor.hostDataDir, 'gateway.db')), false);
  });

  it('leaves room for the questions of agents, also where it is unfolded in a window 900 pixels high', async () => {
    await window.page.setViewportSize({ width: 1440, height: 900 });
    const height = async (title: string) => (await (await window.view(title)).boundingBox())?.height ?? 0;
    const folded = await height('Inbox');
    for (const it of ['Sessions', 'Inbox', 'Changes', 'Gateway']) await window.view(it);
    await window.rest();
    const shared = await height('Inbox');
    await window.screenshot('four views');
    process.stdout.write(`inbox at 900 px: ${folded} px with the gateway folded, ${shared} px beside it\n`);
    // A heading of 22 px, and at least five rows of 22.
    assert.ok(shared >= 132, `${shared} px`);
    assert.ok(folded >= shared);
    await window.page.setViewportSize({ width: 1440, height: 1000 });
  });

  it('says how to begin while it is empty', async () => {
    await window.fold('Sessions', 'Inbox', 'Changes');
    rows = await window.tree('Gateway');
    const view = await window.view('Gateway');
    for (const name of ['Add Server', 'Import from .vscode/mcp.json', 'Open Dashboard'])
      await view.getByRole('button', { name }).waitFor();
    await until('the gateway runs', () => existsSync(join(editor.hostDataDir, 'gateway.db')));
    await window.screenshot('welcome');
  });

  it('finds a local model server, and the built-in agent comes first with its models once they were added', async () => {
    await (await window.tree('Sessions')).click('Connect a model');
    await window.page.locator('.quick-input-list').getByText('fake-model').waitFor();
    await window.screenshot('connect a model');
    await window.pick('Ollama');
    const dialog = window.page.getByRole('dialog');
    await dialog.getByText('Add the models of Ollama to the gateway?').waitFor();
    await press(dialog.getByRole('button', { name: 'Add', exact: true }));
    await window.notifications.click(/The models of Ollama were added/, 'New Session');
    const chat = await window.chat();
    await chat.getByRole('button', { name: /^Agent:.*Switchboard/ }).waitFor();
    await chat.getByRole('button', { name: /^Model:.*fake-model/ }).waitFor();
    await window.screenshot('built-in agent');
    await say(chat, 'say Hello from a local model.');
    await until('the model answers', async () => (await answersIn(chat)).includes('Hello from a local model.'));
    await window.fold('Sessions');
  });

  it('takes a server by its address, and says at once how many tools it has', async () => {
    await window.clickInView('Gateway', 'Add MCP Server…');
    await window.pick('HTTP');
    await window.type(fixture.url);
    await window.pick('Allow');
    await window.type('fixture');
    await window.screenshot('kinds of authentication');
    await window.pick('No authentication');
    await window.notifications.toast('Server "fixture" was added with').first().waitFor();
    await rows.waitFor('fixture', { description: 'healthy · http' });
    await window.screenshot('server');
  });

  it('shows its tools, with what they do', async () => {
    await rows.click('fixture');
    await rows.waitFor('echo', { level: 3, description: 'Answers with what it got' });
    await window.screenshot('tools');
  });

  it('tests a tool with arguments that are checked, and shows what it said', async () => {
    await rows.action('echo', /Test Tool/);
    await window.quickInput.write('{"words":');
    await window.page.locator('.quick-input-widget').getByText('A JSON object, such as').waitFor();
    await window.screenshot('arguments');
    await window.type('{"text":"hello from the editor"}');
    const answer = 'Result from echo\n{"text":"hello from the editor"}\n\nhello from the editor\n';
    await untilSeen('the answer is shown', document, answer);
    assert.deepEqual(fixture.calls, ['echo']);
    await window.screenshot('answer');
  });

  it('1c-18 counts the call among those of today', async () => {
    await rows.waitFor('Calls', { description: /^[1-9]\d*$/ });
  });

  it('1c-18 makes a virtual key, which is in the clipboard and opens the door', async () => {
    await window.command('Switchboard: New Virtual Key');
    await window.type('ci pipeline');
    await window.page.locator('.quick-input-list').getByText('fixture').waitFor();
    const field = window.quickInput.widget.locator('.quick-input-box input');
    await pressKeyOnce(field, 'Enter'); // who selects nothing is asked again, and has granted nothing
    await window.screenshot('servers of a key');
    await window.quickInput.check('All servers, also those added later');
    await window.accept();
    await window.pick('Expires after 30 days');
    await window.type('5');
    const dialog = window.page.getByRole('dialog');
    await dialog.getByText(/The key "ci pipeline" was copied to the clipboard/).waitFor();
    await window.screenshot('new key');
    await press(dialog.getByRole('button', { name: 'Store in Secret Storage' }));
    key = await untilSeen('a key is in the clipboard', clipboard, (it) => it.startsWith('sk-'));
    const description = new RegExp(`^expires \\d{4}-\\S+ · \\$0\\.00 of \\$5\\.00 · sk-\\.\\.\\.${key.slice(-4)}$`);
    await rows.waitFor('ci pipeline', { description });
  });

  it('copies the endpoint of a server, where the key gets its tools without a prefix', async () => {
    await rows.action('fixture', /Copy Gateway Endpoint/);
    endpoint = await untilSeen('an address is in the clipboard', clipboard, (it) => it.endsWith('/fixture/mcp'));
    const tools = await toolsOf(endpoint, key);
    assert.ok(Array.isArray(tools) && tools.includes('echo'), JSON.stringify(tools));
  });

  it('rotates a key: the old one ends, and the new one has its name', async () => {
    await rows.action('ci pipeline', /Rotate Virtual Key/);
    await window.screenshot('rotate');
    await window.pick('Immediately');
    const isAnother = (it: string) => it.startsWith('sk-') && it !== key;
    const next = await untilSeen('another key is in the clipboard', clipboard, isAnother);
    assert.equal(await toolsOf(endpoint, key), 401);
    const tools = await toolsOf(endpoint, next);
    assert.ok(Array.isArray(tools) && tools.includes('echo'), JSON.stringify(tools));
    await rows.waitFor('ci pipeline', { description: new RegExp(`\\.${next.slice(-4)}$`) });
    key = next;
  });

  it('copies a key that is kept in the secret storage, also after it was rotated', async () => {
    await window.probe.run('await vscode.env.clipboard.writeText("");');
    await rows.menu('ci pipeline', 'Copy Virtual Key');
    await untilSeen('the key is in the clipboard', clipboard, key);
  });

  it('1c-18 explains why a key may use a tool', async () => {
    await rows.menu('ci pipeline', 'Explain Access');
    await window.pick('fixture');
    await window.pick('echo');
    await untilSeen('the explanation is shown', document, (it) => it.startsWith('fixture / echo: allowed\n'));
    await window.screenshot('explain access');
  });

  it('opens the dashboard in a tab with what is there, and no key in the page', async () => {
    await window.command('Switchboard: Open Gateway Dashboard');
    const page = await window.chat();
    await page.getByRole('heading').first().waitFor();
    await window.rest();
    await window.screenshot('dashboard usage');
    assert.equal((await page.content()).includes(key), false);
    await rows.menu('fixture', 'Edit MCP Server');
    await page.getByText('fixture').first().waitFor();
    await window.rest();
    await window.screenshot('dashboard servers');
  });

  it('shows the dashboard again after a reload', async () => {
    await window.reloadByCommand();
    const page = await window.chat();
    await page.getByText('fixture').first().waitFor();
    rows = await window.tree('Gateway');
    await rows.waitFor('ci pipeline');
  });

  it("gives VS Code's own MCP client the tools once that is turned on", async () => {
    await setForAll(window, 'switchboard.gateway.provideToEditor', true);
    await until('the server is listed', async () => {
      await window.command('MCP: List Servers');
      await window.screenshot('mcp list');
      return (await window.picks()).some((it) => it.includes('Switchboard'));
    });
    await window.pick('Switchboard');
    await window.screenshot('mcp server');
    await window.pick('Start Server');
    await until('its tools are among those of language models', () => hasTool(window, 'fixture__echo'));
    await rows.waitFor('VS Code');
    await window.screenshot('mcp started');
  });

  it('imports the servers of .vscode/mcp.json, and asks for what the file leaves open', async () => {
    await window.command('Switchboard: Import MCP Servers');
    await window.page.locator('.quick-input-widget').getByText('The token').waitFor();
    await window.type('a-token-of-mine');
    await window.pick('Allow');
    await window.notifications.toast('Imported: second').first().waitFor();
    await rows.waitFor('second');
    const first = fixture.seen.length;
    await rows.click('second');
    await until('it was asked with the token', () =>
      fixture.seen.slice(first).some((it) => it.headers.authorization === 'Bearer a-token-of-mine'),
    );
    await until("VS Code's own client has its tools too", () => hasTool(window, 'second__echo'));
    await window.screenshot('imported');
  });

  it('says why an agent was not added, and what helps', async () => {
    await window.command('Switchboard: Add A2A Agent');
    await window.quickInput.typeInVain('nowhere', 'Enter an HTTP or HTTPS address');
    await window.type(`http://127.0.0.1:${await freePort()}/agent`);
    await window.notifications
      .toast(
        /The agent was not added\. No agent card found at .*: nothing is listening there. Start the program, or correct the address/,
      )
      .first()
      .waitFor();
    await window.screenshot('agent refused');
    await window.notifications.clear();
  });

  it('adds an agent by the address of its card, which then answers through the gateway', async () => {
    await window.chooseInView('Gateway', /More Actions/, 'Add A2A Agent');
    await window.type(`${agent.url}${agentPath}/.well-known/agent-card.json`);
    const input = window.page.locator('.quick-input-widget input');
    await untilSeen('the name of the card is offered', () => input.inputValue(), 'Weather');
    await window.accept();
    // Its card leads to an address of this machine's network that nobody gave.
    await untilSeen('the address is offered', () => input.inputValue(), `${agent.url}${agentPath}`);
    await window.screenshot('agent address');
    await window.accept();
    await window.page.locator('.quick-input-widget').getByText('Agent API key').waitFor();
    await window.accept();
    await window.notifications.toast('Weather was added').first().waitFor();
    await rows.waitFor('Weather');
    await window.screenshot('agent');

    const before = agent.heard.length;
    const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
    const answer = await fetch(`${new URL(endpoint).origin}/a2a/Weather`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'a2a-version': '1.0',
        'x-gateway-api-key': `Bearer ${key}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
    });
    assert.equal(answer.status, 200, await answer.text());
    assert.deepEqual(
      agent.heard.slice(before).map((it) => it.what),
      ['SendMessage'],
    );
  });

  it('runs a program as a server once the person allowed it, and shows its tools', async () => {
    await window.clickInView('Gateway', /Add MCP Server/);
    await window.pick('stdio');
    await window.type(`${process.execPath} ${join(projectRoot, 'test/support/mcp/stdioFixture.child.ts')} program`);
    const dialog = window.page.getByRole('dialog');
    await dialog.getByText(/Allow the gateway's MCP servers to run/).waitFor();
    await window.screenshot('program asked');
    await press(dialog.getByRole('button', { name: 'Allow' }));
    await window.type('program');
    await window.notifications.toast('Server "program" was added with').first().waitFor();
    await rows.waitFor('program');
    const tools = await toolsOf(endpoint.replace('/fixture/', '/program/'), key);
    assert.ok(Array.isArray(tools) && tools.includes('env'), JSON.stringify(tools));
    await window.screenshot('program');
  });

  it('signs in to a server in the browser, and its tools are there', async () => {
    // The served editor takes ports of its machine for ones behind a proxy that only the whole code-server has.
    await window.page.context().route(/\/proxy\/\d+\//, (it) => {
      const [, port = '', rest = ''] = /\/proxy\/(\d+)(\/.*)$/.exec(it.request().url()) ?? [];
      return it.fulfill({ status: 302, headers: { location: `http://127.0.0.1:${port}${rest}` } });
    });
    await window.clickInView('Gateway', /Add MCP Server/);
    await window.pick('HTTP');
    await window.type(guarded.url);
    await window.pick('Allow');
    await window.type('guarded');
    await window.pick('Sign in with OAuth 2');
    const opened = window.page.context().waitForEvent('page');
    for (const prompt of ['Client ID', 'Client secret']) {
      await window.page.locator('.quick-input-widget').getByText(prompt).waitFor();
      await window.accept();
    }
    const tab = await opened;
    await rows.waitFor('guarded', { description: /^sign-in required/ });
    await tab.getByRole('heading', { name: 'Sign in to guarded?' }).waitFor();
    await tab.screenshot({ path: editor.screenshotPath('sign in') });
    await press(tab.getByRole('button', { name: 'Continue' }));
    await tab
      .getByText(/signed in/i)
      .first()
      .waitFor();
    await tab.screenshot({ path: editor.screenshotPath('signed in') });
    await tab.close();
    await window.notifications.click(/Sign in using your browser/, 'Done');
    await rows.waitFor('guarded', { description: 'signed in · http' });
    await rows.click('guarded');
    await until('the server got a token of the person', () => guarded.accounts.includes('alice'));
    await rows.waitFor('echo');
    await window.screenshot('signed in server');
    await rows.click('guarded');
  });

  it('makes the configuration that its own gateway follows, and follows what is saved in it', async () => {
    const file = join(editor.hostDataDir, 'switchboard.jsonc');
    assert.equal(existsSync(file), false);
    await window.command('Switchboard: Open My Gateway Configuration');
    await untilSeen('it can be filled in', document, (it) => it.includes('"mcp_servers": {}'));
    await until('it is there, and shown', async () => {
      const shown = await window.probe.run<string>('return vscode.window.activeTextEditor?.document.uri.scheme ?? "";');
      return existsSync(file) && shown === 'file';
    });
    await window.screenshot('own configuration');
    const server = { url: fixture.url, allow_private_network: true };
    const text = JSON.stringify({ mcp_servers: { written: server } }, null, 2);
    await window.probe.run(
      `const { document } = vscode.window.activeTextEditor;
       const edit = new vscode.WorkspaceEdit();
       edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), arg);
       await vscode.workspace.applyEdit(edit); await document.save(); return null;`,
      text,
    );
    await until('the server of the file is in the view', async () => {
      await window.clickInView('Gateway', /Refresh Gateway/);
      return (await rows.labels()).includes('written');
    });
    await window.screenshot('followed');
    await window.command('Switchboard: Open My Gateway Configuration');
    await untilSeen('what is there is opened as it is', document, (it) => it.includes('written'));
  });

  it('opens a new configuration for the folder where the folder has none', async () => {
    await window.command('Switchboard: Open Gateway Configuration for Folder');
    const isForAlone = (it: string) => it.includes('"mcp_servers": {}') && it.includes('For a standalone gateway');
    await untilSeen('it can be filled in', document, isForAlone);
    await window.screenshot('configuration');
  });

  it('revokes a key after a question', async () => {
    await rows.action('ci pipeline', /Revoke Virtual Key/);
    await window.screenshot('revoke');
    await press(window.page.getByRole('dialog').getByRole('button', { name: 'Revoke' }));
    await rows.waitForNone('ci pipeline');
    assert.equal(await toolsOf(endpoint, key), 401);
  });
});
