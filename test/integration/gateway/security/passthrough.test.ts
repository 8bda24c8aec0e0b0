import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { tokenPrefixes } from '../../../../sidecar/gateway/oauth/accessTokens.ts';
import { a2aSend } from '../../../support/gateway/backendAnswers.ts';
import { cloudKey, openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

/** What leaves with a call: token passthrough and prefix confusion. */
describe('what a backend gets of a call (token passthrough; Kong 3.13)', () => {
  verifies('security.token-passthrough', 'security.Kong-3.13');
  let stand: Stand;
  let key: string;
  const bearer = 'eyJhbGciOiJub25lIn0.callers-own-token';

  before(async () => {
    stand = await openStand();
    const { url } = stand.backend;
    const wantsAll = [
      'authorization',
      'x-api-key',
      'api-key',
      'x-gateway-api-key',
      'cookie',
      'x-plain',
      'x-forwarded-for',
    ];
    await stand.addServer({ alias: 'plain', url: `${url}/mcp/plain` });
    await stand.addServer(
      { alias: 'own', url: `${url}/mcp/own`, auth_type: 'bearer_token' },
      { auth_value: 'backends-own-secret-value' },
    );
    await stand.addServer({ alias: 'greedy', url: `${url}/mcp/greedy`, extra_headers: wantsAll });
    for (const alias of ['a', 'a-b']) await stand.addServer({ alias, url: `${url}/mcp/${alias}` });
    await stand.addAgent({ agent_name: 'weather', extra_headers: wantsAll });
    key = await stand.addKey();
  });
  after(() => stand.close());
  beforeEach(() => void stand.backend.heard.splice(0));

  /** Ways to send the key, each with the caller's own token where `Authorization` is free for it. */
  const ways = (): readonly Record<string, string>[] => [
    { authorization: `Bearer ${key}` },
    { authorization: `bearer   ${key}` },
    { 'x-gateway-api-key': `Bearer ${key}` },
    { 'x-gateway-api-key': `Bearer ${key}`, authorization: `Bearer ${bearer}` },
    { 'x-gateway-api-key': `Bearer ${key}`, authorization: `Bearer ${key}` },
    { 'x-gateway-api-key': `Bearer ${key}`, authorization: `Basic ${btoa(`user:${key}`)}` },
  ];
  /** Headers by which the key could slip out although it did not come in them. */
  const smuggled = (text = key) => ({
    'x-plain': text,
    'x-api-key': text,
    cookie: `session=${text}`,
    'user-agent': text,
    'idempotency-key': text,
    'x-forwarded-for': text,
    'x-gateway-trace-id': text,
    'x-gateway-end-user-id': 'the-end-user',
    'x-gateway-tags': text,
    'x-mcp-plain-authorization': `Bearer ${text}`,
    'x-mcp-greedy-x-plain': `a${encodeURIComponent(` ${text}`)}`,
    'x-mcp-own-authorization': `Basic ${btoa(`${text}:`)}`,
    'x-a2a-weather-authorization': `Bearer ${text}`,
    'a2a-version': text,
    'mcp-param-secret': text,
    'last-event-id': text,
  });

  const paths = [
    ...['plain', 'own', 'greedy'].map((it) => [
      `/${it}/mcp`,
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}',
    ]),
    ['/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
    ['/mcp-rest/tools/call', '{"name":"greedy__echo"}'],
    ['/a2a/weather', a2aSend()],
    ['/cloudagents/v0/agents', '{}'],
  ] as const;
  for (const [path, body] of paths) {
    it(`is neither the virtual key, however it came, nor the caller's own token nor the end user (${path})`, async () => {
      for (const way of ways()) {
        const headers = {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...smuggled(),
          ...way,
        };
        const response = await fetch(`${stand.base}${path}`, { method: 'POST', body: body as string, headers });
        assert.equal(response.status, 200, `${JSON.stringify(way)} ${await response.clone().text()}`);
        await response.text();
      }
      assert.ok(stand.backend.heard.length >= ways().length, 'the backend was called');
      for (const { headers, path: at, body: got } of stand.backend.heard) {
        const text = `${at} ${JSON.stringify(headers)} ${got.toString()}`;
        const plain = `${text} ${decodeURIComponent(text)} ${basicPayloads(text)}`;
        assert.ok(!plain.includes(key), `the key left: ${text}`);
        // A server whose extra_headers name Authorization was registered to get the caller's token; others never do.
        const isWanted = /\/mcp\/greedy|\/agent/.test(at);
        if (!isWanted) assert.ok(!text.includes(bearer), `the caller's token left: ${text}`);
        assert.ok(!text.includes('the-end-user'), `the end user left: ${text}`);
        assert.ok(!('cookie' in headers) && !Object.keys(headers).some((it) => it === 'x-gateway-api-key'), text);
      }
    });
  }

  it('is no token of the gateway that the call did not come with', async () => {
    for (const prefix of tokenPrefixes) {
      const other = `${prefix}of-another-call`;
      for (const path of ['/greedy/mcp', '/a2a/weather']) {
        const [, body] = paths.find(([it]) => it === path)!;
        const headers = {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...smuggled(other),
          'x-gateway-api-key': `Bearer ${key}`,
        };
        const response = await fetch(`${stand.base}${path}`, { method: 'POST', body: body as string, headers });
        assert.equal(response.status, 200, await response.text());
      }
      assert.ok(stand.backend.heard.length >= 2, 'both were called');
      for (const { headers, body } of stand.backend.heard.splice(0)) {
        const text = `${JSON.stringify(headers)} ${body.toString()}`;
        assert.ok(!`${decodeURIComponent(text)} ${basicPayloads(text)}`.includes(other), `it left: ${text}`);
      }
    }
  });

  it('is the credential that was registered, which no header of a caller takes the place of', async () => {
    const forged = { 'x-mcp-own-authorization': 'Bearer forged-by-the-caller', 'x-gateway-api-key': `Bearer ${key}` };
    await stand.mcp('/own/mcp', key, { ...forged, authorization: `Bearer ${bearer}` }).call('echo');
    await fetch(`${stand.base}/cloudagents/v0/me`, { headers: { ...forged, authorization: `Bearer ${bearer}` } });
    const sent = stand.backend.heard.map((it) => it.headers.authorization);
    const basic = `Basic ${btoa(`${cloudKey}:`)}`;
    assert.deepEqual(new Set(sent), new Set(['Bearer backends-own-secret-value', basic]));
  });

  it("is a header for 'a-b' at 'a-b' alone, though 'a' is a prefix of it, and none of a neighbour's (prefix confusion)", async () => {
    verifies('security.prefix-confusion');
    const headers = { 'x-mcp-a-b-x-for': 'a-b', 'x-mcp-a-x-for': 'a' };
    await stand.mcp('/mcp', key, headers).request('tools/list');
    const got = (alias: string) => {
      const own = stand.calls().filter((it) => it.path === `/mcp/${alias}`);
      assert.ok(own.length > 0);
      return new Set(
        own
          .flatMap((it) =>
            Object.entries(it.headers).filter(([name]) => name.includes('x-for') && name !== 'x-forwarded-for'),
          )
          .map((it) => it.join('=')),
      );
    };
    assert.deepEqual(
      [got('a-b'), got('a'), got('plain'), got('own')],
      [new Set(['x-for=a-b']), new Set(['x-for=a']), new Set(), new Set()],
    );
  });

  it('is no header of the connection, of the protocol or of the gateway that a caller names for it', async () => {
    const names = [
      'host',
      'content-length',
      'transfer-encoding',
      'connection',
      'upgrade',
      'proxy-authorization',
      'te',
      'cookie',
      'mcp-session-id',
      'mcp-protocol-version',
      'x-gateway-agent-id',
      'x-gateway-trace-id',
    ];
    const headers = Object.fromEntries(names.map((it) => [`x-mcp-plain-${it}`, `forged-${it}`]));
    const { json } = await stand.mcp('/plain/mcp', key, headers).call('echo');
    assert.deepEqual(json.result?.content, [{ type: 'text', text: '{}' }]);
    for (const heard of stand.backend.heard) assert.doesNotMatch(JSON.stringify(heard.rawHeaders), /forged-/);
  });

  it('is a body of the very length that is said, whatever length a caller says in a header for it', async () => {
    await stand.mcp('/plain/mcp', key, { 'x-mcp-plain-content-length': '3' }).call('echo', { text: 'é'.repeat(50) });
    assert.equal(stand.calls().length, 1);
    for (const { headers, body } of stand.calls()) assert.equal(headers['content-length'], String(body.byteLength));
  });
});

const basicPayloads = (text: string): string =>
  [...text.matchAll(/Basic ([\w+/=-]+)/gi)].map(([, it]) => Buffer.from(it ?? '', 'base64').toString()).join(' ');
