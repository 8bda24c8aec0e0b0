import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, afterEach, before, describe, it } from 'mocha';
import type { McpServer } from '../../../../sidecar/gateway/mcp/mcpDeps.ts';
import { answer, type BadPeer, badPeer, type Misbehave, say } from '../../../support/mcp/badPeer.ts';
import { type TestGateway, testGateway } from '../../../support/mcp/gateway.ts';
import { endListener, listenOnLoopback } from '../../../support/mcp/loopback.ts';
import { type Programs, programs } from '../../../support/mcp/program.ts';
import { RawClient } from '../../../support/mcp/rawClient.ts';
import { until } from '../../../support/until.ts';

/** What a caller sees when a backend does not behave: the same words each time, and one record. */
describe('an MCP backend', () => {
  let peer: BadPeer | undefined;
  let gateway: TestGateway;
  let client: RawClient;
  const cleanups: (() => unknown)[] = [];

  async function open(server: Partial<McpServer>): Promise<void> {
    gateway = await testGateway({
      servers: [{ server_id: 'bad', alias: 'bad', transport: 'http', ...server }],
      options: { maxResponseBytes: 100_000 },
    });
    client = new RawClient(`${gateway.base}/bad/mcp`);
  }
  async function over(misbehave: Misbehave, server: Partial<McpServer> = {}): Promise<void> {
    peer = await badPeer(misbehave);
    await open({ url: peer.url, ...server });
  }
  afterEach(async () => {
    await until('every call is settled and on record', () => gateway.unfinished() === 0);
    await gateway.close();
    await peer?.close();
    peer = undefined;
    for (const it of cleanups.splice(0)) await it();
  });

  async function refuses(words: string, { runs = true } = {}): Promise<void> {
    const { status, json } = await client.call('any');
    assert.equal(status, 200);
    const text = `Error: ${words} The call ${runs ? 'may have run' : 'was not run'}.`;
    assert.deepEqual(json.result, { content: [{ type: 'text', text }], isError: true });
    assert.deepEqual(
      gateway.records.map((it) => [it.call_type, it.status]),
      [['mcp:tools/call', 'failure']],
    );
  }

  it('that hangs is given up after its time limit', async () => {
    await over(() => undefined, { timeout: 1 });
    await refuses("The MCP server 'bad' did not respond within 1 s.");
    await until('the socket is let go', () => peer?.left() === 1);
  });

  it('that begins a stream and hangs is given up too, and the stream ends with the answer', async () => {
    await over(
      (_message, response) => say(response, { method: 'notifications/message', params: { level: 'info', data: 'x' } }),
      { timeout: 1 },
    );
    await refuses("The MCP server 'bad' did not respond within 1 s.");
  });

  it('that dies in the middle of a stream ends the call', async () => {
    await over((_message, response) => {
      say(response, { method: 'notifications/message', params: { level: 'info', data: 'x' } });
      setImmediate(() => response.destroy());
    });
    await refuses("The MCP server 'bad' closed the connection before it responded.");
  });

  it('that dies in the middle of JSON ends the call', async () => {
    await over((_message, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"jsonrpc":');
      setImmediate(() => response.destroy());
    });
    await refuses("The MCP server 'bad' closed the connection before it responded.");
  });

  const garbage: Readonly<Record<string, string>> = {
    'no JSON': '<html>',
    'JSON that is no message': '{"hello":1}',
    'the answer to another request': '{"jsonrpc":"2.0","id":"other","result":{}}',
    'a result that is no object': '{"jsonrpc":"2.0","id":1,"result":5}',
  };
  for (const [what, body] of Object.entries(garbage)) {
    it(`that answers ${what} is not believed`, async () => {
      await over((_message, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
      await refuses("The MCP server 'bad' returned a response that is not valid MCP.");
    });
  }

  it('that floods an answer is cut off', async () => {
    await over((_message, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"jsonrpc":"2.0","id":1,"result":{"x":"${'y'.repeat(200_000)}"}}`);
    });
    await refuses("The MCP server 'bad' returned more than 100000 bytes.");
  });

  it('that floods one event is cut off', async () => {
    await over((_message, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${'y'.repeat(200_000)}`);
    });
    await refuses("The MCP server 'bad' returned more than 100000 bytes.");
  });

  it('that redirects is not followed', async () => {
    await over((_message, response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end());
    const words = "The MCP server 'bad' returned HTTP status 307.";
    await refuses(words, { runs: false });
  });

  it('that is not there was not called', async () => {
    peer = await badPeer(() => undefined);
    const { url } = peer;
    await peer.close();
    peer = undefined;
    await open({ url });
    await refuses("The MCP server 'bad' could not be reached.", { runs: false });
  });

  it('that wants its callers to sign in themselves makes their clients begin to', async () => {
    await over((_message, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
    await refuses("The MCP server 'bad' returned HTTP status 401.", { runs: false });
    await gateway.close();
    await open({ url: peer?.url ?? '', delegate_auth_to_upstream: true });
    const { status, headers } = await client.call('any');
    assert.equal(status, 401);
    const metadata = `${gateway.base}/.well-known/oauth-protected-resource/bad/mcp`;
    assert.equal(headers.get('www-authenticate'), `Bearer resource_metadata="${metadata}"`);
    assert.deepEqual(
      gateway.records.map((it) => it.status),
      ['failure'],
    );
  });

  const endless: Readonly<Record<string, (page: number) => string>> = {
    'pages for ever': (page) => `page-${page}`,
    'repeats its cursor': () => 'same',
  };
  for (const [what, cursor] of Object.entries(endless)) {
    it(`that ${what} is missing in a merged list`, async () => {
      let page = 0;
      await over((message, response) => {
        page += 1;
        answer(response, message, { tools: [{ name: `t${page}`, inputSchema: {} }], nextCursor: cursor(page) });
      });
      const { json } = await client.at(`${gateway.base}/mcp`).request('tools/list');
      assert.deepEqual(json.result?.tools, []);
      assert.deepEqual(json.result?.['_meta'], {
        'switchboard/failed_servers': ['bad'],
        'switchboard/missing': ["bad: The MCP server 'bad' returned a list with too many pages."],
      });
      assert.ok(page <= 64, `${page} pages`);
    });
  }

  it('whose caller leaves hears of it', async () => {
    await over(() => undefined);
    const stop = new AbortController();
    const headers = { 'content-type': 'application/json', authorization: 'Bearer key-1' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'any' } });
    const left = fetch(`${gateway.base}/bad/mcp`, { method: 'POST', headers, body, signal: stop.signal });
    await until('the call arrived', () => peer?.methods.includes('tools/call') === true);
    stop.abort();
    await assert.rejects(left);
    await until('it was cancelled', () => peer?.methods.includes('notifications/cancelled') === true);
    assert.deepEqual(
      gateway.records.map((it) => it.status),
      ['failure'],
    );
  });

  it('of the older transport that names a foreign address to post to is not believed', async () => {
    const listener = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: http://127.0.0.2:9/steal\n\n');
    });
    const url = await listenOnLoopback(listener);
    cleanups.push(() => endListener(listener));
    await open({ transport: 'sse', url });
    await refuses("The MCP server 'bad' specified a message URL on a different origin.", { runs: false });
  });

  describe('that is a program', () => {
    let written: Programs;
    before(() => (written = programs()));
    after(() => written.remove());
    const program = (source: string) => open({ transport: 'stdio', ...written.write(source) });

    it('and ends in a call ends the call', async () => {
      await program('onCall = () => process.exit(1);');
      await refuses("The MCP server 'bad' exited before it responded.");
    });

    it('and dies at once is not started again and again', async () => {
      await program('process.exit(1);');
      const first = await client.call('any');
      assert.match(first.json.result?.content?.[0]?.text ?? '', /' exited before it responded/);
      const second = await client.call('any');
      assert.match(
        second.json.result?.content?.[0]?.text ?? '',
        /It will restart soon\. Try again later\. The call was not run/,
      );
    });

    it('and floods a line is ended', async () => {
      await program("onCall = () => process.stdout.write('y'.repeat(200_000));");
      await refuses("The MCP server 'bad' returned more than 100000 bytes.");
    });

    it('and prints what is no message is heard all the same', async () => {
      await program("onCall = (m) => { console.log('debug'); reply(m, { content: [] }); };");
      assert.deepEqual((await client.call('any')).json.result, { content: [] });
    });

    it('and prints nothing else is ended', async () => {
      await program("onCall = () => { for (let n = 0; n < 200; n += 1) console.log('noise'); };");
      await refuses("The MCP server 'bad' returned a response that is not valid MCP.");
    });

    it('and is not on the list of commands does not run', async () => {
      await open({ transport: 'stdio', command: '/bin/sh', args: ['-c', 'true'] });
      await refuses(
        "The MCP server 'bad' has a command that is not allowed. Add it to the allowed commands if you trust it.",
        { runs: false },
      );
    });
  });
});
