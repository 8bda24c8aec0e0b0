import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { press } from './driver/press.ts';
import { pictureFailures } from './driver/steps.ts';
import type { TreeRows } from './driver/tree.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const runbooks = {
  raise:
    '# Raise a price\n\n```diff\n--- a/src/prices.js\n+++ b/src/prices.js\n@@ -5,1 +5,1 @@\n-  plum: 25,\n+  plum: 30,\n```\n\nDone.\n',
  fail: '# Fail\n\n```sh\nexit 3\n```\n',
  ask: '# Ask\n\n```sh\necho walnut\n```\n\nAsked.\n',
  wipe: '# Wipe\n\n```sh\nrm -rf build\n```\n\nWiped.\n',
  first: 'The first is done.\n',
  second: 'The second is done.\n',
  third: 'The third is done.\n',
};

describe('the Sessions view', () => {
  let editor: Editor;
  let window: EditorWindow;
  let sessions: TreeRows;
  const view = () => window.page.locator('.pane', { hasText: 'Sessions' }).first();
  const hasLabels = (what: string, wanted: (labels: readonly string[]) => boolean) =>
    untilSeen(what, () => sessions.labels(), wanted);

  /** Selects these rows alone. The chat of the first opens, which may take the focus from the list. */
  const select = async (first: string, ...more: readonly string[]) => {
    const selected = window.page.locator('.monaco-list.element-focused .monaco-list-row.selected .label-name');
    await untilSeen(
      `${[first, ...more].join(', ')} are selected, and the list has the focus`,
      async () => {
        await sessions.click(first);
        for (const it of more) await sessions.row(it).click({ modifiers: ['ControlOrMeta'], timeout: 5_000 });
        return selected.count();
      },
      1 + more.length,
    );
  };

  const play = async (prompt: string) => {
    const chat = await window.chatAfter(() => window.command('Switchboard: New Session'));
    await say(chat, prompt);
    if (prompt === '/raise' || prompt === '/fail') await press(chat.getByRole('button', { name: 'Allow once' }).last());
    await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  };

  before(async () => {
    editor = await Editor.open('sessions', {
      prepare: ({ workspace }) => {
        const folder = join(workspace, '.switchboard/runbooks');
        mkdirSync(folder, { recursive: true });
        for (const [name, text] of Object.entries(runbooks)) writeFileSync(join(folder, `${name}.md`), text);
      },
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    await window.fold('Inbox', 'Changes', 'Gateway');
    sessions = await window.tree('Sessions');
    for (const it of Object.keys(runbooks)) if (it !== 'ask' && it !== 'wipe') await play(`/${it}`);
  });
  pictureFailures(() => window);
  after(() => editor?.close());

  it('1a-1 lists every session with who works, and counts that come first', async () => {
    const { description } = await sessions.waitFor('/raise', { description: /^\+1 −1 · / });
    assert.match(description, /^\+1 −1 · (now|\d+ min)$/);
    await sessions.waitFor('/first', { ariaLabel: /^\/first, done, .*Runbook, / });
    await window.screenshot('rows');
  });

  it('1a-2 shows a runbook whose step failed as failed, in a word and in an icon', async () => {
    await sessions.waitFor('/fail', { description: /^failed · .* · Runbook$/, ariaLabel: /^\/fail, failed, / });
    await sessions.row('/fail').locator('.codicon-error').waitFor();
    const chat = await sessions.openChat('/fail');
    await chat.getByRole('group', { name: 'The turn failed' }).waitFor();
    await window.screenshot('failed');
  });

  it('1a-11 keeps a pinned session in a group of its own', async () => {
    await sessions.action('/first', /^Pin/);
    await hasLabels('the pinned one stands first', (it) => it[0] === 'Pinned' && it[1] === '/first');
    await window.screenshot('pinned');
    await sessions.action('/first', /^Unpin/);
    await sessions.waitForNone('Pinned');
  });

  it('1a-5 filters by status, says so in its title, and shows everything again', async () => {
    await window.command('Switchboard: Filter Sessions…');
    await press(window.page.locator('.quick-input-widget').getByText('Failed', { exact: true }));
    await window.screenshot('filter choices');
    await window.accept();
    await hasLabels('only the failed one is left', (it) => it.includes('/fail') && !it.includes('/first'));
    await view().locator('.pane-header .description', { hasText: 'failed' }).waitFor();
    await window.screenshot('filtered');
    await window.command('Switchboard: Reset Session Filter');
    await sessions.waitFor('/first');
  });

  it('1a-4 groups by folder where that is chosen, and by time again', async () => {
    await window.command('Switchboard: Group and Sort Sessions…');
    await window.pick('Folder');
    await hasLabels('the group of the folder stands there', (it) => !it.includes('Today') && it.includes('/first'));
    await window.screenshot('by folder');
    await window.command('Switchboard: Group and Sort Sessions…');
    await window.pick('Status and time');
    await sessions.waitFor('Today');
  });

  it('1b-24 exports a session as a file, imports the file, and goes on from it in a new session', async () => {
    const file = join(editor.workspace, 'exported.json');
    await sessions.menu('/first', 'Export Session…');
    await window.pick('JSON');
    const where = window.page.locator('.quick-input-widget input').first();
    await untilSeen(
      'the editor asks where',
      () => where.inputValue(),
      (it) => it.endsWith('first.json'),
    );
    await window.quickInput.typePath(file);
    const text = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    await untilSeen('the file holds the session', text, (it) => it.includes('The first is done'));
    const notice = window.page.locator('.notification-toast', { hasText: 'The session was imported' });
    const chat = await window.chatAfter(async () => {
      await window.command('Switchboard: Import Session…');
      await window.quickInput.typePath(file);
      await notice.waitFor();
    });
    await chat.getByText('The first is done').first().waitFor();
    await chat.getByPlaceholder('This chat is read-only').waitFor();
    await window.screenshot('imported');
    await press(notice.getByRole('button', { name: 'Continue in New Session' }));
    await sessions.waitFor('/first (continued)');
    // It takes the focus when it opens: a question that is asked before would be closed.
    await until('the chat of the new session is open', async () =>
      (await window.probe.tabs()).some((it) => it.isActive && it.label.startsWith('/first (continued)')),
    );
    await window.screenshot('continued');
  });

  it('1a-6 finds a session by a part of its title and opens it', async () => {
    await window.command('Switchboard: Search Sessions…');
    await window.quickInput.write('thrd');
    await window.page
      .locator('.quick-input-widget')
      .getByRole('option', { name: /\/third/ })
      .waitFor();
    await window.screenshot('search');
    await window.accept();
    await until('its chat is open', async () =>
      (await window.probe.tabs()).some((it) => it.isActive && it.label.startsWith('/third')),
    );
  });

  it('1a-9 marks several sessions as unread at once, and all as read', async () => {
    await select('/first', '/second', '/raise'); // the chat of the first is in sight, which makes it read again
    await sessions.menu('/second', 'Mark as Unread');
    for (const it of ['/second', '/raise']) await sessions.waitFor(it, { ariaLabel: /unread/ });
    await window.command('Switchboard: Mark All Sessions as Read');
    for (const it of ['/second', '/raise']) await sessions.waitFor(it, { ariaLabel: /^(?!.*unread)/ });
  });

  it('1a-10 renames the row with the focus with F2, whatever is selected', async () => {
    await window.probe.command('switchboard.sessions.focus');
    await sessions.key('ArrowDown');
    const focused = view().locator('.monaco-list-row.focused .label-name');
    const name = (await focused.textContent()) ?? '';
    await sessions.key('F2');
    const input = window.page.locator('.quick-input-widget input').first();
    await untilSeen('the box holds the name of the focused row', () => input.inputValue(), name);
    await window.type('Renamed here');
    await sessions.waitFor('Renamed here');
    await window.screenshot('renamed');
  });

  it('1a-13 shows who, where and what in the card of a row under the mouse', async () => {
    assert.match(await sessions.card('/raise', '1 file, +1 −1'), /Runbook/);
    await window.screenshot('hover card');
    await window.leaveHover();
  });

  it('1a-12 deletes all selected sessions after one question', async () => {
    const dialog = window.page.getByRole('dialog');
    // The chat of a row that is clicked takes the focus once it is there, and the key with it: then it is done anew.
    await until('the question is about both', async () => {
      if (!(await dialog.isVisible())) {
        await select('/third', '/fail');
        await sessions.key('Delete');
      }
      await dialog.getByText('Delete 2 sessions?').waitFor({ timeout: 3_000 });
      return true;
    });
    await window.screenshot('delete two');
    await press(dialog.getByRole('button', { name: 'Delete' }));
    await sessions.waitForNone('/third');
    await sessions.waitForNone('/fail');
    await sessions.waitFor('/raise');
  });

  it('1a-8 archives all sessions of a group', async () => {
    await sessions.action('Today', 'Archive All');
    await hasLabels('only the archive is left', (it) => it.length === 1 && it[0] === 'Archived');
    await window.screenshot('archived');
  });

  it('1a-3 shows a request below its session, which is unfolded for it, and allows it from there', async () => {
    const chat = await window.chatAfter(() => window.command('Switchboard: New Session'));
    await say(chat, '/ask');
    await sessions.waitFor('echo walnut', { level: 3, actions: [/^Allow Once/, /^Deny/, /^Review in Chat/] });
    await sessions.waitFor('/ask', { ariaLabel: /^\/ask, needs you, / });
    await window.screenshot('a request below its session');
    await sessions.action('echo walnut', /^Allow Once/);
    await sessions.waitForNone('echo walnut');
    await chat.getByRole('log').getByText('Asked.').waitFor();
  });

  it('1a-3 offers only a review of what is dangerous', async () => {
    const chat = await window.chatAfter(() => window.command('Switchboard: New Session'));
    await say(chat, '/wipe');
    await sessions.waitFor('rm -rf build', { level: 3, description: 'needs review', actions: [/^Review in Chat/] });
    await window.screenshot('a dangerous request below its session');
    await sessions.openChat('/ask');
    const shown = await window.chatAfter(() => sessions.action('rm -rf build', /^Review in Chat/));
    await press(shown.getByRole('button', { name: 'Deny', exact: true }));
    await sessions.waitForNone('rm -rf build');
  });
});
