import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'mocha';
import { readHostFile } from '../../sidecar/launch/attach/hostFile.ts';
import { chooseAgent, say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { pictureFailures } from './driver/steps.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const agent = join(import.meta.dirname, '../integration/peers/acp/agent.ts');

/** A turn that goes on for as long as it takes, and everything that can happen to windows meanwhile. */
describe('windows: a turn outlives what happens to windows', () => {
  let editor: Editor;
  /** The window that is left at the end. */
  let last: EditorWindow | undefined;
  /** The agent speaks until this file is there. */
  let enough = '';
  const refused: string[] = [];

  before(async () => {
    const talker = { id: 'talker', displayName: 'Talker', command: process.execPath, args: [agent] };
    editor = await Editor.open('windows', { settings: { 'switchboard.agents': [talker] } });
    enough = join(editor.scratch.root, 'enough');
  });
  pictureFailures(() => last);
  after(() => editor?.close());

  async function look(window: EditorWindow): Promise<void> {
    await window.openContainer('Switchboard');
    await (await window.tree('Sessions')).waitFor('talk');
    refused.push(...(await window.statusBar()).filter((it) => it.startsWith('Failed')));
  }

  /** What the host wrote: the words of the turn so far or, at its end, of the finished one. */
  function finishedTurn(): { state: string; text: string } | undefined {
    const sql = new DatabaseSync(join(editor.hostDataDir, 'host.db'), { readOnly: true });
    const row = sql.prepare('SELECT body FROM turn ORDER BY n DESC LIMIT 1').get();
    sql.close();
    if (!row) return undefined;
    const turn = JSON.parse(String(row['body'])) as {
      state: string;
      responseParts: { kind: string; content?: string }[];
    };
    return {
      state: turn.state,
      text: turn.responseParts.map((it) => (it.kind === 'markdown' ? it.content : '')).join(''),
    };
  }

  it('3 reloads, a killed browser, a second and a closed window: the turn goes on in one host', async () => {
    let window = await editor.openWindow();
    await window.openContainer('Switchboard');
    await window.clickInView('Sessions', /New Session/);
    const chat = await window.chat();
    await chooseAgent(chat, 'Talker');
    await say(chat, `talk 1 ${enough}`);
    await chat.getByText('word10').first().waitFor();
    const host = readHostFile(editor.hostDataDir)?.pid;
    assert.ok(host !== undefined);
    await window.screenshot('before');

    for (let count = 0; count < 3; count += 1) {
      await window.reload();
      await look(window);
    }
    await window.screenshot('after three reloads');
    await editor.killBrowser();
    window = await editor.openWindow();
    await look(window);
    const second = await editor.openWindow();
    last = second;
    await look(second);
    await window.close();
    await second.screenshot('second window');
    writeFileSync(enough, '');

    // The question waits for a person, in the window that is left.
    const inbox = await second.tree('Inbox');
    await inbox.waitFor('echo question 0', {}, 120_000);
    await inbox.action('echo question 0', /^Allow Once/);
    await second.screenshot('allowed');
    const turn = await until('the turn ended', finishedTurn);
    const words = Array.from({ length: Number(readFileSync(enough, 'utf8')) }, (_, n) => `word${n}`);
    await (await second.tree('Sessions')).click('talk');
    const shown = await untilSeen(
      'the chat shows the whole turn',
      async () => (await (await second.chat()).locator('body').textContent()) ?? '',
      (it) => it.includes('All was said.'),
    );
    await look(second);
    await second.screenshot('completed');

    const missing = (text: string) => words.filter((it) => !new RegExp(`\\b${it}\\b`).test(text)).length;
    const now = readHostFile(editor.hostDataDir)?.pid;
    const report = [
      '3 reloads, 1 killed browser, 1 second window, 1 closed window:',
      now === host ? 'one host pid,' : `host pids ${host} and ${now},`,
      `turn ${turn.state === 'complete' ? 'completed' : turn.state},`,
      `${missing(turn.text) + missing(shown)} deltas missing, ${refused.length} refused`,
    ].join(' ');
    process.stdout.write(`${report}\n`);
    assert.ok(turn.text.startsWith(`${words.join(' ')} `), turn.text);
    assert.equal(
      report,
      '3 reloads, 1 killed browser, 1 second window, 1 closed window: one host pid, turn completed, 0 deltas missing, 0 refused',
    );
  });
});
