import { type AdminHarness, choose } from '../../integration/admin/adminHarness.ts';
import { inFilledGateway, onPage, rowOf } from '../adminStage.ts';
import type { Album } from '../album.ts';
import type { SubjectOf } from '../list.ts';

type Backends = Album<SubjectOf<'pagesOfBackends'>>;

export const pagesOfBackends = (album: Backends) =>
  inFilledGateway(async (harness) => {
    await servers(album, harness);
    await onPage(harness, 'toolsets', async (opened) => {
      await rowOf(opened.page, /release/);
      await album.take('page-toolsets', opened);
      await opened.page.getByRole('button', { name: 'release', exact: true }).click();
      await opened.page.getByRole('heading', { level: 2, name: 'Settings' }).waitFor();
      await album.take('page-toolsets-record', opened);
      await opened.page.getByRole('button', { name: 'Edit…' }).click();
      await opened.page.getByRole('dialog').getByRole('checkbox', { name: 'echo', exact: true }).first().waitFor();
      await album.take('page-toolsets-form', opened);
    });
    await onPage(harness, 'agents', async (opened) => {
      const { page } = opened;
      await rowOf(page, /writer/);
      await album.take('page-agents', opened);
      await page.getByRole('button', { name: 'Add agent' }).click();
      await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill('planner');
      await album.take('page-agents-form', opened);
      await page.keyboard.press('Escape');
      await choose(page, 'writer', 'Card…');
      await page
        .getByRole('dialog', { name: 'Agent card for writer' })
        .getByRole('heading', { name: /Release writer/ })
        .waitFor();
      await album.take('page-agents-card', opened);
    });
    await onPage(harness, 'models', async (opened) => {
      const { page } = opened;
      await page.getByRole('tab', { name: 'LLM Credentials' }).click();
      await rowOf(page, /cloud/);
      await album.take('page-models', opened);
      await page.getByRole('button', { name: 'Add Credential' }).click();
      await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill('another');
      await album.take('page-models-form', opened);
      await page.keyboard.press('Escape');
      await page.getByRole('tab', { name: 'Endpoints' }).click();
      await page.getByText('Credential: cloud').waitFor();
      await album.take('page-models-endpoints', opened);
    });
    await onPage(harness, 'guardrails', async (opened) => {
      await rowOf(opened.page, /no-secrets/);
      await album.take('page-guardrails', opened);
    });
    await onPage(harness, 'catalog', async (opened) => {
      await rowOf(opened.page, /notes/);
      await album.take('page-catalog', opened);
    });
    await onPage(harness, 'playground&server=files&tool=echo', async (opened) => {
      await opened.page.getByRole('button', { name: 'Call the tool' }).waitFor();
      await album.take('page-playground', opened);
    });
    await onPage(harness, 'help', async (opened) => {
      await opened.page.getByRole('heading', { name: 'Your key' }).waitFor();
      await album.take('page-help', opened);
    });
  });

async function servers(album: Backends, harness: AdminHarness): Promise<void> {
  await onPage(harness, 'mcp_servers', async (opened) => {
    const { page } = opened;
    const dialog = page.getByRole('dialog');
    await (await rowOf(page, /notes/)).getByText('Healthy').waitFor();
    await (await rowOf(page, /off/)).getByText('Not responding').waitFor();
    await album.take('page-mcp_servers', opened);
    await page.getByRole('button', { name: 'Add server' }).click();
    await dialog.getByRole('combobox', { name: 'Authentication' }).selectOption('bearer_token');
    await dialog.getByRole('textbox', { name: 'Token', exact: true }).waitFor();
    await album.take('page-mcp_servers-form', opened);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'notes', exact: true }).click();
    await page.getByRole('heading', { level: 2, name: 'Settings' }).waitFor();
    await album.take('page-mcp_servers-record', opened);
    await page.getByRole('button', { name: 'Tools…' }).click();
    await page.getByRole('dialog', { name: 'Tools on notes' }).getByRole('listitem').first().waitFor();
    await album.take('page-mcp_servers-tools', opened);
    await page.getByRole('button', { name: 'Try echo' }).click();
    await dialog.getByRole('textbox', { name: 'text', exact: true }).fill('hello');
    await page.getByRole('button', { name: 'Call the tool' }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('Success').waitFor();
    await album.take('page-mcp_servers-try', opened);
  });
  const asItWas = { hash: '0'.repeat(64), definition: { name: 'echo', description: 'As it was' } };
  await harness.gateway.store.tool_pin.update('notes', (it) => ({
    ...it,
    tools: it.tools.map((pin) => (pin.tool === 'echo' ? { ...pin, ...asItWas } : pin)),
  }));
  await onPage(harness, 'mcp_servers', async (opened) => {
    await choose(opened.page, 'notes', 'Tools…');
    await opened.page.getByRole('region', { name: 'Blocked until approved' }).getByText('As it was').waitFor();
    await album.take('page-mcp_servers-held', opened);
  });
}
