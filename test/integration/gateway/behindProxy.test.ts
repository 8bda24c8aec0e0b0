import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { SpendLogsQuery } from '../../../sidecar/protocol/gateway/activityQueries.ts';
import { openStand, type Stand } from '../../support/gateway/stand.ts';
import { type HttpFixture, httpFixture } from '../../support/mcp/httpFixture.ts';
import { freePort } from '../../support/network/freePort.ts';
import { until } from '../../support/until.ts';
import { verifies } from '../../support/verifies.ts';

describe('the gateway behind a proxy', () => {
  verifies('gateway.ui.served');
  let fixture: HttpFixture;
  let whole: Stand;
  /** What the proxy calls. */
  let own: string;

  before(async () => {
    fixture = await httpFixture();
    const port = await freePort();
    own = `http://127.0.0.1:${port}`;
    whole = await openStand({
      listen: { host: '127.0.0.1', port },
      trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'],
      publicUrl: 'https://gateway.example.com',
    });
    await whole.addServer({ alias: 'tools', url: fixture.url, available_on_public_internet: true });
  });
  after(async () => {
    await whole.close();
    await fixture.close();
  });

  it('logs the nearest address that no trusted network holds', async () => {
    const key = await whole.addKey({ key_alias: 'far' });
    const response = await fetch(`${own}/mcp-rest/tools/call`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-forwarded-for': '1.2.3.4, 198.51.100.9, 10.20.30.40',
      },
      body: JSON.stringify({ server_id: 'id-tools', name: 'echo', arguments: { text: 'hi' } }),
    });
    assert.equal(response.status, 200, await response.text());
    const lines = async () =>
      (await whole.gateway.store.spendLogs.page(SpendLogsQuery.parse({ key_alias: 'far' }))).data;
    await until('the line', async () => (await lines()).length === 1);
    assert.equal((await lines())[0]?.requester_ip_address, '198.51.100.9');
  });

  it('lets the cookie of its pages travel over TLS alone', async () => {
    const response = await fetch(`${own}/ui/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ key: whole.adminKey }),
    });
    assert.equal(response.status, 204);
    assert.match(response.headers.get('set-cookie') ?? '', /; HttpOnly; SameSite=Strict; Secure$/);
  });
});
