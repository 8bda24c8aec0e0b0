import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { verifies } from '../support/verifies.ts';
import { chooseAgent, chooseInMenu, say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { press } from './driver/press.ts';
import { pictureFailures } from './driver/steps.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const agent = join(import.meta.dirname, '../integration/peers/acp/agent.ts');

describe('forms: what can be set is drawn from the schemas of agent, model and host', () => {
  let editor: Editor;
  let window: EditorWindow;

  before(async () => {
    editor = await Editor.open('forms', {
      settings: () => ({
        'switchboard.agents': [
          { id: 'former', displayName: 'Former', command: process.execPath, args: [agent, '--offer=form,models,many'] },
        ],
      }),
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
  });
  pictureFailures(() => window);
  after(() => editor?.close());

  const rows = () => window.page.locator('.quick-input-widget [role=option]').allInnerTexts();
  /** Waits until the open list has a line that says all of these. */
  const says = (...words: string[]) =>
    untilSeen(`a line says ${words.join(', ')}`, rows, (all) =>
      all.some((line) => words.every((it) => line.includes(it))),
    );
  /** @param title its last words, whole: `Paths` is another step than `Path` */
  const titled = (title: string) =>
    window.page.locator('.quick-input-widget .quick-input-title', { hasText: new RegExp(`${title}(?!\\w)`) }).waitFor();
  async function choose(field: string, step: string): Promise<void> {
    await window.pick(field);
    await titled(`› ${step}`);
  }

  it('of a new session: values are completed while typing with the seeds first, lists and objects are edited, what is fixed is locked', async () => {
    verifies('host.config.enum-dynamic', 'host.config.enum-seeds', 'host.config.read-only');
    await window.command('Switchboard: New Session');
    const chat = await window.chat();
    await chooseAgent(chat, 'Former');
    await press(chat.getByRole('button', { name: 'Options…' }));
    await titled('Options');
    await says('Plan', 'Team', 'cannot be changed');
    await says('Region', 'Region 70');
    await window.screenshot('the form of a session');

    await choose('Branch', 'Branch');
    await untilSeen('the seeds come first', rows, ([first = '', second = '']) =>
      [/main[\s\S]*what is released/.test(first), /develop[\s\S]*used last/.test(second)].every(Boolean),
    );
    await window.quickInput.write('19');
    await says('release/190');
    await window.screenshot('values while typing');
    await press(window.page.getByRole('option', { name: /^release\/19,/ }));
    await says('Branch', 'release/19');

    await choose('Retries', 'Retries');
    await window.quickInput.write('many');
    await window.page.locator('.quick-input-widget').getByText('Enter a number.').waitFor();
    await window.type('5');
    await says('Retries', '5');

    await choose('Paths', 'Paths');
    await choose('Add…', 'Path');
    await window.type('docs');
    await says('docs');
    await window.pick('Done');
    await says('Paths', 'src, docs');

    await choose('Limits', 'Limits');
    await window.screenshot('members of an object');
    await window.quickInput.leave(); // one step back
    await says('Limits', 'Processors: 1');
    await window.quickInput.leave();
  });

  it('of a model: its own options go to the agent as they were given, and one that is not allowed is shown and cannot be chosen', async () => {
    verifies('host.model.config-schema', 'host.model.selection-config', 'host.model.policy');
    const chat = await window.chat();
    const models = chat.getByRole('button', { name: /^Model:/ });
    const forbidden = chat.getByRole('menuitemradio', { name: /Large.*Not allowed here/, disabled: true });
    await chooseInMenu(models, forbidden, { force: true });
    await forbidden.waitFor(); // the menu stays
    await window.screenshot('models');
    await chooseInMenu(models, chat.getByRole('menuitemradio', { name: /Small/ }));
    await press(chat.getByRole('button', { name: 'Options…' }));
    await says('Thinking', 'Little');
    await choose('Thinking', 'Thinking');
    await says('Much', 'thinks first');
    await window.pick('Much');
    await choose('Budget', 'Budget');
    await window.type('0.5');
    await says('Budget', '0.5');
    await window.quickInput.leave();
    await say(chat, 'settings');
    const said = await until('the agent says what was set', async () => {
      const found = /\{"branch".*\}\}/.exec((await chat.textContent('body')) ?? '')?.[0];
      return found === undefined ? undefined : (JSON.parse(found) as Record<string, unknown>);
    });
    assert.deepEqual(
      [said['branch'], said['retries'], said['paths'], said['model']],
      ['release/19', 5, ['src', 'docs'], { modelConfig: { thinking: 'high', budget: 0.5 } }],
    );
  });

  it('of a session that is there: only what may still be changed', async () => {
    verifies('host.config.session-mutable');
    await window.command('Switchboard: Session Options…');
    await window.page.getByPlaceholder('Which session?').waitFor();
    await window.pick('settings');
    await titled('Session Options');
    await says('Branch', 'release/19', 'cannot be changed');
    await window.screenshot('the form of a session that is there');
    await choose('Dry run', 'Dry run');
    await window.pick('Yes');
    await says('Dry run', 'Yes');
    await window.quickInput.leave();
  });

  it('of the host: kept when it starts again, and what settings say is locked', async () => {
    verifies('host.config.root-state', 'host.config.read-only');
    await window.command('Switchboard: Configure Host…');
    await says('Durability', 'Normal', 'cannot be changed');
    await choose('Terminal output to keep', 'Terminal output to keep');
    await window.pick('250,000');
    await says('Terminal output to keep', '250,000');
    await window.screenshot('the form of the host');
    await window.quickInput.leave();
    await window.restartHost();
    await window.command('Switchboard: Configure Host…');
    await says('Terminal output to keep', '250,000');
    await window.quickInput.leave();
  });
});
