import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { after, before, beforeEach, describe, it } from 'mocha';
import { Guardrails } from '../../../../sidecar/protocol/gateway/guardrail.ts';
import { type EchoBackend, startEchoBackend } from '../../../support/backends/echoBackend.ts';
import { echoTool } from '../../../support/gateway/backendAnswers.ts';
import { bearer, isRefusal, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

type Mode = 'pre_mcp_call' | 'during_mcp_call' | 'post_mcp_call';
type Answer = (response: ServerResponse) => void;

const json =
  (value: unknown, status = 200): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const text =
  (value: string): Answer =>
  (response) =>
    void response.end(value);
const silence: Answer = () => undefined;
const content = [{ type: 'text', text: 'replaced' }];
const modes: readonly Mode[] = ['pre_mcp_call', 'during_mcp_call', 'post_mcp_call'];

/** What a service answers, and what the caller reads; `undefined`: what the server answered. */
const judged: readonly (readonly [
  says: string,
  modes: readonly Mode[],
  answer: Answer,
  expected: RegExp | undefined,
])[] = [
  ['allows it', modes, json({ action: 'allow' }), undefined],
  [
    'refuses it',
    modes,
    json({ action: 'block', reason: 'It is late.' }),
    /The guardrail 'g\d+' refused the call: It is late\./,
  ],
  ['refuses it without a reason', modes, json({ action: 'block' }), /refused the call: no reason was given/],
  [
    'replaces the arguments',
    ['pre_mcp_call'],
    json({ action: 'replace', arguments: { text: 'other' } }),
    /\\"text\\":\\"other\\"/,
  ],
  ['replaces the result', ['post_mcp_call'], json({ action: 'replace', result: { content } }), /"text":"replaced"/],
];
/** Ways of a service not to judge a call. */
const unjudged: readonly (readonly [says: string, modes: readonly Mode[], answer: Answer])[] = [
  ['answers no JSON', modes, text('fine')],
  ['answers a member that is not known', modes, json({ action: 'allow', confidence: 1 })],
  ['answers a member twice', modes, text('{"action":"allow","action":"block"}')],
  ['answers an action that is not known', modes, json({ action: 'NONE' })],
  [
    'answers what cannot be replaced then',
    ['during_mcp_call', 'post_mcp_call'],
    json({ action: 'replace', arguments: {} }),
  ],
  ['answers a result that is none', ['post_mcp_call'], json({ action: 'replace', result: { text: 'x' } })],
  ['fails', modes, json({ action: 'allow' }, 500)],
  ['leads elsewhere', modes, (response) => void response.writeHead(307, { location: '/other' }).end()],
  ['breaks off', modes, (response) => void response.socket?.destroy()],
  ['does not answer in time', modes, silence],
];

describe('a guardrail that asks a service', () => {
  let stand: Stand;
  let service: EchoBackend;
  let key: string;
  let configured = Guardrails.parse([]);

  before(async () => {
    service = await startEchoBackend();
    stand = await openStand({
      tools: [{ ...echoTool, inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }],
      guardrails: () => configured,
      secretOf: (ref) => Promise.resolve('env' in ref ? `secret of ${ref.env}` : ''),
    });
    await stand.register({ alias: 'echo' });
    const team = await stand.manage('POST', '/team/new', { team_alias: 'red' });
    const made = await stand.manage('POST', '/key/generate', { key_alias: 'ci', team_id: team['team_id'] });
    key = String(made['key']);
  });
  after(async () => {
    await stand.close();
    await service.close();
  });
  beforeEach(() => {
    service.heard.length = 0;
    stand.backend.heard.length = 0;
  });

  let made = 0;
  /** Each has a name of its own: a service that broke off connections is left alone for a while. */
  function guard(mode: Mode, answer: Answer, more: object = {}): void {
    service.answer = (_, response) => answer(response);
    const params = { guardrail: 'http', url: `${service.url}/judge`, allow_private_network: true, timeout_ms: 300 };
    configured = Guardrails.parse([
      { guardrail_name: `g${(made += 1)}`, gateway_params: { ...params, mode, default_on: true, ...more } },
    ]);
  }
  const call = () => stand.ask('/echo/mcp', bearer(key), toolCall('echo', { text: 'hello' }));
  const calls = () => stand.calls().filter((it) => it.body.includes('"tools/call"'));
  const asked = () => JSON.parse(service.heard[0]?.body.toString() ?? 'null') as Record<string, unknown>;

  for (const [says, when, answer, expected] of judged)
    for (const mode of when)
      it(`does in mode ${mode} what a service says that ${says}`, async () => {
        verifies('gateway.guardrail.service');
        guard(mode, answer);
        const found = await call();
        assert.match(found.text, expected ?? /\\"text\\":\\"hello\\"/);
        assert.equal(isRefusal(found), says.startsWith('refuses'));
        const isBefore = mode === 'pre_mcp_call' && says.startsWith('refuses');
        if (mode !== 'during_mcp_call') assert.equal(calls().length, isBefore ? 0 : 1);
      });

  const replacing = (args: object) => json({ action: 'replace', arguments: args });

  it('has its arguments compared with the schema by a guardrail before it as well', async () => {
    verifies('gateway.guardrail.service');
    guard('pre_mcp_call', replacing({ text: 1 }));
    const schema = { guardrail: 'argument_schema', mode: 'pre_mcp_call', default_on: true };
    configured = [...Guardrails.parse([{ guardrail_name: 'schema', gateway_params: schema }]), ...configured];
    const refused = await call();
    assert.ok(isRefusal(refused), refused.text);
    assert.match(refused.text, /The arguments do not match the schema for 'echo'/);
    assert.equal(calls().length, 0);
    service.answer = (_, response) => replacing({ text: 'other' })(response);
    assert.match((await call()).text, /\\"text\\":\\"other\\"/);
  });

  it('gives a tool no arguments that its registration does not allow', async () => {
    verifies('gateway.guardrail.service');
    await stand.register({ alias: 'narrow', allowed_params: { echo: ['text'] } });
    guard('pre_mcp_call', replacing({ text: 'hello', more: 1 }));
    const refused = await stand.ask('/narrow/mcp', bearer(key), toolCall('echo', { text: 'hello' }));
    assert.ok(isRefusal(refused), refused.text);
    assert.match(refused.text, /does not allow these arguments: more\./);
    assert.equal(calls().length, 0);
  });

  for (const [says, when, answer] of unjudged)
    for (const mode of when)
      it(`refuses a call in mode ${mode} where the service ${says}, unless that is allowed`, async () => {
        verifies('gateway.guardrail.service.closed');
        guard(mode, answer);
        const closed = await call();
        assert.ok(isRefusal(closed), closed.text);
        assert.match(closed.text, /The guardrail 'g\d+' could not check the call\./);
        if (mode === 'pre_mcp_call') assert.equal(calls().length, 0);
        guard(mode, answer, { on_error: 'allow' });
        const open = await call();
        assert.match(open.text, /\\"text\\":\\"hello\\"/);
      });

  it('tells the service the call, and of the caller what is set', async () => {
    verifies('gateway.guardrail.service.told');
    guard('pre_mcp_call', json({ action: 'allow' }), { caller: ['key_alias', 'user_id'] });
    await call();
    const { server, ...more } = asked();
    assert.equal((server as { name: string }).name, 'echo');
    assert.deepEqual(more, {
      guardrail_name: `g${made}`,
      mode: 'pre_mcp_call',
      tool: 'echo',
      arguments: { text: 'hello' },
      caller: { key_alias: 'ci', user_id: null },
    });
    const heard = service.heard[0];
    assert.equal(heard?.headers.authorization, undefined);
    assert.ok(!heard?.rawHeaders.some((it) => it.includes(key)) && !heard?.body.includes(key));
  });

  it('tells the service the result after the call', async () => {
    verifies('gateway.guardrail.service.told');
    guard('post_mcp_call', json({ action: 'allow' }));
    await call();
    assert.deepEqual(asked()['result'], { content: [{ type: 'text', text: '{"text":"hello"}' }] });
    assert.deepEqual(asked()['caller'], {});
  });

  it('proves by a secret or a signature that the gateway asks', async () => {
    verifies('gateway.guardrail.service.told');
    const secret = { env: 'GUARD' };
    guard('pre_mcp_call', json({ action: 'allow' }), { authentication: 'bearer', secret });
    await call();
    assert.equal(service.heard[0]?.headers.authorization, 'Bearer secret of GUARD');
    guard('pre_mcp_call', json({ action: 'allow' }), { authentication: 'hmac', secret });
    await call();
    const { headers, body } = service.heard[1] ?? assert.fail('the service is asked');
    const signed = `${String(headers['x-switchboard-timestamp'])}.${body.toString()}`;
    const signature = createHmac('sha256', 'secret of GUARD').update(signed).digest('hex');
    assert.equal(headers['x-switchboard-signature'], `sha256=${signature}`);
    assert.equal(headers.authorization, undefined);
  });

  it('is not asked at a private address unless that is allowed', async () => {
    verifies('gateway.guardrail.service.network');
    guard('pre_mcp_call', json({ action: 'allow' }), { allow_private_network: false });
    assert.ok(isRefusal(await call()));
    assert.deepEqual([service.heard.length, calls().length], [0, 0]);
  });

  it('is in the record of the call, with what it did and how long that took', async () => {
    verifies('gateway.guardrail.service');
    guard('pre_mcp_call', json({ action: 'block', reason: 'No.' }));
    const { metadata } = await stand.recordOf(await call());
    const { guardrail_information: checks } = metadata as { guardrail_information: object[] };
    const [check = {}] = checks as Record<string, unknown>[];
    const { duration, ...did } = check;
    assert.deepEqual(did, {
      guardrail_name: `g${made}`,
      guardrail_mode: 'pre_mcp_call',
      guardrail_status: 'guardrail_intervened',
    });
    assert.equal(typeof duration, 'number');
  });

  it('judges a result that is streamed, and lets no client fetch it elsewhere', async () => {
    verifies('gateway.guardrail.service');
    guard('post_mcp_call', json({ action: 'block', reason: 'Secret.' }));
    const { answer } = stand.backend;
    let ends = true;
    stand.backend.answer = (heard, response) => {
      if (!heard.body.includes('"tools/call"')) return answer(heard, response);
      const { id } = JSON.parse(heard.body.toString()) as { id: unknown };
      const progress = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'working' } };
      const result = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'the secret' }] } };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const [at, it] of (ends ? [progress, result] : [progress]).entries())
        response.write(`id: ${at}\ndata: ${JSON.stringify(it)}\n\n`);
      response.end();
    };
    const streamed = await call();
    ends = false;
    const broken = await call();
    stand.backend.answer = answer;
    assert.match(streamed.text, /refused the call: Secret\./);
    assert.ok(!streamed.text.includes('the secret'));
    assert.match(broken.text, /closed the connection before it responded/);
    assert.ok(!/^id:/m.test(broken.text), broken.text);
  });

  it('refuses a call over REST with the words of the service', async () => {
    verifies('gateway.guardrail.service');
    guard('post_mcp_call', json({ action: 'block', reason: 'No.' }));
    const found = await stand.ask('/mcp-rest/tools/call', bearer(key), { name: 'echo__echo', arguments: {} });
    assert.equal(found.status, 400);
    assert.match(found.text, /refused the call: No\./);
  });
});
