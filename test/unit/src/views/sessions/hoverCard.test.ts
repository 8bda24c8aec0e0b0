import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import {
  NOT_STARTED,
  SANDBOX_META,
  withSandbox,
} from '../../../../../sidecar/protocol/channels/session/sandboxChoice.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { cardLines, cardMarkdown } from '../../../../../src/views/sessions/hoverCard.ts';
import { sessionRow } from '../../../../../src/views/sessions/rows.ts';
import { english, plainArrangement, summary, today } from '../../../../support/extensionStates.ts';

const total = (model: string, inputTokens: number, outputTokens: number, amount?: number, currency = 'USD') => ({
  model,
  inputTokens,
  outputTokens,
  ...(amount !== undefined && { cost: { amount, currency } }),
});

const context = { nowMs: Date.parse(today(10)), agentName: () => 'Claude' };
const rowContext = { ...context, arrangement: plainArrangement, canAddChat: () => false };

describe('the hover card of a session', () => {
  it('calls what is younger than a minute new, and not "now ago"', () => {
    const at = new Date(context.nowMs - 59_000).toISOString();
    const lines = cardLines(
      english,
      summary({ createdAt: at, modifiedAt: at }),
      { session: undefined, chats: [] },
      context,
    );
    assert.equal(Object.fromEntries(lines)['Updated'], 'just now');
  });

  it('links the page and the pull request of a cloud agent, and shows its repository and branch', () => {
    const cloud = {
      status: 'RUNNING',
      repository: 'https://git.example/owner/name',
      branch: 'agent/fix',
      url: 'https://cloud.example/a(1)',
      pullRequest: 'https://git.example/owner/name/pull/12',
    };
    const known = summary({ _meta: { cloud } });
    const lines = cardLines(english, known, { session: undefined, chats: [] }, context);
    assert.deepEqual(lines.slice(2, 6), [
      ['Cloud agent', 'Running', 'https://cloud.example/a(1)'],
      ['Repository', 'https://git.example/owner/name'],
      ['Branch', 'agent/fix'],
      ['Pull request', 'PR #12', 'https://git.example/owner/name/pull/12'],
    ]);
    const text = cardMarkdown('Fix', lines);
    assert.match(text, /\[Running\]\(https:\/\/cloud\.example\/a%281%29\)/);
    assert.match(text, /\[PR \\#12\]\(https:\/\/git\.example\/owner\/name\/pull\/12\)/);
    assert.equal(sessionRow(english, known, rowContext).description.split(' · ').slice(0, 2).join(), 'Running,PR #12');
    const odd = summary({ _meta: { cloud: { status: 'RUNNING', url: 'javascript:alert(1)' } } });
    assert.equal(cardLines(english, odd, { session: undefined, chats: [] }, context).length, 4);
  });

  it('leaves out what is not known', () => {
    assert.deepEqual(cardLines(english, summary(), { session: undefined, chats: [] }, context), [
      ['Status', 'done'],
      ['Agent', 'Claude'],
      ['Updated', '1 h ago'],
      ['Created', '2 h ago'],
    ]);
  });

  it('says what this window knows of a session that is open in it', () => {
    const turn = (duration: number) => ({ duration, usage: { model: 'fast-1' } });
    const session = {
      _meta: { git: { worktree: 'file:///work/tally.worktrees/dates', branch: 'fix/dates' } },
    } as unknown as SessionState;
    const chats = [{ turns: [turn(61_000), turn(30_000)] }] as unknown as ChatState[];
    const known = summary({
      changes: { files: 2, additions: 12, deletions: 3 },
      workingDirectories: ['file:///home/tally'],
      _meta: { usage: { recorded: [], reported: [total('fast-1', 900, 50, 0.25)] } },
    });
    assert.deepEqual(Object.fromEntries(cardLines(english, known, { session, chats }, context)), {
      Status: 'done',
      Agent: 'Claude',
      Model: 'fast-1',
      Folder: 'tally',
      Branch: 'fix/dates',
      Changes: '2 files, +12 −3',
      'Worked for': '1 min',
      Cost: '$0.25 (reported by the agent)',
      Tokens: '900 input, 50 output (reported by the agent)',
      Updated: '1 h ago',
      Created: '2 h ago',
    });
  });

  const sandboxes = [
    ['is on', true, 'on', 'On'],
    ['could not start', NOT_STARTED, 'on', 'On, but it could not start'],
    ['is off', undefined, 'off', 'Off'],
  ] as const;
  for (const [what, held, value, words] of sandboxes)
    it(`says that a sandbox ${what}`, () => {
      const session = {
        config: withSandbox({ schema: { type: 'object', properties: {} }, values: {} }, value === 'on'),
      };
      const open = { session: session as unknown as SessionState, chats: [] };
      const known = summary({ ...(held && { _meta: { [SANDBOX_META]: held } }) });
      assert.equal(Object.fromEntries(cardLines(english, known, open, context))['Sandbox'], words);
    });

  const usages = [
    {
      says: 'the cost and tokens of each model and of its sub-agents, the most used first, as the gateway recorded them',
      usage: {
        recorded: [
          total('claude-haiku-5', 100, 10, 0.004),
          { ...total('claude-haiku-5', 400, 20, 0.016), subAgent: true },
          total('claude-sonnet-5', 12_000, 1_200, 0.4),
        ],
        reported: [],
      },
      lines: {
        Models: 'Through the gateway',
        Cost: '$0.42 (recorded by the gateway)',
        Tokens: '13k input, 1.2k output (recorded by the gateway)',
        'claude-sonnet-5': '12k input, 1.2k output · $0.40',
        'claude-haiku-5 (sub-agents)': '400 input, 20 output · $0.02',
        'claude-haiku-5': '100 input, 10 output · $0.004',
      },
    },
    {
      says: 'what the gateway recorded and what agents report, and adds neither to the other',
      usage: { recorded: [total('m', 1, 2, 1.5)], reported: [total('', 3, 4, 2, 'EUR')] },
      lines: {
        Models: 'Through the gateway',
        Cost: '$1.50 (recorded by the gateway), 2.00 EUR (reported by the agent)',
        Tokens: '1 input, 2 output (recorded by the gateway), 3 input, 4 output (reported by the agent)',
      },
    },
    {
      says: 'tokens without a cost where no price is known',
      usage: { recorded: [total('m', 5, 6, 0)], reported: [] },
      lines: { Models: 'Through the gateway', Tokens: '5 input, 6 output (recorded by the gateway)' },
    },
  ];
  for (const { says, usage, lines } of usages)
    it(`1c-15 tells ${says}`, () => {
      const known = cardLines(english, summary({ _meta: { usage } }), { session: undefined, chats: [] }, context);
      const others = ['Status', 'Agent', 'Updated', 'Created'];
      const told = known.filter(([name]) => !others.includes(name));
      assert.deepEqual(told, Object.entries(lines));
    });

  const budgets = [
    ['money', { dollars: 2 }, '$0.50 of $2.00 left'],
    ['calls', { calls: 3 }, '0 of 3 calls left'],
    ['less than a cent', { dollars: 1.5042 }, '$0.0042 of $1.50 left'],
    ['both', { dollars: 1, calls: 9 }, '$0.00 of $1.00 left, 5 of 9 calls left'],
    ['nothing', {}, undefined],
  ] as const;
  for (const [what, limit, words] of budgets)
    it(`says what is left of a budget that limits ${what}`, () => {
      const known = summary({ _meta: { budget: { limit, isOwn: true, spent: { calls: 4, dollars: 1.5 } } } });
      const lines = Object.fromEntries(cardLines(english, known, { session: undefined, chats: [] }, context));
      assert.equal(lines['Budget'], words);
    });

  it('takes nothing of a title for Markdown', () => {
    assert.equal(
      cardMarkdown('[x](command:y) | $(bug)', [['Agent', '*a*']]).split('\n')[0],
      '**\\[x\\]\\(command:y\\) \\| \\$\\(bug\\)**',
    );
  });
});
