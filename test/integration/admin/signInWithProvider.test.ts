import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { verifies } from '../../support/verifies.ts';
import { openProvider, type Provider } from '../gateway/signin/pageSignInScene.ts';
import { type AdminHarness, startAdmin } from './adminHarness.ts';

describe("signing in to the gateway's pages in a browser with an identity provider", () => {
  let idp: Provider;
  let harness: AdminHarness;
  before(async () => {
    idp = await openProvider();
    harness = await startAdmin({ signIn: idp.signIn });
    await idp.register(harness.gateway.baseUrl);
    idp.provider.account = 'ada';
    idp.accounts.set('ada', {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      email_verified: true,
      groups: ['staff', 'admins'],
    });
  });
  after(async () => {
    await harness.close();
    await idp.provider.close();
  });

  it('leads to the page that was asked for, says who is signed in, and signs out there too', async () => {
    verifies('gateway.ui.sign-in', 'gateway.ui.sign-in.ends');
    const { page, picture, complaints, close } = await harness.open('/ui/?page=teams');
    const button = page.getByRole('button', { name: 'Sign in with Example ID' });
    await button.waitFor();
    await picture('sign-in-provider');
    await button.click();
    await page.getByRole('heading', { level: 1, name: 'Teams' }).waitFor();
    await page.getByRole('navigation', { name: 'Gateway pages' }).getByText('Ada Lovelace').waitFor();
    await picture('signed-in-person');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await button.waitFor();
    assert.equal(new URL(page.url()).pathname, '/ui/');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('shows in the audit who made a change', async () => {
    verifies('gateway.audit.people');
    const { page, picture, close } = await harness.open('/ui/?page=teams');
    await page.getByRole('button', { name: 'Sign in with Example ID' }).click();
    await page.getByRole('heading', { level: 1, name: 'Teams' }).waitFor();
    const made = await page.evaluate(async () => {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"team_alias":"Weavers"}',
      };
      return ((await (await fetch('/team/new', init)).json()) as { team_alias?: string }).team_alias;
    });
    assert.equal(made, 'Weavers');
    await page.getByRole('link', { name: 'Audit' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Weavers' });
    await row.getByText('ada@example.com').waitFor();
    await row.getByRole('button').first().click();
    await page.getByRole('dialog').getByText('Identity provider').waitFor();
    await picture('audit-person');
    await close();
  });
});
