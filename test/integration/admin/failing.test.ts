import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type AdminHarness, choose, startAdmin } from './adminHarness.ts';

describe('what the pages say when something fails', () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin();
    const closed = 'http://127.0.0.1:9/mcp';
    const server = { transport: 'http', url: closed, allow_private_network: true, server_name: 'off' };
    await harness.call('POST', '/v1/mcp/server', server);
    await harness.call('POST', '/v1/agents', {
      agent_name: 'away',
      agent_card_params: { url: closed },
      gateway_params: { allow_private_network: true },
    });
  });
  after(() => harness.close());

  async function open(page: string) {
    const opened = await harness.open(`/ui/?page=${page}`);
    await opened.signIn();
    await opened.page.getByRole('heading', { level: 1 }).waitFor();
    return opened;
  }

  it('a server that does not answer: why, and what helps, in the list and at its tools', async () => {
    const { page, picture, close } = await open('mcp_servers');
    const row = page.getByRole('row', { name: /off/ });
    await row.getByText('Not responding').waitFor();
    await row.getByText('The connection was refused. Start the server, or correct the URL.').waitFor();
    await picture('failing-server');
    await choose(page, 'off', 'Tools…');
    const why = page.getByRole('dialog').getByRole('alert');
    await why.waitFor();
    await picture('failing-tools');
    assert.match((await why.textContent()) ?? '', /The MCP server 'off' could not be reached/);
    await close();
  });

  it('a server of the catalog that does not answer: that one may use it, and that it does not respond', async () => {
    await harness.call('GET', '/v1/mcp/server/health');
    const { page, picture, close } = await open('catalog');
    const row = page.getByRole('row', { name: /off/ });
    await row.getByText('You may use it').waitFor();
    await row.getByText('It is not responding now.').waitFor();
    assert.equal(await row.locator('.badge.is-good').count(), 0);
    await picture('failing-catalog');
    await close();
  });

  it('an agent whose card cannot be fetched', async () => {
    const { page, picture, close } = await open('agents');
    await page.getByRole('button', { name: 'Actions for away' }).click();
    await page.getByRole('menuitem', { name: 'Card…' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await picture('failing-card');
    await close();
  });

  it('a refusal stays until it is closed', async () => {
    const made = await harness.call('POST', '/key/generate', { key_alias: 'short-lived' });
    const { key } = (await made.json()) as { key: string };
    const { page, picture, close } = await open('keys');
    await page.getByRole('button', { name: 'Actions for short-lived' }).click();
    await harness.call('POST', '/key/delete', { keys: [key] });
    await page.getByRole('menuitem', { name: 'Block' }).click();
    await page.getByRole('alert').locator('.toast').waitFor();
    await picture('failing-refusal');
    await page.getByRole('alert').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('alert').locator('.toast').waitFor({ state: 'detached' });
    await close();
  });

  it('a gateway that went away: no empty table, but what happened and a way to try again', async () => {
    const { page, picture, close } = await open('keys');
    await page.route('**/team/list*', (it) => it.abort());
    await page.getByRole('link', { name: 'Teams' }).click();
    await page.getByRole('alert').getByText('The gateway is not responding').waitFor();
    assert.equal(await page.getByRole('table').count(), 0);
    await picture('failing-gateway');
    await page.unroute('**/team/list*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
    await close();
  });

  it('a database that does not answer', async () => {
    const { page, picture, close } = await open('keys');
    const { message, body } = {
      message: 'The gateway database is not responding. Try again in a moment.',
      body: { type: 'no_db_connection', param: null, code: '503' },
    };
    await page.route('**/activity/endpoints*', (it) =>
      it.fulfill({ status: 503, json: { error: { ...body, message } } }),
    );
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('alert').getByText(message).waitFor();
    await picture('failing-database');
    await close();
  });
});
