import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import type { AttachmentModel, ChatHead } from '../../../src/webviews/contract/chatModel.ts';
import { until } from '../../support/until.ts';
import { type ChatHarness, headOf, type OpenPage, startChatHarness } from './chatHarness.ts';

const base = headOf().composer;
const withAttachments = (...attachments: AttachmentModel[]): Partial<ChatHead> => ({
  composer: { ...base, attachments },
});
const file: AttachmentModel = { id: 'f', label: 'fruit.ts', kind: 'document', bytes: 2_100 };
const image: AttachmentModel = { id: 'i', label: 'shot.png', kind: 'image', bytes: 68 };
const pasted: AttachmentModel = { id: 'p', label: 'Pasted text', kind: 'paste', lines: 60, isText: true };
/** One red dot. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

describe('1c-12 attachments of a chat page', () => {
  let harness: ChatHarness;
  let open: OpenPage;
  let page: Page;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());
  const show = async (head: Partial<ChatHead> = {}) => {
    open = await harness.open();
    page = open.page;
    await open.send({ type: 'model', seq: 1, model: { head: headOf(head), rows: [] } });
    await page.getByRole('button', { name: 'Attach' }).and(page.locator(':enabled')).waitFor();
  };
  const chip = (name: string) => page.getByRole('listitem', { name });
  const said = async <T extends Parameters<OpenPage['said']>[0]>(type: T) =>
    until(`the page says ${type}`, async () => {
      const all = await open.said(type);
      return all.length > 0 ? all : undefined;
    });
  /** What a person does with the clipboard or the mouse, with contents of the test. */
  const hand = (event: 'paste' | 'drop', on: string, data: Readonly<Record<string, string>>, files: string[] = []) =>
    page.evaluate(
      ([name, selector, texts, bytes]) => {
        const transfer = new DataTransfer();
        for (const [type, text] of Object.entries(texts)) transfer.setData(type, text);
        for (const it of bytes) {
          const raw = Uint8Array.from(atob(it), (char) => char.charCodeAt(0));
          transfer.items.add(new File([raw], 'shot.png', { type: 'image/png' }));
        }
        const options = { bubbles: true, cancelable: true };
        const made =
          name === 'paste'
            ? new ClipboardEvent('paste', { ...options, clipboardData: transfer })
            : new DragEvent('drop', { ...options, dataTransfer: transfer });
        const target = document.querySelector(selector)!;
        target.dispatchEvent(made);
        return made.defaultPrevented;
      },
      [event, on, data, files] as const,
    );

  it('show name, kind and size', async () => {
    await show(withAttachments(file, pasted));
    await chip('fruit.ts, file, 2 KB').waitFor();
    await chip('Pasted text, pasted text, 60 lines').waitFor();
    assert.deepEqual(open.complaints, []);
  });

  it('are removed with Delete, and the focus goes to the next and at last to the message', async () => {
    await show(withAttachments(file, pasted));
    await page.getByRole('textbox', { name: 'Message' }).focus();
    await page.keyboard.press('Backspace');
    await chip('Pasted text').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowLeft');
    await chip('fruit.ts').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Delete');
    await chip('Pasted text').and(page.locator(':focus')).waitFor();
    await open.send({ type: 'patch', seq: 2, head: headOf(withAttachments(pasted)) });
    await chip('fruit.ts').waitFor({ state: 'detached' });
    await page.keyboard.press('Delete');
    await page.getByRole('textbox', { name: 'Message' }).and(page.locator(':focus')).waitFor();
    assert.deepEqual(
      (await open.said('detach')).map((it) => it.attachmentId),
      ['f', 'p'],
    );
  });

  it('are offered in a menu, the selection only where something is selected', async () => {
    await show({ composer: { ...base, hasSelection: true } });
    await page.getByRole('button', { name: 'Attach' }).click();
    const names = await page.getByRole('menuitem').allTextContents();
    assert.deepEqual(
      names.map((it) => it.trim()),
      [
        'Files…',
        'Folder…',
        'Images…',
        'Symbol…',
        'Editor selection',
        'Problems…',
        'Terminal output',
        'Source control changes',
        'Session…',
      ],
    );
    await page.getByRole('menuitem', { name: 'Problems…' }).click();
    assert.deepEqual(await said('attach'), [{ type: 'attach', what: 'problems' }]);
    await open.send({ type: 'patch', seq: 2, head: headOf() });
    await page.getByRole('button', { name: 'Attach' }).click();
    await page.getByRole('menuitem', { name: 'Session…' }).waitFor();
    assert.equal(await page.getByRole('menuitem', { name: 'Editor selection' }).count(), 0);
  });

  it('have a small picture of an image, which the page makes of its bytes', async () => {
    await show(withAttachments(image));
    assert.deepEqual(await said('preview'), [{ type: 'preview', attachmentId: 'i' }]);
    await open.send({ type: 'preview', attachmentId: 'i', contentType: 'image/png', data: png });
    const [made] = await said('thumbnail');
    assert.match(made?.src ?? '', /^data:image\/(?:webp|png);base64,/);
    const head = headOf(withAttachments({ ...image, thumbnail: made!.src }));
    await open.send({ type: 'patch', seq: 2, head });
    const picture = chip('shot.png').locator('img');
    await picture.waitFor();
    assert.ok(await picture.evaluate((it) => (it as HTMLImageElement).naturalWidth > 0));
    assert.deepEqual(open.complaints, []);
  });

  it('say before sending that the agent gets only a name', async () => {
    await show(withAttachments({ ...image, refusedBy: 'Echo' }));
    await page.getByText('Echo does not accept this type of content. It receives only the name: shot.png').waitFor();
  });

  it('are made of a pasted image, which does not come into the text', async () => {
    await show();
    assert.equal(await hand('paste', 'textarea', {}, [png]), true);
    const [sent] = await said('attachBytes');
    assert.deepEqual(sent, { type: 'attachBytes', name: 'shot.png', contentType: 'image/png', data: png });
  });

  for (const [lines, isAttached] of [
    [40, false],
    [41, true],
  ] as const)
    it(`are ${isAttached ? '' : 'not '}made of a pasted text of ${lines} lines`, async () => {
      await show();
      const text = Array.from({ length: lines }, (_, at) => `line ${at}`).join('\n');
      assert.equal(await hand('paste', 'textarea', { 'text/plain': text }), isAttached);
      assert.deepEqual(await open.said('attachText'), isAttached ? [{ type: 'attachText', text }] : []);
    });

  it('of pasted text come back into the text where the cursor is', async () => {
    await show(withAttachments(pasted));
    await page.getByRole('textbox', { name: 'Message' }).fill('before  after');
    await page
      .getByRole('textbox', { name: 'Message' })
      .evaluate((it) => (it as HTMLTextAreaElement).setSelectionRange(7, 7));
    await page.getByRole('button', { name: 'Convert Pasted text back to text' }).click();
    assert.deepEqual(await said('asText'), [{ type: 'asText', attachmentId: 'p' }]);
    await open.send({ type: 'insert', text: 'middle' });
    assert.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), 'before middle after');
  });

  for (const type of ['text/uri-list', 'application/vnd.code.uri-list'])
    it(`are made of what a view of the editor drops as ${type}`, async () => {
      await show();
      assert.equal(await hand('drop', '#log', { [type]: '# explorer\r\nfile:///a.ts\r\nfile:///b' }), true);
      assert.deepEqual(await said('attachUris'), [{ type: 'attachUris', uris: ['file:///a.ts', 'file:///b'] }]);
    });

  it('are made of a file that is dropped from outside the editor', async () => {
    await show();
    assert.equal(await hand('drop', '#log', {}, [png]), true);
    assert.equal((await said('attachBytes'))[0]?.data, png);
  });

  it('are not made in a chat that takes no messages', async () => {
    open = await harness.open();
    page = open.page;
    const head = headOf({ composer: { ...base, blocked: 'untrusted' } });
    await open.send({ type: 'model', seq: 1, model: { head, rows: [] } });
    await page.getByRole('button', { name: 'Attach' }).and(page.locator(':disabled')).waitFor();
    assert.equal(await hand('drop', '#log', { 'text/uri-list': 'file:///a.ts' }), false);
    assert.deepEqual(await open.said('attachUris'), []);
  });

  it('are offered after an @ in words, and one that is chosen leaves nothing in the text', async () => {
    await show();
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('Look at @pro');
    const [asked] = await said('complete');
    const item = { label: '@problems', insertText: '', attaches: 'problems' as const, start: 8, end: 12 };
    await open.send({ type: 'completions', requestId: asked!.requestId, items: [item] });
    await page.getByRole('option', { name: 'Errors and warnings that VS Code shows' }).waitFor();
    await message.press('Enter');
    assert.equal(await message.inputValue(), 'Look at ');
    assert.equal((await said('completed'))[0]?.index, 0);
  });
});
