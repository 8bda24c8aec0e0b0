import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { status } from '../../../../../sidecar/protocol/status.ts';
import { SubAgentRows } from '../../../../../src/webviews/chat/chats/subAgentRows.ts';
import { toToolRow } from '../../../../../src/webviews/chat/chatTools.ts';

const parent = 'host-chat:/parent';
const sessionOf = (state: number): SessionState => ({
  provider: 'coder',
  title: '',
  status: 1,
  lifecycle: 'ready',
  activeClients: [],
  chats: [
    { resource: parent, title: '', status: 8, modifiedAt: '' },
    {
      resource: 'host-chat:/child',
      title: 'Count\u202e',
      status: state,
      modifiedAt: '',
      origin: { kind: 'tool', chat: parent, toolCallId: 'c' },
    },
  ],
});
const rowOf = (toolCallId: string, _meta?: Record<string, unknown>) =>
  toToolRow(
    `t/${toolCallId}`,
    't',
    {
      toolCallId,
      toolName: 'delegate',
      displayName: 'Delegate',
      status: 'completed',
      invocationMessage: 'Delegate',
      confirmed: 'not-needed',
      success: true,
      pastTenseMessage: 'Delegated',
      content: [{ type: 'subagent', resource: 'host-chat:/child', title: 'Count', ...(_meta && { _meta }) }],
    },
    [],
    () => undefined,
  );

describe('1b-6 the sub-agent of a tool call', () => {
  it('is linked by the origin of its chat, with the state of the chat', () => {
    const rows = [rowOf('c'), rowOf('other')];
    for (const [bits, state] of [
      [status.InProgress, 'working'],
      [status.InputNeeded, 'needsYou'],
      [status.Error, 'failed'],
      [status.Idle, 'idle'],
    ] as const) {
      const [linked, other] = new SubAgentRows().rows(rows, sessionOf(bits), parent);
      assert.deepEqual(linked?.kind === 'tool' && linked.subAgent, {
        chat: 'host-chat:/child',
        title: 'Count‹U+202E›',
        state,
      });
      assert.equal(other, rows[1]);
    }
  });

  it('is shown with its tokens and cost, which are read with care', () => {
    const usage = (meta: Record<string, unknown>) => rowOf('c', meta).subAgentUsage;
    assert.deepEqual(usage({ inputTokens: 9, outputTokens: 3, cost: { amount: 1, currency: 'USD' } }), {
      tokens: { inputTokens: 9, outputTokens: 3 },
      cost: { amount: 1, currency: 'USD' },
    });
    assert.deepEqual(usage({ inputTokens: 'many', cost: -1 }), {});
    assert.equal(rowOf('c').subAgentUsage, undefined);
  });

  it('stays the same row until its chat changes', () => {
    const made = new SubAgentRows();
    const rows = [rowOf('c')];
    const session = sessionOf(status.InProgress);
    const [first] = made.rows(rows, session, parent);
    assert.equal(made.rows(rows, session, parent)[0], first);
    assert.notEqual(made.rows(rows, sessionOf(status.Idle), parent)[0], first);
  });
});
