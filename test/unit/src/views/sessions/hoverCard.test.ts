import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { cardLines, cardMarkdown } from '../../../../../src/views/sessions/hoverCard.ts';
import { english, summary, today } from '../../../../support/extensionStates.ts';

const context = { nowMs: Date.parse(today(10)), agentName: () => 'Claude' };

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

  it('leaves out what is not known', () => {
    assert.deepEqual(cardLines(english, summary(), { session: undefined, chats: [] }, context), [
      ['Status', 'done'],
      ['Agent', 'Claude'],
      ['Updated', '1 h ago'],
      ['Created', '2 h ago'],
    ]);
  });

  it('says what this window knows of a session that is open in it', () => {
    const turn = (duration: number, amount: number) => ({
      duration,
      usage: { model: 'fast-1', _meta: { cost: { amount, currency: 'USD' } } },
    });
    const session = {
      _meta: { git: { worktree: 'file:///work/tally.worktrees/dates', branch: 'fix/dates' } },
    } as unknown as SessionState;
    const chats = [{ turns: [turn(61_000, 0.1), turn(30_000, 0.25)] }] as unknown as ChatState[];
    const known = summary({
      changes: { files: 2, additions: 12, deletions: 3 },
      workingDirectories: ['file:///home/tally'],
    });
    assert.deepEqual(Object.fromEntries(cardLines(english, known, { session, chats }, context)), {
      Status: 'done',
      Agent: 'Claude',
      Model: 'fast-1',
      Folder: 'tally',
      Branch: 'fix/dates',
      Changes: '2 files, +12 −3',
      'Worked for': '1 min',
      Cost: '0.25 USD (reported by the agent)',
      Updated: '1 h ago',
      Created: '2 h ago',
    });
  });

  it('tells what the gateway recorded of the cost from what agents report, and adds neither to the other', () => {
    const chat = (amount: number, counted?: readonly object[]) => ({
      turns: [{ usage: { _meta: { cost: { amount, currency: 'USD' }, ...(counted && { counted }) } } }],
    });
    const chats = [chat(1, []), chat(2), chat(0.5, [])] as unknown as ChatState[];
    const lines = Object.fromEntries(cardLines(english, summary({}), { session: undefined, chats }, context));
    assert.equal(lines['Cost'], '1.50 USD (recorded by the gateway), 2.00 USD (reported by the agent)');
    assert.equal(lines['Models'], 'Through the gateway');
  });

  it('takes nothing of a title for Markdown', () => {
    assert.equal(
      cardMarkdown('[x](command:y) | $(bug)', [['Agent', '*a*']]).split('\n')[0],
      '**\\[x\\]\\(command:y\\) \\| \\$\\(bug\\)**',
    );
  });
});
