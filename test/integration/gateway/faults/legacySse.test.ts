import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'mocha';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { event, type SseScript, type SseServer, sseServer } from '../../../support/mcp/sseScript.ts';

const limit = 20_000;
const events = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };
const metadata = 'http://169.254.169.254/latest/meta-data/';

interface Fault extends SseScript {
  readonly says: string;
  readonly words: string;
}

const named = (address: string) => (stream: ServerResponse) =>
  void stream.writeHead(200, events).write(`event: endpoint\ndata: ${address}\n\n`);
const taken = (post: ServerResponse) => void post.writeHead(202).end();
const pour = (response: ServerResponse, first: string) => {
  response.write(first);
  const next = () => {
    while (!response.destroyed && response.write('y'.repeat(1_000)));
    if (!response.destroyed) response.once('drain', next);
  };
  next();
};

const ended = 'closed the connection before it responded';
/** Only who is silent is given up so soon, and has to be well within it afterwards. */
const silentSeconds = 1;
const late = `did not respond within ${silentSeconds} s`;
const noMcp = 'returned a response that is not valid MCP';
const tooMuch = `returned more than ${limit} bytes`;
const status = (code: number) => `returned HTTP status ${code}`;
const foreign = 'specified a message URL on a different origin';

const faults: readonly Fault[] = [
  { says: 'never begins its stream', onOpen: () => undefined, words: late },
  {
    says: 'begins its stream and says nothing',
    onOpen: (stream) => void stream.writeHead(200, events).flushHeaders(),
    words: late,
  },
  { says: 'closes the connection at once', onOpen: (stream) => stream.destroy(), words: ended },
  {
    says: 'ends its stream before it named an address',
    onOpen: (stream) => void stream.writeHead(200, events).end(),
    words: noMcp,
  },
  {
    says: 'answers HTML in place of its stream',
    onOpen: (stream) => void stream.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    words: noMcp,
  },
  {
    says: 'refuses its stream with 500',
    onOpen: (stream) => void stream.writeHead(500, json).end('{"secret":"stack trace"}'),
    words: status(500),
  },
  {
    says: 'redirects its stream to the metadata address',
    onOpen: (stream) => void stream.writeHead(307, { location: metadata }).end(),
    words: status(307),
  },
  { says: 'names the metadata address to post to', onOpen: named(metadata), words: foreign },
  {
    says: 'names its own host with another port to post to',
    onOpen: named('http://127.0.0.1:9/messages'),
    words: foreign,
  },
  { says: 'names another scheme to post to', onOpen: named('file:///etc/passwd'), words: foreign },
  { says: 'names no address to post to', onOpen: named('http://'), words: noMcp },
  {
    says: 'floods the name of its address',
    onOpen: (stream) => pour(stream.writeHead(200, events), 'event: endpoint\ndata: /'),
    words: tooMuch,
  },
  { says: 'takes a call and never answers', onCall: (_stream, _message, post) => taken(post), words: late },
  { says: 'never takes a call', onCall: () => undefined, words: late },
  {
    says: 'refuses a call with 500',
    onCall: (_stream, _message, post) => void post.writeHead(500, json).end('{"secret":"x"}'),
    words: status(500),
  },
  {
    says: 'redirects a call to the metadata address',
    onCall: (_stream, _message, post) => void post.writeHead(307, { location: metadata }).end(),
    words: status(307),
  },
  { says: 'hangs up on a call', onCall: (_stream, _message, post) => post.destroy(), words: ended },
  {
    says: 'takes a call and ends its stream',
    onCall: (stream, _message, post) => {
      taken(post);
      stream.end();
    },
    words: ended,
  },
  {
    says: 'dies between two events',
    onCall: (stream, _message, post) => {
      taken(post);
      event(stream, { method: 'notifications/x' });
      setImmediate(() => stream.destroy());
    },
    words: ended,
  },
  {
    says: 'dies within an event',
    onCall: (stream, { id }, post) => {
      taken(post);
      stream.write(`data: {"jsonrpc":"2.0","id":"${id}","res`, () => stream.destroy());
    },
    words: ended,
  },
  {
    says: 'answers broken JSON',
    onCall: (stream, _message, post) => {
      taken(post);
      for (let at = 0; at < 101; at += 1) stream.write('data: {"jsonrpc":\n\n');
    },
    words: noMcp,
  },
  {
    says: 'answers bytes that are no text',
    onCall: (stream, _message, post) => {
      taken(post);
      for (let at = 0; at < 101; at += 1)
        stream.write(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0x0a, 0x0a]));
    },
    words: noMcp,
  },
  {
    says: 'answers what nobody asked',
    onCall: (stream, _message, post) => {
      taken(post);
      event(stream, { id: 'other', result: {} });
    },
    words: late,
  },
  {
    says: 'floods one event without an end',
    onCall: (stream, _message, post) => {
      taken(post);
      pour(stream, 'data: ');
    },
    words: tooMuch,
  },
  {
    says: 'answers a call where it took it, and says that this is longer than it is',
    onCall: (_stream, _message, post) => {
      post.socket?.end('HTTP/1.1 202 Accepted\r\nContent-Length: 9999\r\n\r\nshort');
    },
    words: ended,
  },
];

/** Issue C, done when 3: the older transport, as its callers see it. */
describe('a backend of the transport of 2024-11-05 that fails, as a caller of the whole gateway sees it', () => {
  let stand: Stand;
  let key: string;
  let server: SseServer;
  const outcomes: (readonly [call: string | null, status: string])[] = [];

  before(async () => {
    stand = await openStand({ limits: { maxResponseBytes: limit } });
    server = await sseServer();
    key = await stand.addKey();
  });
  after(async () => {
    await stand.close();
    await server.close();
  });

  async function call(alias: string, outcome: 'success' | 'failure') {
    const { status, headers, json } = await stand.mcp(`/${alias}/mcp`, key).call('any');
    outcomes.push([headers.get('x-gateway-call-id'), outcome]);
    return { status, result: json.result };
  }
  const tool = (text: string, isError = true) => ({
    status: 200,
    result: { content: [{ type: 'text', text }], ...(isError && { isError }) },
  });

  for (const [n, { says, words, ...script }] of faults.entries()) {
    it(`that ${says} gives its exact answer, and is called again when it is well`, async () => {
      const alias = `bad${n}`;
      const timeout = words === late ? { timeout: silentSeconds } : {};
      await stand.addServer({ alias, url: `${server.url}/sse`, transport: 'sse', ...timeout });
      const runs = script.onOpen || words.startsWith('returned HTTP') ? 'was not run' : 'may have run';
      server.script = script;
      const expected = tool(`Error: The MCP server '${alias}' ${words}. The call ${runs}.`);
      assert.deepEqual(await call(alias, 'failure'), expected);
      server.script = {};
      assert.deepEqual(await call(alias, 'success'), tool('hello', false));
    });
  }

  // One at the end: records are written in batches, and each test would wait for its own.
  it('left exactly one record of each call, with its status', async () => {
    const records = await stand.records(outcomes.length);
    const byId = (a: readonly (string | null)[], b: readonly (string | null)[]) =>
      String(a[0]).localeCompare(String(b[0]));
    assert.deepEqual(records.map((it) => [it.request_id, it.status] as const).toSorted(byId), outcomes.toSorted(byId));
  });
});
