import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { verifies } from '../../support/verifies.ts';
import { type AdminHarness, startAdmin } from './adminHarness.ts';

describe('the page of the audit', () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin();
    await harness.call('POST', '/team/new', { team_id: 'platform', team_alias: 'Platform', max_budget: 5 });
    const change = { team_id: 'platform', max_budget: 20, rpm_limit: 60 };
    await harness.call('POST', '/team/update', change, { 'x-gateway-changed-by': 'ticket 42' });
    await harness.call('POST', '/team/block', { team_id: 'platform' });
    await harness.call('POST', '/key/generate', { key_alias: 'ci' });
  });
  after(() => harness.close());

  it('shows who changed what, newest first, and each field as it was and as it became', async () => {
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=audit');
    await signIn();
    const rows = page.getByRole('table', { name: 'Changes' }).locator('tbody').getByRole('row');
    await rows.nth(3).waitFor();
    const said = (await rows.allTextContents()).map((it) => it.replace(/\s+/g, ' '));
    assert.match(said[0] ?? '', /Created ?Key ?ci/);
    assert.match(said[1] ?? '', /Blocked ?Team ?Platform/);
    assert.match(said[2] ?? '', /on behalf of ticket 42 ?Changed ?Team ?Platform ?Budget, Requests per minute/);
    assert.match(said[3] ?? '', /Administrator ?Created ?Team ?Platform/);
    await picture('audit');
    await rows.nth(2).getByRole('button').click();
    const fields = page.getByRole('dialog').getByRole('table', { name: 'Fields' }).locator('tbody').getByRole('row');
    assert.deepEqual(
      (await fields.allTextContents()).map((it) => it.replace(/\s+/g, ' ').trim()),
      ['Budgetmax_budget520', 'Requests per minuterpm_limit–60'],
    );
    await picture('audit-detail');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('hands over all that match the filters as CSV and JSON Lines', async () => {
    verifies('gateway.export.audit');
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=audit&table_name=team');
    await signIn();
    await page.getByText('1–3 of 3').waitFor();
    await picture('audit-export');
    const lines = await saved(page, 'Download JSON Lines');
    assert.equal(lines.name, 'audit.jsonl');
    const actions = lines.text
      .trimEnd()
      .split('\n')
      .map((it) => (JSON.parse(it) as { action: string }).action);
    assert.deepEqual(actions, ['blocked', 'updated', 'created']);
    const csv = await saved(page, 'Download CSV');
    assert.equal(csv.name, 'audit.csv');
    assert.equal(csv.text.trimEnd().split('\r\n').length, 4);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('filters by kind, what was done, id and days on the gateway, and keeps the filters over a reload', async () => {
    const { page, signIn, picture, close } = await harness.open('/ui/?page=audit');
    await signIn();
    await page.getByText('1–4 of 4').waitFor();
    await page.getByLabel('Kind').selectOption({ label: 'Team' });
    await page.getByText('1–3 of 3').waitFor();
    await page.getByLabel('Action').selectOption({ label: 'Blocked' });
    await page.getByText('1–1 of 1').waitFor();
    await page.reload();
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('textbox', { name: 'Target' }).fill('another');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No changes' }).waitFor();
    await picture('audit-empty');
    await page.getByRole('textbox', { name: 'Target' }).fill('');
    await page.keyboard.press('Enter');
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('textbox', { name: 'Target' }).fill('another');
    await page.keyboard.press('Enter');
    await page.getByText('No changes in this period match the filters.').waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await page.getByText('1–4 of 4').waitFor();
    await page.getByLabel('To', { exact: true }).fill('2026-01-31');
    await page.getByLabel('From', { exact: true }).fill('2026-01-01');
    await page.keyboard.press('Tab');
    await page.getByText('Nothing was changed in this period.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Clear search and filters' }).count(), 0);
    await close();
  });

  it('says of each change with what its author had signed in', async () => {
    verifies('gateway.audit.people');
    const { audit } = harness.gateway.store;
    const ways = {
      scim: 'SCIM token',
      'jwt https://id.example.com a b': 'Token (JWT) of a b from https://id.example.com',
    };
    for (const [signed_in_by, words] of Object.entries(ways)) {
      const line = {
        id: words,
        at: '2025-01-01T00:00:00.000Z',
        actor: 'ada',
        signed_in_by,
        action: 'created',
      } as const;
      await audit.add({ ...line, kind: 'user', object_id: words });
      const query = new URLSearchParams({
        page: 'audit',
        object_id: words,
        start_date: '2025-01-01',
        end_date: '2025-01-01',
      });
      const { page, signIn, close } = await harness.open(`/ui/?${query.toString()}`);
      await signIn();
      await page.getByRole('table', { name: 'Changes' }).locator('tbody').getByRole('button').click();
      await page.getByRole('dialog').getByText('Signed in with').waitFor();
      await page.getByRole('dialog').locator('dd').getByText(words, { exact: true }).waitFor();
      await close();
    }
  });
});

async function saved(page: Page, link: string): Promise<{ readonly name: string; readonly text: string }> {
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: link }).click();
  const file = await download;
  return { name: file.suggestedFilename(), text: await text(await file.createReadStream()) };
}
