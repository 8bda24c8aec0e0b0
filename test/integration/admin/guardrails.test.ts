import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { Guardrails } from '../../../sidecar/protocol/gateway/guardrail.ts';
import { verifies } from '../../support/verifies.ts';
import { type AdminHarness, choose, startAdmin } from './adminHarness.ts';

const guardrails = Guardrails.parse([
  {
    guardrail_name: 'no-secrets',
    gateway_params: { guardrail: 'secret_redaction', mode: 'pre_mcp_call', default_on: true },
  },
  {
    guardrail_name: 'approved-tools',
    gateway_params: { guardrail: 'tool_definition_pin', mode: 'pre_mcp_call', default_on: true },
  },
  { guardrail_name: 'exact', gateway_params: { guardrail: 'argument_schema', mode: 'during_mcp_call' } },
]);

describe('guardrails in the pages', () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin({ guardrails });
    const server = { server_name: 'files', transport: 'http', url: harness.backend.url, allow_private_network: true };
    await harness.call('POST', '/v1/mcp/server', { ...server, server_id: 'files' });
  });
  after(() => harness.close());

  it('lists those that are on, when they look and for whom', async () => {
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=guardrails');
    await signIn();
    await page
      .getByRole('row', { name: /no-secrets/ })
      .getByText('Before the call')
      .waitFor();
    await page
      .getByRole('row', { name: /no-secrets/ })
      .getByText('Every call')
      .waitFor();
    await page.getByRole('row', { name: /exact/ }).getByText('During the call').waitFor();
    await page
      .getByRole('row', { name: /exact/ })
      .getByText(/^Refuses calls whose arguments do not match/)
      .waitFor();
    await page
      .getByRole('row', { name: /exact/ })
      .getByText('Keys, teams, and servers that list this guardrail')
      .waitFor();
    await picture('guardrails-on');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('makes a guardrail, tries it on a call that is not made, changes it, orders it and deletes it', async () => {
    verifies('gateway.manage.guardrails', 'gateway.guardrail.try');
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=guardrails');
    await signIn();
    const choose = async (name: string, action: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: action, exact: true }).click();
    };
    const dialog = page.getByRole('dialog');
    const said = (words: string) => page.getByRole('status').getByText(words).waitFor();
    const made = async () =>
      (await harness.gateway.store.guardrail.all())
        .toSorted((a, b) => a.position - b.position)
        .map((it) => it.guardrail_name);
    for (const name of ['mine', 'other']) {
      await page.getByRole('button', { name: 'Add guardrail' }).click();
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByLabel('Kind').selectOption('pii_redaction');
      await dialog.getByLabel('action').selectOption('block');
      if (name === 'mine') await picture('guardrails-new');
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await said('The guardrail was added');
      await dialog.waitFor({ state: 'detached' });
    }
    harness.backend.seen.length = 0;
    await choose('mine', 'Try…');
    await dialog.getByRole('textbox', { name: 'Tool', exact: true }).fill('echo');
    await dialog.getByLabel('Arguments').fill('{"text": "canary@example.com"}');
    await dialog.getByRole('button', { name: 'Try', exact: true }).click();
    await dialog.getByText('Rejects it').waitFor();
    await picture('guardrails-try');
    assert.deepEqual(harness.backend.seen, []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await choose('mine', 'Edit…');
    await dialog.getByLabel('action').selectOption('redact');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await said('mine was saved');
    const { gateway_params: params } = (await harness.gateway.store.guardrail.get('mine')) ?? assert.fail();
    assert.equal('action' in params && params.action, 'redact');
    await choose('other', 'Run earlier');
    await said('The order was changed');
    assert.deepEqual(await made(), ['other', 'mine']);
    await picture('guardrails-made');
    await choose('mine', 'Delete…');
    await page.getByRole('button', { name: 'Delete guardrail' }).click();
    await said('mine was deleted');
    assert.deepEqual(await made(), ['other']);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('shows which server has a tool that changed since it was approved, and what changed, and lets the tool in again', async () => {
    await harness.call('GET', '/mcp-rest/tools/list?server_id=files');
    await harness.gateway.store.tool_pin.update('files', (it) => ({
      ...it,
      tools: it.tools.map((pin) =>
        pin.tool === 'echo'
          ? { ...pin, hash: '0'.repeat(64), definition: { name: 'echo', description: 'As it was' } }
          : pin,
      ),
    }));
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=mcp_servers');
    await signIn();
    await choose(page, 'files', 'Tools…');
    const held = page.getByRole('region', { name: 'Blocked until approved' });
    await held.getByText('1 tool is blocked until you approve it').waitFor();
    const changes = held.getByRole('group', { name: 'Changes to echo' });
    await changes.getByText(/^−.*As it was/).waitFor();
    await changes.getByText(/^\+.*Answers with what it got/).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try echo' }).count(), 0);
    await picture('mcp_servers-held');
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('row', { name: /files/ }).getByText('1 tool blocked').waitFor();
    await picture('mcp_servers-blocked');
    await page.getByRole('button', { name: 'files', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'files' }).waitFor();
    await page.getByText('1 tool blocked').waitFor();
    await page.getByRole('button', { name: 'Tools…' }).click();
    await held.getByRole('button', { name: 'Approve the current version' }).click();
    await page.getByRole('button', { name: 'Try echo' }).waitFor();
    assert.equal(await held.count(), 0);
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'files' }).waitFor();
    assert.equal(await page.getByText('1 tool blocked').count(), 0);
    assert.deepEqual(complaints, []);
    await close();
  });
});
