import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { mock } from 'node:test';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openStand, type Stand } from '../../support/gateway/stand.ts';
import { endListener, listenOnLoopback } from '../../support/mcp/loopback.ts';
import { until } from '../../support/until.ts';

/** How much of the answer comes before the service is gone. */
const rows: readonly (readonly [string, (response: ServerResponse) => void])[] = [
  ['before its first byte', (response) => response.flushHeaders()],
  ['within it', (response) => void response.write('{"agents":[')],
];

describe('a stream that breaks on its way through the gateway', () => {
  let service: Server;
  let whole: Stand;
  let begin: (response: ServerResponse) => void;
  const answering: ServerResponse[] = [];

  beforeEach(async () => {
    service = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      begin(response);
      answering.push(response);
    });
    const upstreamUrl = await listenOnLoopback(service);
    const env = { CLOUDAGENTS_API_KEY: 'secret' };
    whole = await openStand({ cloudAgents: { upstreamUrl, prefix: 'cloud' }, env });
  });
  afterEach(async () => {
    mock.restoreAll();
    await whole.close();
    await endListener(service);
  });

  for (const [when, beginning] of rows) {
    it(`${when} breaks for its caller too, who reads nothing of why`, async () => {
      begin = beginning;
      const printed = (['error', 'info', 'log', 'warn'] as const).map((it) =>
        mock.method(console, it, () => undefined),
      );
      const response = await whole.as(whole.adminKey, '/cloudagents/v0/agents');
      assert.equal(response.status, 200);
      let body = '';
      const reading = (async () => {
        const decoder = new TextDecoder();
        for await (const chunk of response.body ?? []) body += decoder.decode(chunk as Uint8Array);
      })();
      answering.pop()?.destroy();
      await assert.rejects(reading, TypeError);
      assert.ok('{"agents":['.startsWith(body), body);
      await until('the log says so', () =>
        whole.logLines.some((it) => it.includes('A stream to a caller was interrupted.')),
      );
      assert.ok(printed.every((it) => it.mock.callCount() === 0));
    });
  }
});
