import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { until } from '../../support/until.ts';
import { verifies } from '../../support/verifies.ts';
import { type AdminHarness, choose, startAdmin } from './adminHarness.ts';

const stamps = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z', from_config: true };

describe('what the pages show of records', () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin();
    const { store } = harness.gateway;
    await store.team.insert({ team_id: 'data', team_alias: 'Data Science', max_budget: 50, tags: ['lab'], ...stamps });
    await store.mcp_server.insert({
      server_id: 'files',
      alias: 'files',
      transport: 'http',
      url: harness.backend.url,
      allow_private_network: true,
      disallowed_tools: ['echo'],
      approval_status: 'active',
      ...stamps,
    });
    await store.agent.insert({
      agent_id: 'weather',
      agent_name: 'weather',
      agent_card_params: { name: 'weather', url: 'https://weather.example/a2a' },
      ...stamps,
    });
    await store.model.insert({
      model_id: 'smart',
      model_name: 'smart',
      gateway_params: { model: 'anthropic/claude-sonnet-4-5', output_cost_per_token: 0.000_02, rpm: 60 },
      ...stamps,
    });
    await store.toolset.insert({
      toolset_id: 'few',
      toolset_name: 'few',
      description: 'The few that matter',
      tools: [{ server_id: 'files', tool_name: 'test_simple_text' }],
      ...stamps,
    });
  });
  after(() => harness.close());

  /** A key, and a server whose calls cost $0.25. */
  async function priced(key_alias: string, more: object): Promise<string> {
    await harness.call('POST', '/v1/mcp/server', {
      server_name: 'priced',
      transport: 'http',
      url: harness.backend.url,
      allow_private_network: true,
      mcp_info: { mcp_server_cost_info: { default_cost_per_query: 0.25 } },
      server_id: 'priced',
    });
    const made = await harness.call('POST', '/key/generate', { key_alias, ...more });
    return ((await made.json()) as { key: string }).key;
  }

  for (const { id, name, title, said } of [
    { id: 'teams', name: 'Data Science', title: 'Teams', said: ['$50.00', 'lab'] },
    { id: 'agents', name: 'weather', title: 'Agents', said: ['https://weather.example/a2a'] },
    { id: 'toolsets', name: 'few', title: 'Toolsets', said: ['The few that matter'] },
    { id: 'mcp_servers', name: 'files', title: 'MCP servers', said: ['HTTP', 'echo'] },
    { id: 'models', name: 'smart', title: 'Models', said: ['Anthropic', 'claude-sonnet-4-5', '20', '60'] },
  ]) {
    it(`${title}: one of the configuration file has a page to look at, which offers no change`, async () => {
      verifies('gateway.ui.configured-shown');
      const { page, signIn, picture, complaints, close } = await harness.open(`/ui/?page=${id}`);
      await signIn();
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      for (const change of ['Edit…', 'Delete…'])
        assert.equal(await page.getByRole('menuitem', { name: change }).count(), 0, change);
      // The menu of a model has the form of its backend.
      if (id === 'models') {
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name, exact: true }).click();
      } else await page.getByRole('menuitem', { name: 'View…' }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page.getByText("This is defined in the gateway's configuration file").waitFor();
      for (const it of said) await page.locator('dd, td, th').filter({ hasText: it }).first().waitFor();
      assert.equal(await page.getByRole('button', { name: 'Edit…' }).count(), 0);
      await picture(`${id}-configured`);
      assert.equal((await page.getByRole('alert').allTextContents()).join('').trim(), '');
      assert.deepEqual(complaints, []);
      await close();
    });
  }

  it('Models: a backend of the configuration file opens to be looked at', async () => {
    verifies('gateway.ui.configured-shown');
    const { page, signIn, close } = await harness.open('/ui/?page=models');
    await signIn();
    await choose(page, 'smart', 'View…');
    const dialog = page.getByRole('dialog', { name: 'smart' });
    await dialog.getByText("This is defined in the gateway's configuration file").waitFor();
    assert.equal(await dialog.getByRole('textbox').count(), 0);
    await close();
  });

  it('a viewer looks at what administrators edit', async () => {
    verifies('gateway.ui.configured-shown');
    await harness.call('POST', '/team/new', { team_id: 'own', team_alias: 'Own', max_budget: 7 });
    const made = await harness.call('POST', '/key/generate', { key_alias: 'looks', role: 'proxy_admin_viewer' });
    const { key } = (await made.json()) as { key: string };
    const { page, signIn, complaints, close } = await harness.open('/ui/?page=teams');
    await signIn(key);
    const heading = page.getByRole('columnheader', { name: 'Team' });
    const first = page.locator('tbody tr').first();
    await heading.getByRole('button').click();
    await heading.and(page.locator('[aria-sort=ascending]')).waitFor();
    await first.getByText('Data Science').waitFor();
    await heading.getByRole('button').click();
    await heading.and(page.locator('[aria-sort=descending]')).waitFor();
    await first.getByText('Own', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Own', exact: true }).click();
    await page.getByText('You can view this').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Edit…' }).count(), 0);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('the page of a record tells its calls, what is left of its budget, and who uses it, with links', async () => {
    verifies('gateway.ui.record-pages');
    const key = await priced('budgeted', { max_budget: 2, team_id: 'data' });
    const call = { name: 'echo', server_id: 'priced', arguments: { text: 'hi' } };
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await harness.call('POST', '/mcp-rest/tools/call', call, headers)).status, 200);
    const refused = { ...call, name: 'no_such_tool' };
    await harness.call('POST', '/mcp-rest/tools/call', refused, headers);
    await until('both calls are counted', async () => {
      const { info } = (await (await harness.call('GET', '/key/info', undefined, headers)).json()) as {
        info: { token: string };
      };
      const { calls } = (await (
        await harness.call(
          'GET',
          `/activity/record?kind=key&id=${info.token}&start_date=2026-01-01&end_date=2099-01-01`,
        )
      ).json()) as { calls: { successful_requests: number; failed_requests: number } };
      return calls.successful_requests + calls.failed_requests === 2;
    });
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=keys&search=budgeted');
    await signIn();
    await page.getByRole('button', { name: 'budgeted', exact: true }).click();
    const tile = (label: string) => page.locator('.tile').filter({ has: page.getByText(label) });
    await tile('Calls, 30 days').getByText('2', { exact: true }).waitFor();
    await tile('Errors, 30 days').getByText('1', { exact: true }).waitFor();
    await tile('Budget left').getByText('$1.75', { exact: true }).waitFor();
    await page.getByRole('row', { name: /priced\/echo/ }).waitFor();
    await picture('key-record');
    await page.getByRole('link', { name: 'Data Science' }).click();
    await page.getByRole('heading', { level: 1, name: 'Data Science' }).waitFor();
    // The team's page names the key twice: as one of its keys, and as one that called.
    await page.getByRole('definition').getByRole('link', { name: 'budgeted' }).click();
    await page.getByRole('heading', { level: 1, name: 'budgeted' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Data Science' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Data Science' }).waitFor();
    await page.getByRole('link', { name: 'Show in logs' }).click();
    await page
      .getByRole('row', { name: /Failed/ })
      .getByText('budgeted')
      .waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  it('the page of a record that is gone says so', async () => {
    verifies('gateway.ui.record-pages');
    const { page, signIn, close } = await harness.open('/ui/?page=keys&id=nothing');
    await signIn();
    await page.getByText('It was deleted, or you may not see it.').waitFor();
    await close();
  });

  it('Keys: the access that each gives itself, with single tools', async () => {
    verifies('gateway.ui.access-words');
    const make = (key_alias: string, more: object) => harness.call('POST', '/key/generate', { key_alias, ...more });
    await make('plain', {});
    await make('member', { team_id: 'data' });
    await make('some-tools', { object_permission: { mcp_tool_permissions: { files: ['echo', 'add'] } } });
    await make('shut', { object_permission: { mcp_servers: [] } });
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=keys');
    await signIn();
    const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
    await row('plain').getByText('No permissions of its own', { exact: true }).waitFor();
    await row('member').getByText('Inherited from the team', { exact: true }).waitFor();
    await row('some-tools').getByText('files: echo, add', { exact: true }).waitFor();
    await row('shut').getByText('No access', { exact: true }).waitFor();
    assert.equal(await page.getByRole('columnheader', { name: 'Access', exact: true }).count(), 1);
    await picture('keys-access');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('MCP servers: how many tools a server listed, and how many of them are offered', async () => {
    verifies('gateway.ui.tools-known');
    const answer = await harness.call('GET', '/v1/mcp/server/files');
    const { tools, status } = (await answer.json()) as { tools: string[]; status: string };
    assert.equal(status, 'healthy');
    assert.ok(tools.includes('echo'));
    const { page, signIn, picture, close } = await harness.open('/ui/?page=mcp_servers');
    await signIn();
    const words = `${tools.length - 1} of ${tools.length}: All except echo`;
    await page.getByRole('row', { name: /files/ }).getByText(words).waitFor();
    await picture('mcp_servers-tools');
    await close();
  });

  it('Users: beside what their own keys spent, what keys of teams spent that name them', async () => {
    verifies('gateway.user.team-spend');
    await harness.call('POST', '/user/new', { user_id: 'ada', user_alias: 'Ada' });
    const key = await priced('of-team', { user_id: 'ada', team_id: 'own' });
    const call = { name: 'echo', server_id: 'priced', arguments: { text: 'hi' } };
    const answer = await harness.call('POST', '/mcp-rest/tools/call', call, { authorization: `Bearer ${key}` });
    assert.equal(answer.status, 200, await answer.text());
    const info = (await (await harness.call('GET', '/user/info?user_id=ada')).json()) as { user_info: object };
    const { spend, team_spend } = info.user_info as { spend: number; team_spend: number };
    assert.deepEqual([spend, team_spend], [0, 0.25]);
    const { page, signIn, picture, close } = await harness.open('/ui/?page=users');
    await signIn();
    await page.getByRole('row', { name: /Ada/ }).getByText('plus $0.25 spent with team keys').waitFor();
    await picture('users-spend');
    await close();
  });
});
