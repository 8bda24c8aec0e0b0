import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Access } from '../../../../../sidecar/gateway/access/access.ts';
import { Catalogue } from '../../../../../sidecar/gateway/access/catalogue.ts';
import { type UsableModelsDeps, usableModels } from '../../../../../sidecar/gateway/models/usableModels.ts';

type Row = readonly [name: string, model: string, context: number | undefined];
const recordsOf = (rows: readonly Row[]) =>
  rows.map(([model_name, model, context]) => ({
    model_name,
    gateway_params: { model, ...(context !== undefined && { max_input_tokens: context }) },
  }));
const registered: readonly Row[] = [
  ['fast', 'anthropic/claude-haiku-4-5', undefined],
  ['fast', 'openai/gpt-5-mini', undefined],
  ['claude-*', 'anthropic/claude-*', undefined],
  ['flash', 'gemini/gemini-3-flash', undefined],
  ['unknown', 'elsewhere/x', undefined],
];

const depsOf = (
  rows: readonly Row[],
  access = new Access({ key: undefined }, new Catalogue([], [], [], [], recordsOf(rows)), {
    defaultAccess: 'all',
    emptyListInherits: false,
  }),
  hashes: string[] = [],
) =>
  ({
    directory: { registered: () => ({ models: recordsOf(rows) }) },
    permissions: { of: () => access },
    clock: { now: () => '2026-01-01T00:00:00Z' },
    callers: { byHash: (token: string) => hashes.push(token) },
  }) as unknown as UsableModelsDeps;

const namesFor = async (options: { readonly defaultAccess: 'none' | 'all' }, model_names?: readonly string[]) => {
  const catalogue = new Catalogue([], [], [], [], recordsOf(registered));
  const key = model_names && { model_names };
  const hashes: string[] = [];
  const access = new Access({ key }, catalogue, { ...options, emptyListInherits: false });
  const models = await usableModels(depsOf(registered, access, hashes), 'hash');
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
  it('have the context of their smallest backend, from the record or else from the price table', async () => {
    const models = await usableModels(
      depsOf([
        ['own', 'openai_compatible/x', 32_000],
        ['own', 'openai_compatible/y', 16_000],
        ['unknown', 'openai_compatible/z', undefined],
      ]),
      'hash',
    );
    assert.deepEqual(
      models.map(({ name, context }) => [name, context]),
      [
        ['own', 16_000],
        ['unknown', undefined],
      ],
    );
  });
  it('are none if no level lists any and nothing is open by default', async () =>
    assert.deepEqual(await namesFor({ defaultAccess: 'none' }), []));
  it('are those that the key lists, and a pattern if the key lists one of its names', async () =>
    assert.deepEqual(await namesFor({ defaultAccess: 'all' }, ['flash', 'claude-opus-5']), [
      'claude-*: messages',
      'flash: gemini',
    ]));
});
