import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { newKey } from '../../sidecar/gateway/auth/keys.ts';
import { type AddingForwarder, addingForwarder } from '../support/gateway/addingForwarder.ts';
import { openStand, type Stand } from '../support/gateway/stand.ts';
import { type HttpFixture, httpFixture } from '../support/mcp/httpFixture.ts';
import { say } from '../support/say.ts';
import { conformanceSuite, judgeServer } from './suite.ts';

describe('the public conformance suite for servers', () => {
  let fixture: HttpFixture;
  let forwarder: AddingForwarder;
  let whole: Stand;

  before(async () => {
    const adminKey = newKey(randomBytes);
    fixture = await httpFixture();
    forwarder = await addingForwarder(['x-gateway-api-key', `Bearer ${adminKey}`]);
    whole = await openStand({ adminKey, allowedHosts: [new URL(forwarder.origin).host] });
    forwarder.target = whole.base;
    await whole.addServer({ alias: 'fixture', url: fixture.url });
  });
  after(async () => {
    await whole.close();
    await forwarder.close();
    await fixture.close();
  });

  it('says the same of a server and of the gateway in front of it', async () => {
    const suite = await conformanceSuite();
    const direct = await judgeServer(suite, fixture.url);
    const through = await judgeServer(suite, `${forwarder.origin}/fixture/mcp`);
    for (const [name, verdicts] of [
      ['direct', direct],
      ['through the gateway', through],
    ] as const) {
      say(`server scenarios, ${name}: ${verdicts.length}`);
      for (const it of verdicts) say(`  ${it}`);
    }
    assert.ok(direct.length >= 32);
    assert.deepEqual(through, direct);
    assert.ok(direct.every((it) => it.endsWith(' 0 failed')));
  });
});
