import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import type { QuestionModel, Row, ToolRow } from '../../../src/webviews/contract/chatModel.ts';
import { until } from '../../support/until.ts';
import { type ChatHarness, headOf, running, startChatHarness, textRow } from './chatHarness.ts';

const markdown = `# Dates

The parser drops **the offset**:

1. Keep it in \`dates.ts\`.
2. Test \`+02:00\`.

\`\`\`ts
const a = "<b>not bold</b>";

// a comment after a blank line
\`\`\`

| a | b |
| - | - |
| 1 | 2 |

- one
- two

Done with [a link](https://example.com).
`;
const options: NonNullable<ToolRow['ask']>['options'] = [
  { id: 'allow-once', label: 'Allow once', approves: true },
  { id: 'allow-session', label: 'Allow npm * in this session', approves: true },
  { id: 'allow-always', label: 'Always allow npm *', approves: true },
  { id: 'deny', label: 'Deny', approves: false },
  { id: 'deny-with-reason', label: 'Deny with reason', approves: false },
];
const pending: ToolRow = {
  kind: 'tool',
  id: 't/1',
  turnId: 't',
  toolCallId: 'c',
  state: 'pending',
  toolKind: 'shell',
  title: 'Run npm test',
  command: 'npm test',
  files: [],
  paths: [],
  ask: { options, oneClick: true, rule: 'npm *' },
};

describe('the chat page in a browser', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(rows: readonly Row[], head = headOf(running)) {
    const opened = await harness.open();
    await opened.send({ type: 'model', seq: 1, model: { head, rows } });
    return opened;
  }
  const drawn = (page: Page) =>
    page.locator('.markdown').evaluate((it) => {
      const copy = it.cloneNode(true) as HTMLElement;
      // Colours and the wrapper of the block that is being written are no part of what it says.
      for (const span of copy.querySelectorAll('span[class^=hljs]')) span.replaceWith(...span.childNodes);
      for (const live of copy.querySelectorAll('.live-block')) live.replaceWith(...live.childNodes);
      copy.normalize();
      return copy.innerHTML
        .replace(/\s*\n\s*/g, '\n')
        .replace(/>\n</g, '><')
        .trim();
    });

  it('draws streamed Markdown as it draws the whole, however it was cut', async () => {
    const whole = await show([textRow(markdown)], headOf());
    await whole.page.getByRole('link', { name: 'a link' }).waitFor({ state: 'attached' });
    const expected = await drawn(whole.page);
    assert.ok(expected.includes('<table>') && expected.includes('</ol>'), expected);
    for (const size of [1, 7, 64]) {
      const { page, send, complaints } = await show([textRow(markdown.slice(0, size))]);
      let seq = 1;
      for (let offset = size; offset < markdown.length; offset += size) {
        seq++;
        const text = markdown.slice(offset, offset + size);
        await send({ type: 'patch', seq, texts: [{ partId: 't/0', offset, text }] });
      }
      await send({ type: 'patch', seq: seq + 1, head: headOf() });
      await page.locator('.live-block').waitFor({ state: 'detached' });
      assert.equal(await drawn(page), expected, `pieces of ${size}`);
      assert.deepEqual(complaints, []);
      await page.close();
    }
    await whole.page.close();
  });

  it("draws an agent's HTML as text and loads nothing from outside", async () => {
    const evil =
      '<img src="https://example.com/x.png" onerror="said.push(1)"><script>said.push(2)</script> ![p](https://example.com/y.png) [go](command:x)';
    const { page, complaints, rest } = await show([textRow(evil)], headOf());
    await page.locator('.markdown', { hasText: 'onerror=' }).waitFor({ state: 'attached' });
    await rest(); // what would load, or complain, has begun by then
    assert.equal(await page.locator('.markdown img, .markdown script').count(), 0);
    assert.equal(await page.locator('.markdown a[href^="command:"]').count(), 0);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('allows once with one click, more widely from the menu, and denies with a reason', async () => {
    const first = await show([pending]);
    await first.page.getByRole('button', { name: 'Allow once' }).click();
    assert.equal((await first.said('decide'))[0]?.optionId, 'allow-once');
    await first.page.close();
    const second = await show([pending]);
    await second.page.getByRole('button', { name: 'More ways to allow' }).click();
    await second.page.getByRole('menuitem', { name: 'Always allow npm *' }).click();
    assert.equal((await second.said('decide'))[0]?.optionId, 'allow-always');
    await second.page.close();
    const session = await show([pending]);
    await session.page.getByRole('button', { name: 'More ways to allow' }).click();
    await session.page.getByRole('menuitem', { name: 'Allow npm * in this session' }).click();
    assert.equal((await session.said('decide'))[0]?.optionId, 'allow-session');
    await session.page.close();
    const third = await show([pending]);
    await third.page.getByRole('button', { name: 'More ways to deny' }).click();
    await third.page.getByRole('menuitem', { name: 'Deny with reason…' }).click();
    await third.page.locator('input:focus, textarea:focus').waitFor();
    await third.page.keyboard.type('Use pnpm');
    await third.page.keyboard.press('Enter');
    assert.deepEqual(await third.said('decide'), [
      { type: 'decide', turnId: 't', toolCallId: 'c', optionId: 'deny-with-reason', reason: 'Use pnpm' },
    ]);
    await third.page.close();
  });

  it('1b-9 says of each wider answer where its rule applies', async () => {
    const workspace = { id: 'allow-workspace', label: 'Allow npm * in this workspace', approves: true };
    const { page } = await show([
      { ...pending, ask: { ...pending.ask!, options: options.toSpliced(2, 0, workspace) } },
    ]);
    await page.getByRole('button', { name: 'More ways to allow' }).click();
    assert.deepEqual(await page.locator('.menu-description').allTextContents(), [
      'Until you delete this session',
      'In all sessions of this workspace',
      'In all sessions and workspaces',
    ]);
    await page.close();
  });

  it('1b-9 shows the rule of what and how long a person chose, and saves nothing before it is confirmed', async () => {
    const offers = (['session', 'workspace', 'always'] as const).flatMap((scope) => [
      { option: `allow-${scope}`, scope, by: 'command' as const, rule: 'npm *' },
      { option: `allow-${scope}:1`, scope, by: 'arguments' as const, rule: 'npm test' },
    ]);
    const { page, said } = await show([{ ...pending, ask: { options, oneClick: true, rule: 'npm *', offers } }]);
    const open = async () => {
      await page.getByRole('button', { name: 'More ways to allow' }).click();
      await page.getByRole('menuitem', { name: 'Choose a rule…' }).click();
    };
    const shown = page.locator('.rule-shown code');
    await open();
    await page.locator('chat-rule-choice input:focus').waitFor();
    assert.equal(await shown.textContent(), 'npm *');
    await page.getByRole('radio', { name: 'Only this exact request' }).check();
    assert.equal(await shown.textContent(), 'npm test');
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'detached' });
    assert.deepEqual(await said('decide'), []);
    await open();
    await page.getByRole('radio', { name: 'Only this exact request' }).check();
    await page.getByRole('radio', { name: 'All sessions in this workspace' }).check();
    assert.equal(await shown.textContent(), 'npm test');
    await page.getByRole('button', { name: 'Allow and save rule' }).click();
    assert.equal((await said('decide'))[0]?.optionId, 'allow-workspace:1');
    await page.close();
  });

  it('takes a second click for what may destroy something, and offers nothing wider', async () => {
    const once = options.filter((it) => it.id === 'allow-once' || !it.approves);
    const { page, said } = await show([{ ...pending, ask: { options: once, oneClick: false } }]);
    await page.getByRole('button', { name: 'Run anyway' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'More ways to allow' }).count(), 0);
    assert.equal(await page.locator('.tool-card .primary').count(), 0, 'nothing there is bright');
    assert.equal(await page.getByText('npm test', { exact: true }).count(), 1, 'the command is there once');
    await page.getByRole('button', { name: 'Run anyway' }).click();
    const again = page.getByRole('button', { name: 'Press again to allow' });
    assert.notEqual(await again.evaluate((it) => getComputedStyle(it).borderColor), 'rgba(0, 0, 0, 0)');
    assert.deepEqual(await said('decide'), []);
    await again.click();
    assert.equal((await said('decide')).length, 1);
    await page.close();
  });

  it('1b-8 Ctrl+Enter allows and Ctrl+Backspace denies, and the focus goes to the next request, then to the message', async () => {
    const another = (n: number): ToolRow => ({ ...pending, id: `t/${n}`, toolCallId: `c${n}`, command: `make ${n}` });
    const { page, said, send } = await show([another(1), another(2), another(3)]);
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest('.tool-card')?.querySelector('pre')?.textContent);
    const message = page.getByRole('textbox', { name: 'Message' });
    await page.getByRole('button', { name: 'Allow once' }).first().focus();
    await page.keyboard.press('Control+Enter');
    assert.equal(await focused(), 'make 2');
    await page.keyboard.press('Control+Backspace');
    assert.equal(await focused(), 'make 3');
    const done = { ...another(3), state: 'done' as const };
    delete (done as { ask?: unknown }).ask;
    await send({ type: 'patch', seq: 2, rows: [done] });
    await page.locator('.tool.is-done').waitFor();
    assert.equal(await message.evaluate((it) => it === document.activeElement), true, 'answered elsewhere');
    const answers = (await said('decide')).map(({ toolCallId, optionId }) => `${toolCallId} ${optionId}`);
    assert.deepEqual(answers, ['c1 allow-once', 'c2 deny']);
    await page.close();
  });

  it('1b-8 the keys leave the words of a message alone, and run nothing that is destructive', async () => {
    const { page, said } = await show([{ ...pending, ask: { options, oneClick: false } }]);
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.click();
    await page.keyboard.type('two words');
    await page.keyboard.press('Control+Backspace');
    assert.equal(await message.inputValue(), 'two ');
    assert.deepEqual(await said('decide'), []);
    await message.fill('');
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Control+Enter');
    assert.deepEqual(await said('decide'), []);
    await page.getByRole('button', { name: 'Run anyway' }).and(page.locator(':focus')).waitFor();
    await page.close();
  });

  it('sends with Enter, breaks the line with Shift+Enter, queues while a turn runs, stops with Escape', async () => {
    const { page, send, said } = await show([], headOf({ phase: 'new' }));
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.click();
    await page.keyboard.type('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    assert.deepEqual((await said('send'))[0], { type: 'send', text: 'one\ntwo', how: 'send', unsaved: 'ask' });
    assert.equal(await field.inputValue(), '');
    await send({ type: 'patch', seq: 2, head: headOf(running) });
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.keyboard.type('next');
    await page.keyboard.press('Enter');
    assert.equal((await said('send'))[1]?.how, 'queue');
    await page.keyboard.press('Escape');
    assert.equal((await said('stop')).length, 1);
    await page.close();
  });

  it('asks what to do with unsaved files before it sends', async () => {
    const head = headOf();
    const { page, said } = await show([], { ...head, composer: { ...head.composer, unsavedFiles: 2 } });
    await page.getByRole('textbox', { name: 'Message' }).fill('Go');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Save and send' }).waitFor();
    assert.deepEqual(await said('send'), []);
    await page.getByRole('button', { name: 'Save and send' }).click();
    assert.equal((await said('send'))[0]?.unsaved, 'save');
    await page.close();
  });

  it('refuses a form that is not right, says why, and submits it when it is', async () => {
    const question = (id: string, kind: QuestionModel['kind'], more: Partial<QuestionModel> = {}): QuestionModel => ({
      id,
      kind,
      message: id,
      required: false,
      options: [],
      allowsFreeform: false,
      ...more,
    });
    const choices = [
      { id: 'a', label: 'Apple' },
      { id: 'b', label: 'Bear' },
    ];
    const { page, said } = await show([
      {
        kind: 'question',
        id: 't/2',
        turnId: 't',
        requestId: 'r',
        state: 'open',
        message: 'Some questions',
        answers: {},
        questions: [
          question('name', 'text', { required: true, min: 3 }),
          question('count', 'integer', { min: 1, max: 5 }),
          question('share', 'number'),
          question('sure', 'boolean'),
          question('one', 'single-select', { options: choices }),
          question('many', 'multi-select', { options: choices.map((it) => ({ ...it, label: `${it.label}s` })) }),
        ],
      },
    ]);
    await page.getByLabel('count').fill('9');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('Answer this question.').waitFor();
    await page.getByText('Must be no more than 5.').waitFor();
    assert.deepEqual(await said('answer'), []);
    await page.getByLabel('name').fill('Ada');
    await page.getByLabel('count').fill('2');
    await page.getByLabel('share').fill('0.5');
    await page.getByLabel('sure').check();
    await page.getByLabel('Bear', { exact: true }).check();
    await page.getByLabel('Apples').check();
    await page.getByRole('button', { name: 'Submit' }).click();
    assert.deepEqual((await said('answer'))[0]?.answers, {
      name: { value: 'Ada' },
      count: { value: 2 },
      share: { value: 0.5 },
      sure: { value: true },
      one: { value: 'b' },
      many: { value: ['a'] },
    });
    await page.close();
  });

  it('asks for the whole model when it missed something', async () => {
    const { page, send, said } = await show([textRow('Hello')]);
    const before = (await said('ready')).length; // a page whose first model is late asks again
    await send({ type: 'patch', seq: 7, texts: [{ partId: 't/0', offset: 5, text: '!' }] });
    assert.equal((await said('ready')).length, before + 1);
    await send({ type: 'model', seq: 8, model: { head: headOf(), rows: [textRow('Hello you')] } });
    await page.getByText('Hello you').waitFor();
    await page.close();
  });

  it('keeps to the end while it is read there, keeps the place where it is read above, and asks for older turns', async () => {
    const turns = (from: number, to: number): Row[] =>
      Array.from({ length: to - from }, (_, index) => ({
        kind: 'prompt',
        id: `t${from + index}/prompt`,
        turnId: `t${from + index}`,
        text: `Prompt ${from + index}\n${'line\n'.repeat(8)}`,
        attachments: [],
      }));
    const { page, send, said, rest } = await show(turns(30, 60), headOf({ hasOlder: true }));
    const log = page.getByRole('log');
    const fromEnd = () => log.evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight);
    await page.getByText('Prompt 59').waitFor();
    await rest();
    assert.ok((await fromEnd()) <= 24);
    // As a wheel does: a jump without input is a person's only where nothing is drawn, which a busy machine may still do.
    await log.evaluate((it) => {
      it.dispatchEvent(new WheelEvent('wheel'));
      it.scrollTo(0, 100);
    });
    await until('the page asked for older turns', async () => (await said('older')).length > 0);
    await rest();
    assert.equal((await said('older')).length, 1);
    const place = () => page.getByText('Prompt 31').evaluate((it) => Math.round(it.getBoundingClientRect().top));
    const was = await place();
    const ids = turns(0, 30).map((it) => it.id);
    await send({ type: 'patch', seq: 2, splice: { at: 0, remove: 0, insert: ids }, rows: turns(0, 30) });
    await page.getByText('Prompt 0', { exact: false }).first().waitFor({ state: 'attached' });
    await rest();
    assert.ok(Math.abs((await place()) - was) <= 40, `moved from ${was} to ${await place()}`);
    await page.close();
  });
});
