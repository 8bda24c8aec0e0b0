import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { Guardrails } from '../../../sidecar/protocol/gateway/guardrail.ts';
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

  it('shows a tool that changed since it was approved beside what was approved, and lets it in again', async () => {
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
    await held.getByText('As it was').waitFor();
    await held.getByText('Answers with what it got').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try echo' }).count(), 0);
    await picture('mcp_servers-held');
    await held.getByRole('button', { name: 'Approve current versions' }).click();
    await page.getByRole('button', { name: 'Try echo' }).waitFor();
    assert.equal(await held.count(), 0);
    assert.deepEqual(complaints, []);
    await close();
  });
});
