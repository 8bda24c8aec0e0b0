import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { McpConnections } from '../../../../../../sidecar/gateway/backends/mcp/connections.ts';
import { Eras } from '../../../../../../sidecar/gateway/backends/mcp/eras.ts';
import type { McpTarget, Outbound } from '../../../../../../sidecar/gateway/backends/mcp/types.ts';
import { systemClock } from '../../../../../../sidecar/platform/clock.ts';
import { systemTimers } from '../../../../../../sidecar/platform/timers.ts';
import { modernVersions } from '../../../../../../sidecar/protocol/gateway/mcpWire.ts';
import { later } from '../../../../../support/later.ts';
import { fakeChildren } from '../../../../../support/mcp/fakeChildren.ts';
import { type Scripted, scriptedSend } from '../../../../../support/mcp/scriptedSend.ts';
import { verifies } from '../../../../../support/verifies.ts';

const target: McpTarget = {
  server_id: '1',
  name: 'a',
  transport: 'http',
  url: 'http://a.test/mcp',
  timeoutMs: 10_000,
  maxResponseBytes: 10_000,
};

function open() {
  let ids = 0;
  const newId = () => `id-${(ids += 1)}`;
  const stdio = { isTrusted: true, allowedCommands: [], env: {} };
  const runtime = { clock: systemClock, timers: systemTimers, newId };
  const connections = new McpConnections({ children: fakeChildren().children, stdio, ...runtime });
  return new Eras(connections, runtime);
}
const never = new AbortController().signal;
const says = (answer: Scripted) => scriptedSend(() => answer).outbound;
const modern = () => {
  const server = scriptedSend(() => {
    const { id } = server.messages().at(-1)!;
    const body = [JSON.stringify({ jsonrpc: '2.0', id, result: { supportedVersions: modernVersions } })];
    return { headers: { 'content-type': 'application/json' }, body };
  });
  return server.outbound;
};

describe('the era of a server', () => {
  for (const status of [401, 403]) {
    it(`is not known from a refusal of one caller with ${status}, who is told of it: the next caller asks`, async () => {
      const eras = open();
      await assert.rejects(eras.speaksModern(target, says({ status })), { kind: 'status', status });
      assert.equal(await eras.speaksModern(target, modern()), true);
    });
  }

  it('is asked anew after a change of the server, also one that came while it was asked', async () => {
    verifies('gateway.eras.forgotten');
    const eras = open();
    const asked = later<Scripted>();
    const slow: Outbound = {
      identity: 'a',
      send: async () => says(await asked.promise).send({ method: 'POST', url: '', headers: {} }, never),
    };
    const before = [eras.speaksModern(target, slow), eras.speaksModern(target, slow)];
    eras.forget('1');
    asked.resolve({ status: 404 });
    assert.deepEqual(await Promise.all(before), [false, false]);
    assert.equal(await eras.speaksModern(target, modern()), true);
    assert.equal(await eras.speaksModern(target, says({ status: 404 })), true, 'it is remembered from here on');
  });

  it('is the older one where the server does not know the question, for all callers', async () => {
    const eras = open();
    assert.equal(await eras.speaksModern(target, says({ status: 404 })), false);
    assert.equal(await eras.speaksModern(target, modern()), false);
  });
});
