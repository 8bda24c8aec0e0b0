import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { after, before, describe, it } from 'mocha';
import { type Listening, listen } from '../../../support/backends/listen.ts';
import { callOn, eventOn, misbehave, registerBad, type SurfaceName } from '../../../support/gateway/callSurfaces.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';

/** What a caller sees of a fault on each surface. */
interface Expected {
  readonly status: number;
  readonly body: unknown;
}
interface Fault {
  readonly says: string;
  readonly act: (response: ServerResponse, surface: SurfaceName) => void;
  readonly expected: Readonly<Record<SurfaceName, Expected>>;
}

const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };
const limit = 20_000;

const tool = (words: string, runs = true): Expected => ({
  status: 200,
  body: {
    jsonrpc: '2.0',
    id: 7,
    result: {
      content: [
        {
          type: 'text',
          text: `Error: The MCP server 'bad' ${words}. The call ${runs ? 'may have run' : 'was not run'}.`,
        },
      ],
      isError: true,
    },
  },
});
const agent = (message = 'The A2A agent could not be reached or returned an invalid response.'): Expected => ({
  status: 200,
  body: { jsonrpc: '2.0', id: 7, error: { code: -32603, message } },
});
const service: Expected = {
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
const everywhere = (mcp: Expected, a2a: Expected, cloud: Expected, a2aStream = a2a) => ({ mcp, a2a, a2aStream, cloud });
/** The pass-through hands on what there was, and breaks off. */
const brokenOff: Expected = { status: 200, body: undefined };
const handedOn = (body: unknown, status = 200): Expected => ({ status, body });

const answer = '{"jsonrpc":"2.0","id":7,"result":{"x":1}}';
const noMcp = tool('returned a response that is not valid MCP');
const ended = tool('closed the connection before it responded');
const broke = agent('The stream from the A2A agent was interrupted.');
const tooLargeEvent = agent(`The stream from the A2A agent contained an event larger than ${limit} bytes.`);
const tooMuch = tool(`returned more than ${limit} bytes`);
const tooLong = agent(`The backend returned more than ${limit} bytes.`);

/** Issue C, done when 3: each fault of a backend, with the exact result for its caller and one record. */
describe('a backend that fails, as a caller of the whole gateway sees it', () => {
  let stand: Stand;
  let key: string;
  let other: Listening;
  let askedOther = 0;
  const outcomes: (readonly [call: string | null, status: string])[] = [];

  before(async () => {
    stand = await openStand({ limits: { maxResponseBytes: limit } });
    await registerBad(stand);
    key = await stand.addKey();
    other = await listen(
      createServer((_request, response) => {
        askedOther += 1;
        response.end(answer);
      }),
    );
  });
  after(async () => {
    await stand.close();
    await other.close();
  });

  const faults: readonly Fault[] = [
    {
      says: 'closes the connection at once',
      act: (response) => response.destroy(),
      expected: everywhere(ended, agent(), service),
    },
    {
      says: 'dies in the middle of JSON',
      act: (response) => response.writeHead(200, json).write(answer.slice(0, 20), () => response.destroy()),
      expected: everywhere(ended, agent(), brokenOff),
    },
    {
      says: 'dies between two events',
      act: (response, surface) => response.writeHead(200, events).write(eventOn(surface), () => response.destroy()),
      expected: everywhere(ended, broke, brokenOff),
    },
    {
      says: 'dies within an event',
      act: (response) =>
        response.writeHead(200, events).write(`data: ${answer.slice(0, 20)}`, () => response.destroy()),
      expected: everywhere(ended, broke, brokenOff),
    },
    {
      says: 'ends a stream without an answer',
      act: (response) => response.writeHead(200, events).end(),
      expected: everywhere(ended, handedOn(''), handedOn('')),
    },
    {
      says: 'speaks no HTTP',
      act: (response) => void response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'),
      expected: everywhere(ended, agent(), service),
    },
    {
      says: 'answers HTML',
      act: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      expected: everywhere(noMcp, agent(), handedOn('<html>')),
    },
    {
      says: 'answers broken JSON',
      act: (response) => response.writeHead(200, json).end('{"jsonrpc":'),
      expected: everywhere(noMcp, agent(), handedOn('{"jsonrpc":')),
    },
    {
      says: 'answers JSON that is no message',
      act: (response) => response.writeHead(200, json).end('[1]'),
      expected: everywhere(noMcp, agent(), handedOn([1])),
    },
    {
      says: 'answers bytes that are no text',
      act: (response) => response.writeHead(200, json).end(Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28])),
      expected: everywhere(noMcp, agent(), handedOn('\ufffd\ufffd\u0000\ufffd(')),
    },
    {
      says: 'answers with HTTP status 500 and words of its own',
      act: (response) => response.writeHead(500, json).end('{"secret":"stack trace"}'),
      expected: everywhere(tool('returned HTTP status 500'), agent(), handedOn({ secret: 'stack trace' }, 500)),
    },
    {
      says: 'floods JSON without an end',
      act: (response) =>
        pour(response.writeHead(200, json), '{"jsonrpc":"2.0","id":7,"result":{"x":"', 'y'.repeat(1_000)),
      expected: everywhere(tooMuch, tooLong, handedOn('flood')),
    },
    {
      says: 'floods one event without an end',
      act: (response) => pour(response.writeHead(200, events), 'data: ', 'y'.repeat(1_000)),
      expected: everywhere(tooMuch, tooLargeEvent, handedOn('flood')),
    },
    {
      says: 'says that its answer is longer than it is',
      act: (response) => {
        response.socket?.write(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n${answer}`,
        );
        response.socket?.end();
      },
      expected: everywhere(ended, agent(), brokenOff),
    },
    {
      says: 'says that its answer is shorter than it is',
      act: (response) => {
        const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n';
        response.socket?.end(head + answer);
      },
      expected: everywhere(noMcp, agent(), handedOn(answer.slice(0, 10))),
    },
    {
      says: 'says two lengths',
      act: (response) => {
        const head = `HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: ${answer.length}\r\n\r\n`;
        response.socket?.end(head + answer);
      },
      expected: everywhere(ended, agent(), service),
    },
    {
      says: 'answers with a header of more than 32 kB',
      act: (response) =>
        void response.socket?.end(`HTTP/1.1 200 OK\r\nX-Large: ${'a'.repeat(40_000)}\r\nContent-Length: 0\r\n\r\n`),
      expected: everywhere(ended, agent(), service),
    },
    ...[301, 302, 303, 307, 308].map((status) => ({
      says: `redirects to the metadata address with ${status}`,
      act: (response: ServerResponse) =>
        void response.writeHead(status, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
      expected: everywhere(tool(`returned HTTP status ${status}`, false), agent(), handedOn('', status)),
    })),
    {
      says: 'redirects to another host',
      act: (response) => void response.writeHead(307, { location: `${other.url}/stolen` }).end(),
      expected: everywhere(tool('returned HTTP status 307', false), agent(), handedOn('', 307)),
    },
  ];

  for (const { says, act, expected } of faults) {
    for (const surface of Object.keys(expected) as SurfaceName[]) {
      const isFlood = expected[surface].body === 'flood';
      if (isFlood) continue; // an endless answer of the service is the caller's to end: flow.test.ts
      it(`that ${says} gives ${surface} its exact answer`, async () => {
        misbehave(stand, (_heard, response) => act(response, surface));
        const seen = await callOn(stand, surface, key);
        assert.deepEqual({ status: seen.status, body: seen.body }, expected[surface]);
        outcomes.push([seen.call, outcomeOf(surface, expected[surface])]);
        assert.equal(askedOther, 0, 'a redirect was followed');
      });
    }
  }

  // One at the end: records are written in batches, and each test would wait for its own.
  it('left exactly one record each, with its status', async () => {
    const records = await stand.records(outcomes.length);
    const byId = (a: readonly (string | null)[], b: readonly (string | null)[]) =>
      String(a[0]).localeCompare(String(b[0]));
    assert.deepEqual(records.map((it) => [it.request_id, it.status] as const).toSorted(byId), outcomes.toSorted(byId));
    assert.ok(records.every((it) => it.spend === 0));
  });
});

/** The pass-through and streams of agents are as good as their HTTP; everything else that failed is a failure. */
function outcomeOf(surface: SurfaceName, { status, body }: Expected): 'success' | 'failure' {
  const isRelayed = surface === 'cloud' || body === '';
  return isRelayed && status < 400 && body !== undefined ? 'success' : 'failure';
}

/** Writes until nobody reads any more. */
function pour(response: ServerResponse, first: string, more: string): void {
  response.write(first);
  const next = () => {
    while (!response.destroyed && response.write(more));
    if (!response.destroyed) response.once('drain', next);
  };
  next();
}
