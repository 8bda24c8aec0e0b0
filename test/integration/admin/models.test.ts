import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { providerKey } from '../../support/models/provider.ts';
import { until } from '../../support/until.ts';
import { verifies } from '../../support/verifies.ts';
import { type AdminHarness, choose, startAdmin } from './adminHarness.ts';

const usage = {
  prompt_tokens: 1_200,
  completion_tokens: 300,
  total_tokens: 1_500,
  prompt_tokens_details: { cached_tokens: 1_000 },
};
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }];

describe('the pages of models', () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin({ viewport: { width: 1280, height: 860 }, defaultAccess: 'none' });
    harness.peer.answer = ({ path }, response) => {
      const isGood = path.startsWith('/good/');
      response.writeHead(isGood ? 200 : 503, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isGood ? { object: 'chat.completion', choices, usage } : { error: {} }));
    };
    await harness.call('POST', '/team/new', {
      team_id: 'docs',
      team_alias: 'Docs',
      object_permission: { models: ['all-proxy-models'] },
    });
    await harness.call('POST', '/key/generate', { key_alias: 'writer', team_id: 'docs' });
    await harness.call('POST', '/key/generate', { key_alias: 'editor' });
  });
  after(() => harness.close());

  const add = async (model_name: string, gateway_params: object) => {
    const added = await harness.call('POST', '/model/new', {
      model_name,
      gateway_params: { api_key: providerKey, allow_private_network: true, ...gateway_params },
    });
    assert.equal(added.status, 200, await added.text());
  };
  const chat = (model: string) =>
    harness.call('POST', '/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] });
  const recorded = (model_group: string) =>
    until(`the call to ${model_group} is in the log`, async () => {
      const found = await harness.call('GET', `/spend/logs/v2?model_group=${model_group}`);
      return ((await found.json()) as { total: number }).total > 0;
    });
  async function open(query: string) {
    const opened = await harness.open(`/ui/?${query}`);
    await opened.signIn();
    await opened.page.getByRole('heading', { level: 1 }).first().waitFor();
    return opened;
  }
  const field = (page: Page, name: string) => page.getByRole('dialog').getByRole('textbox', { name, exact: true });
  const row = (page: Page, name: RegExp | string) => page.getByRole('row', { name });

  it('add a model, name its private address, and show its price, access, spend, and status after a call', async () => {
    verifies('gateway.models.shown', 'gateway.manage.models');
    const { page, picture, complaints, close } = await open('page=models');
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
    await picture('model-list-empty');
    await page.getByRole('button', { name: 'Add model' }).click();
    await field(page, 'Name').fill('smart');
    await field(page, 'Model at the provider').fill('gpt-5');
    await field(page, 'Address').fill(`${harness.peer.url}/good/v1`);
    await page.getByText(`Required: ${harness.peer.url}/good/v1 is on the machine`).waitFor();
    await field(page, 'API key').fill(providerKey);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[data-field="gateway_params.allow_private_network"] .wrong').waitFor();
    await picture('model-form');
    await page.getByLabel('Allow addresses on this machine and on private networks').check();
    await page.getByRole('button', { name: 'Save' }).click();

    const smart = row(page, /smart/);
    await smart.getByText('$1.25 in, $10.00 out').waitFor();
    await smart.getByText(/^Price table, \d{4}-\d\d-\d\d$/).waitFor();
    await smart.getByText('This machine', { exact: true }).waitFor();
    await smart.getByText('Not called yet').waitFor();
    assert.equal((await page.content()).includes(providerKey), false);

    assert.equal((await chat('smart')).status, 200);
    assert.equal(harness.peer.heard.at(-1)?.headers.authorization, `Bearer ${providerKey}`);
    await recorded('smart');
    await page.reload();
    await smart.getByText('Working').waitFor();
    await smart.getByText('$0.0034', { exact: true }).waitFor();
    await smart.getByRole('button', { name: 'Who can use smart: 1 team, 2 keys' }).click();
    const who = page.getByRole('dialog', { name: 'Who can use smart?' });
    await who.getByText('Docs', { exact: true }).waitFor();
    await who.getByText('writer', { exact: true }).waitFor();
    assert.equal(await who.getByText('editor', { exact: true }).count(), 0);
    await picture('model-users');
    // To the browser, a refused form is an error. The page says why in words.
    assert.deepEqual(
      complaints.filter((it) => !it.includes('400')),
      [],
    );
    await close();
  });

  it('change the prices of a model and nothing else, and delete it', async () => {
    await add('priced', { model: 'openai/gpt-5-mini', api_base: `${harness.peer.url}/good/v1`, rpm: 7 });
    const { page, complaints, close } = await open('page=models');
    await choose(page, 'priced', 'Edit…');
    await field(page, 'Input').fill('3.5');
    await field(page, 'Output').fill('15');
    await page.getByRole('button', { name: 'Save' }).click();
    await row(page, /priced/)
      .getByText('Set for this model')
      .waitFor();
    await row(page, /priced/)
      .getByText('$3.50 in, $15.00 out')
      .waitFor();
    const info = (await (await harness.call('GET', '/model/info')).json()) as {
      data: { model_name: string; gateway_params: Record<string, unknown> }[];
    };
    assert.deepEqual(info.data.find((it) => it.model_name === 'priced')?.gateway_params, {
      model: 'openai/gpt-5-mini',
      api_base: `${harness.peer.url}/good/v1`,
      allow_private_network: true,
      rpm: 7,
      input_cost_per_token: 0.000_003_5,
      output_cost_per_token: 0.000_015,
      api_key: '********',
    });
    await page.getByRole('button', { name: 'Actions for priced' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByText('Calls to priced will be rejected.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row(page, /priced/).waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
    await close();
  });

  it('show backends with one name as a group, with their shares, and which of them is avoided', async () => {
    verifies('gateway.models.shown');
    const { page, picture, complaints, close } = await open('page=models');
    await add('shared', { model: 'openai/gpt-5', api_base: `${harness.peer.url}/good/v1` });
    await add('claude-*', { model: 'anthropic/claude-*', allow_private_network: false });
    await page.reload();
    await page.getByRole('button', { name: 'Actions for shared' }).click();
    await page.getByRole('menuitem', { name: 'Add backend…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a backend for shared' });
    await dialog.getByRole('combobox', { name: 'Provider' }).selectOption('openai_compatible');
    await field(page, 'Model at the provider').fill('llama-3.3-70b');
    await field(page, 'Address').fill(`${harness.peer.url}/bad/v1`);
    await page.getByLabel('Allow addresses on this machine and on private networks').check();
    await dialog.locator('summary', { hasText: 'Limits' }).click();
    await field(page, 'Weight').fill('3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('2 backends share its calls').waitFor();
    const bad = row(page, /llama-3\.3-70b/);
    await bad.getByText('75% of the calls').waitFor();
    await bad.getByText('Not known').waitFor();
    await row(page, /claude-\*/)
      .getByText('Depends on the model')
      .waitFor();

    const answers: number[] = [];
    await until('a call was sent to the failing backend first', async () => {
      answers.push((await chat('shared')).status);
      return harness.peer.heard.some((it) => it.path.startsWith('/bad/'));
    });
    assert.deepEqual(new Set(answers), new Set([200]));
    await recorded('shared');
    await page.reload();
    await bad.getByText('Failing').waitFor();
    await bad.getByText(/1 failure\. Avoided until \d\d:\d\d:\d\d\./).waitFor();
    await picture('model-list');
    await page.setViewportSize({ width: 760, height: 900 });
    await picture('model-list-narrow');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('allow a key only the chosen models and a pattern, and explain why it cannot use others', async () => {
    verifies('gateway.models.closed');
    const { page, picture, complaints, close } = await open('page=keys');
    await choose(page, 'editor', 'Edit…');
    const grant = page.locator('[data-field="object_permission.models"]');
    await grant.getByLabel('Selected only').check();
    await grant.getByText('Nothing is selected, so nothing is allowed.').waitFor();
    await grant.getByLabel('smart', { exact: true }).check();
    await grant.getByLabel('Another name or pattern, for example gpt-5*').fill('claude-haiku-*');
    await grant.getByRole('button', { name: 'Add' }).click();
    assert.equal(await grant.getByLabel('claude-haiku-*', { exact: true }).isChecked(), true);
    await grant.scrollIntoViewIfNeeded();
    await picture('key-models');
    await page.getByRole('button', { name: 'Save' }).click();
    await row(page, /editor/)
      .getByText('smart, claude-haiku-*')
      .waitFor();

    await page.getByRole('button', { name: 'Actions for editor' }).click();
    await page.getByRole('menuitem', { name: 'Explain access…' }).click();
    const explain = async (model: string) => {
      await page.getByRole('combobox', { name: 'Model' }).fill(model);
      await page.getByRole('button', { name: 'Explain' }).click();
    };
    await explain('shared');
    await page.getByText('editor has no access to shared', { exact: true }).waitFor();
    await page.getByText('The key does not allow this model.').waitFor();
    await explain('claude-haiku-4-5');
    await page.getByText('editor has access to claude-haiku-4-5', { exact: true }).waitFor();
    await picture('key-explains-model');
    assert.deepEqual(complaints, []);
    await close();
  });

  for (const { page: id, name, made, read } of [
    { page: 'teams', name: 'Writers', made: '/team/new', read: '/team/list' },
    { page: 'organizations', name: 'Press', made: '/organization/new', read: '/organization/list' },
  ])
    it(`allow all models or none on the page of ${id}`, async () => {
      verifies('gateway.models.closed');
      const alias = id === 'teams' ? 'team_alias' : 'organization_alias';
      await harness.call('POST', made, { [alias]: name });
      const { page, complaints, close } = await open(`page=${id}`);
      const models = async () => {
        const all = (await (await harness.call('GET', read)).json()) as Record<string, unknown>[];
        const found = all.find((it) => it[alias] === name)?.['object_permission'] as { models?: unknown } | undefined;
        return found?.models;
      };
      const change = async (act: (grant: ReturnType<Page['locator']>) => Promise<void>) => {
        await choose(page, name, 'Edit…');
        await act(page.locator('[data-field="object_permission.models"]'));
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      };
      await change((grant) => grant.getByLabel('Selected only').check());
      assert.deepEqual(await models(), []);
      await change((grant) => grant.getByLabel('All models, also those added later').check());
      assert.deepEqual(await models(), ['all-proxy-models']);
      assert.deepEqual(complaints, []);
      await close();
    });

  it('break usage down by model and provider with cached tokens, and show the attempts of a call', async () => {
    verifies('gateway.models.recorded');
    const { page, picture, complaints, close } = await open('page=new_usage&tab=models');
    const models = page.getByRole('table', { name: 'Activity by model' });
    await models.getByRole('row', { name: /^shared .*,\d00 .*,000 \d*,?\d00 / }).waitFor();
    await page
      .getByRole('table', { name: 'Activity by provider' })
      .getByRole('row', { name: /OpenAI/ })
      .waitFor();
    await picture('usage-models');
    await page.goto(`${harness.gateway.baseUrl}/ui/?page=logs&model=gpt-5&search=`);
    const calls = page.getByRole('table', { name: 'Calls' });
    await calls
      .getByRole('button', { name: /Details for the call/ })
      .first()
      .click();
    const detail = page.getByRole('dialog');
    await detail.getByText('1,000 input tokens read, 0 input tokens written').waitFor();
    await detail.getByText(/^Price table, \d{4}/).waitFor();
    const attempts = detail.locator('.attempts li');
    await attempts.filter({ hasText: 'openai_compatible/llama-3.3-70b' }).filter({ hasText: 'HTTP 503' }).waitFor();
    await attempts.filter({ hasText: 'openai/gpt-5' }).filter({ hasText: 'HTTP 200' }).waitFor();
    await picture('log-model-call');
    assert.deepEqual(complaints, []);
    await close();
  });
});
