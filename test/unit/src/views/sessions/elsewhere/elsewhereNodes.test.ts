import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  conversationNodes,
  elsewhereNode,
  keeperNodes,
} from '../../../../../../src/views/sessions/elsewhere/elsewhereNodes.ts';
import { english } from '../../../../../support/extensionStates.ts';

const keeper = { provider: 'keeper', displayName: 'Keeper', capabilities: { conversations: { deletes: true } } };
const other = { provider: 'other', displayName: 'Other' };
const nowMs = Date.parse('2026-01-02T00:00:00Z');
const labels = (nodes: readonly { readonly label: string }[]) => nodes.map((it) => it.label);

describe('conversations that began elsewhere, in the Sessions view', () => {
  it('are below the agents that list what they keep, and have no group without one', () => {
    assert.deepEqual(elsewhereNode(english, [other]), []);
    assert.deepEqual(labels(elsewhereNode(english, [other, keeper])), ['Made Elsewhere']);
    assert.deepEqual(labels(keeperNodes([other, keeper])), ['Keeper']);
  });

  it('say what tells them apart and how old they are, or why there are none', () => {
    const items = [
      {
        id: 'a',
        title: 'Fix it',
        cloud: { status: 'FINISHED', branch: 'main', repository: 'https://git.example/own' },
        updatedAt: '2026-01-01T22:00:00Z',
      },
      { id: 'b', title: 'b' },
    ];
    const rows = conversationNodes(english, 'keeper', { state: 'loaded', items }, nowMs);
    assert.deepEqual(
      rows.map((it) => it.kind === 'conversation' && [it.conversation, it.label, it.description]),
      [
        ['a', 'Fix it', 'Finished · main · https://git.example/own · 2 h'],
        ['b', 'b', ''],
      ],
    );
    const notes = [
      { state: 'loading' },
      { state: 'failed', why: 'It is gone.' },
      { state: 'loaded', items: [] },
    ] as const;
    assert.deepEqual(
      notes.map((it) => labels(conversationNodes(english, 'keeper', it, nowMs))),
      [['Loading…'], ['It is gone.'], ['No other sessions']],
    );
  });
});
