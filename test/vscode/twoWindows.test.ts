import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame, Locator } from 'playwright-core';
import { readHostFile } from '../../sidecar/launch/attach/hostFile.ts';
import { chooseAgent, say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { press } from './driver/press.ts';
import { until } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const CLOSES_WITHIN_MS = 1_000;
const ROUNDS = 2;
/** Between two of them the agent speaks for longer than an answer may take to arrive, so that every sign goes away. */
const QUESTIONS = 2 * ROUNDS + 1;
const commandOf = (n: number) => `echo question ${n}`;
const agent = join(import.meta.dirname, '../integration/peers/acp/agent.ts');

/** What one window shows of a question that waits; each is a promise of its own to a person. */
type Signs = Readonly<Record<string, Locator>>;

describe('two windows: one session on one host, the same in both', () => {
  let editor: Editor;
  /** The agent speaks before its first question until this file is there. */
  let enough = '';
  let first: EditorWindow;
  let second: EditorWindow;

  before(async () => {
    const talker = { id: 'talker', displayName: 'Talker', command: process.execPath, args: [agent] };
    editor = await Editor.open('two windows', { settings: { 'switchboard.agents': [talker] } });
    enough = join(editor.scratch.root, 'enough');
    first = await editor.openWindow();
    second = await editor.openWindow();
  });
  after(() => editor?.close());

  const textOf = async (window: EditorWindow) => (await (await window.chat()).locator('body').textContent()) ?? '';
  const allow = (chat: Frame) => chat.getByRole('button', { name: 'Allow once' });

  /** Row, badge and status bar of a question; they show whatever else is open. */
  async function standing(window: EditorWindow, command: string): Promise<Signs> {
    const inbox = await window.view('Inbox');
    const tab = window.page.locator('.part.activitybar').getByRole('tab', { name: /^Switchboard/ });
    return {
      row: inbox.getByRole('treeitem').filter({ hasText: command }),
      badge: tab.locator('.badge-content:visible'),
      'status bar': window.page.locator('.part.statusbar .statusbar-item:visible').filter({ hasText: /needs you/ }),
    };
  }

  /**
   * Allows the question in the second window and answers, for each sign in the first, the milliseconds from the click
   * until it was gone.
   */
  async function answerInSecond(signs: Signs): Promise<Record<string, number>> {
    for (const [name, sign] of Object.entries(signs))
      await until(`${name} shows the question`, async () => (await sign.count()) > 0);
    const chat = await second.chat();
    await allow(chat).waitFor();
    const clicked = chat.evaluate(
      () =>
        new Promise<number>((done) => {
          document.addEventListener('click', () => done(Date.now()), { once: true, capture: true });
        }),
    );
    const gone = Object.entries(signs).map(async ([name, sign]) => {
      await until(`${name} is gone`, async () => (await sign.count()) === 0);
      return [name, Date.now()] as const;
    });
    await press(allow(chat));
    const at = await clicked;
    return Object.fromEntries((await Promise.all(gone)).map(([name, when]) => [name, when - at]));
  }

  it('1c-23 shows the session in the other window while it is told, word by word', async () => {
    await first.openContainer('Switchboard');
    await second.openContainer('Switchboard');
    await first.clickInView('Sessions', /New Session/);
    const chat = await first.chat();
    await chooseAgent(chat, 'Talker');
    await say(chat, `talk ${QUESTIONS} ${enough}`);
    const sessions = await second.tree('Sessions');
    await sessions.waitFor('talk');
    await sessions.click('talk');
    await until('the second window shows words of the turn', async () => (await textOf(second)).includes('word1 '));
    for (const window of [first, second]) {
      const before = await textOf(window);
      await until('more words came', async () => (await textOf(window)).length > before.length);
    }
    await second.screenshot('second, live');
    writeFileSync(enough, '');
    for (const window of [first, second])
      await until('the question is in both', async () => (await allow(await window.chat()).count()) > 0, 60_000);
  });

  it('takes a question out of the other window within a second of its answer', async () => {
    const best: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round += 1) {
      // A card is seen in a chat that shows, and a notification tells of a chat that does not: so one question for each.
      const [shown, hidden] = [commandOf(2 * round), commandOf(2 * round + 1)];
      await allow(await first.chat()).waitFor();
      if (round === 0) await first.screenshot('first, asked with the chat open');
      const withCard = await answerInSecond({ ...(await standing(first, shown)), card: allow(await first.chat()) });
      await first.closeEditors();
      const toast = first.notifications.toast(hidden);
      await toast.waitFor();
      if (round === 0) await first.screenshot('first, asked with the chat closed');
      const withToast = await answerInSecond({ ...(await standing(first, hidden)), notification: toast });
      if (round === 0) await first.screenshot('first, answered in the second');
      for (const figures of [withCard, withToast])
        for (const [name, ms] of Object.entries(figures)) best[name] = Math.min(best[name] ?? ms, ms);
      await (await first.tree('Sessions')).click('talk');
    }
    process.stdout.write(
      `gone from the other window after: ${Object.entries(best)
        .map(([name, ms]) => `${name} ${ms} ms`)
        .join(', ')}\n`,
    );
    assert.deepEqual(Object.keys(best).sort(), ['badge', 'card', 'notification', 'row', 'status bar']);
    assert.deepEqual(
      Object.entries(best).filter(([, ms]) => ms > CLOSES_WITHIN_MS),
      [],
    );
  });

  it('goes on with the turn when the window that began it closes', async () => {
    const host = readHostFile(editor.hostDataDir)?.pid;
    assert.ok(host !== undefined);
    await allow(await second.chat()).waitFor();
    await first.close();
    await press(allow(await second.chat()));
    await until('the turn is told to its end', async () => (await textOf(second)).includes('All was said.'), 60_000);
    await until('nothing waits', async () => (await (await second.tree('Inbox')).rows()).length === 0);
    await second.screenshot('second, at the end');
    const told = await textOf(second);
    for (let n = 0; n < QUESTIONS; n += 1) assert.ok(told.includes(`pause${n}-29`), `after question ${n}`);
    assert.equal(readHostFile(editor.hostDataDir)?.pid, host);
  });
});
