import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type AlertReceiver, isSigned, openAlertReceiver } from '../../support/alerts/receiver.ts';
import { verifies } from '../../support/verifies.ts';
import { type AdminHarness, choose, startAdmin } from './adminHarness.ts';

const secret = 'a secret of sixteen or more';

describe('the page of alerts', () => {
  let harness: AdminHarness;
  let receiver: AlertReceiver;
  before(async () => {
    receiver = await openAlertReceiver();
    harness = await startAdmin();
  });
  after(async () => {
    await harness.close();
    await receiver.close();
  });
  const read = async (path: string) => (await harness.call('GET', path)).json() as Promise<unknown>;

  it('leads to the targets while there is none, makes one, tries it, makes a rule for it, and mutes the rule', async () => {
    verifies('gateway.manage.alerts');
    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=alerts');
    await signIn();
    const dialog = page.getByRole('dialog');
    await page.getByText('there is no target yet').waitFor();
    assert.equal(await page.getByRole('button', { name: 'New rule' }).count(), 0);
    await page.getByRole('link', { name: 'Add a target' }).click();
    await page.getByRole('button', { name: 'New target' }).click();
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('ops');
    await dialog.getByLabel('URL').fill(`${receiver.url}/hook/T0KEN`);
    await dialog.getByLabel('Signing secret').fill(secret);
    await dialog.getByLabel('Allow private network addresses').check();
    await picture('alerts-target');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'ops', exact: true }).waitFor();
    await page.getByText(receiver.url, { exact: true }).waitFor();
    await choose(page, 'ops', 'Send a test alert');
    await page.getByText('The test alert was sent to ops').waitFor();
    assert.equal(receiver.messages()[0]?.type, 'test');
    assert.ok(receiver.all.every((message) => isSigned(message, secret)));
    await picture('alerts-targets');

    receiver.answer(() => 500);
    await choose(page, 'ops', 'Send a test alert');
    await page.getByText('The action failed: The receiver returned HTTP 500.').waitFor();
    receiver.answer(() => 200);

    await page.getByRole('tab', { name: 'Rules' }).click();
    await page.getByRole('button', { name: 'New rule' }).click();
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('outages');
    await dialog.getByRole('checkbox', { name: 'MCP server stopped responding' }).check();
    await dialog.getByRole('checkbox', { name: 'ops' }).check();
    await picture('alerts-rule');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'outages', exact: true }).waitFor();
    await choose(page, 'outages', 'Mute for an hour');
    await page.getByText(/^Muted until /).waitFor();
    await picture('alerts-rules');
    await choose(page, 'outages', 'Unmute');
    await page.getByText(/^Muted until /).waitFor({ state: 'detached' });
    const [rule] = (await read('/alert/rule/list')) as { events: unknown; targets: unknown; muted_until: unknown }[];
    assert.deepEqual([rule?.events, rule?.targets, rule?.muted_until], [['server_down'], ['ops'], null]);
    assert.ok(!(await page.content()).includes('T0KEN'));
    assert.deepEqual(complaints, []);
    await close();
  });

  it('shows messages with what became of them, and sends a dead letter again', async () => {
    verifies('gateway.alerts.dead-letters');
    const { alerts, alertDeliveries } = harness.gateway.store;
    // A target that is gone: no rule of the gateway itself takes part.
    const at = Date.now();
    const subject = { type: 'mcp_server', id: 'files', name: 'files' };
    const facts = { type: 'server_down', occasion: 'x', atMs: at, subject, facts: {} } as const;
    await alerts.noteAll([{ ...facts, message: "The MCP server 'files' is not available." }]);
    const later = at + 60 * 60_000;
    await alertDeliveries.route(() => [{ rule: 'outages', targets: ['pager'], groupMs: 0 }], later);
    const waiting = await alertDeliveries.first('pager', later);
    await alertDeliveries.failed(waiting?.id ?? '', 15, 'The receiver returned HTTP 500.', later);

    const { page, signIn, picture, complaints, close } = await harness.open('/ui/?page=alerts&tab=deliveries');
    await signIn();
    await page.getByText('The receiver returned HTTP 500.').waitFor();
    await picture('alerts-deliveries');
    await page.getByRole('button', { name: /^Details for the message of / }).click();
    await page.getByRole('dialog').getByText("The MCP server 'files' is not available.").waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('State').selectOption('Delivered');
    await page.getByText('No messages').waitFor();
    await page.getByLabel('State').selectOption('Not delivered');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The message will be sent again.').waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });
});
