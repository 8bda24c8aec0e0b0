import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { byRegisteredName, groupsOf, rowsOf, shareOf } from '../../../../media/admin/pages/models/modelRows.ts';
import { modelBody, modelValues } from '../../../../media/admin/pages/models/modelValues.ts';
import { hostOf, networkOf } from '../../../../media/admin/pages/models/network.ts';
import type { ListedModel } from '../../../../sidecar/protocol/gateway/answers.ts';

const stored = (model_id: string, model_name: string, params: object = {}): ListedModel => ({
  model_id,
  model_name,
  gateway_params: { model: 'openai/gpt-5', ...params },
});

describe('the form of a model', () => {
  it('sends prices per token and the provider with its name for the model', () => {
    const entered = {
      model_name: 'smart',
      provider: 'anthropic',
      provider_model: 'claude',
      key_source: 'own',
      input_price: 3,
    };
    assert.deepEqual(modelBody({ ...entered, gateway_params: { api_key: 'k' } }, undefined), {
      model_name: 'smart',
      gateway_params: { model: 'anthropic/claude', api_key: 'k', input_cost_per_token: 0.000_003 },
    });
    assert.deepEqual(modelBody({ model_name: 'smart', provider_model: 'gpt-5' }, undefined)['gateway_params'], {
      model: 'openai/gpt-5',
    });
  });

  const kept = stored('m', 'smart', { api_key: '********', rpm: 5, output_cost_per_token: 0.000_000_15 });
  const changes: readonly [says: string, body: Record<string, unknown>, sent: object | undefined][] = [
    ['nothing of the settings if only the name changes', { model_name: 'other' }, undefined],
    ['only the settings that changed', { gateway_params: { ...kept.gateway_params, rpm: 7 } }, { rpm: 7 }],
    ['null for a price that is emptied', { output_price: null }, { output_cost_per_token: null }],
    ['the other half of the model too', { provider_model: 'gpt-5-mini' }, { model: 'openai/gpt-5-mini' }],
    [
      'that the stored key is deleted if a credential is used instead',
      { key_source: 'credential', gateway_params: { ...kept.gateway_params, credential_name: 'team' } },
      { api_key: null, credential_name: 'team' },
    ],
    [
      'that neither a key nor a credential is used',
      { key_source: 'provider' },
      { api_key: null, credential_name: null },
    ],
  ];
  for (const [says, body, sent] of changes)
    it(`sends for a stored model ${says}`, () => {
      const { model_id, gateway_params } = modelBody(body, kept) as { model_id: unknown; gateway_params: unknown };
      assert.deepEqual([model_id, gateway_params], ['m', sent]);
    });

  it('shows a stored price per million tokens without a rounding error', () => {
    assert.equal(modelValues(kept)['output_price'], 0.15);
  });
});

describe('the list of models', () => {
  it('puts a heading above backends that share a name, and none above a single one', () => {
    const all = [stored('1', 'b'), stored('2', 'a', { weight: 3 }), stored('3', 'a')];
    const rows = groupsOf(all).flatMap(rowsOf);
    assert.deepEqual(
      rows.map((it) => [it.name, it.backend?.model_id]),
      [
        ['a', undefined],
        ['a', '2'],
        ['a', '3'],
        ['b', '1'],
      ],
    );
    assert.deepEqual(
      rows[1]?.backends.map((it) => shareOf(it, rows[1]?.backends ?? [])),
      [0.75, 0.25],
    );
  });

  it('adds the spend of a name to the pattern that serves it, the longest first', () => {
    const sums = [
      { id: 'openai/gpt-5', spend: 1 },
      { id: 'openai/o3', spend: 2 },
      { id: 'openai/o3-mini', spend: 4 },
      { id: 'gone', spend: 8 },
    ];
    const found = byRegisteredName(sums, ['openai/*', 'openai/o3*', 'openai/o3']);
    assert.deepEqual(
      [...found],
      [
        ['openai/*', 1],
        ['openai/o3', 2],
        ['openai/o3*', 4],
      ],
    );
  });
});

describe('the address of a model', () => {
  const addresses: readonly [address: string, network: string, host: string | undefined][] = [
    ['https://api.openai.com/v1', 'named', 'api.openai.com'],
    ['http://127.0.0.1:11434/v1', 'machine', '127.0.0.1:11434'],
    ['http://localhost:1234/v1', 'machine', 'localhost:1234'],
    ['http://[::1]:8000', 'machine', '[::1]:8000'],
    ['http://127.1/', 'machine', '127.0.0.1'],
    ['http://10.0.0.3/v1', 'private', '10.0.0.3'],
    ['http://172.31.0.1', 'private', '172.31.0.1'],
    ['http://172.32.0.1', 'named', '172.32.0.1'],
    ['http://[fd12::1]/', 'private', '[fd12::1]'],
    ['nonsense', 'named', undefined],
  ];
  for (const [address, network, host] of addresses)
    it(`says where ${address} is`, () => assert.deepEqual([networkOf(address), hostOf(address)], [network, host]));
});
