import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { press } from './driver/press.ts';
import { pictureFailures } from './driver/steps.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const long = Array.from({ length: 80 }, (_, at) => `Line ${at} of a long answer.\n`).join('\n');
const runbooks = {
  plum: '# Plum\n\nThe price of a plum is set in one place.\n',
  long: `# Long\n\n${long}\n`,
  pear: '# Pear\n\nThe price of a pear is older.\n',
};

describe('transcripts', () => {
  let editor: Editor;
  let window: EditorWindow;
  const list = () => window.page.locator('.quick-input-widget');
  const options = () => list().getByRole('option');

  /** @param answers what each prompt is answered with, at its end */
  const play = async (answers: Readonly<Record<string, string>>) => {
    const chat = await window.chatAfter(() => window.command('Switchboard: New Session'));
    for (const [prompt, answer] of Object.entries(answers)) {
      await say(chat, prompt);
      await chat.getByText(answer).last().waitFor();
      await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
    }
  };

  before(async () => {
    editor = await Editor.open('transcripts', {
      prepare: ({ workspace }) => {
        const folder = join(workspace, '.switchboard/runbooks');
        mkdirSync(folder, { recursive: true });
        for (const [name, text] of Object.entries(runbooks)) writeFileSync(join(folder, `${name}.md`), text);
      },
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    await play({ '/plum': 'set in one place', '/long': 'Line 79 of' });
    await play({ '/pear': 'is older' });
  });
  pictureFailures(() => window);
  after(() => editor?.close());

  it('1a-7 finds lines of all sessions while a person types, newest first', async () => {
    await window.command('Switchboard: Search Transcripts…');
    await window.quickInput.write('PRICE of');
    await untilSeen(
      'both lines are listed',
      () => options().allTextContents(),
      (texts) => texts.length === 2 && /a pear is older/.test(texts[0] ?? '') && /a plum is set/.test(texts[1] ?? ''),
    );
    await window.screenshot('found');
    await window.quickInput.write('nobody said this');
    await list().getByText('No results contain all of these words').waitFor();
  });

  it('1a-7 opens the chat of the line that is chosen, at its turn', async () => {
    await window.quickInput.write('price plum');
    await list()
      .getByRole('option', { name: /a plum is set/ })
      .waitFor();
    const chat = await window.chatAfter(() => window.accept());
    await until('the line is in sight, above a long answer', async () => {
      const box = await chat.getByRole('log').getByText('The price of a plum is set in one place.').boundingBox();
      return box !== null && box.y > 0 && box.y < 500;
    });
  });

  it('1a-7 is reached from the list of sessions with what was typed there', async () => {
    await window.command('Switchboard: Search Sessions…');
    await window.quickInput.write('older');
    await press(list().getByRole('button', { name: 'Search Transcripts…' }));
    await list()
      .getByRole('option', { name: /a pear is older/ })
      .waitFor();
    await window.quickInput.leave();
  });
});
