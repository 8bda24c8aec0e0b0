import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { BannerKind, ChatHead, Row, ToolRow } from '../../../src/webviews/contract/chatModel.ts';
import { projectRoot } from '../../support/cache.ts';
import { cutTexts } from '../../support/editor/cutTexts.ts';
import { pseudo } from '../../support/editor/pseudo.ts';
import { type ChatHarness, editRow, headOf, startChatHarness } from './chatHarness.ts';

const english = JSON.parse(readFileSync(join(projectRoot, 'media/l10n/bundle.l10n.json'), 'utf8')) as object;
const strings = Object.fromEntries(
  Object.keys(english).map((it) => [it, pseudo(it.replace(/\/host$/, ''))]),
) as Readonly<Record<string, string>>;

const created = [{ label: 'src/a.ts', change: 'created', added: 1, removed: 1 }] as const;
const tool = (id: string, more: Partial<ToolRow>) => editRow(id, { files: created, ...more });
const options = [
  { id: 'allow-once', label: 'Allow once', approves: true },
  { id: 'allow-session', label: 'Allow for this session', approves: true },
  { id: 'deny', label: 'Deny', approves: false },
  { id: 'deny-with-reason', label: 'Deny with reason…', approves: false },
];
const output = { text: 'src/a.ts:3:1 - error\nok', lines: 900, isCut: true };
const changes = {
  files: 2,
  added: 3,
  removed: 1,
  status: 'open',
  canKeep: true,
  canUndo: true,
  canRedo: true,
} as const;
const question = (id: string, kind: 'text' | 'boolean' | 'single-select') => ({
  id,
  kind,
  message: 'Which fruit?',
  required: true,
  options: [
    { id: 'a', label: 'Apple', recommended: true },
    { id: 'b', label: 'Pear' },
  ],
  allowsFreeform: true,
});
const rows: readonly Row[] = [
  {
    kind: 'prompt',
    id: 't/prompt',
    turnId: 't',
    text: 'Fix it',
    attachments: [{ label: 'a.ts', kind: 'document' }],
    byAgent: true,
  },
  { kind: 'reasoning', id: 't/r', turnId: 't', text: 'So.', durationMs: 12_000 },
  { kind: 'markdown', id: 't/m', turnId: 't', text: '- [x] one\n\n```sh\nnpm test\n```\n' },
  tool('a', { state: 'failed', exitCode: 2, error: 'It failed.', command: 'npm test', output, where: 'src' }),
  tool('b', { parentId: 't/a' }),
  tool('c', { state: 'denied', reason: 'Not now' }),
  tool('s', { state: 'signIn' }),
  { kind: 'notice', id: 't/n', turnId: 't', text: 'Note', isMarkdown: false, offer: 'attachTranscript' },
  tool('d', { state: 'pending', ask: { options, oneClick: true, rule: 'src/**' } }),
  tool('e', {
    state: 'pending',
    toolKind: 'shell',
    command: 'rm -r build',
    ask: { options, oneClick: false, because: 'destructive' },
  }),
  {
    kind: 'question',
    id: 't/q',
    turnId: 't',
    requestId: 'q',
    state: 'open',
    message: 'A few questions',
    questions: [question('x', 'text'), question('y', 'boolean'), question('z', 'single-select')],
    answers: {},
  },
  { kind: 'error', id: 't/error', turnId: 't', message: 'The agent stopped.', action: 'trust' },
  { kind: 'end', id: 't/end', turnId: 't', state: 'cancelled', durationMs: 4_000, changes },
];
const kinds: readonly BannerKind[] = [
  'noFolder',
  'folderGone',
  'signIn',
  'silent',
  'offline',
  'stopped',
  'restored',
  'refused',
];
const head: ChatHead = headOf({
  canFork: true,
  canRun: true,
  canAddChat: true,
  canAskBeside: true,
  chat: 'one',
  chats: [
    { id: 'one', title: '', state: 'idle', isMain: true },
    { id: 'two', title: '', state: 'needsYou', isBeside: true },
  ],
  queue: [{ id: 'q1', text: 'next' }],
  steering: { id: 'q2', text: 'now' },
  isPaused: true,
  usage: {
    agent: 'Claude',
    inputTokens: 12_000,
    outputTokens: 300,
    window: 200_000,
    cost: { amount: 0.2, currency: 'USD' },
  },
  banners: kinds.map((kind) => ({
    id: kind,
    kind,
    subject: 'Claude',
    restored: { turns: 2, files: 3 },
    canDismiss: true,
  })),
  composer: {
    ...headOf().composer,
    hasOptions: true,
    hasSelection: true,
    pickers: [
      {
        id: 'agent',
        title: 'Agent',
        value: 'a',
        enabled: true,
        choices: [{ id: 'a', label: 'Claude' }],
      },
      {
        id: 'option:permissions',
        title: 'Permissions',
        value: 'ask',
        enabled: true,
        isOwn: true,
        choices: [{ id: 'ask', label: 'Ask before edits' }],
      },
    ],
  },
});

describe('1c-21 the chat page in a language with long words', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  for (const width of [300, 420, 900]) {
    it(`1c-21 no text of the chat page is cut without a hint at a width of ${width} pixels`, async () => {
      const { page, send, rest, complaints } = await harness.open();
      await page.setViewportSize({ width, height: 3_000 });
      await send({ type: 'model', seq: 1, model: { head, rows }, strings });
      await page
        .getByRole('button', { name: strings['Allow once'] as string })
        .first()
        .waitFor();
      for (const it of await page.locator('[aria-expanded=false]:not([aria-haspopup])').all())
        if (await it.isVisible()) await it.click();
      await rest();
      const cut = await cutTexts(page, 'body *');
      assert.deepEqual(cut, []);
      assert.deepEqual(complaints, []);
      await page.close();
    });
  }

  it('1c-21 the empty chat page cuts no text at the width of a side bar', async () => {
    const { page, send, rest } = await harness.open();
    await page.setViewportSize({ width: 260, height: 800 });
    await send({
      type: 'model',
      seq: 1,
      model: { head: { ...head, phase: 'new', banners: [], queue: [] }, rows: [] },
      strings,
    });
    await page.getByText(strings['What would you like to do?'] as string).waitFor();
    await rest();
    assert.deepEqual(await cutTexts(page, 'body *'), []);
    await page.close();
  });
});
