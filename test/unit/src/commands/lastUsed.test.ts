import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { LastUsed } from '../../../../src/commands/lastUsed.ts';

/** What the editor keeps for one workspace. */
function openMemory(kept?: unknown) {
  const values = new Map<string, unknown>(kept === undefined ? [] : [['lastUsedAgent', kept]]);
  const folders: string[] = [];
  const memory = {
    get: <T>(key: string) => values.get(key) as T,
    update: async (key: string, value: unknown) => void values.set(key, value),
  };
  return { values, folders, last: new LastUsed(memory, { remember: async (it) => void folders.push(it) }) };
}

describe('what was used last in a workspace', () => {
  it('is an agent with the model that it was used with, and the folder of new sessions', async () => {
    const { last, folders } = openMemory();
    await last.remember({ provider: 'claude', model: 'large', folder: 'file:///a' });
    assert.deepEqual([last.agent, last.modelOf('claude'), last.modelOf('runbook')], ['claude', 'large', undefined]);
    assert.deepEqual(folders, ['file:///a']);
  });

  it('keeps the model where the same agent is used without a choice, and drops it with another agent', async () => {
    const { last } = openMemory();
    await last.remember({ provider: 'claude', model: 'large' });
    await last.remember({ provider: 'claude' });
    assert.equal(last.modelOf('claude'), 'large');
    await last.remember({ provider: 'runbook' });
    assert.deepEqual([last.agent, last.modelOf('runbook'), last.modelOf('claude')], ['runbook', undefined, undefined]);
  });

  it('1c-16 has the models that were used, the newest first, and those that a person pinned, by agent', async () => {
    const { last } = openMemory();
    for (const model of ['a', 'b', 'c', 'd', 'b']) await last.remember({ provider: 'claude', model });
    await last.pinModel('claude', 'x', true);
    await last.pinModel('claude', 'y', true);
    await last.pinModel('claude', 'x', false);
    assert.deepEqual(last.favorites('claude'), { pinned: ['y'], recent: ['b', 'd', 'c'] });
    assert.deepEqual(last.favorites('runbook'), { pinned: [], recent: [] });
  });

  it('holds nothing but these, whatever else was chosen', async () => {
    const { last, values } = openMemory();
    const chosen = { provider: 'claude', model: 'large', config: { mode: 'bypassPermissions' } };
    await last.remember(chosen);
    assert.deepEqual([...values.values()], [{ claude: ['large'] }, { provider: 'claude', model: 'large' }]);
  });

  for (const kept of ['claude', 7, { provider: 7, model: [] }, null])
    it(`is nothing where the editor kept ${JSON.stringify(kept)}`, () => {
      const { last } = openMemory(kept);
      assert.deepEqual([last.agent, last.modelOf('claude')], [undefined, undefined]);
    });
});
