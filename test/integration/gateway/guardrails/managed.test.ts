import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'mocha';
import { Guardrails } from '../../../../sidecar/protocol/gateway/guardrail.ts';
import { type EchoBackend, startEchoBackend } from '../../../support/backends/echoBackend.ts';
import { bearer, isRefusal, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { postgresDatabase } from '../../../support/network/postgres.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

const fromFile = Guardrails.parse([
  { guardrail_name: 'filed', gateway_params: { guardrail: 'argument_schema', mode: 'during_mcp_call' } },
]);
const secrets = { guardrail: 'secret_redaction', mode: 'pre_mcp_call', default_on: true };
const pii = { guardrail: 'pii_redaction', mode: 'pre_mcp_call', default_on: true };
const canary = 'AKIAIOSFODNN7EXAMPLE';

describe('guardrails that administrators make', () => {
  let stand: Stand;
  let service: EchoBackend;
  let key: string;
  before(async () => {
    service = await startEchoBackend();
    const url = await postgresDatabase();
    stand = await openStand({ database: { kind: 'postgres', url }, guardrails: () => fromFile });
    await stand.register({ alias: 'echo' });
    key = await stand.addKey();
  });
  after(async () => {
    await stand.close();
    await service.close();
  });
  afterEach(async () => {
    for (const it of await stand.gateway.store.guardrail.all())
      await stand.manage('POST', '/guardrails/delete', { guardrail_name: it.guardrail_name });
  });

  const make = (guardrail_name: string, gateway_params: object, more: object = {}) =>
    stand.manage('POST', '/guardrails/new', { guardrail_name, gateway_params, ...more });
  const call = (on = stand, text = canary) => on.ask('/echo/mcp', bearer(key), toolCall('echo', { text }));
  const listed = async (caller = stand.adminKey) => {
    const response = await stand.as(caller, '/guardrails/list');
    return ((await response.json()) as { guardrails: Record<string, unknown>[] }).guardrails;
  };
  const names = async () => (await listed()).map((it) => it['guardrail_name']);
  const refusals: readonly (readonly [says: string, path: string, body: object, status: number, words: RegExp])[] = [
    [
      'an unknown kind',
      '/guardrails/new',
      { guardrail_name: 'x', gateway_params: { guardrail: 'magic' } },
      400,
      /guardrail/,
    ],
    [
      'an unknown field',
      '/guardrails/new',
      { guardrail_name: 'x', gateway_params: { ...pii, made_up: 1 } },
      400,
      /made_up/,
    ],
    ['a name of the file', '/guardrails/new', { guardrail_name: 'filed', gateway_params: pii }, 409, /already exists/],
    [
      'a change of one of the file',
      '/guardrails/update',
      { guardrail_name: 'filed', gateway_params: pii },
      409,
      /configuration file/,
    ],
    ['a removal of one of the file', '/guardrails/delete', { guardrail_name: 'filed' }, 409, /configuration file/],
    [
      'a change of one that is not there',
      '/guardrails/update',
      { guardrail_name: 'none', gateway_params: pii },
      404,
      /guardrail/,
    ],
    ['an order that lacks one', '/guardrails/order', { guardrail_names: [] }, 400, /exactly once/],
    [
      'a place of a secret on the machine of the gateway',
      '/guardrails/new',
      {
        guardrail_name: 'x',
        gateway_params: {
          guardrail: 'http',
          mode: 'pre_mcp_call',
          url: 'https://x.example',
          authentication: 'bearer',
          secret: { env: 'HOME' },
        },
      },
      400,
      /Only the configuration file can refer to one/,
    ],
    [
      'a missing secret',
      '/guardrails/new',
      {
        guardrail_name: 'x',
        gateway_params: { guardrail: 'http', mode: 'pre_mcp_call', url: 'https://x.example', authentication: 'hmac' },
      },
      400,
      /secret is required/,
    ],
  ];

  it('apply from the next call on, at every replica, until they are deleted', async () => {
    verifies('gateway.manage.guardrails');
    const other = await stand.replica();
    assert.match((await call()).text, /AKIA/);
    await make('mine', secrets);
    assert.doesNotMatch((await call()).text, /AKIA/);
    await until('the other replica applies it', async () => !/AKIA/.test((await call(other)).text));
    await stand.manage('POST', '/guardrails/update', {
      guardrail_name: 'mine',
      gateway_params: { ...secrets, action: 'block' },
    });
    assert.ok(isRefusal(await call()));
    await stand.manage('POST', '/guardrails/delete', { guardrail_name: 'mine' });
    assert.match((await call()).text, /AKIA/);
  });

  it('are there after a restart, in the order that was set, after those of the file', async () => {
    verifies('gateway.manage.guardrails');
    for (const name of ['one', 'two', 'three']) await make(name, pii);
    assert.deepEqual(await names(), ['filed', 'one', 'two', 'three']);
    await stand.manage('POST', '/guardrails/order', { guardrail_names: ['three', 'one', 'two'] });
    assert.deepEqual(await names(), ['filed', 'three', 'one', 'two']);
    const other = await stand.replica();
    const response = await other.as(stand.adminKey, '/guardrails/list');
    const { guardrails } = (await response.json()) as { guardrails: { guardrail_name: string }[] };
    assert.deepEqual(
      guardrails.map((it) => it.guardrail_name),
      await names(),
    );
  });

  it('show their parameters to administrators alone, and are changed by them alone', async () => {
    verifies('gateway.manage.guardrails');
    await make('mine', pii);
    assert.ok((await listed()).every((it) => it['gateway_params'] !== undefined));
    assert.ok((await listed(key)).every((it) => it['gateway_params'] === undefined));
    const body = JSON.stringify({ guardrail_name: 'other', gateway_params: pii });
    assert.equal((await stand.as(key, '/guardrails/new', { method: 'POST', body })).status, 403);
  });

  for (const [says, path, body, status, words] of refusals)
    it(`are refused with ${says}`, async () => {
      verifies('gateway.manage.guardrails');
      await make('kept', pii);
      const response = await stand.as(stand.adminKey, path, { method: 'POST', body: JSON.stringify(body) });
      assert.match(await response.text(), words);
      assert.equal(response.status, status);
      assert.deepEqual(await names(), ['filed', 'kept']);
    });

  it('are not deleted while somebody refers to them', async () => {
    verifies('gateway.manage.guardrails');
    await make('used', { ...pii, default_on: false });
    await stand.manage('POST', '/team/new', { team_id: 'careful', guardrails: ['used'] });
    await assert.rejects(stand.manage('POST', '/guardrails/delete', { guardrail_name: 'used' }), /still in use \(team/);
    await stand.manage('POST', '/team/delete', { team_ids: ['careful'] });
  });

  it('keep a secret that no answer and no audit row shows, and that a change keeps', async () => {
    verifies('gateway.manage.guardrails');
    service.answer = (_, response) => void response.end('{"action":"allow"}');
    const params = {
      guardrail: 'http',
      mode: 'pre_mcp_call',
      default_on: true,
      url: `${service.url}/judge`,
      authentication: 'bearer',
      allow_private_network: true,
    };
    const made = await make('asking', params, { secret: 'the-secret' });
    await stand.manage('POST', '/guardrails/update', {
      guardrail_name: 'asking',
      gateway_params: { ...params, timeout_ms: 900 },
    });
    await call();
    assert.equal(service.heard.at(-1)?.headers.authorization, 'Bearer the-secret');
    const shown = [made, await listed(), await stand.manage('GET', '/audit')];
    assert.doesNotMatch(JSON.stringify(shown), /the-secret/);
    assert.match(JSON.stringify(shown[2]), /"guardrail"/);
  });

  it('are tried on a call that is not made', async () => {
    verifies('gateway.guardrail.try');
    service.answer = (_, response) => void response.end('{"action":"block","reason":"Not today."}');
    await make('redacts', secrets);
    await make('pins', { guardrail: 'tool_definition_pin', mode: 'pre_mcp_call' });
    await make('asks', {
      guardrail: 'http',
      mode: ['pre_mcp_call', 'post_mcp_call'],
      url: service.url,
      allow_private_network: true,
    });
    stand.backend.heard.length = 0;
    service.heard.length = 0;
    const asked = { tool: 'echo', arguments: { text: canary }, guardrail_names: ['redacts', 'pins', 'asks'] };
    const { guardrails: tried } = (await stand.manage('POST', '/guardrails/try', asked)) as { guardrails: object[] };
    const message = "The guardrail 'asks' refused the call: Not today.";
    const [first, ...rest] = tried as Record<string, unknown>[];
    assert.deepEqual([first?.['guardrail_name'], first?.['outcome']], ['redacts', 'replace']);
    assert.doesNotMatch(JSON.stringify(first), /AKIA/);
    assert.deepEqual(rest, [
      { guardrail_name: 'pins', mode: 'pre_mcp_call', outcome: 'not_tried' },
      { guardrail_name: 'asks', mode: 'pre_mcp_call', outcome: 'block', message },
      { guardrail_name: 'asks', mode: 'post_mcp_call', outcome: 'not_tried' },
    ]);
    const heard = JSON.parse(service.heard[0]?.body.toString() ?? '{}') as { arguments: object };
    assert.deepEqual(heard.arguments, first?.['arguments']);
    const judged = (await stand.manage('POST', '/guardrails/try', { ...asked, result: { content: [] } })) as {
      guardrails: { outcome: string }[];
    };
    assert.equal(judged.guardrails.at(-1)?.outcome, 'block');
    assert.deepEqual(stand.backend.heard, []);
  });
});
