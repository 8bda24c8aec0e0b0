import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Row } from '../../../src/webviews/contract/chatModel.ts';
import { type ChatHarness, headOf, running, startChatHarness } from './chatHarness.ts';

const turn = (turnId: string, prompt: string, ...answers: string[]): Row[] => [
  { kind: 'prompt', id: `${turnId}/prompt`, turnId, text: prompt, attachments: [] },
  ...answers.map((text, index): Row => ({ kind: 'markdown', id: `${turnId}/${index}`, turnId, text })),
];
const rows = [...turn('a', 'Fix the dates', 'First.', 'Then **this**.'), ...turn('t', 'And the prices', 'Done.')];

describe('the toolbars of a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(head = headOf({ canFork: true })) {
    const opened = await harness.open();
    await opened.send({ type: 'model', seq: 1, model: { head, rows } });
    const { page } = opened;
    const prompt = page.locator('.turn', { hasText: 'Fix the dates' });
    const message = page.getByRole('textbox', { name: 'Message' });
    return { ...opened, prompt, message, button: (name: string) => prompt.getByRole('button', { name }) };
  }

  it('1a-20 put the prompt into the composer, and send it in the place of its turn', async () => {
    const { page, message, button, said } = await show();
    await message.fill('something else');
    await button('Edit and resend').click();
    assert.equal(await message.inputValue(), 'Fix the dates');
    await page.getByText('Editing an earlier message.').waitFor();
    await message.fill('Fix all the dates');
    await message.press('Enter');
    assert.deepEqual(await said('resend'), [
      { type: 'resend', turnId: 'a', text: 'Fix all the dates', unsaved: 'ask' },
    ]);
    assert.deepEqual(await said('send'), []);
    assert.equal(await message.inputValue(), 'something else', 'what was being written is there again');
    await page.close();
  });

  it('1a-20 give back on Cancel what was being written, whether or not the host knows of it', async () => {
    const { page, message, button, said } = await show();
    await message.fill('half a thought');
    await button('Edit and resend').click();
    assert.deepEqual((await said('draft')).at(-1), { type: 'draft', text: 'half a thought' });
    await message.fill('an edit that is given up');
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await message.inputValue(), 'half a thought');
    assert.deepEqual(
      (await said('turn')).map((it) => it.what),
      ['edit', 'leaveEdit'],
    );
    await button('Edit and resend').click();
    await message.press('Escape');
    assert.equal(await message.inputValue(), 'half a thought', 'Escape cancels too');
    assert.deepEqual(await said('draft').then((all) => [...new Set(all.map((it) => it.text))]), ['half a thought']);
    assert.deepEqual(await said('stop'), []);
    await page.close();
  });

  it('1a-20 hold an edited prompt back while a turn runs', async () => {
    const { page, message, button, said, send } = await show();
    await button('Edit and resend').click();
    await send({ type: 'patch', seq: 2, head: headOf(running) });
    await page.getByText('Stop the running turn before you send it.').waitFor();
    await message.press('Enter');
    assert.deepEqual([await said('resend'), await said('send')], [[], []]);
    assert.equal(await message.inputValue(), 'Fix the dates');
    await page.close();
  });

  it('1a-20 take an edited prompt back that could not be sent', async () => {
    const { page, message, send } = await show();
    await send({ type: 'compose', text: 'Fix some dates', focus: true, editing: 'a' });
    await page.getByText('Editing an earlier message.').waitFor();
    assert.equal(await message.inputValue(), 'Fix some dates');
    await page.close();
  });

  it('copy a prompt, and the whole of an answer as it was written', async () => {
    const { page, button, said } = await show();
    await button('Copy message').click();
    await button('Copy response').click();
    assert.deepEqual(
      (await said('copy')).map((it) => it.text),
      ['Fix the dates', 'First.\n\nThen **this**.'],
    );
    await page.close();
  });

  it('are in sight with the pointer, and with the focus of the keyboard', async () => {
    const { page, prompt, button } = await show();
    const opacity = () =>
      prompt
        .locator('.row-actions')
        .first()
        .evaluate((it) => getComputedStyle(it).opacity);
    await page.mouse.move(0, 0);
    assert.equal(await opacity(), '0');
    await button('Copy message').focus();
    assert.equal(await opacity(), '1');
    await page.keyboard.press('Tab');
    await button('Edit and resend').and(page.locator(':focus')).waitFor();
    await button('Edit and resend').blur();
    await prompt.locator('.bubble').hover();
    assert.equal(await opacity(), '1');
    await page.close();
  });

  it('1a-16 offer a fork where the agent declares it, and of turns that ended', async () => {
    const { page, button, said, send } = await show(headOf());
    await button('Send again').waitFor();
    assert.equal(await button('Fork from here').count(), 0);
    await send({ type: 'patch', seq: 2, head: headOf({ canFork: true, ...running }) });
    await button('Fork from here').click();
    assert.deepEqual(await said('turn'), [{ type: 'turn', turnId: 'a', what: 'fork' }]);
    const now = page.locator('.turn', { hasText: 'And the prices' });
    assert.equal(await now.getByRole('button', { name: 'Fork from here' }).count(), 0);
    assert.equal(await now.getByRole('button', { name: 'Copy response' }).count(), 0);
    await page.close();
  });

  it('send nothing where nothing can be sent', async () => {
    const { page, button } = await show(headOf({ composer: { ...headOf().composer, blocked: 'readOnly' } }));
    await button('Copy message').waitFor();
    assert.equal(await button('Edit and resend').count(), 0);
    assert.equal(await button('Send again').count(), 0);
    await page.close();
  });

  const fence = (language: string, code: string): Row[] => [
    ...turn('t', 'Show me', `\`\`\`${language}\n${code}\n\`\`\`\n`),
  ];
  async function showCode(language: string, code: string, head = headOf({ canRun: true })) {
    const opened = await harness.open();
    await opened.send({ type: 'model', seq: 1, model: { head, rows: fence(language, code) } });
    const block = opened.page.locator('.code');
    await block.waitFor();
    return {
      ...opened,
      block,
      names: () => block.getByRole('button').evaluateAll((all) => all.map((it) => it.getAttribute('title'))),
    };
  }

  it('1b-2 offer what can be done with code, each of it to the keyboard', async () => {
    const { page, block, names, said } = await showCode('sh', 'npm test');
    await block.getByRole('button', { name: 'Insert at cursor' }).focus();
    assert.deepEqual(await names(), ['Insert at cursor', 'New file', 'Run in terminal', 'Copy code']);
    for (const _ of [1, 2, 3, 4]) {
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
    }
    const code = { type: 'code', text: 'npm test\n', language: 'sh' };
    assert.deepEqual(
      await said('code'),
      ['insert', 'newFile', 'run'].map((what) => ({ ...code, what })),
    );
    assert.deepEqual(await said('copy'), [{ type: 'copy', text: 'npm test\n' }]);
    await page.close();
  });

  it('1b-2 offer to apply code to a file, and a command line to a terminal alone', async () => {
    const { page, block, names, said } = await showCode('ts', 'f();');
    await block.getByRole('button', { name: 'Apply with preview' }).click();
    assert.deepEqual(await names(), ['Apply with preview', 'Insert at cursor', 'New file', 'Copy code']);
    assert.deepEqual(await said('code'), [{ type: 'code', what: 'apply', text: 'f();\n', language: 'ts' }]);
    await page.close();
  });

  it('1b-2 do not hand to a terminal what is no command line, nor anything in a window that is not trusted', async () => {
    const shown = await Promise.all([showCode('ts', 'f();'), showCode('sh', 'npm test', headOf())]);
    for (const { page, block } of shown) {
      await block.getByRole('button', { name: 'New file' }).waitFor();
      assert.equal(await block.getByRole('button', { name: 'Run in terminal' }).count(), 0);
      await page.close();
    }
  });

  it('lie over code that has one background, as inline code has its own', async () => {
    const { page, block } = await showCode('sh', 'npm test');
    const background = await block.locator('code').evaluate((it) => getComputedStyle(it).backgroundColor);
    assert.equal(background, 'rgba(0, 0, 0, 0)');
    assert.equal(await block.locator('code').evaluate((it) => getComputedStyle(it).paddingLeft), '0px');
    await page.close();
  });
});
