import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { axeViolations } from '../../support/editor/axe.ts';
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
    assert.deepEqual(await axeViolations(page), []);
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

describe('invitations on the pages of the gateway', () => {
  let harness: AdminHarness;
  before(async () => {
    harness = await startAdmin();
    await harness.call('POST', '/team/new', { team_id: 'weavers', team_alias: 'Weavers' });
  });
  after(() => harness.close());

  it('are made as links, which work once and show a key to whoever accepts them', async () => {
    verifies('gateway.invitations');
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=invitations');
    await signIn();
    await page.getByRole('button', { name: 'New invitation' }).first().click();
    const form = page.getByRole('dialog', { name: 'New invitation' });
    await form.getByLabel('Invited person').fill('Grace from the second floor');
    await picture('invitation-form');
    await form.getByRole('button', { name: 'Create link' }).click();
    const shown = page.getByRole('dialog', { name: 'Copy the link now' });
    const link = (await shown.getByLabel('Invitation link', { exact: true }).textContent()) ?? '';
    await picture('invitation-link');
    await shown.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('row').filter({ hasText: 'Grace from the second floor' }).getByText('Pending').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Virtual key').waitFor();

    // The same address with another fragment would not load the page again.
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByLabel('Your name').fill('Grace Hopper');
    assert.ok(!page.url().includes('#'), page.url());
    assert.deepEqual(await axeViolations(page), []);
    await picture('invited');
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    await page.getByLabel('Your new key', { exact: true }).waitFor();
    assert.deepEqual(await axeViolations(page), []);
    await picture('invited-key');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('navigation', { name: 'Gateway pages' }).waitFor();

    await page.goto('about:blank');
    await page.goto(link);
    await page.getByLabel('Your name').fill('Somebody else');
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    await page.getByRole('alert').getByText('This invitation was used or deleted, or has expired.').waitFor();
    const unexpected = complaints.filter((it) => !it.includes('403'));
    assert.deepEqual(unexpected, []);
    await close();
  });

  it('are listed for an administrator with who they are for and whether they were accepted', async () => {
    verifies('gateway.invitations');
    await harness.call('POST', '/invitation/new', {
      invitation_alias: 'Ada',
      team_id: 'weavers',
      team_role: 'admin',
    });
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=invitations');
    await signIn();
    const row = page.getByRole('row').filter({ hasText: 'Ada' });
    await row.getByText('Weavers').waitFor();
    await row.getByText('Team admin').waitFor();
    await page.getByRole('row').filter({ hasText: 'Grace' }).getByText('Accepted').waitFor();
    await picture('invitations');
    await page.getByRole('button', { name: 'Actions for Ada' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
    await close();
  });
});
