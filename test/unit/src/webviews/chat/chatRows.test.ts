import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChatState, ResponsePart, Turn } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { ToolCallState } from '../../../../../sidecar/protocol/channels/chat/toolCalls.ts';
import { RowBuilder } from '../../../../../src/webviews/chat/chatRows.ts';
import type { Row, ToolRow, TurnChangesModel } from '../../../../../src/webviews/contract/chatModel.ts';
import { verifies } from '../../../../support/verifies.ts';

const folder = 'file:///work/app';
const message = { text: 'Fix it', origin: { kind: 'user' } };
const turn = (more: Partial<Turn> = {}): Turn => ({ id: 't1', message, responseParts: [], state: 'complete', ...more });
const chat = (more: Partial<ChatState> = {}): ChatState => ({
  resource: 'host-chat:/c',
  title: '',
  status: 1,
  modifiedAt: '2026-11-21T00:00:00Z',
  turns: [],
  ...more,
});
const running = (...responseParts: ResponsePart[]): ChatState =>
  chat({ activeTurn: { id: 't1', startedAt: '2026-11-21T00:00:00Z', message, responseParts } });
const rowsOf = (state: ChatState, changes?: TurnChangesModel, builder = new RowBuilder([folder])): Row[] =>
  builder.rows(state, 0, () => changes);
const toolRow = (toolCall: ToolCallState): ToolRow =>
  rowsOf(running({ kind: 'toolCall', toolCall })).find((it) => it.kind === 'tool')!;

const base = { toolCallId: 'call', toolName: 'bash', displayName: 'Bash', invocationMessage: 'Run `ls`' };

describe('rows of a chat', () => {
  it('begin each turn with its prompt and keep the order of the parts', () => {
    const rows = rowsOf(
      running(
        { kind: 'reasoning', id: 'r', content: 'hm' },
        { kind: 'markdown', id: 'm', content: 'So' },
        { kind: 'systemNotification', content: { markdown: '**Plan**' } },
      ),
    );
    assert.deepEqual(
      rows.map((it) => [it.kind, it.id]),
      [
        ['prompt', 't1/prompt'],
        ['reasoning', 't1/0'],
        ['markdown', 't1/1'],
        ['notice', 't1/2'],
      ],
    );
  });

  it('are the same objects until their part changes', () => {
    const builder = new RowBuilder([folder]);
    const first: ResponsePart = { kind: 'markdown', id: 'm', content: 'So' };
    const second: ResponsePart = { kind: 'markdown', id: 'n', content: 'be' };
    const before = rowsOf(running(first, second), undefined, builder);
    const after = rowsOf(running(first, { ...second, content: 'begin' }), undefined, builder);
    assert.equal(after[0], before[0]);
    assert.equal(after[1], before[1]);
    assert.notEqual(after[2], before[2]);
  });

  it('stay the same objects when the turn ends', () => {
    const builder = new RowBuilder([folder]);
    const part: ResponsePart = { kind: 'markdown', id: 'm', content: 'So' };
    const before = rowsOf(running(part), undefined, builder);
    const after = rowsOf(chat({ turns: [turn({ responseParts: [part] })] }), undefined, builder);
    assert.deepEqual(
      after.map((it, index) => it === before[index]),
      [true, true],
    );
  });

  it('leave out text that has not begun', () => {
    assert.equal(rowsOf(running({ kind: 'markdown', id: 'm', content: '' })).length, 1);
  });

  it('skip parts of a kind that is not known', () => {
    const odd = { kind: 'hologram', id: 'h' } as unknown as ResponsePart;
    assert.equal(rowsOf(running(odd)).length, 1);
  });

  it('turn an open question into an unanswered one when its turn ends', () => {
    const builder = new RowBuilder([folder]);
    const part: ResponsePart = { kind: 'inputRequest', request: { id: 'q' } };
    const open = rowsOf(running(part), undefined, builder).at(-1);
    const ended = rowsOf(chat({ turns: [turn({ responseParts: [part] })] }), undefined, builder).at(-1);
    assert.deepEqual(
      [open, ended].map((it) => it?.kind === 'question' && it.state),
      ['open', 'unanswered'],
    );
  });

  for (const { says, of, expected } of [
    { says: 'completed without changes', of: {}, expected: [] },
    { says: 'cancelled', of: { state: 'cancelled' }, expected: ['end:cancelled'] },
    {
      says: 'failed',
      of: { state: 'error', error: { errorType: 'agent', message: 'It ended' } },
      expected: ['error:retry:It ended'],
    },
    {
      says: 'failed at a step that can be skipped',
      of: { state: 'error', error: { errorType: 'agent', message: 'It ended', _meta: { skipWith: 'continue' } } },
      expected: ['error:step:It ended'],
    },
    {
      says: 'failed, without what a person without buttons would type',
      of: {
        state: 'error',
        error: { errorType: 'agent', message: 'It ended. Say x.', _meta: { skipWith: 'x', hint: 'Say x.' } },
      },
      expected: ['error:step:It ended.'],
    },
    {
      says: 'stopped at a step that can be skipped',
      of: {
        responseParts: [
          {
            kind: 'systemNotification',
            content: { markdown: 'You denied it. Say x.' },
            _meta: { skipWith: 'x', hint: 'Say x.' },
          },
        ],
      },
      expected: ['stopped:step:You denied it.'],
    },
    {
      says: 'failed for want of a sign-in',
      of: { state: 'error', error: { errorType: 'authRequired', message: 'Who are you' } },
      expected: ['error:signIn:Who are you'],
    },
  ] satisfies { says: string; of: Partial<Turn>; expected: string[] }[]) {
    it(`say how a turn ended: ${says}`, () => {
      const rows = rowsOf(chat({ turns: [turn(of)] })).slice(1);
      assert.deepEqual(
        rows.map((it) =>
          it.kind === 'error'
            ? `${it.isStopped ? 'stopped' : 'error'}:${it.action}:${it.message}`
            : it.kind === 'end'
              ? `end:${it.state}`
              : it.kind,
        ),
        expected,
      );
    });
  }

  it('offer to try again only for the last turn', () => {
    const failed = { state: 'error' as const, error: { errorType: 'agent', message: 'It ended' } };
    const rows = rowsOf(chat({ turns: [turn(failed), turn({ id: 't2' })] }));
    assert.equal(rows.find((it) => it.kind === 'error')?.action, 'none');
  });

  it('end a turn that changed files with its counts', () => {
    const changes = {
      files: 3,
      added: 12,
      removed: 3,
      status: 'open',
      canKeep: true,
      canUndo: true,
      canRedo: false,
    } as const;
    const end = rowsOf(chat({ turns: [turn()] }), changes).at(-1);
    assert.deepEqual(end?.kind === 'end' && end.changes, changes);
  });

  const planned = (state: string): ResponsePart => ({
    kind: 'systemNotification',
    content: { markdown: state },
    _meta: { plan: [{ text: 'Look', state }] },
  });
  it('1b-7 show the plan of a finished turn as it was at the end, and none while the turn runs', () => {
    const responseParts = [planned('open'), planned('doing'), planned('done')];
    assert.deepEqual(
      rowsOf(running(...responseParts)).map((it) => it.kind),
      ['prompt'],
    );
    const rows = rowsOf(chat({ turns: [turn({ responseParts })] }));
    assert.deepEqual(
      rows.flatMap((it) => (it.kind === 'notice' ? [it.text] : [])),
      ['done'],
    );
  });

  it('1b-5 end a turn whose time is known with it', () => {
    const end = rowsOf(chat({ turns: [turn({ duration: 65_000 })] })).at(-1);
    assert.deepEqual(end?.kind === 'end' && end.durationMs, 65_000);
  });

  it('1c-15 end each turn with what it used, as the gateway recorded it or the agent reports it', () => {
    const reported = (amount: number) => ({ inputTokens: 5, _meta: { cost: { amount, currency: 'EUR' } } });
    const model = { model: 'big', calls: 2, inputTokens: 10, outputTokens: 2, cost: 0.25 };
    const counted = [model, { ...model, subAgent: true as const, cost: 1 }];
    const usages = [reported(1), reported(4), { inputTokens: 20, outputTokens: 4, _meta: { counted } }];
    const turns = usages.map((usage, at) => turn({ id: `t${at}`, usage }));
    const ends = rowsOf(chat({ turns })).flatMap((it) => (it.kind === 'end' ? [it.usage] : []));
    const used = { model: 'big', inputTokens: 10, outputTokens: 2 };
    const dollars = (amount: number) => ({ amount, currency: 'USD' });
    assert.deepEqual(ends, [
      { inputTokens: 5, turnCost: { amount: 1, currency: 'EUR' } },
      { inputTokens: 5, turnCost: { amount: 3, currency: 'EUR' } },
      {
        inputTokens: 20,
        outputTokens: 4,
        turnCost: dollars(1.25),
        counted: [
          { ...used, cost: dollars(0.25) },
          { ...used, bySubAgents: true, cost: dollars(1) },
        ],
      },
    ]);
  });
});

describe('the row of a tool call', () => {
  for (const { says, meta, expected } of [
    {
      says: 'a rule',
      meta: { allowedBy: { rule: 'ls *', source: 'granted' } },
      expected: { rule: 'ls *', source: 'granted' },
    },
    { says: 'the dial', meta: { allowedBy: { dial: 'acceptEdits' } }, expected: { dial: 'acceptEdits' } },
    { says: 'that its agent asked nobody', meta: { agentDecided: true }, expected: 'agent' },
    { says: 'what cannot be read', meta: { allowedBy: { rule: 7 } }, expected: undefined },
  ])
    it(`says why nobody was asked where the call says ${says}`, () => {
      const call: ToolCallState = { ...base, status: 'running', confirmed: 'setting', _meta: meta };
      assert.deepEqual(toolRow(call).allowedBy, expected);
    });

  for (const { says, call, expected } of [
    { says: 'its arguments are written', call: { ...base, status: 'streaming' }, expected: 'preparing' },
    { says: 'it waits for a person', call: { ...base, status: 'pending-confirmation' }, expected: 'pending' },
    { says: 'it runs', call: { ...base, status: 'running', confirmed: 'not-needed' }, expected: 'running' },
    {
      says: 'it succeeded',
      call: { ...base, status: 'completed', confirmed: 'not-needed', success: true, pastTenseMessage: 'Ran ls' },
      expected: 'done',
    },
    {
      says: 'it failed',
      call: { ...base, status: 'completed', confirmed: 'not-needed', success: false, pastTenseMessage: 'Ran ls' },
      expected: 'failed',
    },
    { says: 'it was denied', call: { ...base, status: 'cancelled', reason: 'denied' }, expected: 'denied' },
    {
      says: 'its turn ended before it ran',
      call: { ...base, status: 'cancelled', reason: 'skipped' },
      expected: 'skipped',
    },
  ] satisfies { says: string; call: ToolCallState; expected: string }[]) {
    it(`is ${expected} when ${says}`, () => assert.equal(toolRow(call).state, expected));
  }

  it('shows the exact command, where it runs, and the rule that "always" would save', () => {
    const row = toolRow({
      ...base,
      status: 'pending-confirmation',
      options: [{ id: 'allow-once', label: 'Allow once', kind: 'approve' }],
      _meta: { toolKind: 'shell', command: 'ls -l | wc', cwd: `${folder}/packages`, rule: 'ls *', oneClick: true },
    });
    assert.equal(row.command, 'ls -l | wc');
    assert.equal(row.where, 'packages');
    assert.equal(row.title, 'Run `ls`');
    assert.deepEqual(row.ask, {
      options: [{ id: 'allow-once', label: 'Allow once', approves: true }],
      oneClick: true,
      rule: 'ls *',
    });
  });

  it('has the question of the host for a title, and the command as it is, whatever the agent calls it', () => {
    verifies('host.tools.shown-literally');
    const asked = { status: 'pending-confirmation', confirmationTitle: 'Run this command?' } as const;
    const row = toolRow({ ...base, ...asked, _meta: { toolKind: 'shell', command: 'echo a > b' } });
    assert.deepEqual([row.title, row.words, row.command], ['Run this command?', 'Run `ls`', 'echo a > b']);
  });

  it('does not repeat in words the command or the file that is shown below them', () => {
    const asked = { status: 'pending-confirmation', confirmationTitle: 'Sure?' } as const;
    const wordsFor = (invocationMessage: string, call: object) =>
      toolRow({ ...base, ...asked, invocationMessage, ...call }).words;
    const command = { _meta: { toolKind: 'shell', command: 'cat a.js' } };
    assert.equal(wordsFor('Run cat a.js', command), undefined);
    assert.equal(wordsFor('cat a.js', command), undefined);
    assert.equal(wordsFor('Look at what is in cat a.js', command), 'Look at what is in cat a.js');
    const content = { uri: `${folder}/a.js`, content: { uri: 'host-content:/0/a.js' } };
    const edits = { edits: { items: [{ before: content, after: content }] } };
    assert.equal(wordsFor('Edit a.js', edits), undefined);
    assert.equal(wordsFor('Edit the prices', edits), 'Edit the prices');
  });

  it('names the only folder as the place of a command', () => {
    const row = toolRow({ ...base, status: 'pending-confirmation', _meta: { command: 'ls', cwd: folder } });
    assert.equal(row.where, folder.slice(folder.lastIndexOf('/') + 1));
  });

  it('takes a second click unless the host said that one is enough', () => {
    assert.equal(toolRow({ ...base, status: 'pending-confirmation', _meta: { oneClick: 'yes' } }).ask?.oneClick, false);
  });

  it('says what a tool says of itself, with the defaults of what it leaves out', () => {
    verifies('host.tool.read-only', 'host.tool.destructive', 'host.tool.idempotent', 'host.tool.open-world');
    const hints = (annotations?: unknown) =>
      toolRow({ ...base, status: 'pending-confirmation', _meta: { annotations } }).ask?.hints;
    const cautious = { isReadOnly: false, isDestructive: true, isIdempotent: false, isOpenWorld: true };
    assert.deepEqual(hints({}), cautious);
    assert.deepEqual(hints({ readOnlyHint: true }), { ...cautious, isReadOnly: true });
    assert.deepEqual(hints({ destructiveHint: false }), { ...cautious, isDestructive: false });
    assert.deepEqual(hints({ idempotentHint: true }), { ...cautious, isIdempotent: true });
    assert.deepEqual(hints({ openWorldHint: false }), { ...cautious, isOpenWorld: false });
    assert.equal(hints(), undefined);
    assert.equal(hints({ readOnlyHint: 'yes' }), undefined);
  });

  it('names files relative to the folder, with what happens to them', () => {
    const side = (name: string) => ({ uri: `${folder}/${name}`, content: { uri: `host-content:/${name}` } });
    const row = toolRow({
      ...base,
      status: 'pending-confirmation',
      edits: {
        items: [
          { before: side('src/a%20b.ts'), after: side('src/a%20b.ts'), diff: { added: 12, removed: 3 } },
          { after: side('new.ts') },
          { before: side('old.ts') },
          { before: side('x.ts'), after: side('y.ts') },
        ],
      },
    });
    assert.deepEqual(row.files, [
      { label: 'src/a b.ts', change: 'edited', added: 12, removed: 3 },
      { label: 'new.ts', change: 'created' },
      { label: 'old.ts', change: 'deleted' },
      { label: 'y.ts', change: 'moved' },
    ]);
  });

  it('keeps the last 200 lines of what was printed, and says how many there were', () => {
    const text = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n');
    const { output } = toolRow({
      ...base,
      status: 'running',
      confirmed: 'not-needed',
      content: [{ type: 'text', text }],
    });
    assert.equal(output?.lines, 1000);
    assert.equal(output?.isCut, true);
    assert.ok(output?.text.startsWith('line 800\n') && output.text.endsWith('line 999'));
  });
});
