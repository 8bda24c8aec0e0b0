import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'mocha';
import { type CutForwarder, cutForwarder } from '../../support/gateway/cutForwarder.ts';
import { type GatewayProcess, openProcessStand, type ProcessStand } from '../../support/gateway/processStand.ts';
import { type HttpFixture, httpFixture } from '../../support/mcp/httpFixture.ts';
import { RawClient } from '../../support/mcp/rawClient.ts';
import { freePort } from '../../support/network/freePort.ts';
import { postgresDatabase } from '../../support/network/postgres.ts';
import { until } from '../../support/until.ts';

describe('a gateway whose PostgreSQL is away', function away() {
  let fixture: HttpFixture;
  let forwarder: CutForwarder;
  let stand: ProcessStand;
  let replica: GatewayProcess;
  let address: string;
  let key: string;
  let unseen: string;
  const health = async () => {
    const response = await fetch(`${address}/readyz`).catch(() => undefined);
    return response && { status: response.status, said: ((await response.json()) as { status: string }).status };
  };
  const isWell = async () => (await health())?.status === 200;
  const call = async (with_: string, text = 'hello') => {
    const client = new RawClient(`${address}/fixture/mcp`, { authorization: `Bearer ${with_}` });
    const { status, headers, json } = await client.modern('tools/call', { name: 'echo', arguments: { text } });
    return { status, id: headers.get('x-gateway-call-id') ?? '', text: json.result?.content?.[0]?.text, json };
  };
  const makeKey = async () => String((await stand.manage(address, 'POST', '/key/generate', {}))['key']);
  const isRecorded = async (id: string) => {
    const found = await stand.manage(address, 'GET', `/spend/logs/v2?request_id=${id}`);
    return (found['data'] as unknown[]).length === 1;
  };

  before(async () => {
    const url = new URL(await postgresDatabase());
    fixture = await httpFixture();
    forwarder = await cutForwarder(Number(url.port));
    url.port = String(forwarder.port);
    address = `http://127.0.0.1:${await freePort()}`;
    stand = openProcessStand({
      database: url.href,
      config: {
        listen: { port: Number(new URL(address).port) },
        default_access: 'all',
        mcp_servers: { fixture: { url: fixture.url, allow_private_network: true } },
      },
    });
  });
  after(async () => {
    await stand.close();
    await forwarder.close();
    await fixture.close();
  });

  it('says so to everybody until it is there, and then serves', async () => {
    forwarder.cut();
    replica = stand.start('one');
    await until('it listens', async () => (await health()) !== undefined);
    assert.deepEqual(await health(), { status: 503, said: 'no_db_connection' });
    assert.equal((await fetch(`${address}/livez`)).status, 200);
    const response = await fetch(`${address}/mcp`, { method: 'POST', body: '{}' });
    const { error } = (await response.json()) as { error: { type: string; code: string } };
    assert.deepEqual([response.status, error.type, error.code], [503, 'no_db_connection', '503']);
    forwarder.restore();
    assert.equal(await replica.baseUrl, address);
    await until('it is well', isWell);
    [key, unseen] = [await makeKey(), await makeKey()];
    const first = await call(key);
    assert.equal(first.text, 'hello');
    await until('the record is there', () => isRecorded(first.id));
    assert.equal((await call(key)).status, 200); // the new keys were told of meanwhile, and this one is known again
  });

  it('lets nobody in whom it does not know, answers those it knows, and writes their records when it is back', async () => {
    forwarder.cut();
    await until('it says so', async () => (await health())?.said === 'no_db_connection');
    const stranger = await call(unseen);
    const { error } = stranger.json as unknown as { error: { type: string } };
    assert.deepEqual([stranger.status, error.type], [503, 'no_db_connection']);
    const known = await call(key, 'meanwhile');
    assert.deepEqual([known.status, known.text], [200, 'meanwhile']);
    forwarder.restore();
    await until('it is well', isWell);
    await until('the record is there', () => isRecorded(known.id));
    const later = await call(unseen);
    assert.equal(later.status, 200);
    await until('nothing waits to be written', () => isRecorded(later.id));
  });

  it('leaves when it is asked to, and says how many records are lost', async () => {
    forwarder.cut();
    assert.equal((await call(key)).status, 200);
    replica.signal('SIGINT');
    assert.equal(await replica.exited, 0);
    assert.match(replica.said(), /"lost":1,.*call records are being lost/);
  });

  it('does not wait for one that refuses its password, and does not show it', async () => {
    forwarder.restore();
    const url = new URL((await postgresDatabase()).replace(/:[^:@/]+@/, ':wrong-password@'));
    writeFileSync(stand.files.database, url.href);
    const refused = stand.start('refused');
    assert.equal(await refused.exited, 69);
    assert.match(refused.said(), /PostgreSQL rejected the user, password, or database in --database-file/);
    assert.doesNotMatch(refused.said(), /wrong-password/);
  });
});
