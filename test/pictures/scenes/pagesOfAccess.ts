import { type AdminHarness, choose } from '../../integration/admin/adminHarness.ts';
import { inFilledGateway, onPage, rowOf } from '../adminStage.ts';
import type { Album } from '../album.ts';
import type { SubjectOf } from '../list.ts';

type Access = Album<SubjectOf<'pagesOfAccess'>>;

export const pagesOfAccess = (album: Access) =>
  inFilledGateway(async (harness) => {
    await keys(album, harness);
    await invitations(album, harness);
    for (const { id, row } of [
      { id: 'teams', row: 'Platform' },
      { id: 'organizations', row: 'Acme' },
      { id: 'users', row: 'Ada Lovelace' },
      { id: 'end_users', row: 'The shop' },
      { id: 'budgets', row: 'large' },
    ] as const) {
      await onPage(harness, id, async (opened) => {
        await rowOf(opened.page, new RegExp(row));
        await album.take(`page-${id}`, opened);
        await opened.page.getByRole('button', { name: row, exact: true }).click();
        await opened.page.getByRole('heading', { level: 2, name: 'Settings' }).waitFor();
        await album.take(`page-${id}-record`, opened);
        await opened.page.getByRole('button', { name: 'Edit…' }).click();
        await opened.page.getByRole('dialog').getByRole('button', { name: 'Save' }).waitFor();
        await album.take(`page-${id}-form`, opened);
      });
    }
  });

async function keys(album: Access, harness: AdminHarness): Promise<void> {
  await onPage(harness, 'keys', async (opened) => {
    const { page } = opened;
    await rowOf(page, /^ci/);
    await album.take('page-keys', opened);
    await page.getByRole('button', { name: 'Actions for ci' }).click();
    await page.getByRole('menuitem', { name: 'Rotate…' }).waitFor();
    await album.take('page-keys-menu', opened);
    await page.keyboard.press('Escape');
    const dialog = page.getByRole('dialog');
    await choose(page, 'ci', 'Explain access…');
    await dialog.getByRole('combobox', { name: 'MCP server' }).selectOption('off');
    await dialog.getByRole('button', { name: 'Explain' }).click();
    await dialog.getByRole('region', { name: 'Answer' }).getByText('ci has no access').waitFor();
    await album.take('page-keys-explain', opened);
    await page.keyboard.press('Escape');
    await choose(page, 'ci', 'Rotate…');
    await dialog.getByLabel('Grace period for the old key').fill('1h');
    await album.take('page-keys-rotate', opened);
    await page.keyboard.press('Escape');
    await choose(page, 'ci', 'Delete…');
    await dialog.getByRole('button', { name: 'Delete key' }).waitFor();
    await album.take('page-keys-delete', opened);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New key' }).click();
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('release');
    await album.take('page-keys-form', opened);
    const budget = dialog.getByLabel('Budget', { exact: true });
    await budget.fill('much');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Enter a number.').waitFor();
    await budget.scrollIntoViewIfNeeded();
    await album.take('page-keys-form-limits', opened);
    await budget.fill('12.5');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Copy the key now' }).waitFor();
    await album.take('page-keys-shown-once', opened);
  });
}

async function invitations(album: Access, harness: AdminHarness): Promise<void> {
  await onPage(harness, 'invitations', async (opened) => {
    const { page } = opened;
    await rowOf(page, /Dorothy Vaughan/);
    await album.take('page-invitations', opened);
    await page.getByRole('button', { name: 'New invitation' }).click();
    await page.getByRole('dialog').getByLabel('Invited person').fill('Katherine Johnson');
    await album.take('page-invitations-form', opened);
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByRole('dialog', { name: 'Copy the link now' }).waitFor();
    await album.take('page-invitations-shown-once', opened);
  });
}
