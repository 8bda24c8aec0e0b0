import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type ChatHarness, headOf, running, startChatHarness } from './chatHarness.ts';

const queue = [
  { id: 'q1', text: 'then the docs' },
  { id: 'q2', text: 'then the tests' },
];

describe('the queue in the chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(head: Parameters<typeof headOf>[0]) {
    const opened = await harness.open();
    await opened.send({ type: 'model', seq: 1, model: { head: headOf(head), rows: [] } });
    const list = opened.page.getByRole('list', { name: 'Queued messages' });
    await list.waitFor();
    return { ...opened, list };
  }

  it('1a-19 says that it is paused once the turn was stopped, and sends its first message now', async () => {
    const { page, list, send, said } = await show({ ...running, queue });
    assert.equal(await list.getByText('Paused').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Send now' }).count(), 0);
    await send({ type: 'patch', seq: 2, head: headOf({ queue, isPaused: true }) });
    await list.getByText('Paused').waitFor();
    await page.getByRole('button', { name: 'Send now' }).click();
    assert.deepEqual(await said('sendQueued'), [{ type: 'sendQueued', messageId: 'q1' }]);
    await page.close();
  });

  it('1a-19 sends the message first that was to steer the stopped turn', async () => {
    const { page, said } = await show({ queue, isPaused: true, steering: { id: 's', text: 'only the parser' } });
    await page.getByRole('button', { name: 'Send now' }).click();
    assert.deepEqual(await said('sendQueued'), [{ type: 'sendQueued', messageId: 's' }]);
    await page.close();
  });

  it('1a-19 edits a message in the field, before what is typed there, and removes and moves others', async () => {
    const { page, list, send, said } = await show({
      ...running,
      queue,
      steering: { id: 's', text: 'only the parser' },
    });
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('and more');
    const row = (text: string) => list.getByRole('listitem').filter({ hasText: text });
    await row('then the tests').getByRole('button', { name: 'Edit' }).click();
    await row('only the parser').getByRole('button', { name: 'Edit' }).click();
    assert.deepEqual(await said('editQueued'), [
      { type: 'editQueued', messageId: 'q2' },
      { type: 'editQueued', messageId: 's' },
    ]);
    await send({ type: 'compose', text: 'then the tests', focus: true, isReturned: true });
    await field.and(page.locator(':focus')).waitFor();
    assert.equal(await field.inputValue(), 'then the tests\nand more');
    await row('then the docs').getByRole('button', { name: 'Move down' }).click();
    await row('then the docs').getByRole('button', { name: 'Remove' }).click();
    assert.deepEqual(await said('reorder'), [{ type: 'reorder', order: ['q2', 'q1'] }]);
    assert.deepEqual(await said('unqueue'), [{ type: 'unqueue', messageId: 'q1' }]);
    await page.close();
  });
});
