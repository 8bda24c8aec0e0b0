import { inFilledGateway, onPage } from '../adminStage.ts';
import type { Album } from '../album.ts';
import type { SubjectOf } from '../list.ts';

export const pagesOfActivity = (album: Album<SubjectOf<'pagesOfActivity'>>) =>
  inFilledGateway(async (harness) => {
    await onPage(harness, 'new_usage', async (opened) => {
      const { page } = opened;
      await page
        .getByRole('table', { name: 'Endpoint activity' })
        .getByRole('row', { name: /tools\/call/ })
        .waitFor();
      await album.take('page-new_usage', opened);
      for (const { tab, name, row } of [
        { tab: 'Servers and tools', name: 'page-new_usage-servers', row: /^files/ },
        { tab: 'Agents', name: 'page-new_usage-agents', row: /writer/ },
        { tab: 'Keys', name: 'page-new_usage-keys', row: /^ci/ },
        { tab: 'Teams', name: 'page-new_usage-teams', row: /^Platform/ },
        { tab: 'Tags', name: 'page-new_usage-tags', row: /nightly/ },
      ] as const) {
        await page.getByRole('tab', { name: tab }).click();
        await page.getByRole('rowheader', { name: row }).first().waitFor();
        await album.take(name, opened);
      }
    });
    await onPage(harness, 'logs', async (opened) => {
      const { page } = opened;
      await page.getByText(/^1–\d+ of \d+$/).waitFor();
      await album.take('page-logs', opened);
      await page.getByLabel('Status').selectOption('failure');
      await page.getByText('1–1 of 1').waitFor();
      await page.getByRole('button', { name: /^Details for the call at / }).click();
      await page.getByRole('dialog').getByText('/mcp-rest/tools/call').waitFor();
      await album.take('page-logs-details', opened);
    });
    const target = { target_name: 'on-call', type: 'slack', url: 'https://93.184.216.34/services/x' };
    await harness.call('POST', '/alert/target/new', target);
    const rule = { rule_name: 'outages', events: ['server_down', 'server_up'], targets: ['on-call'] };
    await harness.call('POST', '/alert/rule/new', rule);
    await onPage(harness, 'alerts', async (opened) => {
      await opened.page.getByText('1–1 of 1').waitFor();
      await album.take('page-alerts', opened);
    });
    await onPage(harness, 'audit', async (opened) => {
      const { page } = opened;
      await page.getByText(/^1–\d+ of \d+$/).waitFor();
      await album.take('page-audit', opened);
      await page
        .getByRole('row', { name: /ticket 42/ })
        .getByRole('button')
        .first()
        .click();
      await page.getByRole('dialog').getByRole('table', { name: 'Fields' }).waitFor();
      await album.take('page-audit-details', opened);
    });
  });
