import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { verifies } from '../../support/verifies.ts';
import { type AdminHarness, choose, startAdmin } from './adminHarness.ts';

describe('the pages of agents, credentials and guardrails', () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin();
    await harness.call('POST', '/v1/agents', {
      agent_name: 'tester',
      agent_card_params: { url: harness.peer.url },
      gateway_params: { api_key: 'key-of-the-tester', allow_private_network: true },
    });
  });
  after(() => harness.close());

  async function open(page: string) {
    const opened = await harness.open(`/ui/?page=${page}`);
    await opened.signIn();
    await opened.page.getByRole('heading', { level: 1 }).first().waitFor();
    return opened;
  }
  const field = (page: Page, name: string) => page.getByRole('dialog').getByRole('textbox', { name, exact: true });

  it('adds an agent, reaches it through the gateway, and shows its card with our address', async () => {
    const { page, picture, complaints, close } = await open('agents');
    await page.getByRole('button', { name: 'Add agent' }).click();
    await field(page, 'Name').fill('writer');
    await field(page, 'Address').fill(harness.peer.url);
    await page.getByRole('dialog').locator('summary', { hasText: 'Card' }).click();
    await field(page, 'Card').fill(JSON.stringify({ description: 'Writes release notes' }));
    await field(page, 'API key').fill('key-of-the-agent');
    await page.getByLabel('Allow private addresses').check();
    await picture('agents-new');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'writer', exact: true }).waitFor();
    await picture('agents');

    const message = { role: 'user', messageId: 'm1', kind: 'message', parts: [{ kind: 'text', text: 'hi' }] };
    const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
    const sent = await harness.call('POST', '/a2a/writer', body);
    assert.equal(sent.status, 200, await sent.text());
    assert.equal(harness.peer.heard.at(-1)?.headers.authorization, 'Bearer key-of-the-agent');

    await page.getByRole('button', { name: 'Actions for writer' }).click();
    await page.getByRole('menuitem', { name: 'Card…' }).click();
    const card = page.getByRole('dialog', { name: 'Agent card for writer' });
    await card.getByRole('heading', { name: /Release writer/ }).waitFor();
    await card.getByText('Release notes', { exact: true }).waitFor();
    await picture('agents-card');
    await card.getByText('Full card (JSON)').click();
    const whole = (await card.locator('pre').textContent()) ?? '';
    assert.equal(whole.includes('elsewhere.example'), false);
    assert.ok(whole.includes(harness.gateway.baseUrl));
    assert.deepEqual(complaints, []);
    await close();
  });

  it('changes an agent and keeps its key', async () => {
    const { page, close } = await open('agents');
    await choose(page, 'tester', 'Edit…');
    await page.getByLabel('Require a trace ID on calls to the agent').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('row', { name: /tester/ })
      .getByText('Required', { exact: true })
      .waitFor();
    const message = { role: 'user', messageId: 'm1', kind: 'message', parts: [{ kind: 'text', text: 'hi' }] };
    const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
    assert.equal((await harness.call('POST', '/a2a/tester', body)).status, 400);
    await harness.call('POST', '/a2a/tester', body, { 'x-gateway-trace-id': 'trace-0001' });
    assert.equal(harness.peer.heard.at(-1)?.headers.authorization, 'Bearer key-of-the-tester');
    await close();
  });

  it('adds the credential of the cloud-agents service, with which calls pass through', async () => {
    verifies('gateway.cloud.credential.admin');
    const { page, picture, complaints, close } = await open('models&tab=credentials');
    await picture('models-empty');
    await page.getByRole('button', { name: 'Add Credential' }).click();
    await field(page, 'Name').fill('cloud');
    await page.getByRole('dialog').getByRole('combobox', { name: 'Provider' }).fill('cloudagents');
    await field(page, 'API key').fill('key-of-the-service');
    await picture('models-new');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /cloud/ }).getByText('api_key').waitFor();
    await picture('models');
    assert.equal((await page.content()).includes('key-of-the-service'), false);

    assert.equal((await harness.call('GET', '/cloudagents/v0/agents')).status, 200);
    const basic = `Basic ${Buffer.from('key-of-the-service:').toString('base64')}`;
    assert.equal(harness.peer.heard.at(-1)?.headers.authorization, basic);

    await page.getByRole('tab', { name: 'Endpoints' }).click();
    await page.getByRole('heading', { level: 1, name: 'Models + Endpoints' }).waitFor();
    await page.getByText('Credential: cloud').waitFor();
    await picture('models-endpoints');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('says how a guardrail is added while there is none', async () => {
    const { page, picture, complaints, close } = await open('guardrails');
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
    await page.getByText('Add a guardrail here, or under "guardrails" in switchboard.jsonc.').waitFor();
    await picture('guardrails');
    assert.deepEqual(complaints, []);
    await close();
  });
});
