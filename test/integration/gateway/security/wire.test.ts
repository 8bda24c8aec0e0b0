import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, afterEach, before, describe, it } from 'mocha';
import { openSocket, requestLines, speak } from '../../../support/gateway/rawHttp.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const json = 'Content-Type: application/json';

/** Header injection and request smuggling. Every case is written by hand: no HTTP client would send it. */
describe('header injection and request smuggling', () => {
  verifies('security.header-injection');
  let stand: Stand;
  let authorization: string;

  before(async () => {
    stand = await openStand();
    authorization = `Authorization: Bearer ${await stand.addKey()}`;
  });
  after(() => stand.close());
  afterEach(() => assert.deepEqual(stand.backend.heard, [], 'nothing of it may reach a backend'));

  const post = (headers: readonly string[], body: string) =>
    speak(stand.base, requestLines(stand.base, 'POST /mcp HTTP/1.1', [authorization, json, ...headers], body));

  it('serves the same request without the attack', async () => {
    const { status, body } = await post([`Content-Length: ${ping.length}`], ping);
    assert.deepEqual([status, JSON.parse(body)], [200, { jsonrpc: '2.0', id: 1, result: {} }]);
  });

  const hidden = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  const cases: readonly { says: string; headers: readonly string[]; body: string }[] = [
    {
      says: 'Content-Length beside chunks',
      headers: ['Content-Length: 5', 'Transfer-Encoding: chunked'],
      body: '0\r\n\r\n',
    },
    {
      says: 'chunks beside Content-Length',
      headers: ['Transfer-Encoding: chunked', 'Content-Length: 5'],
      body: '0\r\n\r\n',
    },
    { says: 'two lengths that differ', headers: ['Content-Length: 3', `Content-Length: ${ping.length}`], body: ping },
    {
      says: 'two lengths that are equal',
      headers: [`Content-Length: ${ping.length}`, `Content-Length: ${ping.length}`],
      body: ping,
    },
    { says: 'a list of lengths', headers: [`Content-Length: ${ping.length}, ${ping.length}`], body: ping },
    { says: 'a length with a sign', headers: [`Content-Length: +${ping.length}`], body: ping },
    { says: 'a length in hex', headers: ['Content-Length: 0x28'], body: ping },
    { says: 'a negative length', headers: ['Content-Length: -1'], body: ping },
    { says: 'an unknown transfer encoding', headers: ['Transfer-Encoding: xchunked'], body: '0\r\n\r\n' },
    {
      says: 'chunks that are not the last encoding',
      headers: ['Transfer-Encoding: chunked, identity'],
      body: '0\r\n\r\n',
    },
    { says: 'a space before the colon', headers: ['Transfer-Encoding : chunked'], body: '0\r\n\r\n' },
    { says: 'a header name with a control character', headers: ['X-\u0001Odd: a', 'Content-Length: 0'], body: '' },
    { says: 'a header name with brackets', headers: ['X-(Odd): a', 'Content-Length: 0'], body: '' },
    { says: 'a folded header line', headers: ['X-Odd: a\r\n b', 'Content-Length: 0'], body: '' },
    { says: 'a bare LF between headers', headers: ['X-Odd: a\nX-Gateway-Trace-Id: b', 'Content-Length: 0'], body: '' },
    { says: 'a bare CR in a value', headers: ['X-Odd: a\rb', 'Content-Length: 0'], body: '' },
    { says: 'NUL in a value', headers: ['X-Odd: a\0b', 'Content-Length: 0'], body: '' },
    {
      says: 'a chunk size that is no number',
      headers: ['Transfer-Encoding: chunked'],
      body: 'zz\r\nhello\r\n0\r\n\r\n',
    },
    {
      says: 'a chunk that is longer than it says',
      headers: ['Transfer-Encoding: chunked'],
      body: `1\r\n${hidden}0\r\n\r\n`,
    },
  ];
  for (const { says, headers, body } of cases) {
    it(`refuses ${says} with 400, one answer and a closed connection`, async () => {
      const reply = await post(headers, body);
      assert.deepEqual([reply.status, reply.answers], [400, 1]);
    });
  }

  it('takes what follows a body as a request of its own, which needs a key of its own', async () => {
    const first = requestLines(
      stand.base,
      'POST /mcp HTTP/1.1',
      [authorization, json, `Content-Length: ${ping.length}`],
      ping,
    );
    const second = requestLines(stand.base, 'POST /mcp HTTP/1.1', [json, `Content-Length: ${ping.length}`], ping);
    const socket = await openSocket(stand.base);
    let text = '';
    socket.setEncoding('latin1').on('data', (it: string) => (text += it));
    socket.write(first.replace('Connection: close', 'Connection: keep-alive') + second);
    await once(socket, 'close');
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 401']);
  });

  const large = [
    { says: 'one header of more than 64 kB', headers: [`X-Large: ${'a'.repeat(70_000)}`] },
    {
      says: 'many headers of more than 64 kB together',
      headers: Array.from({ length: 4_000 }, (_, at) => `X-${at}: aaaaaaaaaa`),
    },
  ];
  for (const { says, headers } of large) {
    it(`refuses ${says} with 431`, async () => {
      assert.equal((await speak(stand.base, requestLines(stand.base, 'GET /healthz HTTP/1.1', headers))).status, 431);
    });
  }

  it('refuses a target of more than 64 kB with 431', async () => {
    const line = `GET /healthz?${'a'.repeat(70_000)} HTTP/1.1`;
    assert.equal((await speak(stand.base, requestLines(stand.base, line, []))).status, 431);
  });

  it('refuses a key of more than 8 kB with 400, naming the header', async () => {
    const reply = await speak(
      stand.base,
      requestLines(stand.base, 'POST /mcp HTTP/1.1', [`Authorization: Bearer ${'a'.repeat(9_000)}`, json], ''),
    );
    const { error } = JSON.parse(reply.body) as { error: { param: string } };
    assert.deepEqual([reply.status, error.param], [400, 'authorization']);
  });

  it('refuses CONNECT and an upgrade: nobody tunnels through it', async () => {
    const { status, answers } = await speak(
      stand.base,
      requestLines(stand.base, 'CONNECT 169.254.169.254:80 HTTP/1.1', [authorization]),
    );
    assert.deepEqual([status, answers], [0, 0]);
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
    const lines = requestLines(stand.base, 'GET /mcp HTTP/1.1', [authorization, ...upgrade]);
    const reply = await speak(stand.base, lines.replace('Connection: close', 'Connection: upgrade, close'));
    assert.ok(reply.status >= 400 && reply.status < 500, `${reply.status}`);
  });
});
