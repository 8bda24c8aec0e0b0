import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Access } from '../../../../../sidecar/gateway/access/access.ts';
import { Catalogue } from '../../../../../sidecar/gateway/access/catalogue.ts';
import { type UsableModelsDeps, usableModels } from '../../../../../sidecar/gateway/models/usableModels.ts';

const registered = [
  ['fast', 'anthropic/claude-haiku-4-5'],
  ['fast', 'openai/gpt-5-mini'],
  ['claude-*', 'anthropic/claude-*'],
  ['flash', 'gemini/gemini-3-flash'],
  ['unknown', 'elsewhere/x'],
].map(([model_name = '', model = '']) => ({ model_name, gateway_params: { model } }));

const namesFor = async (options: { readonly defaultAccess: 'none' | 'all' }, model_names?: readonly string[]) => {
  const catalogue = new Catalogue([], [], [], [], registered);
  const key = model_names && { model_names };
  const access = new Access({ key }, catalogue, { ...options, emptyListInherits: false });
  const hashes: string[] = [];
  const deps = {
    directory: { registered: () => ({ models: registered, catalogue }) },
    permissions: { of: () => access },
    callers: { byHash: (token: string) => hashes.push(token) },
  } as unknown as UsableModelsDeps;
  const models = await usableModels(deps, 'hash');
  assert.deepEqual(hashes, ['hash']);
  return models.map(({ name, dialects }) => `${name}: ${[...dialects].toSorted().join(' ')}`);
};

describe('the models that a key can use', () => {
  it('are each listed once with the dialects of all their backends, except those with an unknown provider', async () =>
    assert.deepEqual(await namesFor({ defaultAccess: 'all' }), [
      'fast: chat messages responses',
      'claude-*: messages',
      'flash: gemini',
    ]));
  it('are none if no level lists any and nothing is open by default', async () =>
    assert.deepEqual(await namesFor({ defaultAccess: 'none' }), []));
  it('are those that the key lists, and a pattern if the key lists one of its names', async () =>
    assert.deepEqual(await namesFor({ defaultAccess: 'all' }, ['flash', 'claude-opus-5']), [
      'claude-*: messages',
      'flash: gemini',
    ]));
});
