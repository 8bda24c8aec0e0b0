import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { type AdminHarness, choose, startAdmin } from './adminHarness.ts';

describe('the page of toolsets', () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin();
    const server = { transport: 'http', url: harness.backend.url, allow_private_network: true };
    await harness.call('POST', '/v1/mcp/server', { ...server, server_id: 'files', server_name: 'files' });
    await harness.call('POST', '/v1/mcp/server', { ...server, server_id: 'notes', server_name: 'notes' });
  });
  after(() => harness.close());

  const box = (page: Page, group: string, tool: string) =>
    page.getByRole('dialog').locator('details', { hasText: group }).getByRole('checkbox', { name: tool, exact: true });
  async function tools(): Promise<unknown> {
    const [it] = (await (await harness.call('GET', '/v1/mcp/toolset')).json()) as { tools: unknown }[];
    return it?.tools;
  }

  it('puts ticked tools of two servers behind one address, changes them, and takes the address away', async () => {
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=toolsets');
    await signIn();
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
    await picture('toolsets-empty');
    await page.getByRole('button', { name: 'New toolset' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill('release');
    await box(page, 'files', 'echo').check();
    await box(page, 'notes', 'test_simple_text').check();
    await picture('toolsets-new');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'release', exact: true }).waitFor();
    assert.deepEqual(await tools(), [
      { server_id: 'files', tool_name: 'echo' },
      { server_id: 'notes', tool_name: 'test_simple_text' },
    ]);
    await page.getByText('files/echo, notes/test_simple_text').waitFor();
    await picture('toolsets');

    const listed = await harness.call('GET', '/mcp-rest/tools/list?toolset_name=release');
    const { tools: offered } = (await listed.json()) as { tools: { name: string }[] };
    assert.deepEqual(offered.map((it) => it.name).toSorted(), ['echo', 'test_simple_text']);

    await choose(page, 'release', 'Edit…');
    assert.equal(await box(page, 'files', 'echo').isChecked(), true);
    await box(page, 'notes', 'test_simple_text').uncheck();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('release was saved').waitFor();
    assert.deepEqual(await tools(), [{ server_id: 'files', tool_name: 'echo' }]);

    await page.getByRole('button', { name: 'Actions for release' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  it('keeps what was ticked of a server that is gone, so that it can be taken away', async () => {
    const server = { transport: 'http', url: harness.backend.url, allow_private_network: true };
    await harness.call('POST', '/v1/mcp/server', { ...server, server_id: 'gone', server_name: 'gone' });
    const kept = [{ server_id: 'gone', tool_name: 'echo' }];
    await harness.call('POST', '/v1/mcp/toolset', { toolset_name: 'old', tools: kept });
    await harness.call('DELETE', '/v1/mcp/server/gone');
    const { page, signIn, picture, close } = await harness.open('/ui/?page=toolsets');
    await signIn();
    await choose(page, 'old', 'Edit…');
    assert.equal(await box(page, 'No longer available', 'gone / echo').isChecked(), true);
    await picture('toolsets-gone');
    await box(page, 'No longer available', 'gone / echo').click();
    await page.getByText('No longer available').waitFor({ state: 'detached' });
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('old was saved').waitFor();
    assert.deepEqual(await tools(), []);
    await close();
  });
});
