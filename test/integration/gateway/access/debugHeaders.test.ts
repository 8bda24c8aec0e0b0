import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { McpCredentials, McpServerRecord } from '../../../../sidecar/protocol/gateway/mcpServer.ts';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { rpcBody } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

const secret = 'canary-credential-of-a-server';
const own = 'canary-token-of-the-caller-0001';
const aws = { aws_access_key_id: 'AKIDEXAMPLE', aws_secret_access_key: secret, aws_region_name: 'eu-west-1' };

interface Row {
  readonly alias: string;
  readonly server: Partial<McpServerRecord>;
  readonly credentials?: McpCredentials;
  readonly headers?: Readonly<Record<string, string>>;
  readonly resolution: string;
}
const rows: readonly Row[] = [
  { alias: 'open', server: { auth_type: 'none' }, resolution: 'no-auth' },
  {
    alias: 'fixed',
    server: { auth_type: 'bearer_token' },
    credentials: { auth_value: secret },
    resolution: 'static-token',
  },
  { alias: 'keyed', server: { auth_type: 'api_key' }, credentials: { auth_value: secret }, resolution: 'static-token' },
  {
    alias: 'mine',
    server: { auth_type: 'none' },
    headers: { 'x-mcp-mine-authorization': `Bearer ${own}` },
    resolution: 'per-request-header',
  },
  {
    alias: 'passed',
    server: { auth_type: 'oauth2', oauth_passthrough: true },
    headers: { authorization: `Bearer ${own}` },
    resolution: 'oauth2-passthrough',
  },
  { alias: 'signed', server: { auth_type: 'cloud_sigv4' }, credentials: aws, resolution: 'aws-sigv4' },
];

/** One word for how a call was signed in, and nothing that would let anybody else in. */
describe('the debug headers of MCP answers', () => {
  let stand: Stand;
  let key: string;
  before(async () => {
    stand = await openStand({ tools: twoTools });
    for (const { alias, server, credentials } of rows)
      await stand.register({ ...server, ...(credentials && { credentials }), alias });
    key = await stand.addKey({ allow_debug: true });
  });
  after(() => stand.close());

  const ask = (path: string, method: string, more: Readonly<Record<string, string>> = {}) => {
    const headers = { 'x-gateway-api-key': `Bearer ${key}`, 'x-gateway-mcp-debug': 'true', ...more };
    return stand.ask(path, headers, rpcBody(method));
  };
  const told = (headers: Headers) => [...headers].filter(([name]) => name.startsWith('x-mcp-debug-'));

  for (const { alias, server, headers, resolution } of rows) {
    it(`say ${resolution} of ${alias}, its type and its address, and no secret`, async () => {
      const answer = await ask(`/${alias}/mcp`, 'tools/list', headers);
      assert.equal(answer.status, 200, answer.text);
      const of = (name: string) => answer.headers.get(`x-mcp-debug-${name}`);
      assert.equal(of('auth-resolution'), resolution);
      assert.deepEqual(JSON.parse(of('auth-resolutions') ?? ''), { [alias]: resolution });
      assert.equal(of('server-auth-type'), server.auth_type ?? 'none');
      assert.equal(of('outbound-url'), `${stand.backend.url}/mcp/${alias}`);
      const all = JSON.stringify(told(answer.headers));
      for (const it of [secret, own, key]) assert.ok(!all.includes(it), all);
    });
  }

  it('say multiple of a list of several, with the word of each, and not-applicable where nobody is asked', async () => {
    const listed = await ask('/mcp', 'tools/list');
    assert.equal(listed.headers.get('x-mcp-debug-auth-resolution'), 'multiple');
    const words = JSON.parse(listed.headers.get('x-mcp-debug-auth-resolutions') ?? '') as Record<string, string>;
    assert.deepEqual(Object.keys(words).toSorted(), rows.map((it) => it.alias).toSorted());
    const ping = await ask('/mcp', 'ping');
    assert.equal(ping.headers.get('x-mcp-debug-auth-resolution'), 'not-applicable');
  });

  it('are for keys with the right to them, on MCP routes, when they are asked for, and others are told so', async () => {
    verifies('gateway.header.debug.refused');
    const plain = await stand.addKey();
    const asked = { 'x-gateway-mcp-debug': 'true' };
    const without = await stand.ask('/open/mcp', { 'x-gateway-api-key': `Bearer ${plain}`, ...asked }, rpcBody('ping'));
    const rest = await stand.ask('/mcp-rest/tools/list', { 'x-gateway-api-key': `Bearer ${key}`, ...asked });
    const silent = await ask('/open/mcp', 'tools/list', { 'x-gateway-mcp-debug': 'no' });
    assert.deepEqual([told(rest.headers), told(silent.headers)], [[], []]);
    assert.deepEqual(told(without.headers), [
      [
        'x-mcp-debug-refused',
        "this key is not allowed to receive debug headers. To allow them, set 'allow_debug' on the key",
      ],
    ]);
    for (const yes of ['1', 'YES', 'true'])
      assert.ok(told((await ask('/open/mcp', 'tools/list', { 'x-gateway-mcp-debug': yes })).headers).length > 0, yes);
  });
});
