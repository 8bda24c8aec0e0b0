import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame } from 'playwright-core';
import { verifies } from '../support/verifies.ts';
import { chooseAgent, chooseInMenu, openMenu, say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { press, pressUnder } from './driver/press.ts';
import { inOrder } from './driver/steps.ts';
import { untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const peers = join(import.meta.dirname, '../integration/peers/acp');
const rules = 'switchboard.permissions.rules';

describe('approvals: every reason why something runs unasked is in one list, and what a person allowed is taken back there', () => {
  let editor: Editor;
  let window: EditorWindow;
  let chat: Frame;

  before(async () => {
    editor = await Editor.open('approvals', {
      prepare: ({ workspace }) => {
        const own = [
          { effect: 'ask', target: 'edit', pattern: 'src/**' },
          { effect: 'allow', target: 'edit', pattern: '**' },
        ];
        mkdirSync(join(workspace, '.vscode'));
        writeFileSync(join(workspace, '.vscode/settings.json'), JSON.stringify({ [rules]: own }));
      },
      settings: () => ({
        [rules]: [{ effect: 'deny', target: 'edit', pattern: 'keys/**' }],
        'switchboard.agents': [
          { id: 'worker', displayName: 'Worker', command: process.execPath, args: [join(peers, 'agent.ts')] },
        ],
      }),
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
  });
  inOrder(() => window);
  after(() => editor?.close());

  const quickPick = () => window.page.locator('.quick-input-widget');
  /** Waits for a line of the open list that says all of these. */
  const says = (...words: string[]) =>
    untilSeen(
      `a line says ${words.join(', ')}`,
      () => quickPick().locator('[role=option]').allInnerTexts(),
      (all) => all.some((line) => words.every((it) => line.includes(it))),
    );
  const asks = () => chat.getByRole('button', { name: 'Allow once' });

  it('1b-13 what is allowed for a session runs in it unasked from then on', async () => {
    await window.command('Switchboard: New Session');
    chat = await window.chat();
    await chooseAgent(chat, 'Worker');
    await say(chat, 'run echo walnut');
    const more = chat.getByRole('button', { name: 'More ways to allow' });
    const wider = chat.getByRole('menuitem', { name: 'Allow echo * in this session' });
    await openMenu(more, wider);
    await window.screenshot('the menu names the rule');
    await chooseInMenu(more, wider);
    await asks().waitFor({ state: 'detached' });
    await say(chat, 'run touch unasked && echo almond');
    await asks().waitFor();
    await press(chat.getByRole('button', { name: 'Deny', exact: true }));
    await asks().waitFor({ state: 'detached' });
    await say(chat, 'run echo hazel');
    await chat.getByText('Run something', { exact: true }).nth(1).waitFor(); // the card of what waits or was denied says more
    assert.equal(await asks().count(), 0);
    await press(chat.getByText('Run something', { exact: true }).nth(1));
    await chat.getByText('Ran without asking because of the rule "echo *", which you saved.').first().waitFor();
    await window.screenshot('the row names the rule that let it run');
  });

  it('each source is listed with its origin, and a rule that does nothing says so', async () => {
    verifies('host.approvals.every-source', 'host.approvals.names-rule');
    await window.command('Switchboard: Manage Approvals…');
    await says('echo *', 'shell: runs without asking, only in "run echo walnut"', 'Allowed by you');
    await says('keys/**', 'edit: denied', 'User settings');
    await says('src/**', 'edit: always asks', 'Workspace settings');
    await says(
      '**',
      'edit: runs without asking',
      'This rule has no effect. Rules in workspace settings can only ask or deny.',
    );
    await says('Reading workspace files', 'Default');
    await says('Dangerous requests', 'always asks, even if a rule allows it', 'access files outside the workspace');
    await window.screenshot('every source');
  });

  it('1b-14 a rule that is taken back leaves the list, the others stay, and the agent asks again', async () => {
    const granted = quickPick().getByRole('option', { name: /echo \*/ });
    await pressUnder(granted, granted.getByRole('button', { name: 'Remove This Rule' }));
    await granted.waitFor({ state: 'detached' });
    await says('keys/**', 'User settings');
    await says('src/**', 'Workspace settings');
    await window.screenshot('taken back');
    await window.quickInput.leave();
    chat = await window.chat();
    await say(chat, 'run echo pecan');
    await asks().waitFor();
    await window.screenshot('asks again');
  });

  it('1b-14 a rule is added to the user settings, edited and removed there, and the list follows', async () => {
    const option = (name: RegExp) => quickPick().getByRole('option', { name }).first();
    await window.command('Switchboard: Manage Approvals…');
    await says('keys/**', 'edit: denied');
    await press(quickPick().getByRole('button', { name: 'Add Rule…' }));
    await press(option(/^Always ask/));
    await press(option(/^Run a command/));
    await quickPick().getByText('stands for any text').waitFor();
    await window.type('make *');
    await says('make *', 'shell: always asks');
    await window.screenshot('a rule was added');
    await pressUnder(option(/make \*/), option(/make \*/).getByRole('button', { name: 'Edit Rule…' }));
    await press(option(/^Deny/));
    await press(option(/^Run a command/));
    await quickPick().getByText('stands for any text').waitFor();
    await window.accept();
    await says('make *', 'shell: denied');
    await pressUnder(option(/make \*/), option(/make \*/).getByRole('button', { name: 'Remove This Rule' }));
    await option(/make \*/).waitFor({ state: 'detached' });
    await says('keys/**', 'edit: denied');
    await window.quickInput.leave();
  });

  it('the history says what was allowed and denied, and by whom, newest first, and opens the chat', async () => {
    verifies('host.approvals.history');
    await window.command('Switchboard: Show Approval History…');
    await says('echo hazel', 'Allowed by the rule "echo *"', 'run echo walnut');
    await says('touch unasked && echo almond', 'You denied this');
    await says('echo walnut', 'You allowed this and saved the rule "echo *"');
    const lines = await quickPick().locator('[role=option]').allInnerTexts();
    const order = ['Allowed by the rule', 'You denied this', 'saved the rule'].map((it) =>
      lines.findIndex((line) => line.includes(it)),
    );
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
    await window.screenshot('the history of approvals');
    await press(quickPick().getByRole('option', { name: /echo hazel/ }));
    await quickPick().waitFor({ state: 'hidden' });
    chat = await window.chat();
    await chat.getByText('Run something', { exact: true }).nth(1).waitFor();
  });

  it('the Inbox names the rule before it is saved, and Cancel saves nothing', async () => {
    verifies('host.approvals.names-rule');
    const inbox = await window.tree('Inbox');
    await inbox.waitFor('echo pecan');
    const dialog = window.page.locator('.monaco-dialog-box');
    const choose = async (name: string) => {
      await inbox.menu('echo pecan', 'Allow in This Session');
      await dialog.getByText('Allow this in "run echo walnut"?').waitFor();
      await dialog.getByText('echo *', { exact: false }).waitFor();
      await window.screenshot(`the Inbox names the rule, ${name}`);
      await press(dialog.getByRole('button', { name }));
      await dialog.waitFor({ state: 'detached' });
    };
    await choose('Cancel');
    await inbox.waitFor('echo pecan');
    await choose('Allow in This Session');
    await untilSeen('the Inbox is empty', () => inbox.labels(), []);
    await say(chat, 'run rm -rf nothing-here');
    await inbox.waitFor('rm -rf nothing-here');
    const offered = await inbox.menuLabels('rm -rf nothing-here');
    assert.deepEqual(
      offered.filter((it) => /Allow|Deny/.test(it)),
      ['Deny', 'Deny with Reason…'],
    );
    await inbox.menu('rm -rf nothing-here', 'Deny');
    await untilSeen('the Inbox is empty', () => inbox.labels(), []);
    await say(chat, 'run echo fig');
    await chat.getByText('Run something', { exact: true }).nth(3).waitFor();
    assert.equal(await asks().count(), 0);
  });
});
