import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'mocha';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import {
  agent,
  checkError,
  fine,
  json,
  openOneAgent,
  rpc,
  rpcError,
  type Said,
  send,
} from '../../../../support/a2a/oneAgent.ts';

describe('an agent that fails', () => {
  const canary = 'canary-of-the-agent';
  const error = `{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"Task not found","data":[{"reason":"TASK_NOT_FOUND"}]}}`;
  const page = { headers: { 'content-type': 'text/html' }, body: `<h1>${canary}</h1>` };
  const unread = 'the agent could not be reached';
  const none = 'without a JSON-RPC response';
  const rows: readonly [
    says: string,
    said: (Said & { readonly body?: string }) | Error,
    error: string,
    code: string,
  ][] = [
    ['cannot be reached', new Error(`connect ECONNREFUSED ${canary}`), unread, 'unreachable'],
    ['redirects', { status: 302, headers: { location: `http://${canary}/` } }, 'HTTP 302', 'status'],
    ['redirects with an answer', { ...fine, status: 300 }, 'HTTP 300', 'status'],
    ['redirects with another', { ...fine, status: 399 }, 'HTTP 399', 'status'],
    ['refuses the credentials of the gateway', { status: 401, headers: json, body: error }, 'HTTP 401', 'status'],
    ['forbids the gateway', { status: 403, headers: json, body: error }, 'HTTP 403', 'status'],
    ['has a proxy that refuses the gateway', { status: 407, headers: json, body: error }, 'HTTP 407', 'status'],
    ['answers a page of failure', { ...page, status: 400 }, `HTTP 400 ${none}`, 'status'],
    ['answers a page', page, `HTTP 200 ${none}`, 'garbage'],
    ['answers what is no JSON', { headers: json, body: `{${canary}` }, `HTTP 200 ${none}`, 'garbage'],
    ['answers JSON that is no answer', { headers: json, body: `{"${canary}":1}` }, `HTTP 200 ${none}`, 'garbage'],
    ['answers a list', { headers: json, body: '[]' }, `HTTP 200 ${none}`, 'garbage'],
    ['answers nothing', { status: 204 }, `HTTP 204 ${none}`, 'garbage'],
    [
      'answers an error that is none',
      { headers: json, body: `{"jsonrpc":"2.0","id":7,"error":"${canary}"}` },
      `HTTP 200 ${none}`,
      'garbage',
    ],
    ['answers a result with a status of failure', { ...fine, status: 400 }, 'HTTP 400 with a result', 'status'],
    ['answers packed bytes', { ...fine, headers: { ...json, 'content-encoding': 'gzip' } }, 'HTTP 200', 'status'],
    [
      'streams a failure',
      { status: 400, headers: { 'content-type': 'text/event-stream' }, body: `data: ${error}\n\n` },
      'HTTP 400 with a stream',
      'status',
    ],
  ];
  const prices = { cost_per_query: 3, input_cost_per_token: 1 };
  const agents = [{ agent: { ...agent, gateway_params: prices }, url: 'https://agent.test' }];
  for (const [says, said, failure, code] of rows) {
    it(`because it ${says} is answered with 200 -32603, without its words and without cost`, async () => {
      const body = Readable.from([Buffer.from(said instanceof Error ? '' : (said.body ?? ''))]);
      const saying = said instanceof Error ? said : { ...said, body };
      const { post, records, admitted, logLines } = openOneAgent(saying, { agents });
      const answer = await post(send);
      assert.equal(answer.status, 200);
      checkError(
        answer.body,
        200,
        rpcError(-32603, /^The A2A agent could not be reached or returned an invalid response\.$/),
      );
      assert.deepEqual(
        [records.length, records[0]?.status, records[0]?.spend, records[0]?.error, records[0]?.error_code],
        [1, 'failure', 0, failure, code],
      );
      assert.deepEqual(admitted, [{ cost: 3, spend: 0 }]);
      assert.deepEqual([logLines.length, body.destroyed], [1, !(said instanceof Error)]);
    });
  }

  const faults: readonly [says: string, said: Said | Error, words: RegExp, code: string][] = [
    ['may not be reached', new Fault('forbidden', 'This address is not allowed.'), /^This address is/, 'forbidden'],
    ['answers more than is read', { headers: json, body: `"${canary.repeat(100)}"` }, /than 1000 bytes/, 'unavailable'],
  ];
  for (const [says, said, words, code] of faults) {
    it(`because it ${says} is answered for in words of the gateway`, async () => {
      const { post, records } = openOneAgent(said, { agents, options: { maxResponseBytes: 1_000 } });
      const answer = await post(send);
      checkError(answer.body, answer.status, rpcError(-32603, words));
      assert.doesNotMatch(JSON.stringify(answer.body), /canary/);
      assert.deepEqual([answer.status, records[0]?.error_code, records[0]?.spend], [200, code, 0]);
    });
  }

  for (const [status, era] of [
    [200, '0.3'],
    [400, 'some'],
    [404, '1.0'],
  ] as const) {
    it(`by an error of the protocol in the way of ${era} is relayed untouched, and the call has failed`, async () => {
      for (const body of [send, rpc('ListTasks', {}), rpc('GetExtendedAgentCard', {})]) {
        const { call, records } = openOneAgent({ status, headers: json, body: error });
        const response = await call(body);
        assert.deepEqual([response.status, await response.text()], [status, error]);
        assert.deepEqual(
          [records[0]?.status, records[0]?.error, records[0]?.error_code],
          ['failure', 'JSON-RPC error -32001', '-32001'],
        );
      }
    });
  }
});
