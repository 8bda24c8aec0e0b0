import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame } from 'playwright-core';
import { type EchoBackend, startEchoBackend } from '../../support/backends/echoBackend.ts';
import { answered } from '../../support/models/provider.ts';
import { answersIn, chooseAgent, say } from '../driver/chat.ts';
import { Editor } from '../driver/editor.ts';
import { press, tick } from '../driver/press.ts';
import { inOrder } from '../driver/steps.ts';
import type { TreeRows } from '../driver/tree.ts';
import { until, untilSeen } from '../driver/until.ts';
import type { EditorWindow } from '../driver/window.ts';

const agent = join(import.meta.dirname, '../../integration/peers/acp/callsModels.child.ts');
const scripted = join(import.meta.dirname, '../../integration/peers/acp/agent.ts');

/** In order: each step requires the previous one. */
describe('the budget of a session in the editor', () => {
  let backend: EchoBackend;
  let editor: Editor;
  let window: EditorWindow;
  let sessions: TreeRows;
  let chat: Frame;

  before(async () => {
    backend = await startEchoBackend();
    backend.answer = answered({ type: 'message', usage: { input_tokens: 1_000, output_tokens: 100 } });
    const provider = {
      api_base: backend.url,
      api_key: { file: 'provider-key' },
      allow_private_network: true,
    };
    const modelOf = (model_name: string, share: number) => {
      const prices = { input_cost_per_token: 0.00001 * share, output_cost_per_token: 0.0001 * share };
      return { model_name, gateway_params: { ...provider, ...prices, model: `anthropic/${model_name}` } };
    };
    editor = await Editor.open('budgets', {
      settings: ({ root }) => ({
        'window.autoDetectColorScheme': true,
        'switchboard.agents': [
          { id: 'calls', displayName: 'Calls', command: join(root, 'claude-agent-acp') },
          { id: 'echo', displayName: 'Echo', command: process.execPath, args: [scripted] },
        ],
        'switchboard.agentModels': { calls: 'gateway' },
        'switchboard.limit.sessions': 1,
      }),
      prepare: ({ root }) => {
        const command = `#!/bin/sh\nexec "${process.execPath}" "${agent}"\n`;
        writeFileSync(join(root, 'claude-agent-acp'), command, { mode: 0o755 });
      },
    });
    mkdirSync(editor.hostDataDir, { recursive: true });
    writeFileSync(join(editor.hostDataDir, 'provider-key'), 'sk-ant-key-of-the-provider', { mode: 0o600 });
    writeFileSync(
      join(editor.hostDataDir, 'switchboard.jsonc'),
      JSON.stringify({ model_list: [modelOf('claude-*', 1), modelOf('claude-haiku-5', 0.01)] }),
    );
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    await window.view('Gateway');
    await until('the gateway runs', () => existsSync(join(editor.hostDataDir, 'gateway.db')));
    sessions = await window.tree('Sessions');
    chat = await window.chatAfter(() => window.clickInView('Sessions', /New Session/));
    await chooseAgent(chat, 'Calls');
  });
  inOrder(() => window);
  after(async () => {
    await editor?.close();
    await backend?.close();
  });

  const calls = async () => (await answersIn(chat)).match(/Call \d+: \w+/g) ?? [];
  const setBudget = async (unit: string, amount: string) => {
    await until('the editor asks for the budget of the session', async () => {
      await sessions.menu('1', 'Set Budget…');
      await window.quickInput.widget.getByText('Budget of 1', { exact: true }).waitFor({ timeout: 5_000 });
      return true;
    });
    await window.pick(unit);
    await window.type(amount);
  };

  it('is set from the row of the session, and what is left shows in its chat', async () => {
    await say(chat, '1');
    await untilSeen('the call is answered', calls, ['Call 1: answered']);
    await setBudget('In calls to models…', '3');
    await chat.locator('.usage-budget', { hasText: '2 of 3 calls left' }).waitFor();
    await window.screenshot('left');
  });

  it('asks in the chat before the fourth call, and still asks after a reload', async () => {
    await say(chat, '4');
    await chat.getByRole('form', { name: 'Raise the budget?' }).waitFor();
    assert.equal(backend.heard.length, 3);
    await window.pictures((theme) => editor.screenshotPath(`question ${theme}`));
    await window.reloadByCommand();
    chat = await window.chat();
    sessions = await window.tree('Sessions');
    const form = chat.getByRole('form', { name: 'Raise the budget?' });
    await form.getByText('Calls has made 3 of 3 calls in this session').waitFor();
    await tick(form.getByRole('radio', { name: /Raise to 6 calls/ }));
    await press(form.getByRole('button', { name: 'Submit' }));
    await untilSeen('the same turn goes on', calls, [
      'Call 1: answered',
      'Call 1: answered',
      'Call 2: answered',
      'Call 3: answered',
      'Call 4: answered',
    ]);
    assert.equal(backend.heard.length, 5);
  });

  it('rejects calls after the user stops, and the agent reports why', async () => {
    await setBudget('In US dollars…', '0.11');
    await say(chat, '1');
    const form = chat.getByRole('form', { name: 'Raise the budget?' });
    await form.getByText(/Calls has spent \$0\.10 of this session's budget of \$0\.11/).waitFor();
    await tick(form.getByRole('radio', { name: /^Stop/ }));
    await press(form.getByRole('button', { name: 'Submit' }));
    await untilSeen('the agent was told', async () => (await calls()).at(-1), 'Call 1: refused');
    await window.screenshot('stopped');
    assert.equal(backend.heard.length, 5);
  });

  it('lets a cheaper model serve the call, and shows less than a cent that is left', async () => {
    await say(chat, '1');
    const form = chat.getByRole('form', { name: 'Raise the budget?' });
    await tick(form.getByRole('radio', { name: /^Continue with claude-haiku-5/ }));
    await window.pictures((theme) => editor.screenshotPath(`cheaper model ${theme}`));
    await press(form.getByRole('button', { name: 'Submit' }));
    await untilSeen('the cheaper model answered', async () => (await calls()).at(-1), 'Call 1: answered');
    await chat.locator('.usage-budget', { hasText: '$0.0098 of $0.11 left' }).waitFor();
    assert.equal(backend.heard.length, 6);
    await window.pictures((theme) => editor.screenshotPath(`less than a cent ${theme}`));
  });

  it('is asked about while a turn of another session waits, until the user raises the limit on sessions', async () => {
    await say(chat, '1');
    await chat.getByRole('form', { name: 'Raise the budget?' }).waitFor();
    chat = await window.chatAfter(() => window.clickInView('Sessions', /New Session/));
    await chooseAgent(chat, 'Calls');
    await say(chat, '1');
    const form = chat.getByRole('form', { name: 'Wait for another session to end its turn?' });
    await form.getByText('Running sessions: 1. Limit: 1.').waitFor();
    assert.equal(backend.heard.length, 6);
    await window.pictures((theme) => editor.screenshotPath(`question about sessions ${theme}`));
    await tick(form.getByRole('radio', { name: /^Raise to 2 sessions/ }));
    await press(form.getByRole('button', { name: 'Submit' }));
    await untilSeen('the turn has started', calls, ['Call 1: answered']);
  });

  it('is not the limit of an account, at which a chat is parked: it counts down, and the user resumes it', async () => {
    chat = await window.chatAfter(() => window.clickInView('Sessions', /New Session/));
    await chooseAgent(chat, 'Echo');
    const prompt = `limited ${Math.round(Date.now() / 1_000) + 36_000} once`;
    await say(chat, prompt);
    const banner = chat.locator('.banner.is-parked');
    await banner.getByText(/ sent again in (9|10):\d\d:\d\d\.$/).waitFor();
    await sessions.waitFor('limited', { description: /resumes in 10 h/ });
    await window.pictures((theme) => editor.screenshotPath(`parked ${theme}`));
    await press(banner.getByRole('button', { name: 'Resume now' }));
    await chat.getByText('The limit has ended.', { exact: true }).waitFor();
    await banner.waitFor({ state: 'detached' });
  });
});
