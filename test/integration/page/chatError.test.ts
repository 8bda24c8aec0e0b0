import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { ErrorRow } from '../../../src/webviews/contract/chatModel.ts';
import { type ChatHarness, headOf, startChatHarness } from './chatHarness.ts';

describe('1b-4 the row of a failed turn', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(action: ErrorRow['action'], more: Partial<ErrorRow> = {}) {
    const opened = await harness.open();
    const row: ErrorRow = { kind: 'error', id: 't/error', turnId: 't', message: 'The agent stopped.', action, ...more };
    await opened.send({ type: 'model', seq: 1, model: { head: headOf(), rows: [row] } });
    await opened.page.getByText('The agent stopped.').waitFor();
    return opened;
  }

  it('1b-4 the row of the last turn leads to the log, beside the button that helps', async () => {
    const { page, said } = await show('retry');
    await page.getByRole('button', { name: 'Show log' }).click();
    assert.deepEqual(
      [
        (await said('showLog')).length,
        (await said('retry')).length,
        await page.getByRole('button', { name: 'Try again' }).count(),
      ],
      [1, 0, 1],
    );
    await page.close();
  });

  it('1b-4 the row of a step that failed repeats the step or skips it', async () => {
    const { page, said } = await show('step');
    await page.getByRole('button', { name: 'Retry step' }).click();
    await page.getByRole('button', { name: 'Skip step' }).click();
    assert.deepEqual([(await said('retry')).length, (await said('skip')).length], [1, 1]);
    await page.close();
  });

  it('1b-4 the row of a step that a person denied offers the same, and leads to the file and not to the log', async () => {
    const message = 'The agent stopped. The step is at .switchboard/runbooks/a.md:5.';
    const { page, said } = await show('step', { isStopped: true, message });
    const group = page.getByRole('group', { name: 'Stopped' });
    const labels = await group.getByRole('button').allTextContents();
    assert.deepEqual(
      labels.map((it) => it.trim()),
      ['Retry step', 'Skip step'],
    );
    await group.getByRole('button', { name: 'Skip step' }).click();
    await group.getByRole('link', { name: '.switchboard/runbooks/a.md:5' }).click();
    assert.equal((await said('skip')).length, 1);
    assert.deepEqual(await said('link'), [{ type: 'link', href: '.switchboard/runbooks/a.md:5' }]);
    await page.close();
  });

  it('1b-4 the row of an earlier turn has no buttons', async () => {
    const { page } = await show('none');
    assert.equal(await page.locator('chat-error button').count(), 0);
    await page.close();
  });
});
