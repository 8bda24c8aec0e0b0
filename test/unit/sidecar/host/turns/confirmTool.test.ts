import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { ToolDecision, ToolFacts } from '../../../../../sidecar/agents/provider.ts';
import { PendingAnswers } from '../../../../../sidecar/host/context/pendingAnswers.ts';
import type { HookVerdict } from '../../../../../sidecar/host/hooks/turnHooks.ts';
import { type Confirmation, type ConfirmDeps, confirmTool } from '../../../../../sidecar/host/turns/confirmTool.ts';
import type { Decided } from '../../../../../sidecar/host/turns/decisions.ts';
import { saveRule } from '../../../../../sidecar/host/turns/grantedRules.ts';
import type { PermissionRule } from '../../../../../sidecar/protocol/window.ts';
import { later } from '../../../../support/later.ts';
import { verifies } from '../../../../support/verifies.ts';

const shell = (command: string): ToolFacts => ({
  toolCallId: 'k',
  kind: 'shell',
  invocationMessage: 'Run it',
  toolInput: command,
  command,
  paths: ['/ws/a.txt'],
});
const rule = (effect: PermissionRule['effect'], pattern: string, session?: string): PermissionRule => ({
  id: pattern,
  effect,
  target: 'shell',
  pattern,
  source: 'user',
  ...(session !== undefined && { session }),
});
const verdictOf = async (decision: Promise<ToolDecision>) =>
  decision.then(
    ({ allow }) => (allow ? 'allowed' : 'denied'),
    (thrown: unknown) => `rejected: ${String((thrown as Error).name)}`,
  );

describe('the decision about a tool call', () => {
  let abort: AbortController;
  let steps: string[];
  let stored: string[];
  let decisions: Decided[];
  /** What the last call that ran unasked says about why. */
  let because: unknown;
  let asked: { options: { id: string }[]; editable: boolean; edits?: unknown }[];
  let answers: PendingAnswers<Confirmation>;
  beforeEach(() => {
    decisions = [];
    [abort, steps, stored, asked, answers] = [new AbortController(), [], [], [], new PendingAnswers()];
  });
  function decide(facts: ToolFacts, rules: readonly PermissionRule[] = [], more: Partial<ConfirmDeps> = {}) {
    const small = { rules: () => stored, putRule: (_id: string, text: string) => stored.push(text) };
    const deps = {
      effects: {
        storage: { small },
        store: { writeRows: (work: () => void) => work() },
        newId: () => `rule ${stored.length}`,
        changes: { keepContent: async (_session: string, name: string) => ({ uri: `kept:${name}` }) },
      },
      answers,
      writer: {
        toolRuns: (_facts: ToolFacts, confirmed: string, meta: Record<string, unknown>) => {
          because = meta['allowedBy'];
          steps.push(`runs: ${confirmed}`);
        },
        toolEnded: ({ error }: { error?: string }) => steps.push(`ended: ${error}`),
        toolAsks: (_facts: ToolFacts, pending: (typeof asked)[number]) => {
          asked.push(pending);
          steps.push('asks');
        },
        toolBegins: (toolCallId: string) => steps.push(`begins ${toolCallId}`),
        whileAsking: (_words: string, answer: Promise<unknown>) => answer,
      },
      session: 'host-session:/s',
      chat: 'host-chat:/c',
      folders: ['/ws'],
      settings: () => ({ rules, trusted: true }),
      dial: () => 'ask',
      toolName: () => 'bash',
      files: { hold: () => [], others: () => [] },
      capture: async (paths: readonly string[]) => void steps.push(`keeps ${paths.join()}`),
      beforeTool: async () => undefined,
      timesAllowed: () => 0,
      record: (_facts: ToolFacts, decided: Decided) => void decisions.push(decided),
      ...more,
    };
    return confirmTool(deps as unknown as ConfirmDeps, facts, abort.signal);
  }
  const answer = async (more: Partial<Confirmation>) => {
    while (asked.length === 0) await new Promise((resolve) => void setImmediate(resolve));
    const base = { type: 'chat/toolCallConfirmed', turnId: 't', toolCallId: 'k' } as const;
    answers.answer('host-chat:/c k', { ...base, ...more } as Confirmation);
  };
  const allow = (selectedOptionId: string) =>
    answer({ approved: true, confirmed: 'user-action', selectedOptionId } as Partial<Confirmation>);

  it('keeps what the call may change before a rule lets it run', async () => {
    assert.deepEqual(await decide(shell('make'), [rule('allow', 'make')]), { allow: true });
    assert.deepEqual(steps, ['keeps /ws/a.txt', 'runs: setting']);
  });

  it('says of a call that needs no question that none was needed', async () => {
    const facts: ToolFacts = { toolCallId: 'k', kind: 'think', invocationMessage: 'Think', paths: [] };
    assert.deepEqual(await decide(facts), { allow: true });
    assert.equal(steps.at(-1), 'runs: not-needed');
  });

  for (const { what, facts, rules = [], dial, expected } of [
    {
      what: 'the rule of the settings that let it through',
      facts: shell('make all'),
      rules: [rule('allow', 'make *')],
      expected: { rule: 'make *', source: 'user' },
    },
    {
      what: 'the rule that a person saved',
      facts: { ...shell('make'), kind: 'edit' } as ToolFacts,
      rules: [{ ...rule('allow', '**'), target: 'edit', source: 'granted' }] as PermissionRule[],
      expected: { rule: 'edit **', source: 'granted' },
    },
    {
      what: 'that the dial did',
      facts: { ...shell('make'), kind: 'edit' } as ToolFacts,
      dial: 'acceptEdits' as const,
      expected: { dial: 'acceptEdits' },
    },
    {
      what: 'nothing where it needs no question',
      facts: { ...shell('make'), kind: 'think' } as ToolFacts,
      expected: undefined,
    },
  ])
    it(`says of a call that runs unasked ${what}`, async () => {
      verifies('host.approvals.says-why');
      assert.deepEqual(await decide(facts, rules, dial && { dial: () => dial }), { allow: true });
      assert.deepEqual(because, expected);
    });

  for (const { what, rules = [], more = {}, answered, expected } of [
    {
      what: 'a rule that lets it run',
      rules: [rule('allow', 'make')],
      expected: { allowed: true, by: 'rule', rule: 'make', source: 'user' },
    },
    {
      what: 'a rule that denies it',
      rules: [rule('deny', 'make')],
      expected: { allowed: false, by: 'rule', rule: 'make', source: 'user' },
    },
    {
      what: 'the dial that denies it',
      more: { dial: () => 'readOnly' as const },
      expected: { allowed: false, by: 'dial' },
    },
    {
      what: 'a workspace that nobody trusts',
      more: { settings: () => ({ rules: [], trusted: false }) },
      expected: { allowed: false, by: 'untrusted' },
    },
    {
      what: 'a hook that denies it',
      more: { beforeTool: async (): Promise<HookVerdict> => ({ verdict: 'deny', reason: 'no' }) },
      expected: { allowed: false, by: 'hook' },
    },
    {
      what: 'the person who allowed it once',
      answered: { selectedOptionId: 'allow-once' },
      expected: { allowed: true, by: 'person', like: 'make' },
    },
    {
      what: 'the person who allowed it with a rule',
      answered: { selectedOptionId: 'allow-session' },
      expected: { allowed: true, by: 'person', rule: 'make', source: 'granted' },
    },
    {
      what: 'the person who changed it',
      answered: { editedToolInput: 'make all' },
      expected: { allowed: true, by: 'person', like: 'make', edited: 'make all' },
    },
    {
      what: 'the person who denied it, with the reason',
      answered: { approved: false, reason: 'denied', reasonMessage: 'too slow' },
      expected: { allowed: false, by: 'person', reason: 'too slow' },
    },
    { what: 'nobody where it ended before', answered: { approved: false, reason: 'skipped' }, expected: undefined },
  ] as {
    what: string;
    rules?: PermissionRule[];
    more?: Partial<ConfirmDeps>;
    answered?: object;
    expected: Decided | undefined;
  }[])
    it(`keeps of a call that ${what} decided`, async () => {
      verifies('host.approvals.history');
      const decision = decide(shell('make'), rules, more);
      if (answered) await answer({ approved: true, confirmed: 'user-action', ...answered } as Partial<Confirmation>);
      await decision;
      assert.deepEqual(decisions, expected ? [expected] : []);
    });

  it('asks nobody about what a rule denies, and hooks neither', async () => {
    const beforeTool = async () => {
      steps.push('hook');
      return undefined;
    };
    const decision = decide(shell('make'), [rule('deny', 'make')], { beforeTool });
    assert.equal(await verdictOf(decision), 'denied');
    assert.deepEqual(steps.slice(0, 1), ['runs: setting']);
    assert.match(steps.at(-1) ?? '', /^ended: A rule denies this/);
  });

  for (const { when, prepare, seen } of [
    {
      when: 'while hooks are asked',
      prepare: () => ({
        beforeTool: async () => {
          abort.abort();
          return undefined;
        },
      }),
      seen: [],
    },
    {
      when: 'while its files are kept',
      prepare: () => ({
        capture: async () => {
          steps.push('keeps');
          abort.abort();
        },
      }),
      seen: ['keeps'],
    },
  ])
    it(`lets nothing run in a turn that is stopped ${when}, and shows nothing of it`, async () => {
      const decision = decide(shell('make'), [rule('allow', 'make')], prepare());
      assert.equal(await verdictOf(decision), 'rejected: AbortError');
      assert.deepEqual(steps, seen);
    });

  it('asks nobody in a turn that is stopped while the preview is kept', async () => {
    const keeping = later<{ uri: string }>();
    const effects = {
      storage: { small: { rules: () => [] } },
      changes: { keepContent: () => keeping.promise },
    } as unknown as ConfirmDeps['effects'];
    const edit = { ...shell('make'), kind: 'edit', preview: [{ path: '/ws/a.txt', after: 'b\n' }] } as ToolFacts;
    const decision = verdictOf(decide(edit, [], { effects }));
    await new Promise((resolve) => void setImmediate(resolve));
    abort.abort();
    keeping.resolve({ uri: 'kept:a.txt' });
    assert.equal(await decision, 'rejected: AbortError');
    assert.deepEqual([steps, answers.size], [[], 0]);
  });

  it('follows a rule that came while hooks were asked', async () => {
    const rules: PermissionRule[] = [rule('allow', 'make')];
    const beforeTool = async () => {
      rules.push(rule('deny', 'make'));
      return undefined;
    };
    assert.equal(await verdictOf(decide(shell('make'), rules, { beforeTool })), 'denied');
  });

  it('is left to a person where a hook wants that, once and for nothing more, whatever a rule allows', async () => {
    const beforeTool = async (): Promise<HookVerdict> => ({ verdict: 'ask' });
    const decision = decide(shell('npm test'), [rule('allow', 'npm test*')], { beforeTool });
    await allow('allow-always');
    assert.equal(await verdictOf(decision), 'allowed');
    assert.deepEqual(
      asked[0]?.options.map((it) => it.id),
      ['allow-once', 'deny', 'deny-with-reason'],
    );
    assert.deepEqual(stored, []);
  });

  for (const { option, command, expected } of [
    { option: 'allow-once', command: 'npm test', expected: [] },
    { option: 'allow-session', command: 'npm test', expected: ['host-session:/s'] },
    { option: 'allow-workspace', command: 'npm test', expected: ['/ws'] },
    { option: 'allow-always', command: 'npm test', expected: ['all'] },
    { option: 'allow-session:1', command: 'npm test -- x', expected: ['host-session:/s'] },
    { option: 'allow-always:1', command: 'npm test -- x', expected: ['all'] },
    { option: 'allow-always:2', command: 'npm test -- x', expected: [] },
    { option: 'allow-always:7', command: 'npm test', expected: [] },
    { option: 'allow-workspace', command: 'rm -r x', expected: [] },
    { option: 'allow-session', command: 'rm -r x', expected: [] },
    { option: 'allow-always', command: 'rm -r x', expected: [] },
  ])
    it(`makes ${expected.length} rules where a person answers ${option} to ${command}`, async () => {
      const decision = decide(shell(command));
      await allow(option);
      assert.equal(await verdictOf(decision), 'allowed');
      const rules = stored.map((it) => JSON.parse(it) as PermissionRule);
      assert.deepEqual(
        rules.map((it) => it.session ?? it.folder ?? 'all'),
        expected,
      );
      assert.equal(steps.at(-1), 'keeps /ws/a.txt');
    });

  it('makes one rule for two calls that wait at the same time, and another for another session, target or pattern', async () => {
    const small = { rules: () => stored, putRule: (_id: string, text: string) => stored.push(text) };
    const store = { writeRows: (work: () => void) => work() };
    const deps = { storage: { small }, store, newId: () => 'r' } as unknown as Parameters<typeof saveRule>[0];
    const grants = [
      ['shell', 'npm test', 'one'],
      ['shell', 'npm test', 'one'],
      ['shell', 'npm test', 'other'],
      ['shell', 'npm test', undefined],
      ['shell', 'npm test', undefined],
      ['read', 'npm test', 'one'],
      ['shell', 'npm run', 'one'],
    ] as const;
    for (const [target, pattern, session] of grants) saveRule(deps, { target, pattern, ...(session && { session }) });
    const saved = stored.map((it) => JSON.parse(it) as PermissionRule).map((it) => [it.target, it.pattern, it.session]);
    assert.deepEqual(saved, [grants[0], grants[2], grants[3], grants[5], grants[6]]);
  });

  it('holds in its own session only where that was granted', async () => {
    stored = [JSON.stringify({ ...rule('allow', 'npm test', 'host-session:/s'), source: 'granted' })];
    assert.equal(await verdictOf(decide(shell('npm test'))), 'allowed');
    const decision = decide(shell('npm test'), [], { session: 'host-session:/other' });
    await answer({ approved: false, reason: 'denied' } as Partial<Confirmation>);
    assert.equal(await verdictOf(decision), 'denied');
  });

  it('tells the agent why a person said no, and whether the call was only skipped', async () => {
    for (const { reason, said, expected } of [
      { reason: 'denied', said: { markdown: '*no*' }, expected: { allow: false, skipped: false, reason: '*no*' } },
      { reason: 'skipped', said: undefined, expected: { allow: false, skipped: true } },
    ] as const) {
      asked.length = 0;
      const decision = decide(shell('make'));
      await answer({ approved: false, reason, ...(said && { reasonMessage: said }) } as Partial<Confirmation>);
      assert.deepEqual(await decision, expected);
    }
  });

  it('lets a command be edited, and nothing else', async () => {
    for (const [kind, editable] of [
      ['shell', true],
      ['fetch', false],
    ] as const) {
      asked.length = 0;
      const decision = decide({ ...shell('make'), kind });
      await answer({ approved: true, confirmed: 'user-action', editedToolInput: 'make all' } as Partial<Confirmation>);
      assert.deepEqual(await decision, { allow: true, editedInput: 'make all' });
      assert.equal(asked[0]?.editable, editable);
    }
  });

  it('shows what an edit adds and removes, and of a very large one only that it is one', async () => {
    const large = 'line\n'.repeat(60_000);
    const preview = [
      { path: '/ws/a.txt', before: 'one\ntwo\n', after: 'one\n2\nthree\n' },
      { path: '/ws/new.txt', after: 'new\n' },
      { path: '/ws/old.txt', before: 'old\n' },
      { path: '/ws/large.txt', before: large, after: `${large}x` },
    ];
    const decision = decide({ ...shell('make'), kind: 'edit', preview });
    await allow('allow-once');
    await decision;
    const [question] = asked;
    assert.ok(question?.edits);
    const { items } = question.edits as { items: { diff?: object; before?: object; after?: object }[] };
    assert.deepEqual(
      items.map((it) => [it.diff, 'before' in it, 'after' in it]),
      [
        [{ added: 2, removed: 1 }, true, true],
        [{ added: 1, removed: 0 }, false, true],
        [{ added: 0, removed: 1 }, true, false],
        [undefined, true, true],
      ],
    );
  });
});
