import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { agent, headOf } from './chatInput.ts';

describe('the choice of a model', () => {
  it('1c-16 has the pinned models first, then those used last, and shows the usual one where none is chosen', () => {
    const models = ['a', 'b', 'c'].map((id) => ({
      id,
      provider: 'claude',
      name: id.toUpperCase(),
      ...(id === 'a' && { maxContextWindow: 200_000, _meta: { isDefault: true } }),
    }));
    const of = { root: { agents: [{ ...agent, models }] }, favorites: { pinned: ['c'], recent: ['b', 'gone', 'c'] } };
    const picker = headOf(of).composer.pickers.find((it) => it.id === 'model');
    assert.equal(picker?.value, 'a');
    assert.deepEqual(picker?.choices, [
      { id: 'c', label: 'C', pin: 'pinned', group: 'pinned' },
      { id: 'b', label: 'B', pin: 'unpinned', group: 'recent' },
      { id: 'a', label: 'A', pin: 'unpinned', group: 'others', isDefault: true, contextTokens: 200_000 },
    ]);
  });
});
