import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { requestLines, speak } from '../../../support/gateway/rawHttp.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const forbidden = (field: string) => ({
  error: {
    message: `The ${field} header contains a host that this gateway does not serve.`,
    type: 'permission_error',
    param: field,
    code: '403',
  },
});

/** Which names and paths lead in: DNS rebinding and path confusion, and the vulnerabilities that are known of both. */
describe('the address of a request', () => {
  let stand: Stand;
  let key: string;

  before(async () => {
    stand = await openStand({ allowedHosts: ['gateway.example:8443'], allowedOrigins: ['https://app.example'] });
    key = await stand.addKey();
  });
  after(() => stand.close());

  /** @param host lines, as they stand on the wire */
  async function post(target: string, host: readonly string[], more: readonly string[] = []) {
    const length = `Content-Length: ${ping.length}`;
    const own = [
      ...host,
      'Connection: close',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      length,
    ];
    const reply = await speak(
      stand.base,
      `${[`POST ${target} HTTP/1.1`, ...own, ...more].join('\r\n')}\r\n\r\n${ping}`,
    );
    return { ...reply, json: reply.body === '' ? undefined : (JSON.parse(reply.body) as unknown) };
  }
  const own = () => `Host: ${new URL(stand.base).host}`;

  describe('DNS rebinding (CVE-2025-64443, CVE-2025-9611, GHSA-w48q-cv73-mx4w)', () => {
    verifies(
      'security.dns-rebinding',
      'security.CVE-2025-64443',
      'security.CVE-2025-9611',
      'security.GHSA-w48q-cv73-mx4w',
    );
    it('answers to its own address, to localhost with its port, and to hosts that are configured', async () => {
      const { port } = new URL(stand.base);
      for (const host of [
        `127.0.0.1:${port}`,
        `localhost:${port}`,
        `LOCALHOST:${port}`,
        `[::1]:${port}`,
        'gateway.example:8443',
      ])
        assert.equal((await post('/mcp', [`Host: ${host}`])).status, 200, host);
    });

    const hosts = [
      'evil.test',
      'localhost',
      '127.0.0.1',
      'localhost:1',
      'localhost.evil.test',
      'gateway.example',
      '0.0.0.0',
      'a@127.0.0.1',
      '127.1',
      '',
    ];
    for (const host of hosts) {
      it(`refuses the host '${host}' before it looks at the key`, async () => {
        const reply = await post('/mcp', [`Host: ${host}`]);
        assert.ok([400, 403].includes(reply.status), `${reply.status}`);
        if (reply.status === 403) assert.deepEqual(reply.json, forbidden('Host'));
      });
    }

    it('refuses two hosts, and none', async () => {
      const foreign = await post('/mcp', [own(), 'Host: evil.test']);
      assert.deepEqual([foreign.status, foreign.json], [403, forbidden('Host')]);
      assert.equal((await post('/mcp', [own(), own()])).status, 403);
      assert.equal((await post('/mcp', [])).status, 400);
    });

    it('answers pages of its own and of configured origins', async () => {
      for (const origin of [stand.base, 'https://app.example'])
        assert.equal((await post('/mcp', [own()], [`Origin: ${origin}`])).status, 200, origin);
    });

    const origins = [
      'null',
      'http://evil.test',
      'http://127.0.0.1',
      'https://app.example.evil.test',
      'https://app.example:444',
      'http://app.example',
      '',
    ];
    for (const origin of origins) {
      it(`refuses a page of the origin '${origin}'`, async () => {
        const reply = await post('/mcp', [own()], [`Origin: ${origin}`]);
        assert.deepEqual([reply.status, reply.json], [403, forbidden('Origin')]);
      });
    }

    it('refuses two origins', async () => {
      const reply = await post('/mcp', [own()], [`Origin: ${stand.base}`, `Origin: ${stand.base}`]);
      assert.deepEqual([reply.status, reply.json], [403, forbidden('Origin')]);
    });

    it('lets no page of another origin read an answer: no Access-Control-Allow-Origin anywhere', async () => {
      for (const origin of ['https://app.example', 'http://evil.test', 'null'])
        assert.equal(
          (await post('/mcp', [own()], [`Origin: ${origin}`])).headers.has('access-control-allow-origin'),
          false,
        );
    });
  });

  describe('a local listener without a key (CVE-2025-49596)', () => {
    verifies('security.CVE-2025-49596');
    it('refuses everything that can do something, from loopback too', async () => {
      for (const [method, path] of [
        ['POST', '/mcp'],
        ['GET', '/mcp'],
        ['GET', '/sse'],
        ['POST', '/a2a/any'],
        ['GET', '/v1/agents'],
        ['GET', '/cloudagents/v0/me'],
        ['GET', '/mcp-rest/tools/list'],
        ['POST', '/mcp-rest/test/connection'],
        ['POST', '/mcp-rest/test/tools/list'],
        ['POST', '/key/generate'],
        ['GET', '/spend/logs/v2'],
        ['GET', '/metrics'],
      ] as const) {
        assert.equal((await fetch(`${stand.base}${path}`, { method })).status, 401, `${method} ${path}`);
      }
    });
  });

  describe('a Host that decides nothing (CVE-2026-49468)', () => {
    verifies('security.CVE-2026-49468');
    it('needs the key under every name that it answers to', async () => {
      const { port } = new URL(stand.base);
      for (const host of [`localhost:${port}`, 'gateway.example:8443'])
        for (const path of ['/key/list', '/mcp', '/mcp-rest/tools/list']) {
          const reply = await speak(stand.base, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
          assert.equal(reply.status, 401, `${host}${path}`);
        }
    });
  });

  describe('path confusion (CVE-2026-48710 BadHost, Kong 3.13)', () => {
    verifies('security.path-confusion', 'security.CVE-2026-48710', 'security.Kong-3.13');
    const notFound = {
      error: { message: 'No such address.', type: 'not_found_error', param: null, code: '404' },
    };
    // Each would be the MCP route after one reader's normalising, and something else to another.
    const targets = [
      '/a2a/../mcp',
      '/a2a/%2e%2e/mcp',
      '/a2a/%2E%2e/mcp',
      '/a2a/.%2e/mcp',
      '/mcp/.',
      '/mcp/%2e',
      '/./mcp',
      '//mcp',
      '/mcp//',
      '/a2a/..%2fmcp',
      '/a2a/..%2Fmcp',
      '/a2a/..%5cmcp',
      '/%2fmcp',
      '/mcp%00',
      '/mcp%0a',
      '/mcp%',
      '/a2a/%252e%252e/mcp',
      '/mcp;x=1',
      '/cloudagents/v0/..%2f..%2fadmin',
    ];
    for (const target of targets) {
      it(`finds nothing at ${target}`, async () => {
        const reply = await post(target, [own()]);
        assert.deepEqual([reply.status, reply.json], [404, notFound]);
      });
    }

    it('refuses backslashes', async () => {
      assert.equal((await post('/a2a\\..\\mcp', [own()])).status, 400);
    });

    it('refuses targets in absolute form, of another host and of its own', async () => {
      for (const origin of ['http://evil.test', stand.base, 'https://127.0.0.1'])
        assert.equal((await post(`${origin}/mcp`, [own()])).status, 404, origin);
      assert.equal((await post('evil.test:80', [own()])).status, 400);
    });

    it('allows a key no route by another spelling of one that it may use', async () => {
      const limited = await stand.addKey({ allowed_routes: ['/cloudagents/v0/me', '/mcp-rest*'] });
      const authorization = `Authorization: Bearer ${limited}`;
      const statusOf = async (path: string) =>
        (await fetch(`${stand.base}${path}`, { headers: { authorization: `Bearer ${limited}` } })).status;
      assert.equal(await statusOf('/cloudagents/v0/me'), 200);
      assert.equal(await statusOf('/cloudagents/v0/agents'), 403);
      const heard = stand.backend.heard.length;
      for (const target of [
        '/mcp-rest/../mcp',
        '/mcp-rest/%2e%2e/mcp',
        '/mcp-rest..%2fmcp',
        '/cloudagents/v0/me/../agents',
        '/%63loudagents/v0/agents',
        '/cloudagents/v0/me;/../agents',
      ]) {
        const lines = requestLines(stand.base, `POST ${target} HTTP/1.1`, [authorization, 'Content-Length: 0']);
        const { status } = await speak(stand.base, lines);
        assert.ok(status === 403 || status === 404, `${target} ${status}`);
      }
      assert.equal(stand.backend.heard.length, heard, 'nothing reached the service');
    });
  });
});
