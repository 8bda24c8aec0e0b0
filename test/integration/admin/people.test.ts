import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type AdminHarness, startAdmin } from './adminHarness.ts';

const pages = [
  { page: 'teams', title: 'Teams', create: 'New team', name: 'Name', made: 'Research', list: '/team/list' },
  {
    page: 'organizations',
    title: 'Organizations',
    create: 'New organization',
    name: 'Name',
    made: 'Acme',
    list: '/organization/list',
  },
  { page: 'end_users', title: 'End users', create: 'New end user', name: 'ID', made: 'ada', list: '/customer/list' },
  { page: 'budgets', title: 'Budgets', create: 'New budget', name: 'Name', made: 'small', list: '/budget/list' },
] as const;

describe('the pages of teams, organisations, end users and budgets', () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin();
  });
  after(() => harness.close());

  for (const { page: id, title, create, name, made, list } of pages) {
    it(`${title}: say what they are for while empty, and make, change and delete one`, async () => {
      const { page, signIn, picture, complaints, close } = await harness.open(`/ui/?page=${id}`);
      await signIn();
      await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
      await picture(`${id}-empty`);

      await page.getByRole('button', { name: create }).click();
      await page.getByRole('dialog').getByRole('textbox', { name, exact: true }).fill(made);
      await page.getByRole('dialog').getByLabel('Budget', { exact: true }).fill('25');
      await picture(`${id}-new`);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: made, exact: true }).waitFor();
      assert.deepEqual(await budgets(list), [25]);

      await page.getByRole('button', { name: made, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: made }).waitFor();
      await page.getByRole('definition').filter({ hasText: '$25.00' }).first().waitFor();
      await picture(`${id}-record`);
      await page.getByRole('button', { name: 'Edit…' }).click();
      await page.getByRole('dialog').getByLabel('Budget', { exact: true }).fill('30');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText(`${made} was saved`).waitFor();
      assert.deepEqual(await budgets(list), [30]);
      await page.getByRole('definition').filter({ hasText: '$30.00' }).first().waitFor();
      await page.getByRole('navigation', { name: 'Where you are' }).getByRole('link').click();
      await page.getByRole('button', { name: made, exact: true }).waitFor();
      await picture(id);

      await page.getByRole('button', { name: `Actions for ${made}` }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
      assert.deepEqual(await budgets(list), []);
      assert.deepEqual(complaints, []);
      await close();
    });
  }

  async function budgets(list: string): Promise<unknown[]> {
    const all = (await (await harness.call('GET', list)).json()) as {
      max_budget?: number;
      budget?: { max_budget: number };
    }[];
    return all.map((it) => it.max_budget ?? it.budget?.max_budget);
  }
});
