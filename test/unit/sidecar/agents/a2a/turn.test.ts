import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { a2aProvider } from '../../../../../sidecar/agents/a2a/provider.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { type Listening, listen } from '../../../../support/backends/listen.ts';
import { contextIn, playTurn } from '../../../../support/playTurn.ts';
import { settlesInTime } from '../../../../support/settlesInTime.ts';

/** What the gateway does with a call of a method. */
type Respond = (response: ServerResponse, reply: (result: object) => void) => void;

describe('a turn of an A2A agent', () => {
  let gateway: Listening;
  let calls: string[];
  let responses: Record<string, Respond>;

  beforeEach(async () => {
    calls = [];
    responses = { card: (response) => response.end(JSON.stringify({ capabilities: { streaming: true } })) };
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const body = await text(request);
      const { id, method } =
        body === '' ? { id: 0, method: 'card' } : (JSON.parse(body) as { id: number; method: string });
      calls.push(method);
      responses[method]?.(response, (result) => response.end(JSON.stringify({ jsonrpc: '2.0', id, ...result })));
    };
    const server = createServer((request, response) => {
      answer(request, response).catch((thrown: unknown) => response.destroy(thrown as Error));
    });
    gateway = await listen(server);
  });
  afterEach(() => gateway.close());

  async function open(conversation?: object) {
    const remote = async () => ({ url: gateway.url, key: 'key', session: 'session' });
    const resumeId = conversation && { resumeId: JSON.stringify(conversation) };
    const provider = a2aProvider({ id: 'weather', name: 'Weather', description: '' }, { timers: systemTimers });
    return provider.open(contextIn(tmpdir(), { remote, ...resumeId }), new AbortController().signal);
  }
  const working = { contextId: 'c', taskId: 't', isPaused: false };
  const taskIn = (state: string) => ({ kind: 'task', id: 't', contextId: 'c', status: { state } });
  const streamed = (result: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n\n`;
  const artifact = {
    kind: 'artifact-update',
    taskId: 't',
    contextId: 'c',
    artifact: { artifactId: 'a', parts: [{ kind: 'text', text: 'sun' }] },
  };

  it('cancels its task if it is stopped while the agent card is requested', async () => {
    const session = await open(working);
    const abort = new AbortController();
    const { card } = responses;
    responses['card'] = () => {
      responses['card'] = card!;
      abort.abort();
    };
    responses['tasks/cancel'] = (_, reply) => reply({ result: taskIn('canceled') });
    const turn = await settlesInTime(abort.signal, playTurn(session, { text: 'hello', signal: abort.signal }));
    assert.equal(turn.failure, undefined);
    assert.deepEqual(calls, ['card', 'card', 'tasks/cancel']);
    assert.doesNotMatch(session.resumeId ?? '', /taskId/);
  });

  it('keeps a task whose state cannot be read now', async () => {
    const session = await open(working);
    responses['tasks/get'] = (_, reply) => reply({ error: { code: -32603, message: 'unreachable' } });
    const { failure } = await playTurn(session, { text: 'hello' });
    assert.match(String(failure), /Weather returned an error: unreachable/);
    assert.match(session.resumeId ?? '', /"taskId":"t"/);
    assert.deepEqual(calls, ['card', 'tasks/get']);
  });

  it('sends the message if the agent no longer has the task', async () => {
    const session = await open(working);
    responses['tasks/get'] = (_, reply) => reply({ error: { code: -32001, message: 'Task not found' } });
    responses['message/stream'] = (_, reply) =>
      reply({ result: { ...taskIn('completed'), artifacts: [artifact.artifact] } });
    const { failure, text: shown } = await playTurn(session, { text: 'hello' });
    assert.deepEqual([failure, shown], [undefined, 'sun']);
    assert.deepEqual(calls, ['card', 'tasks/get', 'message/stream']);
  });

  it('reads the state of a task whose stream is lost before its first state', async () => {
    const session = await open();
    responses['message/stream'] = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(streamed(artifact), () => response.destroy());
    };
    responses['tasks/get'] = (_, reply) => reply({ result: taskIn('completed') });
    const { failure, text: shown } = await playTurn(session, { text: 'hello' });
    assert.deepEqual([failure, shown], [undefined, 'sun']);
    assert.deepEqual(calls, ['card', 'message/stream', 'tasks/get']);
    assert.doesNotMatch(session.resumeId ?? '', /taskId/);
  });
});
