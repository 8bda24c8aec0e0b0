import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, beforeEach, describe, it } from 'mocha';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { type Answer, bearer } from '../../../support/gateway/requests.ts';
import { cloudKey, openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

/** As the service writes it: spaces, order and unknown members are its own. */
const launched = `{ "id":"bc_1", "name": "Fix it", "status":"CREATING",
  "source":{"repository":"https://git.example/o/r","ref":"main"},
  "target":{"branchName":"agent/fix","url":"https://cloud.example/bc_1","autoCreatePr":true,"odd": [1, 2.0]},
  "createdAt":"2026-01-01T00:00:00Z" }`;
const launch = {
  prompt: { text: 'Fix the tëst' },
  source: { repository: 'https://git.example/o/r', ref: 'main' },
  target: { autoCreatePr: true },
};

/** Specification, Cloud agent record, Cloud-agent pass-through and its behaviour, Versioning. */
describe('the cloud-agents API through the gateway', () => {
  let stand: Stand;
  let key: string;
  let said: string;

  before(async () => {
    stand = await openStand({ tools: twoTools });
    key = await stand.addKey();
    stand.backend.answer = (heard, response: ServerResponse) =>
      void response.writeHead(heard.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' }).end(said);
  });
  after(() => stand.close());
  beforeEach(() => {
    said = '{"odd":  [1]}';
    stand.backend.heard.splice(0);
  });

  async function relay(
    method: string,
    path: string,
    body?: string,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const json = body === undefined ? {} : { 'content-type': 'application/json', body };
    const { body: _, ...type } = json as Record<string, string>;
    const headers = { ...bearer(key), ...type, ...more };
    const response = await fetch(`${stand.base}/cloudagents${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) as unknown };
  }
  const heard = () => {
    const [one, ...others] = stand.backend.heard;
    assert.ok(one && others.length === 0);
    return one;
  };

  const followup = JSON.stringify({ prompt: { text: 'And the docs' } });
  const routes: readonly [method: string, path: string, operation: string, body?: string][] = [
    ['GET', '/v0/agents', 'agent:list'],
    ['POST', '/v0/agents', 'agent:create', JSON.stringify(launch)],
    ['GET', '/v0/agents/bc_1', 'agent:status'],
    ['DELETE', '/v0/agents/bc_1', 'agent:delete'],
    ['GET', '/v0/agents/bc_1/conversation', 'agent:conversation'],
    ['POST', '/v0/agents/bc_1/followup', 'agent:followup', followup],
    ['POST', '/v0/agents/bc_1/stop', 'agent:stop'],
    ['GET', '/v0/me', 'account:info'],
    ['GET', '/v0/models', 'models:list'],
    ['GET', '/v0/repositories', 'repositories:list'],
  ];

  describe('each route', () => {
    verifies('gateway.cloud.list', 'gateway.cloud.launch', 'gateway.cloud.status', 'gateway.cloud.delete');
    verifies('gateway.cloud.conversation', 'gateway.cloud.followup', 'gateway.cloud.stop', 'gateway.cloud.me');
    verifies('gateway.cloud.models', 'gateway.cloud.repositories', 'gateway.cloud.base', 'gateway.cloud.version');
    verifies('gateway.cloud.virtual-key', 'gateway.cloud.credential', 'gateway.cloud.verbatim');
    verifies('gateway.cloud.no-streaming', 'gateway.cloud.no-body', 'gateway.cloud.classified', 'gateway.cloud.cost');
    verifies('gateway.cloud.log.status', 'gateway.cloud.log.duration', 'gateway.cloud.log.provider');
    verifies('gateway.cloud.log.api-base', 'gateway.cloud.log.metadata', 'gateway.service.untranslated');
    for (const [method, path, operation, body] of routes) {
      it(`${method} ${path} is relayed as it is and logged as ${operation}`, async () => {
        const answer = await relay(method, path, body);
        assert.deepEqual([answer.status, answer.text], [method === 'POST' ? 201 : 200, said]);
        assert.equal(answer.headers.get('content-type'), 'application/json');
        const { headers, ...got } = heard();
        assert.deepEqual([got.method, got.path, got.body.toString()], [method, `/cloud${path}`, body ?? '']);
        assert.equal(headers.authorization, `Basic ${btoa(`${cloudKey}:`)}`);
        assert.ok(!JSON.stringify(headers).includes(key));
        const record = await stand.recordOf(answer);
        assert.equal(record.model, `cloudagents/cloudagents:${operation}`);
        assert.deepEqual([record.status, record.spend], ['success', 0]);
        assert.equal(record.custom_llm_provider, 'cloudagents');
        assert.equal(record.api_base, stand.backend.url);
        assert.ok(record.request_duration_ms >= 0 && Date.parse(record.endTime) >= Date.parse(record.startTime));
        assert.deepEqual([record.metadata['method'], record.metadata['status_code']], [method, answer.status]);
      });
    }
  });

  it('a record lasts from the first byte of the call to the last one of its answer', async () => {
    verifies('gateway.cloud.log.duration');
    const clock = new StandingClock('2026-03-01T12:00:00.000Z');
    const timed = await openStand({ clock, tools: twoTools });
    try {
      let end = () => {};
      timed.backend.answer = (_, response: ServerResponse) => {
        clock.pass(812);
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: one\n\n');
        end = () => void response.end('data: two\n\n');
      };
      const own = bearer(await timed.addKey());
      const answer = await fetch(`${timed.base}/cloudagents/v1/agents/a/runs/r/stream`, { headers: own });
      const reader = answer.body!.getReader();
      assert.equal(Buffer.from((await reader.read()).value!).toString(), 'data: one\n\n');
      clock.pass(4_000);
      end();
      while (!(await reader.read()).done);
      const record = await timed.recordOf(answer);
      assert.deepEqual(
        [record.request_duration_ms, record.startTime, record.completionStartTime, record.endTime],
        [4_812, '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.812Z', '2026-03-01T12:00:04.812Z'],
      );
    } finally {
      await timed.close();
    }
  });

  it('a launch carries its task, repository and wish for a pull request, as JSON', async () => {
    verifies('gateway.cloud.launch.prompt', 'gateway.cloud.launch.source', 'gateway.cloud.launch.target');
    verifies('gateway.cloud.launch.json', 'gateway.cloud.followup.prompt');
    await relay('POST', '/v0/agents', JSON.stringify(launch));
    const { headers, body } = heard();
    assert.equal(headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(body.toString()), launch);
    await relay('POST', '/v0/agents/bc_1/followup', followup);
    assert.equal(stand.backend.heard.at(-1)?.body.toString(), followup);
  });

  it('a launch is answered with the record of the agent, as the service wrote it', async () => {
    verifies('gateway.cloud.record.id', 'gateway.cloud.record.name', 'gateway.cloud.record.status');
    verifies('gateway.cloud.record.source', 'gateway.cloud.record.target', 'gateway.cloud.record.createdAt');
    said = launched;
    const answer = await relay('POST', '/v0/agents', JSON.stringify(launch));
    assert.equal(answer.text, launched);
    assert.equal((answer.json as { status: string }).status, 'CREATING');
  });

  it('whatever else follows the prefix is relayed too, with its query', async () => {
    verifies('gateway.cloud.any-path');
    await relay('PUT', '/v7/some/thing?limit=2&q=%20', 'any bytes');
    assert.equal(heard().path, '/cloud/v7/some/thing?limit=2&q=%20');
  });

  it('no end user is on record or told to the service, however a caller names one', async () => {
    verifies('gateway.cloud.no-end-user');
    const named = { 'x-gateway-end-user-id': 'the-end-user', 'x-gateway-customer-id': 'the-end-user' };
    const answer = await relay('POST', '/v0/agents', JSON.stringify(launch), named);
    assert.equal((await stand.recordOf(answer)).end_user, null);
    assert.ok(!JSON.stringify(heard().headers).includes('the-end-user'));
  });
});
