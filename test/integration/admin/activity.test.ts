import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'mocha';
import type { Download, Page } from 'playwright-core';
import { axeViolations } from '../../support/editor/axe.ts';
import { until } from '../../support/until.ts';
import { verifies } from '../../support/verifies.ts';
import { type AdminHarness, startAdmin } from './adminHarness.ts';

const usage = '/ui/?login=success&page=new_usage';

describe('a gateway without settings for its calls', () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin();
  });
  after(() => harness.close());

  it('says how the first call is made while there was none', async () => {
    const { page, picture, signIn, complaints, close } = await harness.open(usage);
    await signIn();
    await page.getByRole('heading', { name: 'No calls yet' }).waitFor();
    for (const step of ['Create a virtual key', 'Add an MCP server', 'Add an agent'])
      await page.getByRole('link', { name: step }).waitFor();
    await page
      .getByLabel('First call', { exact: true })
      .getByText(`${harness.gateway.baseUrl}/mcp-rest/tools/list`)
      .waitFor();
    await picture('usage-empty');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('says how requests and responses are stored where they are not', async () => {
    verifies('gateway.ui.call-content');
    await harness.call('POST', '/mcp-rest/tools/call', { name: 'none', arguments: {} });
    await until('the call is in the log', async () => {
      const listed = await harness.call('GET', '/spend/logs/v2?search=call');
      return ((await listed.json()) as { total: number }).total > 0;
    });
    const { page, signIn, complaints, close } = await harness.open('/ui/?page=logs');
    await signIn();
    await page
      .getByRole('button', { name: /^Details for the call at / })
      .first()
      .click();
    const shown = page.getByRole('region', { name: 'Request and response' });
    await shown.getByText('set "content" under "activity" in switchboard.jsonc').waitFor();
    assert.equal(await shown.getByRole('button').count(), 0);
    assert.deepEqual(complaints, []);
    await close();
  });
});

describe('the pages of usage and logs', () => {
  let harness: AdminHarness;
  let ciKey: string;

  before(async () => {
    harness = await startAdmin({ content: { keepDays: 7, maxBytes: 256, redactsPersonalData: true } });
    const server = { server_name: 'files', transport: 'http', url: harness.backend.url, allow_private_network: true };
    const priced = { mcp_info: { mcp_server_cost_info: { default_cost_per_query: 0.25 } } };
    await harness.call('POST', '/v1/mcp/server', { ...server, ...priced, server_id: 'files' });
    await harness.call('POST', '/organization/new', { organization_id: 'acme', organization_alias: 'Acme' });
    await harness.call('POST', '/user/new', { user_id: 'grace', user_alias: 'Grace Hopper' });
    const team = { team_id: 'platform', team_alias: 'Platform', organization_id: 'acme' };
    await harness.call('POST', '/team/new', team);
    const owned = { key_alias: 'ci', team_id: 'platform', user_id: 'grace' };
    const made = await harness.call('POST', '/key/generate', owned);
    ({ key: ciKey } = (await made.json()) as { key: string });
    const own = { authorization: `Bearer ${ciKey}`, 'x-gateway-tags': 'nightly', 'x-gateway-end-user-id': 'ada' };
    for (let at = 0; at < 3; at++) assert.equal((await callTool('echo', own)).status, 200);
    await callTool('no_such_tool', own);
    await callTool('echo');
    await settled();
  });
  after(() => harness.close());

  const callTool = (name: string, headers: Readonly<Record<string, string>> = {}, text = 'hi') =>
    harness.call('POST', '/mcp-rest/tools/call', { name, server_id: 'files', arguments: { text } }, headers);

  it('counts calls by endpoint with every metric, as a table, as bars and by day', async () => {
    verifies('gateway.ui.usage-address', 'gateway.ui.endpoint-table', 'gateway.ui.endpoint-chart');
    verifies('gateway.ui.endpoint-days');
    const { page, picture, signIn, complaints, close } = await harness.open(usage);
    await signIn();
    const table = page.getByRole('table', { name: 'Endpoint activity' });
    await table.getByRole('row', { name: /tools\/call/ }).waitFor();
    assert.deepEqual(await table.getByRole('columnheader').allTextContents(), [
      'Endpoint',
      'Successful Requests',
      'Failed Requests',
      'Total Requests',
      'Success Rate',
      'Total Tokens',
      'Spend',
    ]);
    const cells = await table
      .getByRole('row', { name: /tools\/call/ })
      .getByRole('cell')
      .allTextContents();
    assert.deepEqual(
      cells.map((it) => it.trim()),
      ['4', '1', '5', '80%', '0', '$1.00'],
    );
    await page
      .getByRole('list', { name: 'Successful and failed requests' })
      .getByText('4 successful, 1 failed')
      .waitFor();
    await page.getByRole('img', { name: '5 requests over 30 days' }).waitFor();
    await page.getByText('Daily figures').click();
    const days = page.getByRole('table', { name: 'Daily figures' }).getByRole('row');
    assert.equal(await days.count(), 31);
    assert.match((await days.last().textContent()) ?? '', /4\s*1\s*$/);
    await page.getByText('Daily figures').click();
    await picture('usage');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('draws the chart again when the editor writes the colors of another theme into the page', async () => {
    const { page, signIn, complaints, close } = await harness.open(usage);
    await signIn();
    await page.getByRole('img', { name: '5 requests over 30 days' }).waitFor();
    await page.evaluate(() => document.documentElement.style.setProperty('--good', 'rgb(1, 2, 253)'));
    await until('the chart has the other color', () =>
      page.locator('.plot canvas').evaluate((it: HTMLCanvasElement) => {
        const { data } = it.getContext('2d')!.getImageData(0, 0, it.width, it.height);
        for (let at = 0; at < data.length; at += 4)
          if (data[at] === 1 && data[at + 1] === 2 && data[at + 2] === 253 && data[at + 3] === 255) return true;
        return false;
      }),
    );
    assert.deepEqual(complaints, []);
    await close();
  });

  it('filters by key, team, tag and days, and keeps the filters over a reload', async () => {
    const { page, signIn, close } = await harness.open(usage);
    await signIn();
    await total(page, '5');
    await page.getByLabel('Key', { exact: true }).fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('There is no key with this name.').waitFor();
    await page.getByLabel('Key', { exact: true }).fill('ci');
    await page.keyboard.press('Enter');
    await total(page, '4');
    await page.reload();
    await total(page, '4');
    assert.equal(await page.getByLabel('Key', { exact: true }).inputValue(), 'ci');
    await page.getByLabel('Key', { exact: true }).fill('');
    await page.keyboard.press('Enter');
    await total(page, '5');
    await page.getByLabel('Team').selectOption({ label: 'Platform' });
    await total(page, '4');
    await page.getByLabel('Team').selectOption({ label: 'All teams' });
    await page.getByLabel('Tag').fill('nightly');
    await page.keyboard.press('Enter');
    await total(page, '4');
    await page.getByLabel('Tag').fill('');
    await page.keyboard.press('Enter');
    await page.getByLabel('To', { exact: true }).fill('2026-01-31');
    await page.getByLabel('From', { exact: true }).fill('2026-01-01');
    await page.keyboard.press('Tab');
    await total(page, '0');
    await page.getByText('No calls in this period match the filters.').waitFor();
    await close();
  });

  it('hands the table over as CSV, a line for each endpoint and day', async () => {
    const { page, signIn, close } = await harness.open(usage);
    await signIn();
    await total(page, '5');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const file = await download;
    assert.match(file.suggestedFilename(), /^endpoint-activity-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    const [head, ...lines] = (await textOf(file)).trim().split('\r\n');
    assert.equal(
      head,
      'date,endpoint,successful_requests,failed_requests,total_requests,success_rate,total_tokens,spend',
    );
    const called = lines.filter((it) => it.includes('/mcp-rest/tools/call'));
    assert.equal(called.length, 30);
    assert.match(called.at(-1) ?? '', /,4,1,5,80,0,1$/);
    await close();
  });

  for (const { tab, rows } of [
    { tab: 'Servers and tools', rows: [/^files/, /^echo/] },
    { tab: 'Keys', rows: [/^ci/, /administrator/] },
    { tab: 'Teams', rows: [/^Platform/] },
    { tab: 'Tags', rows: [/nightly/] },
    { tab: 'Users', rows: [/^Grace Hopper/] },
    { tab: 'End users', rows: [/^ada/] },
    { tab: 'Organizations', rows: [/^Acme/] },
    { tab: 'Agents', rows: [] },
  ]) {
    it(`shows the same calls by ${tab.toLowerCase()}`, async () => {
      const { page, picture, signIn, complaints, close } = await harness.open(usage);
      await signIn();
      await page.getByRole('tab', { name: tab, exact: true }).click();
      for (const name of rows) await page.getByRole('rowheader', { name }).first().waitFor();
      if (rows.length === 0) await page.getByRole('heading', { name: 'No calls' }).waitFor();
      await picture(`usage-${tab.toLowerCase().replaceAll(' ', '-')}`);
      assert.deepEqual(complaints, []);
      await close();
    });
  }

  it('moves between tabs with the arrows', async () => {
    verifies('gateway.ui.endpoint-tab');
    const { page, signIn, close } = await harness.open(usage);
    await signIn();
    await page.getByRole('tab', { name: 'Endpoint Activity' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Servers and tools', selected: true }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('End');
    await page.getByRole('tab', { name: 'Tags', selected: true }).and(page.locator(':focus')).waitFor();
    await close();
  });

  it('has all filters of the usage in one row of a window of usual width', async () => {
    const { page, signIn, close } = await harness.open(usage);
    await page.setViewportSize({ width: 1280, height: 800 });
    await signIn();
    const fields = page.getByRole('search', { name: 'Filters' }).locator('.field');
    await page.getByRole('option', { name: 'Platform' }).waitFor({ state: 'attached' });
    const rows = await fields.evaluateAll((all) => all.map((it) => Math.round(it.getBoundingClientRect().top)));
    assert.deepEqual([rows.length, new Set(rows).size], [6, 1]);
    await close();
  });

  it('lists calls with their details, and filters, sorts and pages them on the gateway', async () => {
    const { page, picture, signIn, complaints, close } = await harness.open('/ui/?page=logs');
    await signIn();
    await page.getByText('1–5 of 5').waitFor();
    await picture('logs');
    await page.getByLabel('Status').selectOption('failure');
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('button', { name: /^Details for the call at / }).click();
    const detail = page.getByRole('dialog');
    await detail.getByText('/mcp-rest/tools/call').waitFor();
    await detail.getByText('ada', { exact: true }).waitFor(); // as part of a hash it would be found too
    await detail.getByText('nightly').waitFor();
    await detail.getByText('ci', { exact: true }).waitFor();
    await detail.getByText('Platform', { exact: true }).waitFor();
    await detail.getByText('platform', { exact: true }).waitFor();
    await picture('logs-detail');
    assert.equal((await page.content()).includes(ciKey), false);
    await page.keyboard.press('Escape');
    await page.getByLabel('Status').selectOption('');
    await page.getByLabel('Key', { exact: true }).fill('ci');
    await page.keyboard.press('Enter');
    await page.getByText('1–4 of 4').waitFor();
    await page.getByRole('columnheader', { name: 'Spend' }).getByRole('button').click();
    await page.getByRole('columnheader', { name: 'Spend' }).and(page.locator('[aria-sort=descending]')).waitFor();
    await page.setViewportSize({ width: 420, height: 860 });
    await page.getByLabel('Model or tool').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Filters (1)' }).click();
    await page.getByLabel('Model or tool').waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  it('says which calls it shows where the gateway looked at the newest alone, and leads to the others', async () => {
    const { page, picture, signIn, complaints, close } = await harness.open('/ui/?page=logs');
    const ends: (string | null)[] = [];
    await page.route(/\/spend\/logs\/v2\?/, async (it) => {
      const { searchParams, pathname, search } = new URL(it.request().url());
      ends.push(searchParams.get('bounded') && searchParams.get('end_date'));
      const isFirst = !searchParams.get('end_date')?.includes('T');
      const found = (await (await harness.call('GET', `${pathname}${search}`)).json()) as object;
      const part = isFirst ? { total_is_more: true, looked_at_since: '2026-01-02T03:04:05.000Z' } : {};
      await it.fulfill({ json: { ...found, ...part } });
    });
    await signIn();
    await page.getByText('1–5 of more than 5').waitFor();
    const part = page.getByRole('status').filter({ hasText: 'The period has many calls.' });
    await part.getByText('These are from 2026-01-02 03:04:05 on.').waitFor();
    await picture('logs-part');
    await part.getByRole('button', { name: 'Earlier calls' }).click();
    await page.getByText('These are the calls until 2026-01-02 03:04:04.').waitFor();
    assert.equal(ends.at(-1), '2026-01-02T03:04:04.999Z');
    assert.equal(await page.getByRole('button', { name: 'Earlier calls' }).count(), 0);
    await page.getByRole('button', { name: 'Latest calls' }).click();
    await part.getByText('These are from 2026-01-02 03:04:05 on.').waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  it('shows the request and the response of a call when they are asked for, and says what is missing of them', async () => {
    verifies('gateway.ui.call-content');
    const end_user = 'asker';
    const { page, picture, signIn, complaints, close } = await harness.open(`/ui/?page=logs&end_user=${end_user}`);
    const own = { authorization: `Bearer ${ciKey}`, 'x-gateway-end-user-id': end_user };
    const words = `sk-${'secret'.repeat(5)} ${'many words '.repeat(40)}`;
    await callTool('echo', own, words);
    await until('the call is in the log', async () => {
      const listed = await harness.call('GET', `/spend/logs/v2?end_user=${end_user}`);
      return ((await listed.json()) as { total: number }).total === 1;
    });
    await signIn();
    await page.getByRole('button', { name: /^Details for the call at / }).click();
    const shown = page.getByRole('region', { name: 'Request and response' });
    await shown.getByText('the audit log records that you read it').waitFor();
    await shown.getByRole('button', { name: 'Show request and response' }).click();
    await shown.getByText('Secrets were removed before this was stored.').waitFor();
    const request = (await shown.getByLabel('Request', { exact: true }).textContent()) ?? '';
    assert.match(request, /"name": ?"echo".*\[hidden\] many words/s);
    assert.equal(request.includes('secretsecret'), false);
    await shown.getByLabel('Response', { exact: true }).getByText('many words').waitFor();
    assert.equal(await shown.getByText('Only the beginning is stored.').count(), 2);
    await shown.getByLabel('Response', { exact: true }).scrollIntoViewIfNeeded();
    await picture('logs-content');
    for (const viewport of [
      { width: 1360, height: 860 },
      { width: 420, height: 860 },
    ])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await axeViolations(page), []);
      }
    const read = (await (await harness.call('GET', '/audit?action=read')).json()) as {
      audit_logs: { table_name: string }[];
    };
    assert.deepEqual(
      read.audit_logs.map((it) => it.table_name),
      ['call_content'],
    );
    assert.deepEqual(complaints, []);
    await close();
  });

  it('follows the calls, those of a filter, until it is told to stop', async () => {
    verifies('gateway.ui.live-logs');
    await harness.call('POST', '/customer/new', { user_id: 'follower', alias: 'Fiona Follower' });
    const { page, picture, signIn, complaints, close } = await harness.open('/ui/?page=logs&end_user=follower');
    await signIn();
    await page.getByRole('heading', { name: 'No calls' }).waitFor();
    await page.getByRole('button', { name: 'Live' }).click();
    await page.getByText('New calls that match the filters appear at the top').waitFor();
    const traced = { 'x-gateway-end-user-id': 'follower', 'x-gateway-trace-id': 'trace-of-one-call' };
    await callTool('echo', { ...traced, authorization: `Bearer ${ciKey}` });
    const row = page.getByRole('row', { name: /files\/echo/ });
    await row.getByText('Fiona Follower').waitFor();
    await row.getByText('Platform').waitFor();
    await picture('logs-live');
    await row.getByRole('link', { name: 'trace-of' }).click();
    await page.getByText('1–1 of 1').waitFor();
    assert.equal(await page.getByLabel('Trace ID').inputValue(), 'trace-of-one-call');
    assert.equal(await page.getByRole('button', { name: 'Live' }).getAttribute('aria-pressed'), 'false');
    assert.deepEqual(complaints, []);
    await close();
  });

  /** Records are written in batches; what the pages show are the written ones. */
  async function settled(): Promise<void> {
    await until('five calls are in the log', async () => {
      const answer = (await (await harness.call('GET', '/spend/logs/v2')).json()) as { total: number };
      return answer.total === 5;
    });
  }
  const total = (page: Page, value: string) =>
    page
      .locator('.tile')
      .filter({ has: page.getByText('Total Requests', { exact: true }) })
      .getByText(value, { exact: true })
      .waitFor();
});

async function textOf(file: Download): Promise<string> {
  return text(await file.createReadStream());
}
