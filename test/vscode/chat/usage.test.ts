import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame } from 'playwright-core';
import { type CloudServiceUnderTest, startCloudService } from '../../support/backends/cloudService.ts';
import { cloudConfig } from '../../support/host/cloudPeer.ts';
import { type ModelServer, startModel } from '../../support/model/server.ts';
import { chooseAgent, chooseInMenu, say } from '../driver/chat.ts';
import { Editor } from '../driver/editor.ts';
import { setForAll } from '../driver/gatewayTools.ts';
import { pressKey, pressKeyOnce, write } from '../driver/keys.ts';
import { press, tick } from '../driver/press.ts';
import { inOrder } from '../driver/steps.ts';
import type { TreeRows } from '../driver/tree.ts';
import { until, untilSeen } from '../driver/until.ts';
import type { EditorWindow } from '../driver/window.ts';

const agent = join(import.meta.dirname, '../../integration/peers/acp/agent.ts');

const call = (name: string, input: Readonly<Record<string, unknown>>) => ({ name, input });
/** What the model says to the built-in agent and to its sub-agent. */
const recordings = {
  delegating: [
    { calls: [call('delegate', { title: 'Count the files', task: 'Count them. replay counting' })] },
    { text: 'The sub-agent counted.' },
  ],
  counting: [{ calls: [call('ask', { question: 'Hidden files too?' })] }, { text: 'There are four files.' }],
};

/** Registers a model with the editor. It notes one thing, and then says what it noted. */
const offersPlum = `
  vscode.lm.registerLanguageModelChatProvider('probe', {
    provideLanguageModelChatInformation: () => [{
      id: 'plum', name: 'Plum', family: 'plum', version: '1', maxInputTokens: 32000, maxOutputTokens: 1000,
      capabilities: { toolCalling: true },
    }],
    async provideLanguageModelChatResponse(_model, messages, { tools }, progress) {
      const parts = messages.flatMap((it) => it.content);
      const call = parts.find((it) => it instanceof vscode.LanguageModelToolCallPart);
      const items = [{ text: 'Look', state: 'done' }];
      if (parts.some((it) => it instanceof vscode.LanguageModelToolResultPart))
        progress.report(new vscode.LanguageModelTextPart('The plum is ripe: I noted ' + call.input.items[0].text + '.'));
      else if (tools.some((it) => it.name === 'todo'))
        progress.report(new vscode.LanguageModelToolCallPart('c1', 'todo', { items }));
    },
    provideTokenCount: (_model, text) => Promise.resolve(1),
  });`;

/** In order: each step requires the previous one. */
describe('cost and tokens of sessions in the editor', () => {
  let model: ModelServer;
  let cloud: CloudServiceUnderTest;
  let editor: Editor;
  let window: EditorWindow;
  let rows: TreeRows;
  let chat: Frame;

  before(async () => {
    model = await startModel(recordings);
    cloud = await startCloudService();
    // A model with a price, in the gateway's configuration file.
    const params = { model: 'openai_compatible/qwen-plus', api_base: `${model.url}/v1`, allow_private_network: true };
    const prices = { input_cost_per_token: 0.001, output_cost_per_token: 0.01 };
    const model_list = [{ model_name: 'qwen-plus', gateway_params: { ...params, ...prices } }];
    editor = await Editor.open('usage', {
      settings: ({ root }) => ({
        'switchboard.agents': [
          { id: 'qwen', displayName: 'Qwen', command: join(root, 'qwen'), args: ['--counts-nothing'] },
          { id: 'echo', displayName: 'Echo', command: process.execPath, args: [agent] },
        ],
      }),
      prepare({ root }) {
        // The agent is known by the name of its program.
        writeFileSync(join(root, 'qwen'), `#!/bin/sh\nexec ${process.execPath} ${agent} "$@"\n`, { mode: 0o755 });
      },
    });
    const data = editor.hostDataDir;
    mkdirSync(data, { recursive: true, mode: 0o700 });
    writeFileSync(join(data, 'switchboard.jsonc'), JSON.stringify({ model_list, ...cloudConfig(data, cloud.url) }));
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    rows = await window.tree('Sessions');
  });
  inOrder(() => window);
  after(async () => {
    await editor?.close();
    await model?.close();
    await cloud?.close();
  });

  async function play(name: string, prompt: string): Promise<void> {
    chat = await window.chatAfter(() => window.clickInView('Sessions', /New Session/));
    await chooseAgent(chat, name);
    await say(chat, prompt);
  }

  it('1c-15 are those that the gateway recorded, at the end of the turn, in the row and in its hover', async () => {
    await window.tree('Gateway');
    await until('the gateway runs', () => existsSync(join(editor.hostDataDir, 'gateway.db')));
    await window.fold('Gateway');
    await play('Qwen', 'model say The plum is ripe.');
    await chat
      .getByText("The agent uses the gateway's models. Each chat of this session has its own key.")
      .first()
      .waitFor();
    await chat.getByText('The plum is ripe.', { exact: true }).waitFor();
    const line = chat.getByText(/input, .* output tokens · \$.* · recorded by the gateway$/);
    await line.waitFor();
    assert.match((await line.getAttribute('title')) ?? '', /^qwen-plus: /);
    await rows.waitFor('model say', { description: /^\$\d+\.\d\d · .*Qwen$/ });
    const text = await rows.card('model say', 'Cost');
    await window.screenshot('recorded');
    assert.match(text, /Models\s*Through the gateway/);
    assert.match(text, /Cost\s*\$\d+\.\d\d \(recorded by the gateway\)/);
    assert.match(text, /Tokens\s*\d+ input, \d+ output \(recorded by the gateway\)/);
    await window.leaveHover();
  });

  it('1c-15 are those that the agent reports, and are marked so, if its models do not come from the gateway', async () => {
    await play('Echo', 'spend');
    await chat.getByText(/· \$0\.50 · reported by the agent$/).waitFor();
    await rows.waitFor('spend', { description: /\$0\.50 reported/ });
    const text = await rows.card('spend', 'Cost');
    await window.screenshot('reported');
    assert.match(text, /Cost\s*\$0\.50 \(reported by the agent\)/);
    assert.doesNotMatch(text, /gateway/);
    await window.leaveHover();
  });

  it('1b-6 are shown for each sub-agent, whose question names it and is answered in its own chat', async () => {
    await play('Switchboard', 'Delegate it. replay delegating');
    const link = chat.getByRole('button', { name: 'Sub-agent Count the files' });
    await chat.getByText('needs your input', { exact: true }).waitFor();
    await rows.waitFor('Count the files', { description: 'needs you' });
    await rows.waitFor('Hidden files too?', { description: 'Count the files' });
    await window.screenshot('sub-agent asks');
    await rows.click('Count the files');
    await write(chat.getByRole('textbox', { name: /Hidden files too/ }), 'No');
    await window.screenshot('chat of the sub-agent');
    await press(chat.getByRole('button', { name: 'Submit' }));
    await chat.getByText('There are four files.', { exact: true }).waitFor();
    await press(chat.getByRole('tab', { name: /^Delegate it/ }));
    await chat.getByText('The sub-agent counted.', { exact: true }).waitFor();
    await link.waitFor();
    await chat.getByText(/^done · \d+ input, \d+ output tokens · cost \$\d+\.\d\d$/).waitFor();
    await rows.waitForNone('Count the files');
    await window.screenshot('sub-agent done');
  });

  it('1c-14 are those of each part of the context, as the built-in agent estimates them, in light and dark', async () => {
    const meter = chat.getByRole('button', { name: /^Context: / });
    await press(meter);
    await chat.getByText('The parts of the context are estimates.').waitFor();
    await window.screenshot('context');
    await setForAll(window, 'workbench.colorTheme', 'Default Dark Modern');
    await window.rest();
    const dialog = chat.getByRole('dialog', { name: 'Usage' });
    const parts = dialog.getByText('Instructions, rules, and skills').or(dialog.getByText('System prompt'));
    await until('the parts are shown, again if the change closed them', async () => {
      if (!(await dialog.isVisible())) await press(meter);
      await parts.first().waitFor({ timeout: 2_000 });
      return true;
    });
    await window.screenshot('context in dark');
    await until('Escape closes it', async () => {
      if (await dialog.isVisible()) await pressKeyOnce(meter, 'Escape'); // the dialog cannot have the focus
      return !(await dialog.isVisible());
    });
  });

  it('1c-15 fit in the chat in a dark theme and a narrow window', async () => {
    await window.rest();
    await rows.card('model say', 'Cost');
    await window.screenshot('dark');
    await window.leaveHover();
    await window.page.setViewportSize({ width: 800, height: 700 });
    await window.rest();
    await window.screenshot('narrow');
    const over = await chat
      .locator('.end-usage')
      .evaluateAll((all) => all.map((it) => it.scrollWidth - it.clientWidth));
    assert.deepEqual(over, [0]);
  });

  it('take no room from the status, branch, and pull request of a cloud agent, which the user confirmed before', async () => {
    await window.page.setViewportSize({ width: 1440, height: 900 });
    await play('Cloud agents', 'Fix the dates');
    const form = chat.getByRole('form', { name: /Your message and its attachments are sent to Cloud agents/ });
    await write(form.getByRole('textbox', { name: /Address of the repository/ }), 'https://git.example/owner/name');
    await tick(form.getByRole('checkbox', { name: /Open a pull request when finished/ }));
    await window.screenshot('cloud question');
    assert.equal(cloud.heard.length, 0);
    await press(form.getByRole('button', { name: 'Submit' }));
    await chat.getByText('The cloud agent finished.').first().waitFor();
    await chat.getByText('I did: Fix the dates', { exact: true }).waitFor();
    await chat.getByRole('link', { name: 'https://git.example/owner/name/pull/12' }).waitFor();
    assert.equal(await chat.getByRole('button', { name: /^Permissions/ }).count(), 0);
    await rows.waitFor('Fix the dates', { description: /^Finished · PR #12 · / });
    const text = await rows.card('Fix the dates', 'Pull request');
    await window.screenshot('cloud hover');
    assert.match(text, /Cloud agent\s*Finished/);
    assert.match(text, /Branch\s*agent\/bc_1/);
    await window.leaveHover();
    await window.screenshot('cloud session');
  });

  it('1c-17 continue in a cloud agent with transcript and patch, and from there in an agent of this machine', async () => {
    const attached = () =>
      chat
        .locator('.composer')
        .getByText(/^(Transcript|changes\.patch)/)
        .allInnerTexts();
    const continueIn = async (label: string, agent: string) => {
      chat = await window.chatAfter(async () => {
        await rows.menu(label, 'Continue In…');
        await window.pick(agent);
      });
      await chat.getByRole('button', { name: new RegExp(`^Agent:.*${agent}`) }).waitFor();
    };
    await play('Echo', `edit ${join(editor.workspace, 'handed.txt')}`);
    await press(chat.getByRole('button', { name: 'Allow once' }));
    await rows.waitFor('edit /', { description: /^\+1 −0/ });
    const before = cloud.heard.length;
    await continueIn('edit /', 'Cloud agents');
    await untilSeen('both are attached', attached, (it) => it.length === 2);
    const message = chat.getByRole('textbox', { name: 'Message' });
    await untilSeen(
      'the message says what to do',
      () => message.inputValue(),
      (it) => /^Continue the work in the attached transcript\. Apply the attached patch/.test(it),
    );
    await window.screenshot('continue in the cloud');
    await pressKey(message, 'Enter');
    const form = chat.getByRole('form', { name: /Your message and its attachments are sent to Cloud agents/ });
    await write(form.getByRole('textbox', { name: /Address of the repository/ }), 'https://git.example/owner/name');
    assert.equal(cloud.heard.length, before, 'nothing is sent before the person agrees');
    await press(form.getByRole('button', { name: 'Submit' }));
    await chat.getByText('The cloud agent finished.').first().waitFor();
    const sent = JSON.stringify(cloud.heard.slice(before).map((it) => it.body));
    assert.match(sent, /handed\.txt/);
    assert.match(sent, /\+new text/);
    await continueIn('Fix the dates', 'Echo');
    await untilSeen('the transcript is attached', attached, (it) => it.length === 1);
    await untilSeen(
      'the message names the branch',
      () => chat.getByRole('textbox', { name: 'Message' }).inputValue(),
      (it) => it.endsWith('on the branch agent/bc_1.'),
    );
    await window.screenshot('continue here');
  });

  it('1c-17 are kept by agents of the cloud account, which the tree lists and a click continues', async () => {
    cloud.addFinished('bc_old', 'Write the parser', 'It is written.');
    await press(rows.row('Made Elsewhere'));
    await press(rows.row('Cloud agents'));
    await rows.waitFor('Agent bc_old', { description: /^Finished · agent\/bc_old · https:/ });
    await window.screenshot('made elsewhere');
    chat = await rows.openChat('Agent bc_old');
    await chat.getByText('It is written.', { exact: true }).waitFor();
    await chat.getByText('Write the parser', { exact: true }).first().waitFor();
    await window.screenshot('made elsewhere, continued');
  });

  it('1c-17 are deleted together with their cloud agent if the user confirms that', async () => {
    const deleted = () => cloud.heard.map((it) => it.what).filter((it) => it.startsWith('DELETE'));
    assert.deepEqual(deleted(), []);
    await rows.menu('Agent bc_old', 'Delete…');
    const dialog = window.page.getByRole('dialog').filter({ hasText: 'Agent bc_old' });
    await dialog.getByRole('button', { name: 'Delete with Cloud Agent' }).waitFor();
    await window.screenshot('delete with the cloud agent');
    await press(dialog.getByRole('button', { name: 'Delete with Cloud Agent' }));
    await untilSeen('the cloud agent was deleted', async () => deleted(), ['DELETE /v0/agents/bc_old']);
    await rows.waitForNone('Agent bc_old');
  });

  it('1c-15 are unknown for a model of VS Code, which a person connects by name and the window calls', async () => {
    await window.probe.run(offersPlum);
    await window.command('Switchboard: Connect a Model…');
    const row = window.page.getByRole('option', { name: /^VS Code, 1 model/ });
    await row.waitFor();
    await window.screenshot('connect a model');
    await window.pick('VS Code');
    await press(window.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Use', exact: true }));
    chat = await window.chatAfter(() => window.clickInView('Sessions', /New Session/));
    await chooseAgent(chat, 'Switchboard');
    await chooseInMenu(
      chat.getByRole('button', { name: /^Model:/ }),
      chat.getByRole('menuitemradio', { name: /^Plum \(VS Code\)/ }),
    );
    await say(chat, 'Is it ripe?');
    await chat.getByText('The plum is ripe: I noted Look.', { exact: true }).waitFor();
    await chat.getByText(/^The agent uses a model of VS Code, which reports no usage\./).waitFor();
    const dialog = chat.getByRole('dialog', { name: 'Usage' });
    await until('the details say that the cost is unknown', async () => {
      if (!(await dialog.isVisible())) await press(chat.getByRole('button', { name: /^Context: / }));
      return /Cost of this chat\s*unknown/.test((await dialog.textContent({ timeout: 2_000 })) ?? '');
    });
    await window.screenshot('model of VS Code');
  });
});
