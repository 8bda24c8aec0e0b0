import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { addModel, answered } from '../../../support/models/provider.ts';
import { verifies } from '../../../support/verifies.ts';

const usage = { input_tokens: 1, output_tokens: 1 };

describe('a model whose name is a pattern', () => {
  verifies('gateway.models.patterns');
  let stand: Stand;

  before(async () => {
    stand = await openStand({ defaultAccess: 'none' });
    await addModel(stand, 'claude-*', 'messages', { model: 'anthropic/claude-*' });
    await addModel(stand, 'claude-small-*', 'messages', { model: 'anthropic/fixed' });
    await addModel(stand, 'claude-own', 'messages', { model: 'anthropic/own' });
    stand.backend.answer = answered({ type: 'message', content: [], usage });
  });
  after(() => stand.close());
  beforeEach(() => void stand.backend.heard.splice(0));

  const ask = async (key: string, model: string) => {
    const body = JSON.stringify({ model, max_tokens: 1, messages: [] });
    const answer = await stand.as(key, '/v1/messages', { method: 'POST', body });
    await answer.text();
    const sent = stand.backend.heard.at(-1)?.body.toString();
    return answer.status === 200 ? JSON.parse(sent ?? '{}').model : answer.status;
  };

  const rows: readonly [models: string[], asked: string, answer: string | number][] = [
    [['all-proxy-models'], 'claude-big-1', 'claude-big-1'],
    [['all-proxy-models'], 'claude-', 'claude-'],
    [['all-proxy-models'], 'claude-small-2', 'fixed'],
    [['all-proxy-models'], 'claude-own', 'own'],
    [['claude-*'], 'claude-own', 'own'],
    [['claude-big-1'], 'claude-big-1', 'claude-big-1'],
    [['claude-big-*'], 'claude-big-1', 'claude-big-1'],
    [['claude-big-*'], 'claude-big', 403],
    [['claude-big-1'], 'claude-big-2', 403],
    [['claude-big-1', 'no-default-models'], 'claude-big-1', 403],
    [['*'], 'claude-big-1', 'claude-big-1'],
    [['*'], 'gpt-1', 403],
    [['all-proxy-models'], 'claude-*', 403],
    [['all-proxy-models'], 'claude-/../../v1/files', 403],
    [['all-proxy-models'], 'claude-?key=x', 403],
  ];
  for (const [models, asked, answer] of rows)
    it(`${typeof answer === 'number' ? 'refuses' : `calls the provider's model ${answer} for`} '${asked}' under a key that lists ${models.join(', ')}`, async () => {
      assert.equal(await ask(await stand.addKey({ models }), asked), answer);
    });

  it('appears in lists only under the names that permissions list, because other names are not known', async () => {
    const listed = async (models: string[]) => {
      const answer = await stand.as(await stand.addKey({ models }), '/v1/models');
      return ((await answer.json()) as { data: { id: string }[] }).data.map((it) => it.id);
    };
    assert.deepEqual(await listed(['all-proxy-models']), ['claude-own']);
    assert.deepEqual(await listed(['claude-big-1', 'claude-*', 'gpt-1']), ['claude-big-1', 'claude-own']);
  });

  it("accepts a * in the provider's model only if its own name ends in *", async () => {
    for (const [name, model] of [
      ['plain', 'anthropic/claude-*'],
      ['claude-*', 'anthropic/*-latest'],
    ] as const)
      await assert.rejects(addModel(stand, name, 'messages', { model }), /gateway_params\.model/);
  });
});
