import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { axeViolations } from '../../support/editor/axe.ts';
import { until } from '../../support/until.ts';
import { verifies } from '../../support/verifies.ts';
import { type AdminHarness, startAdmin } from './adminHarness.ts';

describe('the pages for everybody', () => {
  let harness: AdminHarness;
  let own: string;
  before(async () => {
    harness = await startAdmin({ defaultAccess: 'none' });
    const server = { transport: 'http', url: harness.backend.url, allow_private_network: true };
    await harness.call('POST', '/v1/mcp/server', { ...server, server_id: 'files', server_name: 'files' });
    const listed = { listed_in_catalog: true, owners: ['ops@example.com'], description: 'What the team writes' };
    await harness.call('POST', '/v1/mcp/server', { ...server, ...listed, server_id: 'notes', server_name: 'notes' });
    await harness.call('POST', '/v1/agents', {
      agent_name: 'writer',
      agent_card_params: { url: harness.peer.url },
      gateway_params: { allow_private_network: true },
    });
    const model = {
      model: 'openai/gpt-5-mini',
      api_base: `${harness.peer.url}/v1`,
      api_key: 'k',
      allow_private_network: true,
    };
    await harness.call('POST', '/model/new', { model_name: 'smart', gateway_params: model });
    const object_permission = { mcp_servers: ['files'], agents: ['writer'], models: ['smart'] };
    const made = await harness.call('POST', '/key/generate', { key_alias: 'own', object_permission });
    ({ key: own } = (await made.json()) as { key: string });
  });
  after(() => harness.close());

  it('the navigation is short at first, and whole after a button', async () => {
    verifies('gateway.ui.simple');
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=help');
    await signIn(own);
    await page.getByRole('definition').filter({ hasText: 'Its own data' }).waitFor();
    await page.getByRole('definition').filter({ hasText: '0.0.0' }).waitFor();
    const links = page.locator('nav li a');
    assert.deepEqual(await links.allTextContents(), [
      'Usage',
      'Logs',
      'Virtual keys',
      'Catalog',
      'Playground',
      'Settings and help',
    ]);
    assert.deepEqual(await axeViolations(page), []);
    await picture('help');
    await page.getByRole('button', { name: 'All pages' }).click();
    await page.getByRole('link', { name: 'Budgets' }).waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  it('an administrator has all pages, and sees how the gateway is set', async () => {
    verifies('gateway.ui.simple');
    const { page, signIn, close } = await harness.open('/ui/?page=help');
    await signIn();
    await page.getByText('May use nothing').waitFor();
    await page.getByText('For lists of more than 250 tools').waitFor();
    assert.equal(await page.getByRole('button', { name: 'All pages' }).count(), 0);
    await close();
  });

  it('an administrator creates a SCIM token, which is shown once and works, and revokes it', async () => {
    verifies('gateway.scim.token-pages');
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=help');
    await signIn();
    await page.getByText('There are no tokens, so SCIM is off.').waitFor();
    await page.getByRole('button', { name: 'Create SCIM token' }).click();
    await page.getByRole('dialog').getByLabel(/^Name/).fill('okta');
    await page.getByRole('button', { name: 'Create token', exact: true }).click();
    const token = (await page.getByLabel('Your new SCIM token', { exact: true }).textContent()) ?? '';
    assert.match(token, /^scim-/);
    const users = () => harness.call('GET', '/scim/v2/Users', undefined, { authorization: `Bearer ${token}` });
    assert.equal((await users()).status, 200);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('rowheader', { name: 'okta' }).waitFor();
    assert.deepEqual(await axeViolations(page), []);
    await picture('help-scim');
    assert.equal((await page.content()).includes(token), false);
    await page.getByRole('button', { name: 'Revoke the token "okta"' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('There are no tokens, so SCIM is off.').waitFor();
    assert.equal((await users()).status, 401);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('the playground calls a tool, an agent and a model with the own key, as the log says', async () => {
    verifies('gateway.ui.playground');
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=playground');
    await signIn(own);
    const result = page.getByRole('region', { name: 'Result' });
    await page.getByRole('combobox', { name: 'MCP server' }).selectOption('files');
    await page.getByRole('combobox', { name: 'Tool' }).selectOption('echo');
    await page.getByRole('textbox', { name: 'text' }).fill('hello');
    await page.getByRole('button', { name: 'Call the tool' }).click();
    await result.getByText('hello').waitFor();
    assert.deepEqual(await axeViolations(page), []);
    await picture('playground-tool');
    for (const { tab, name, answer } of [
      { tab: 'Agents', name: 'Agent', answer: 'Done.' },
      { tab: 'Models', name: 'Model', answer: 'Of the model.' },
    ]) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('combobox', { name }).selectOption({ index: 1 });
      await page.getByRole('textbox', { name: 'Message' }).fill('hello');
      await page.getByRole('button', { name: 'Send' }).click();
      await result.getByText(answer).waitFor();
      assert.deepEqual(await axeViolations(page), []);
      await picture(`playground-${name.toLowerCase()}`);
    }
    await until('the calls are in the log of the key', async () => {
      const headers = { authorization: `Bearer ${own}` };
      const { data } = (await (await harness.call('GET', '/spend/logs/v2', undefined, headers)).json()) as {
        data: { model: string; status: string }[];
      };
      const good = data.filter((it) => it.status === 'success').map((it) => it.model);
      return ['MCP: echo', 'a2a_agent/writer', 'gpt-5-mini'].every((it) => good.includes(it));
    });
    assert.deepEqual(complaints, []);
    await close();
  });

  it('another site can call nothing with the cookie of a signed-in browser', async () => {
    verifies('gateway.ui.playground');
    const { page, signIn, close } = await harness.open('/ui/?page=help');
    await signIn(own);
    const [cookie] = await page.context().cookies();
    const headers = { cookie: `${cookie?.name}=${cookie?.value}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'smart', messages: [] });
    for (const path of ['/v1/chat/completions', '/a2a/writer'])
      for (const more of [{}, { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' }]) {
        const answer = await fetch(harness.gateway.baseUrl + path, {
          method: 'POST',
          headers: { ...headers, ...more },
          body,
        });
        assert.ok([401, 403].includes(answer.status), `${path} ${answer.status}`);
      }
    await close();
  });

  it('a key that may use nothing is told so in the playground, and where to ask', async () => {
    const made = await harness.call('POST', '/key/generate', {
      key_alias: 'new',
      object_permission: { mcp_servers: [] },
    });
    const { key } = (await made.json()) as { key: string };
    const { page, signIn, picture, close } = await harness.open('/ui/?page=playground&tab=agents');
    await signIn(key);
    await page.getByText('There is no agent that your key may use.').waitFor();
    await page.getByRole('tab', { name: 'Tools' }).click();
    await page.getByText('There is no MCP server that your key may use.').waitFor();
    await picture('playground-empty');
    await page.getByRole('link', { name: 'Request access in the catalog' }).click();
    await page.getByRole('row', { name: /notes/ }).waitFor();
    await close();
  });

  it('access is requested in the catalog, granted by an administrator, and used', async () => {
    verifies('gateway.ui.catalog');
    const caller = await harness.open('/ui/?page=catalog');
    await caller.signIn(own);
    const row = caller.page.getByRole('row', { name: /notes/ });
    await row.getByText('ops@example.com').waitFor();
    assert.deepEqual(await axeViolations(caller.page), []);
    await row.getByRole('button', { name: 'Request access… notes' }).click();
    await caller.page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('For the release');
    await caller.page.getByRole('button', { name: 'Send the request' }).click();
    await row.getByText('Requested').waitFor();
    assert.deepEqual(await axeViolations(caller.page), []);
    await caller.picture('catalog');
    await caller.close();

    const admin = await harness.open('/ui/?page=catalog');
    await admin.signIn();
    const requests = admin.page.getByRole('table', { name: 'Requests' });
    await requests.getByText('For the release').waitFor();
    assert.deepEqual(await axeViolations(admin.page), []);
    await admin.picture('catalog-requests');
    await admin.page.getByRole('button', { name: 'Grant… own, notes' }).click();
    await admin.page.getByRole('dialog').getByRole('button', { name: 'Grant' }).click();
    await admin.page.getByRole('status').getByText('Access to notes was granted').waitFor();
    await admin.close();

    const headers = { authorization: `Bearer ${own}` };
    const call = { name: 'echo', server_id: 'notes', arguments: { text: 'hi' } };
    assert.equal((await harness.call('POST', '/mcp-rest/tools/call', call, headers)).status, 200);
  });
});
