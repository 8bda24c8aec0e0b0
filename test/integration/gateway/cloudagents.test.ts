import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openStreamPool } from '../../../sidecar/gateway/backends/streamSend.ts';
import { type CloudEnd, type CloudFacts, relayCloudAgents } from '../../../sidecar/gateway/cloudagents/relay.ts';

interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

describe('the cloud-agents pass-through', () => {
  let service: Server;
  let pool: ReturnType<typeof openStreamPool>;
  let heard: Heard[] = [];
  let calls: (CloudFacts & CloudEnd)[] = [];
  let answer: (response: ServerResponse) => void;
  let credential: string | undefined;

  beforeEach(async () => {
    [heard, calls, credential] = [[], [], 'service-key'];
    answer = (response) => response.end('{}');
    service = createServer((request, response) => {
      const chunks: Buffer[] = [];
      const { method = '', url = '', headers } = request;
      request
        .on('data', (chunk: Buffer) => void chunks.push(chunk))
        .on('end', () => {
          heard.push({ method, url, headers, body: Buffer.concat(chunks) });
          answer(response);
        });
    });
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    pool = openStreamPool();
  });
  afterEach(async () => {
    service.closeAllConnections();
    service.close();
    await pool.close();
  });

  const upstreamUrl = () => `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const relay = (path: string, init: RequestInit = {}, signal = new AbortController().signal) =>
    relayCloudAgents(
      {
        send: pool.send,
        upstreamUrl: upstreamUrl(),
        prefix: 'cloud',
        credential: async () => credential,
        admit: async () => () => undefined,
        begin: (facts) => ({ answered() {}, finish: (end) => void calls.push({ ...facts, ...end }) }),
        maxBodyBytes: 1_000_000,
      },
      new Request(`http://gateway.test/cloudagents${path}`, init),
      path.split('?', 1)[0] ?? '',
      { requestId: 'r1', holdsKey: () => false, signal },
    );
  const virtualKey = { authorization: 'Bearer sk-virtual', 'x-gateway-end-user-id': 'somebody', cookie: 'a=b' };

  const routes: readonly [string, string, string | undefined][] = [
    ['GET', '/v0/agents?limit=2&cursor=x', undefined],
    ['POST', '/v0/agents', '{"prompt":{"text":"Fix it"},"source":{"repository":"https://x/y","ref":"main"}}'],
    ['GET', '/v0/agents/bc_1', undefined],
    ['DELETE', '/v0/agents/bc_1', undefined],
    ['GET', '/v0/agents/bc_1/conversation', undefined],
    ['POST', '/v0/agents/bc_1/followup', '{"prompt":{"text":"And the test"}}'],
    ['POST', '/v0/agents/bc_1/stop', undefined],
    ['GET', '/v0/me', undefined],
    ['GET', '/v0/models', undefined],
    ['GET', '/v0/repositories', undefined],
    ['PATCH', '/v9/unknown/thing?q=%20', 'any bytes \u0000\u00ff'],
  ];
  for (const [method, path, body] of routes) {
    it(`relays ${method} ${path} byte for byte, with the service's credential instead of the caller's`, async () => {
      const said = '{"id":"bc_1","status":"CREATING","odd":  [1]}';
      answer = (response) =>
        response.writeHead(201, { 'content-type': 'application/json', 'x-ratelimit-limit': '9' }).end(said);
      const response = await relay(path, {
        method,
        headers: { ...virtualKey, 'content-type': 'application/json', 'idempotency-key': 'once' },
        ...(body !== undefined && { body }),
      });
      assert.deepEqual([response.status, await response.text()], [201, said]);
      assert.equal(response.headers.get('x-ratelimit-limit'), '9');
      const [got] = heard;
      assert.deepEqual([got?.method, got?.url, got?.body.toString()], [method, path, body ?? '']);
      assert.equal(got?.headers.authorization, `Basic ${Buffer.from('service-key:').toString('base64')}`);
      assert.equal(got?.headers['idempotency-key'], 'once');
      assert.deepEqual([got?.headers['x-gateway-end-user-id'], got?.headers.cookie], [undefined, undefined]);
      assert.doesNotMatch(JSON.stringify(got?.headers), /sk-virtual/);
    });
  }

  it('writes one entry: classification, status, cost 0, provider, base address and metadata', async () => {
    await (await relay('/v0/agents/bc_1/stop', { method: 'POST' })).text();
    assert.equal(calls.length, 1);
    assert.deepEqual(calls[0], {
      model: 'cloud/cloud:agent:stop',
      call_type: 'cloud:agent:stop',
      endpoint: '/cloudagents/v0/agents/{id}/stop',
      custom_llm_provider: 'cloud',
      api_base: upstreamUrl(),
      status: 'success',
      httpStatus: 200,
      spend: 0,
      metadata: { method: 'POST' },
    });
  });

  it('hands a stream on piece by piece, before it has ended', async () => {
    let rest = () => {};
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
      rest = () => void response.end('data: two\n\n');
    };
    const reader = (await relay('/v1/agents/a/runs/r/stream')).body!.getReader();
    assert.equal(Buffer.from((await reader.read()).value!).toString(), 'data: one\n\n');
    assert.equal(calls.length, 0, 'it is not over');
    rest();
    assert.equal(Buffer.from((await reader.read()).value!).toString(), 'data: two\n\n');
    assert.equal((await reader.read()).done, true);
    assert.deepEqual(
      calls.map((it) => it.status),
      ['success'],
    );
  });

  it('lets go of the service when the caller hangs up, and counts that as a failure', async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (response) => {
        response.on('close', () => resolve());
        response.writeHead(200).write('begin');
      };
    });
    const response = await relay('/v0/agents');
    await response.body!.cancel();
    await closed;
    assert.deepEqual(
      calls.map((it) => it.status),
      ['failure'],
    );
  });

  it('hands errors and redirects of the service on, follows none, and keeps its cookies to itself', async () => {
    answer = (response) =>
      response
        .writeHead(302, { location: 'http://169.254.169.254/', 'set-cookie': 'a=b', 'strict-transport-security': 'x' })
        .end();
    const response = await relay('/v0/me');
    assert.deepEqual([response.status, response.headers.get('set-cookie')], [302, null]);
    assert.equal(response.headers.get('strict-transport-security'), null);
    await response.body?.cancel();
    answer = (it) => it.writeHead(429, { 'retry-after': '7' }).end('{"error":{"message":"slow"}}');
    const limited = await relay('/v0/repositories');
    assert.deepEqual(
      [limited.status, limited.headers.get('retry-after'), await limited.text()],
      [429, '7', '{"error":{"message":"slow"}}'],
    );
    assert.equal(heard.length, 2);
    assert.equal(calls.at(-1)?.status, 'failure');
  });

  it('answers nothing without a credential, and says what to do', async () => {
    credential = undefined;
    await assert.rejects(relay('/v0/me'), { code: 'auth_required', message: /LLM Credentials/ });
    assert.deepEqual([heard.length, calls[0]?.status], [0, 'failure']);
  });

  it('takes no more than its limit', async () => {
    const init = { method: 'POST', body: Buffer.alloc(1_000_001) } as RequestInit;
    await assert.rejects(relay('/v0/agents', init), {
      code: 'too_large',
      data: { field: 'body', maxBytes: 1_000_000 },
    });
  });

  it('says so when the service does not answer or breaks off', async () => {
    answer = (response) => response.destroy();
    await assert.rejects(relay('/v0/me'), { code: 'unavailable' });
    answer = (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setImmediate(() => response.destroy());
    };
    const response = await relay('/v0/me');
    await assert.rejects(response.text());
    assert.deepEqual(
      calls.map((it) => it.status),
      ['failure', 'failure'],
    );
  });
});
