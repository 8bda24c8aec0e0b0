import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { authTypeNames } from '../../../sidecar/protocol/gateway/authTypes/index.ts';
import { type Shelter, startShelter } from '../../support/openapi/shelter.ts';
import { verifies } from '../../support/verifies.ts';
import { type AdminHarness, startAdmin } from './adminHarness.ts';

describe('the page of MCP servers', () => {
  let harness: AdminHarness;
  let shelter: Shelter;
  before(async () => {
    harness = await startAdmin();
    shelter = await startShelter();
    const server = { server_name: 'files', transport: 'http', url: harness.backend.url, allow_private_network: true };
    await harness.call('POST', '/v1/mcp/server', {
      ...server,
      auth_type: 'bearer_token',
      credentials: { auth_value: 'token-of-files' },
    });
    await harness.call('POST', '/v1/mcp/server', {
      server_name: 'old',
      transport: 'http',
      url: 'https://mcp.example.com/mcp',
    });
  });
  after(async () => {
    await harness.close();
    await shelter.close();
  });

  async function openServers() {
    const opened = await harness.open('/ui/?page=mcp_servers');
    await opened.signIn();
    await opened.page.getByRole('heading', { level: 1, name: 'MCP servers' }).waitFor();
    return opened;
  }
  const field = (page: Page, name: string) => page.getByRole('dialog').getByRole('textbox', { name, exact: true });
  const authentication = (page: Page) => page.getByRole('dialog').getByRole('combobox', { name: 'Authentication' });
  async function fillNew(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name: 'Add server' }).click();
    await field(page, 'Name').fill(name);
    await field(page, 'Address').fill(harness.backend.url);
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('Allow private addresses').check();
  }
  const add = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  async function choose(page: Page, name: string, action: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  }
  async function server(name: string): Promise<Record<string, unknown> | undefined> {
    const all = (await (await harness.call('GET', '/v1/mcp/server')).json()) as Record<string, unknown>[];
    return all.find((it) => it['server_name'] === name);
  }

  it('adds a server whose credential is sent to it, and shown to nobody', async () => {
    const { page, picture, complaints, close } = await openServers();
    await fillNew(page, 'notes');
    await authentication(page).selectOption({ label: 'Bearer token' });
    await field(page, 'Token').fill('token-of-the-backend');
    await picture('mcp_servers-new');
    await add(page);
    await page.getByRole('status').getByText('The server was added').waitFor();
    await page.getByRole('row', { name: /notes/ }).getByText('Healthy').waitFor();
    await picture('mcp_servers');
    const listed = await (await harness.call('GET', '/mcp-rest/tools/list?mcp_server_name=notes')).text();
    assert.match(listed, /"echo"/);
    assert.ok(harness.backend.seen.some((it) => it.headers.authorization === 'Bearer token-of-the-backend'));
    await choose(page, 'notes', 'Edit…');
    assert.equal(await field(page, 'Token').inputValue(), '');
    assert.equal((await page.content()).includes('token-of-the-backend'), false);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('says what people call the transport and the authentication, and how many tools a server has once it was asked', async () => {
    verifies('gateway.ui.tools-known');
    const { page, close } = await openServers();
    const row = page.getByRole('row', { name: /files/ });
    await row.getByText('HTTP', { exact: true }).waitFor();
    await row.getByText('Bearer token', { exact: true }).waitFor();
    await row.getByRole('cell', { name: /^\d+$/ }).waitFor();
    const other = page.getByRole('row', { name: /old/ });
    await other.getByText('No authentication', { exact: true }).waitFor();
    await other.getByText('Not listed yet', { exact: true }).waitFor();
    await close();
  });

  it('keeps the stored credential when something else is changed', async () => {
    const { page, close } = await openServers();
    await choose(page, 'files', 'Edit…');
    await field(page, 'Description').fill('What the team writes');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('files was saved').waitFor();
    assert.equal((await server('files'))?.['description'], 'What the team writes');
    harness.backend.seen.length = 0;
    await harness.call('GET', '/mcp-rest/tools/list?mcp_server_name=files');
    const [listing] = harness.backend.seen.filter((it) => it.method === 'tools/list');
    assert.equal(listing?.headers.authorization, 'Bearer token-of-files');
    await close();
  });

  it('adds a command whose processes all keys share, and shows how many run', async () => {
    verifies('gateway.stdio.shown');
    const { page, picture, complaints, close } = await openServers();
    await page.getByRole('button', { name: 'Add server' }).click();
    await field(page, 'Name').fill('program');
    await page.getByRole('dialog').getByLabel('Transport').selectOption('stdio');
    await field(page, 'Command').fill(process.execPath);
    await field(page, 'Arguments').fill(join(import.meta.dirname, '../../support/mcp/stdioFixture.child.ts'));
    await page.getByRole('dialog').getByLabel('Shared processes').selectOption('all');
    await picture('mcp_servers-stdio');
    await add(page);
    await page.getByRole('status').getByText('The server was added').waitFor();
    assert.deepEqual((await server('program'))?.['stdio'], { share: 'all' });
    const listed = await (await harness.call('GET', '/mcp-rest/tools/list?mcp_server_name=program')).text();
    assert.match(listed, /"env"/);
    await page.reload();
    await page
      .getByRole('row', { name: /program/ })
      .getByText(/^1 process(, \d+ MB of memory)?$/)
      .waitFor();
    await picture('mcp_servers-processes');
    await choose(page, 'program', 'Edit…');
    await page.getByRole('dialog').getByLabel('Transport').selectOption('http');
    await field(page, 'Address').fill('https://mcp.example.com/mcp');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('program was saved').waitFor();
    assert.equal((await server('program'))?.['stdio'] ?? null, null);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('adds an API with the operations of its document that are chosen, after a look at them', async () => {
    verifies('gateway.openapi.page');
    const { page, picture, complaints, close } = await openServers();
    const form = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add server' }).click();
    await field(page, 'Name').fill('shelter');
    await form.getByLabel('Transport').selectOption('openapi');
    await field(page, 'OpenAPI document').fill(`${shelter.url}/openapi.json`);
    await form.getByRole('button', { name: 'Show operations' }).click();
    await form
      .getByRole('alert')
      .getByText(/allow_private_network/)
      .waitFor();
    await form.getByText('More', { exact: true }).click();
    await form.getByLabel('Allow private addresses').check();
    await form.getByRole('button', { name: 'Show operations' }).click();
    await form.getByRole('row', { name: /addPhoto.*Not possible.*multipart/ }).waitFor();
    await form.getByText('Shelter 4.2: 7 of 10 operations are tools.').waitFor();
    await field(page, 'Only tags').fill('pets');
    await field(page, 'Except methods').fill('post');
    await form.getByRole('button', { name: 'Show operations' }).click();
    await form.getByText('Shelter 4.2: 2 of 10 operations are tools.').waitFor();
    await form.getByText(`Calls go to ${shelter.url}/v1.`).waitFor();
    await form.getByRole('row', { name: /listPets.*GET \/pets.*Tool/ }).waitFor();
    await form.getByRole('row', { name: /addPet.*Left out/ }).waitFor();
    await form.getByRole('button', { name: 'Show operations' }).scrollIntoViewIfNeeded();
    await picture('mcp_servers-openapi');
    await add(page);
    await page.getByRole('status').getByText('The server was added').waitFor();
    const saved = await server('shelter');
    assert.deepEqual(
      [saved?.['transport'], saved?.['spec_path'], saved?.['url'] ?? null],
      ['http', `${shelter.url}/openapi.json`, null],
    );
    assert.deepEqual(saved?.['openapi'], { include: { tags: ['pets'] }, exclude: { methods: ['post'] } });
    await page.getByRole('row', { name: /shelter.*Healthy.*OpenAPI/ }).waitFor();
    await choose(page, 'shelter', 'Edit…');
    assert.equal(await form.getByLabel('Transport').inputValue(), 'openapi');
    assert.equal(await field(page, 'Only tags').inputValue(), 'pets');
    await form.getByRole('button', { name: 'Show operations' }).click();
    await form.getByText('Shelter 4.2: 2 of 10 operations are tools.').waitFor();
    await field(page, 'Only paths').fill('/pets');
    await page.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const changed = { include: { tags: ['pets'], paths: ['/pets'] }, exclude: { methods: ['post'] } };
    assert.deepEqual((await server('shelter'))?.['openapi'], changed);
    await choose(page, 'shelter', 'Edit…');
    await form.getByLabel('Transport').selectOption('http');
    await field(page, 'Address').fill('https://mcp.example.com/mcp');
    await page.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    assert.deepEqual(
      [(await server('shelter'))?.['spec_path'] ?? null, (await server('shelter'))?.['openapi'] ?? null],
      [null, null],
    );
    assert.deepEqual(complaints, []);
    await close();
  });

  it('opens the form of the server that the address asks for, once', async () => {
    const { page, complaints, close } = await openServers();
    await page.goto(`${page.url()}&search=files&edit=${String((await server('files'))?.['server_id'])}`);
    const form = page.getByRole('dialog', { name: 'Edit "files"' });
    await form.waitFor();
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).searchParams.has('edit'), false);
    assert.equal(await page.getByRole('row', { name: /files/ }).count(), 1);
    assert.deepEqual(complaints, []);
    await close();
  });

  it("calls a tool with a form of the tool's own schema, and shows what came back", async () => {
    const { page, picture, complaints, close } = await openServers();
    await page.getByRole('button', { name: 'files', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'files' }).waitFor();
    await page.getByRole('button', { name: 'Tools…' }).click();
    await page.getByRole('dialog', { name: 'Tools on files' }).getByRole('listitem').first().waitFor();
    await picture('mcp_servers-tools');
    await page.getByRole('button', { name: 'Try echo' }).click();
    await page.getByRole('button', { name: 'Call the tool' }).click();
    await page.getByText('This field is required.').waitFor();
    await field(page, 'text').fill('hello');
    await page.getByRole('dialog').getByLabel('loud').check();
    await page.getByRole('button', { name: 'Call the tool' }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('HELLO').waitFor();
    await result.getByText('Success').waitFor();
    await picture('mcp_servers-tester');
    await page.getByRole('button', { name: 'All tools on files' }).click();
    await page.getByRole('button', { name: 'Try test_error_handling' }).click();
    await page.getByRole('button', { name: 'Call the tool' }).click();
    await result.getByText('The tool reported an error').waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  for (const authType of authTypeNames) {
    it(`offers what ${authType} needs, and nothing of the others`, async () => {
      const { page, close } = await openServers();
      await page.getByRole('button', { name: 'Add server' }).click();
      await authentication(page).selectOption(authType);
      const group = page.getByRole('group', { name: 'Authentication' });
      const secrets = await group.locator('input[type=password]').count();
      const expected = { none: 0, oauth2: 2, oauth2_token_exchange: 2, cloud_sigv4: 3 }[authType as string] ?? 1;
      assert.equal(secrets, expected);
      await close();
    });
  }

  it('sets when a server that fails is left alone, and shows that it is', async () => {
    verifies('gateway.resilience.circuit');
    // It answers, but not as an MCP server.
    const url = `${harness.peer.url}/none`;
    await harness.call('POST', '/v1/mcp/server', { server_name: 'weak', url, allow_private_network: true });
    const { page, picture, complaints, close } = await openServers();
    await choose(page, 'weak', 'Edit…');
    await page.getByRole('dialog').getByLabel('Attempts', { exact: true }).fill('3');
    await page.getByRole('dialog').getByLabel('Failures that open the circuit', { exact: true }).fill('1');
    await page.getByRole('dialog').getByLabel('Circuit pause', { exact: true }).fill('600');
    await picture('mcp_servers-resilience');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('weak was saved').waitFor();
    assert.deepEqual((await server('weak'))?.['retry'], { attempts: 3 });
    assert.deepEqual((await server('weak'))?.['circuit_breaker'], { failures: 1, open_s: 600 });
    await harness.call('GET', '/mcp-rest/tools/list?mcp_server_name=weak');
    await page.reload();
    await page.getByRole('row', { name: /weak/ }).getByText('Circuit open').waitFor();
    await picture('mcp_servers-circuit');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('says in the field what the gateway refuses', async () => {
    const { page, close } = await openServers();
    await page.getByRole('button', { name: 'Add server' }).click();
    await field(page, 'Name').fill('inner');
    await field(page, 'Address').fill('http://169.254.169.254/latest');
    await add(page);
    await page.getByRole('dialog').locator('[aria-invalid=true]:focus, [role=alert]').first().waitFor();
    assert.equal(await server('inner'), undefined);
    await close();
  });

  it('lets a proposed server in after a look', async () => {
    await harness.call('POST', '/team/new', { team_id: 'platform', team_alias: 'Platform' });
    const made = await harness.call('POST', '/key/generate', { key_alias: 'proposer', team_id: 'platform' });
    const { key } = (await made.json()) as { key: string };
    const body = { server_name: 'proposed', transport: 'http', url: 'https://mcp.example.com/mcp' };
    const submitted = await harness.call('POST', '/v1/mcp/server/register', body, { authorization: `Bearer ${key}` });
    assert.equal(submitted.status, 201, await submitted.text());
    const { page, close } = await openServers();
    await page
      .getByRole('row', { name: /proposed/ })
      .getByText('Waiting for approval')
      .waitFor();
    await choose(page, 'proposed', 'Approve');
    await page.getByRole('status').getByText('proposed was approved').waitFor();
    assert.equal((await server('proposed'))?.['approval_status'], 'active');
    await close();
  });

  it('deletes a server only after asking', async () => {
    const { page, close } = await openServers();
    await choose(page, 'old', 'Delete…');
    await page.getByRole('button', { name: 'Delete server' }).click();
    await page.getByRole('status').getByText('old was deleted').waitFor();
    assert.equal(await server('old'), undefined);
    await close();
  });
});
