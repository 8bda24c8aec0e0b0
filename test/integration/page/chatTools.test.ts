import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { ToolRow } from '../../../src/webviews/contract/chatModel.ts';
import type { InlineDiff } from '../../../src/webviews/contract/inlineDiff.ts';
import { verifies } from '../../support/verifies.ts';
import { type ChatHarness, headOf, running, startChatHarness } from './chatHarness.ts';

const call: ToolRow = {
  kind: 'tool',
  id: 't/0',
  turnId: 't',
  toolCallId: 'c',
  state: 'done',
  toolKind: 'edit',
  title: 'Changed two files',
  files: [
    { label: 'src/a.ts', change: 'edited', added: 1, removed: 1 },
    { label: 'src/b.ts', change: 'created', added: 3 },
  ],
  paths: [],
};

describe('the tool calls of a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  async function show(row: ToolRow) {
    const opened = await harness.open();
    await opened.send({ type: 'model', seq: 1, model: { head: headOf(), rows: [row] } });
    return opened;
  }

  it('1b-4 open a file by its name and its change by Preview, each of them by the keyboard', async () => {
    const { page, said } = await show(call);
    await page.getByRole('button', { name: 'Changed two files' }).click();
    await page.getByRole('button', { name: 'src/b.ts', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Preview src/a.ts' }).press('Enter');
    const asked = { type: 'tool', turnId: 't', toolCallId: 'c' };
    assert.deepEqual(await said('tool'), [
      { ...asked, what: 'file', index: 1 },
      { ...asked, what: 'preview', index: 0 },
    ]);
    await page.close();
  });

  it('1b-6 name the sub-agent that they started, with its state, tokens, and cost, and open its chat', async () => {
    const subAgent = { chat: 'host-chat:/child', title: 'Count the files' };
    const done = { tokens: { inputTokens: 1200, outputTokens: 30 }, cost: { amount: 0.02, currency: 'USD' } };
    for (const [state, usage, words] of [
      ['working', {}, 'working'],
      ['needsYou', {}, 'needs your input'],
      ['idle', done, 'done · 1.2k input, 30 output tokens · cost $0.02'],
      ['idle', {}, 'done · cost unknown'],
    ] as const) {
      const row: ToolRow = { ...call, toolKind: 'think', files: [], subAgent: { ...subAgent, ...usage, state } };
      const { page, said } = await show(row);
      await page.getByText(words, { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Sub-agent Count the files' }).press('Enter');
      assert.deepEqual(await said('chat'), [{ type: 'chat', chat: 'host-chat:/child', what: 'show' }]);
      await page.close();
    }
  });

  const asking: ToolRow = {
    ...call,
    state: 'pending',
    title: 'Edit src/a.ts',
    files: call.files.slice(0, 1),
    ask: {
      options: [
        { id: 'allow-once', label: 'Allow once', approves: true },
        { id: 'deny', label: 'Deny', approves: false },
      ],
      oneClick: true,
    },
  };
  const diff: InlineDiff = {
    lines: [
      { kind: 'same', text: 'function total() {' },
      { kind: 'removed', text: '  return 4;', marks: [[9, 10]] },
      { kind: 'added', text: '  return 45;', marks: [[9, 11]] },
    ],
    more: 7,
  };
  const meant = { turnId: 't', toolCallId: 'c', index: 0 };

  for (const { button, optionId } of [
    { button: 'Wait', optionId: 'allow-when-free' },
    { button: 'Take over', optionId: 'allow-take-over' },
  ])
    it(`1b-8 name the session that is changing the same file, and offer ${button}`, async () => {
      verifies('host.files.held');
      const held = [
        { id: 'allow-when-free', label: 'Allow when the other session is done', approves: true },
        { id: 'allow-take-over', label: 'Allow and take over', approves: true },
      ];
      const options = [...asking.ask!.options.slice(0, 1), ...held, ...asking.ask!.options.slice(1)];
      const heldBy = [{ title: 'Fix the login', files: ['a.ts'] }];
      const { page, said, complaints } = await show({ ...asking, ask: { options, oneClick: false, heldBy } });
      await page.getByText('The session "Fix the login" is also changing a.ts.').waitFor();
      await page.getByRole('button', { name: button, exact: true }).click();
      assert.deepEqual(await said('decide'), [{ type: 'decide', turnId: 't', toolCallId: 'c', optionId }]);
      assert.deepEqual(complaints, []);
      await page.close();
    });

  for (const { state, row } of [
    { state: 'waits for an answer', row: asking },
    { state: 'failed', row: { ...call, state: 'failed', files: call.files.slice(0, 1) } as ToolRow },
  ])
    it(`1b-4 show the first lines of the change of a call that ${state}, and all of it on request`, async () => {
      const { page, said, send, complaints } = await show(row);
      await page.locator('chat-diff').waitFor({ state: 'attached' });
      assert.deepEqual(await said('diff'), [{ type: 'diff', ...meant }]);
      await send({ type: 'diff', ...meant, diff });
      const lines = page.getByRole('group', { name: 'Changes in src/a.ts' }).locator('.diff-line');
      await lines.first().waitFor();
      assert.deepEqual(await lines.allTextContents(), [' function total() {', '−  return 4;', '+  return 45;']);
      assert.deepEqual(await page.locator('.diff mark').allTextContents(), ['4', '45']);
      await page.getByRole('button', { name: 'Show all (7 more lines)' }).click();
      assert.deepEqual(await said('tool'), [{ type: 'tool', turnId: 't', toolCallId: 'c', what: 'preview', index: 0 }]);
      assert.deepEqual(complaints, []);
      await page.close();
    });

  it('1b-4 ask anew for the change once it was made', async () => {
    const { page, said, send } = await show(asking);
    await send({ type: 'diff', ...meant, diff });
    await page.locator('.diff-line').first().waitFor();
    const { ask: _, ...rest } = asking;
    await send({ type: 'patch', seq: 2, rows: [{ ...rest, state: 'done', title: 'Edited src/a.ts' }] });
    const line = page.getByRole('button', { name: 'Edited src/a.ts' });
    await line.click();
    await page.locator('chat-diff').waitFor({ state: 'attached' });
    assert.equal((await said('diff')).length, 2);
    await page.close();
  });

  it('1b-4 say why a change is not shown', async () => {
    const { page, send } = await show(asking);
    await send({ type: 'diff', ...meant, diff: { lines: [], more: 0, problem: 'binary' } });
    await page.getByText('This is not a text file.').waitFor();
    await page.close();
  });

  it('1b-4 lead from the files and lines in what a command printed to the editor', async () => {
    const text = 'src/a.ts:12:3 - error TS2322\n1.2.3 of node.js';
    const output = { text, lines: 2, isCut: false };
    const { page, said } = await show({ ...call, state: 'failed', files: [], output });
    const links = page.locator('.output a');
    assert.deepEqual(await links.allTextContents(), ['src/a.ts:12:3']);
    await links.click();
    assert.deepEqual(await said('link'), [{ type: 'link', href: 'src/a.ts:12' }]);
    assert.equal(await page.locator('.output').textContent(), text);
    await page.close();
  });

  for (const { durationMs, line, hover } of [
    { durationMs: 250, line: [], hover: 'took 0.3 s' },
    { durationMs: 4_200, line: ['4.2 s'], hover: 'took 4.2 s' },
    { durationMs: 65_000, line: ['1 min 5 s'], hover: 'took 1 min 5 s' },
  ])
    it(`1b-4 say of a call of ${durationMs} ms how long it took`, async () => {
      const { page } = await show({ ...call, durationMs });
      const button = page.getByRole('button', { name: 'Changed two files' });
      await button.waitFor();
      assert.equal(await button.getAttribute('title'), hover);
      assert.deepEqual(await page.locator('.tool-time').allTextContents(), line);
      await page.close();
    });

  for (const { exitCode, says } of [
    { exitCode: 3, says: ['failed', 'exit code 3'] },
    { exitCode: undefined, says: ['failed'] },
  ])
    it(`1b-4 say of a failed command ${says.join(' and ')}`, async () => {
      const { exitCode: _, ...rest } = { ...call, exitCode };
      const row: ToolRow = { ...rest, state: 'failed', files: [], ...(exitCode !== undefined && { exitCode }) };
      const { page } = await show(row);
      await page.locator('.tool.is-failed').waitFor();
      assert.deepEqual(await page.locator('.tool-state').allTextContents(), says);
      await page.close();
    });

  it('1b-4 say nothing of the exit code of a command that went well, but for its hover', async () => {
    const { page } = await show({ ...call, exitCode: 0 });
    const line = page.getByRole('button', { name: 'Changed two files' });
    await line.waitFor();
    assert.equal(await line.getAttribute('title'), 'exit code 0');
    assert.equal(await page.getByText('exit code').count(), 0);
    await page.close();
  });
});

describe('a tool call that ran without a question', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  for (const { allowedBy, words } of [
    {
      allowedBy: { rule: 'npm test*', source: 'granted' },
      words: 'Ran without asking because of the rule "npm test*", which you saved.',
    },
    {
      allowedBy: { rule: 'edit src/**', source: 'user' },
      words: 'Ran without asking because of the rule "edit src/**" in your user settings.',
    },
    {
      allowedBy: { dial: 'acceptEdits' },
      words: 'Ran without asking because the permissions are set to "Accept edits".',
    },
    { allowedBy: 'agent', words: 'The agent ran this without asking.' },
  ] satisfies { allowedBy: NonNullable<ToolRow['allowedBy']>; words: string }[])
    it(`1b-13 says in its hover and below it: ${words}`, async () => {
      const { page, send } = await harness.open();
      const row: ToolRow = { ...call, files: [], title: 'Ran it', allowedBy };
      await send({ type: 'model', seq: 1, model: { head: headOf(), rows: [row] } });
      const line = page.getByRole('button', { name: 'Ran it' });
      await line.waitFor();
      assert.equal(await line.getAttribute('title'), words);
      await line.press('Enter');
      await page.getByText(words, { exact: true }).waitFor();
      await page.close();
    });
});

describe('the steps of a worker in a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  const step = (id: string, title: string, more: Partial<ToolRow> = {}): ToolRow => {
    const base = { ...call, files: [], toolKind: 'think', id, toolCallId: id, title };
    return { ...base, ...more };
  };
  const rows = [
    step('t/0', 'Explore the code', { state: 'running' }),
    step('t/1', 'Read a.ts', { parentId: 't/0' }),
    step('t/2', 'Run the tests'),
    step('t/3', 'Read b.ts', { parentId: 't/0' }),
  ];

  it('1b-6 lie below the call that they are made for, whatever comes between, and go out of sight when it ends', async () => {
    const { page, send } = await harness.open();
    await send({ type: 'model', seq: 1, model: { head: headOf(running), rows } });
    const nest = page.locator('.nested');
    await nest.waitFor();
    assert.deepEqual(await nest.locator('.tool-title').allTextContents(), ['Read a.ts', 'Read b.ts']);
    assert.deepEqual(await page.locator('.turn > chat-tool .tool-title').allTextContents(), [
      'Explore the code',
      'Run the tests',
    ]);
    await send({
      type: 'patch',
      seq: 2,
      splice: { at: 4, remove: 0, insert: ['t/4'] },
      rows: [step('t/4', 'Read c.ts', { parentId: 't/0' })],
    });
    await nest.getByText('Read c.ts').waitFor();
    assert.equal(await nest.locator('summary').textContent(), '3 steps');
    await send({ type: 'patch', seq: 3, rows: [{ ...rows[0]!, state: 'done' } as ToolRow] });
    await nest.getByText('Read c.ts').waitFor({ state: 'hidden' });
    await nest.locator('summary').click();
    await nest.getByText('Read c.ts').waitFor();
    await page.close();
  });

  it('1b-6 stay in sight with their call where one of them failed, once the turn ended', async () => {
    const { page, send } = await harness.open();
    const ended = [
      { ...rows[0]!, state: 'done' } as ToolRow,
      { ...rows[1]!, state: 'failed' } as ToolRow,
      ...rows.slice(2),
    ];
    await send({ type: 'model', seq: 1, model: { head: headOf(), rows: ended } });
    await page.getByRole('button', { name: '4 steps' }).waitFor();
    assert.deepEqual(await page.locator('.tool-title').filter({ visible: true }).allTextContents(), [
      'Explore the code',
      'Read a.ts',
      'Read b.ts',
      '4 steps',
    ]);
    await page.close();
  });
});

describe('the reasoning in a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  it('1b-3 shows its last line while it is written, and then how long it took', async () => {
    const { page, send } = await harness.open();
    const row = { kind: 'reasoning', id: 't/0', turnId: 't', text: 'First I look.\n\nThen' } as const;
    await send({ type: 'model', seq: 1, model: { head: headOf(running), rows: [row] } });
    const summary = page.locator('.reasoning summary');
    await summary.waitFor();
    assert.equal(await summary.textContent(), 'Thinking…Then');
    await send({
      type: 'patch',
      seq: 2,
      texts: [{ partId: 't/0', offset: row.text.length, text: ' I read **it**.\n' }],
    });
    assert.equal(await summary.textContent(), 'Thinking…Then I read it.');
    const whole = `${row.text} I read **it**.\n`;
    await send({ type: 'patch', seq: 3, rows: [{ ...row, text: whole, durationMs: 12_300 }] });
    assert.equal(await summary.textContent(), 'Thought for 12 s');
    assert.equal(await page.locator('.reasoning').getAttribute('open'), null);
    await summary.click();
    await page.getByText('First I look.').waitFor();
    await page.close();
  });

  it('1b-3 stays open for whoever opened it, with what was written since', async () => {
    const { page, send } = await harness.open();
    const row = { kind: 'reasoning', id: 't/0', turnId: 't', text: 'One.' } as const;
    await send({ type: 'model', seq: 1, model: { head: headOf(running), rows: [row] } });
    await page.locator('.reasoning summary').click();
    await page.locator('.reasoning .markdown').getByText('One.').waitFor();
    await send({ type: 'patch', seq: 2, rows: [{ ...row, text: 'One. Two.', durationMs: 400 }] });
    await page.locator('.reasoning .markdown').getByText('One. Two.').waitFor();
    assert.equal(await page.locator('.reasoning summary').textContent(), 'Thought');
    await page.close();
  });
});

describe('the clock of a chat page', () => {
  let harness: ChatHarness;
  before(async () => {
    harness = await startChatHarness();
  });
  after(() => harness.close());

  it('counts from the fifth second on, stands still for an answer, and goes with the turn', async () => {
    const { page, send } = await harness.open();
    await page.clock.install({ time: running.turn.startedAt });
    await page.clock.pauseAt(new Date(Date.parse(running.turn.startedAt) + 1_000));
    await send({ type: 'model', seq: 1, model: { head: headOf(running), rows: [] } });
    await page.getByText('Working…').waitFor();
    const time = page.locator('.activity-time');
    assert.equal(await time.count(), 0);
    await page.clock.runFor(4_000);
    assert.equal(await time.textContent(), '5 s');
    await page.clock.runFor(60_000);
    assert.equal(await time.textContent(), '1 min 5 s');
    await send({ type: 'patch', seq: 2, head: headOf({ turn: { ...running.turn, needsYou: true } }) });
    await page.getByText('Waiting for your answer').waitFor();
    assert.equal(await time.count(), 0);
    await send({ type: 'patch', seq: 3, head: headOf() });
    await page.locator('#activity', { hasText: /./ }).waitFor({ state: 'detached' });
    await page.close();
  });
});
