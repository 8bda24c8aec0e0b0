import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { after, afterEach, before, describe, it } from 'mocha';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { type CutTransport, callText, cutTransport } from '../../../support/mcp/cutClient.ts';
import { letGoOfHeldCalls } from '../../../support/mcp/fixtureTools.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { postgresDatabase } from '../../../support/network/postgres.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

/** The SDK's client, with a server that keeps events for those who come back: without a gateway, through one, and through two. */
describe('a real client whose connections break', () => {
  let fixture: HttpFixture;
  let stand: Stand;
  let key: string;
  let replicas: readonly Stand[];
  let keyOfReplicas: string;
  const opened: { readonly client: Client; readonly way: CutTransport }[] = [];

  before(async () => {
    fixture = await httpFixture();
    stand = await openStand();
    for (const alias of ['web', 'other']) await stand.register({ alias, url: fixture.url });
    key = await stand.addKey();
    const first = await openStand({ database: { kind: 'postgres', url: await postgresDatabase() } });
    replicas = [first, await first.replica()];
    for (const alias of ['web', 'other']) await first.register({ alias, url: fixture.url });
    keyOfReplicas = await first.addKey();
  });
  afterEach(async () => {
    letGoOfHeldCalls();
    for (const { client, way } of opened.splice(0)) {
      await client.close();
      await way.close();
    }
  });
  after(async () => {
    await stand.close();
    await replicas[0]?.close();
    await fixture.close();
  });

  const direct = 'of the server itself';
  const two = () => replicas.map((it) => it.base);
  const ways: readonly [string, () => readonly string[], string, string][] = [
    [direct, () => [new URL(fixture.url).origin], '/mcp', ''],
    ['of one server at the gateway', () => [stand.base], '/web/mcp', ''],
    ['of several servers at the gateway', () => [stand.base], '/mcp', 'web__'],
    ['of one server at two replicas in turn', two, '/web/mcp', ''],
    ['of several servers at two replicas in turn', two, '/mcp', 'web__'],
  ];
  for (const [what, bases, path, prefix] of ways) {
    const connect = async () => {
      const authorization = `Bearer ${bases === two ? keyOfReplicas : key}`;
      const way = await cutTransport(bases(), path, { authorization });
      const client = new Client(
        { name: 'cut', version: '1' },
        { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'legacy' } },
      );
      opened.push({ client, way });
      return { client, way };
    };
    it(`gets the result of its call at the address ${what}, also if it comes while the client is disconnected`, async () => {
      verifies('gateway.streams.cut-goes-on');
      const { client, way } = await connect();
      await client.connect(way.transport);
      const calls = () => fixture.seen.filter((it) => it.text.includes('test_held')).length;
      const callsBefore = calls();
      const cancellations = () => fixture.seen.filter((it) => it.method === 'notifications/cancelled').length;
      const cancelledBefore = cancellations();
      let token: string | undefined;
      const result = callText(client, `${prefix}test_held`, {}, (it) => void (token = it));
      await until('the call arrived, and its stream at the client', () => calls() > callsBefore && token);
      way.cut();
      await until('the call was let go', () => letGoOfHeldCalls() > 0);
      way.restore();
      assert.equal(await result, 'Let go.');
      assert.equal(cancellations(), cancelledBefore);
    });

    if (what === direct) continue; // the fixture itself does not take the answer to such a question
    it(`gets a question of its call at the address ${what} that comes while it is disconnected, and answers it`, async () => {
      const { client, way } = await connect();
      let asked = 0;
      let answer = () => {};
      const answered = new Promise<void>((resolve) => void (answer = resolve));
      client.setRequestHandler('elicitation/create', async () => {
        asked += 1;
        await answered;
        return { action: 'accept', content: { response: 'yes' } };
      });
      await client.connect(way.transport);
      const result = callText(client, `${prefix}test_elicitation`, { message: 'x' });
      await until('it is asked', () => asked === 1);
      way.cut();
      const sent = () => way.sent.reduce((sum, it) => sum + it, 0);
      const sentBefore = sent();
      way.restore();
      await until('it came back', () => sent() > sentBefore + 1);
      answer();
      assert.match(await result, /yes/);
      assert.equal(asked, 1);
    });
  }
});
