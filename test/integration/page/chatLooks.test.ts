import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import type { Row } from '../../../src/webviews/contract/chatModel.ts';
import { type ChatHarness, headOf, startChatHarness, textRow } from './chatHarness.ts';

const markdown = `\`\`\`js
const first = 1;
\`\`\`

| fruit | cents | sold |
| --- | --: | :-: |
| apple | 45 | 12 |
`;

describe('how the chat page looks', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(rows: readonly Row[], head = headOf()) {
    const opened = await harness.open();
    await opened.send({ type: 'model', seq: 1, model: { head, rows } });
    return opened;
  }
  const boxOf = async (it: Locator) => {
    const box = await it.boundingBox();
    assert.ok(box);
    return box;
  };

  it('names the language above the code, not over it', async () => {
    const { page, rest } = await show([textRow(markdown)]);
    const code = page.locator('.code code');
    await code.waitFor();
    await rest();
    const name = await boxOf(page.locator('.code-head', { hasText: 'js' }));
    const text = await boxOf(code);
    assert.ok(name.y + name.height <= text.y, `${JSON.stringify(name)} lies over ${JSON.stringify(text)}`);
    await page.close();
  });

  it('aligns the columns of a table as their author wrote', async () => {
    const { page, complaints } = await show([textRow(markdown)]);
    await page.locator('td').first().waitFor();
    const alignments = await page
      .locator('th, td')
      .evaluateAll((all) => all.map((it) => getComputedStyle(it).textAlign));
    assert.deepEqual(alignments, ['start', 'right', 'center', 'start', 'right', 'center']);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('1b-1 lets a wide table scroll, and breaks no word in it', async () => {
    const word = 'unreasonablyLongIdentifier';
    const row = `| ${`${word} | `.repeat(9)}`;
    const { page } = await show([textRow(`${row}\n|${' --- |'.repeat(9)}\n${row}\n`)]);
    await page.setViewportSize({ width: 250, height: 600 });
    const table = page.locator('.table-scroll');
    await table.waitFor();
    const { scrolls, isWide, lines } = await table.evaluate((it) => {
      const cell = it.querySelector('td')!;
      const range = document.createRange();
      range.selectNodeContents(cell);
      return {
        scrolls: it.scrollWidth > it.clientWidth,
        isWide: document.documentElement.scrollWidth > window.innerWidth,
        lines: range.getClientRects().length,
      };
    });
    assert.deepEqual({ scrolls, isWide, lines }, { scrolls: true, isWide: false, lines: 1 });
    await page.close();
  });

  it('1b-1 leads from the names of files in an answer to the files', async () => {
    const { page, said } = await show([textRow('See `src/a.ts:3`, `a.ts:4`, `npm test`, and [`b.ts:5`](docs/b.md).')]);
    const links = page.locator('.markdown a');
    await links.first().waitFor();
    const hrefs = await links.evaluateAll((all) => all.map((it) => it.getAttribute('href')));
    assert.deepEqual(hrefs, ['src/a.ts:3', './a.ts:4', 'docs/b.md']);
    await links.first().click();
    assert.deepEqual(await said('link'), [{ type: 'link', href: 'src/a.ts:3' }]);
    await page.close();
  });

  it('shows that a call failed in the color of errors, not on the badge of counts', async () => {
    const failed = {
      kind: 'tool',
      id: 't/0',
      turnId: 't',
      toolCallId: 'c',
      state: 'failed',
      toolKind: 'shell',
    } as const;
    const { page } = await show([{ ...failed, title: 'Ran ls build', files: [], paths: [] }]);
    const state = page.getByText('failed', { exact: true });
    await state.waitFor();
    const drawn = await state.evaluate((it) => {
      document.documentElement.style.setProperty('--vscode-errorForeground', 'rgb(200, 0, 0)');
      document.documentElement.style.setProperty('--vscode-foreground', 'rgb(0, 0, 0)');
      document.documentElement.style.setProperty('--vscode-badge-background', 'rgb(0, 0, 200)');
      const { color, backgroundColor } = getComputedStyle(it);
      return [color, backgroundColor];
    });
    // Two parts of three of the color of errors: that of words takes the rest.
    assert.deepEqual(drawn, ['color(srgb 0.509804 0 0)', 'rgba(0, 0, 0, 0)']);
    await page.close();
  });

  it('offers no keys while no message can be written', async () => {
    const { composer } = headOf();
    const { page, send } = await show([], headOf({ composer: { ...composer, blocked: 'untrusted' } }));
    await page.getByRole('textbox', { name: 'Message', disabled: true }).waitFor();
    const hint = page.getByText('adds a file to the message');
    assert.equal(await hint.isVisible(), false);
    await send({ type: 'patch', seq: 2, head: headOf() });
    await hint.waitFor();
    await page.close();
  });
});
