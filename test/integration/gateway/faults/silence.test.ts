import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { speakAll } from '../../../support/gateway/backendAnswers.ts';
import {
  callOn,
  eventOn,
  misbehave,
  registerBad,
  type SurfaceName,
  startCall,
} from '../../../support/gateway/callSurfaces.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { until } from '../../../support/until.ts';

const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };
/** Long enough for a handshake on a busy machine. */
const timeoutMs = 800;
const notice = 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n';

/** Issue C, done when 3: a backend that hangs, and a caller that has enough. */
describe('a backend that is silent, as a caller of the whole gateway sees it', () => {
  let stand: Stand;
  let key: string;

  beforeEach(async () => {
    // Streams may take five times as long to begin.
    stand = await openStand({ limits: { timeoutMs, listTimeoutMs: timeoutMs } });
    await registerBad(stand);
    key = await stand.addKey();
  });
  afterEach(() => stand.close());

  /** Runs `act` for each call, and notes that its connection was closed. */
  function closing(act: (response: ServerResponse) => void): Promise<unknown>[] {
    const closed: Promise<unknown>[] = [];
    misbehave(stand, (heard, response) => {
      // An MCP server is told that a call was given up.
      if (heard.body.includes('notifications/cancelled')) return void response.writeHead(202).end();
      closed.push(once(response, 'close'));
      act(response);
    });
    return closed;
  }
  const tool = {
    content: [
      {
        type: 'text',
        text: `Error: The MCP server 'bad' did not respond within ${timeoutMs / 1_000} s. The call may have run.`,
      },
    ],
    isError: true,
  };
  const mcp = { status: 200, body: { jsonrpc: '2.0', id: 7, result: tool } };
  const late = {
    status: 200,
    body: { jsonrpc: '2.0', id: 7, error: { code: -32603, message: 'The A2A agent did not respond in time.' } },
  };
  const service = {
    status: 503,
    body: {
      error: {
        message: 'The cloud-agents service did not respond. Try again, or check its URL.',
        type: 'service_unavailable_error',
        param: null,
        code: '503',
      },
    },
  };

  const silences = [
    { says: 'never answers', act: () => undefined, expected: { mcp, a2a: late, a2aStream: late, cloud: service } },
    {
      says: 'begins an answer and stops',
      act: (response: ServerResponse) => void response.writeHead(200, json).write('{'),
      expected: { mcp, a2a: late },
    },
    {
      says: 'begins a stream and stops',
      act: (response: ServerResponse) => void response.writeHead(200, events).write(notice),
      expected: { mcp },
    },
  ] as const;
  for (const { says, act, expected } of silences) {
    for (const [surface, wanted] of Object.entries(expected) as [SurfaceName, { status: number; body: unknown }][]) {
      it(`that ${says} is given up by ${surface} after its time: its socket is closed, and there is one record`, async () => {
        const closed = closing(act);
        const { status, body } = await callOn(stand, surface, key);
        assert.deepEqual({ status, body }, wanted);
        await Promise.all(closed);
        assert.deepEqual([closed.length, ...(await stand.records(1)).map((it) => it.status)], [1, 'failure']);
      });
    }
  }

  it('that never shakes hands is given up too', async () => {
    stand.backend.answer = () => undefined;
    const { status, body } = await callOn(stand, 'mcp', key);
    assert.deepEqual({ status, body }, mcp);
    assert.deepEqual(
      (await stand.records(1)).map((it) => it.status),
      ['failure'],
    );
  });

  it('that is one of several is missing in their list, and named', async () => {
    await stand.addServer({ alias: 'good', url: `${stand.backend.url}/mcp/good` });
    stand.backend.answer = (heard, response) => void (heard.path === '/mcp' || speakAll(heard, response));
    const { status, json: said } = await stand.mcp('/mcp', key).request('tools/list');
    assert.deepEqual([status, said.result?.tools?.map((it) => it.name)], [200, ['good__echo']]);
    assert.deepEqual(said.result?.['_meta'], {
      'switchboard/failed_servers': ['bad'],
      'switchboard/missing': [`bad: The MCP server 'bad' did not respond within ${timeoutMs / 1_000} s.`],
    });
    assert.deepEqual(
      (await stand.records(1)).map((it) => it.status),
      ['success'],
    );
  });

  for (const surface of ['mcp', 'a2a', 'a2aStream', 'cloud'] as const) {
    it(`hears of it when the caller of ${surface} leaves before an answer: one record, a failure`, async () => {
      await stand.close();
      stand = await openStand();
      await registerBad(stand);
      key = await stand.addKey();
      const closed = closing(() => undefined);
      const leaving = new AbortController();
      const call = startCall(stand, surface, key, { signal: leaving.signal });
      await until('the call is at the backend', () => closed.length === 1);
      leaving.abort();
      await assert.rejects(call, { name: 'AbortError' });
      await Promise.all(closed);
      assert.deepEqual(
        (await stand.records(1)).map((it) => it.status),
        ['failure'],
      );
    });
  }

  for (const surface of ['mcp', 'a2aStream', 'cloud'] as const) {
    it(`hears of it when the caller of ${surface} leaves a stream in its middle: one record, a failure`, async () => {
      await stand.close();
      stand = await openStand();
      await registerBad(stand);
      key = await stand.addKey();
      const closed = closing((response) => void response.writeHead(200, events).write(eventOn(surface, 'part')));
      const leaving = new AbortController();
      const response = await startCall(stand, surface, key, { signal: leaving.signal });
      const reader = response.body?.getReader();
      assert.match(new TextDecoder().decode((await reader?.read())?.value), /^data: .*part/);
      leaving.abort();
      await Promise.all(closed);
      assert.deepEqual(
        (await stand.records(1)).map((it) => it.status),
        ['failure'],
      );
    });
  }
});
