import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { endedEarly } from '../../../../../sidecar/gateway/backends/mcp/failure.ts';
import { replyOf } from '../../../../../sidecar/gateway/backends/mcp/replies.ts';
import { ResilienceOnUse } from '../../../../../sidecar/gateway/backends/mcp/resilience/resilienceOnUse.ts';
import type { Reply } from '../../../../../sidecar/gateway/backends/mcp/types.ts';
import { sendResiliently } from '../../../../../sidecar/gateway/mcp/resilient.ts';
import { systemMachine } from '../../../../../sidecar/platform/runtime.ts';
import { SetClock } from '../../../../support/backends/setClock.ts';
import { httpServer } from '../../../../support/mcp/frontUnderTest.ts';
import { keepingLog } from '../../../../support/testLog.ts';

const server = httpServer('web', { circuit_breaker: { failures: 1, open_s: 5 } });
const visible = { server, allows: () => true, isWhole: true };
const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } } as const;

/** What is sent to a server whose circuit opens with the first failure. */
function sender() {
  const clock = new SetClock();
  const { log, lines } = keepingLog();
  const deps = { resilience: new ResilienceOnUse({ ...systemMachine, clock, log }) };
  const send = (signal: AbortSignal, once: () => Promise<Reply>) =>
    sendResiliently({ deps, signal }, visible, { request, tool: 'x' }, once);
  return { clock, send, lines };
}
const answer: Reply = replyOf({ jsonrpc: '2.0', id: 1, result: {} });
const streamOf = (events: AsyncIterable<never>): Reply => ({ kind: 'stream', events });
const fails = (): Promise<Reply> => Promise.reject(endedEarly('web'));
const nobody = new AbortController().signal;

describe('the circuit of a server whose caller leaves', () => {
  it('stays closed, though the stream of the answer breaks', async () => {
    const { send } = sender();
    const caller = new AbortController();
    const broken = streamOf(
      (async function* () {
        await new Promise<void>((resolve) => void caller.signal.addEventListener('abort', () => resolve()));
        throw endedEarly('web');
      })(),
    );
    const reply = await send(caller.signal, async () => broken);
    assert.ok(reply.kind === 'stream');
    const reading = reply.events[Symbol.asyncIterator]().next();
    caller.abort();
    await assert.rejects(reading);
    assert.equal(await send(nobody, async () => answer), answer);
  });

  for (const when of ['before', 'after'] as const)
    it(`lets another request try, though nobody read the stream, ${when} it came`, async () => {
      const { send, clock } = sender();
      await assert.rejects(send(nobody, fails));
      clock.pass(5_000);
      const caller = new AbortController();
      if (when === 'before') caller.abort();
      await send(caller.signal, async () => streamOf((async function* () {})()));
      caller.abort();
      assert.equal(await send(nobody, async () => answer), answer);
    });
});

describe('the log', () => {
  it('says once that the circuit of a server opened, and once that it closed, whatever is refused meanwhile', async () => {
    const { clock, send, lines } = sender();
    const ask = (once: () => Promise<Reply>) => send(nobody, once).catch(() => undefined);
    await ask(fails);
    for (const once of [fails, fails]) await ask(once);
    clock.pass(5_000);
    await ask(fails);
    clock.pass(5_000);
    for (const once of [async () => answer, async () => answer]) await ask(once);
    const said = lines.map((it) => JSON.parse(it) as { server?: string; msg?: string });
    assert.deepEqual(
      said.map((it) => [it.server, /circuit .* (opened|closed)/.exec(it.msg ?? '')?.[1]]),
      [
        ['web', 'opened'],
        ['web', 'closed'],
      ],
    );
  });
});
