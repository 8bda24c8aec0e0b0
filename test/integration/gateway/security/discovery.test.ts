import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { McpRegistration } from '../../../../sidecar/gateway/backends/registration.ts';
import { type BackendsUnderTest, openBackends } from '../../../support/backends/backendsUnderTest.ts';
import { type EchoBackend, startEchoBackend } from '../../../support/backends/echoBackend.ts';
import { verifies } from '../../../support/verifies.ts';

const redirectUri = 'http://127.0.0.1/callback';
const inside = [
  'http://169.254.169.254/latest/meta-data',
  'http://2852039166/latest',
  'http://[::ffff:169.254.169.254]/latest',
  'http://[fd00:ec2::254]/latest',
  'http://100.100.100.200/latest',
  'http://[64:ff9b::a9fe:a9fe]/latest',
];

/** What a server, or its authorization server, says of where to go on is as little believed as a caller. */
describe('the sign-in to an MCP server that means harm', () => {
  let backend: EchoBackend;
  let world: BackendsUnderTest;
  let server: McpRegistration;
  let challenge: string | undefined;
  let resource: Record<string, unknown>;
  let metadata: Record<string, unknown>;

  beforeEach(async () => {
    [backend, world] = [await startEchoBackend(), openBackends()];
    const { url } = backend;
    server = { server_id: 's1', alias: 'alpha', auth_type: 'oauth2', url: `${url}/mcp`, allow_private_network: true };
    challenge = undefined;
    resource = { resource: `${url}/mcp`, authorization_servers: [url] };
    metadata = {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      registration_endpoint: `${url}/register`,
      code_challenge_methods_supported: ['S256'],
    };
    backend.answer = ({ path, method }, response) => {
      const json = (it: object) => void response.setHeader('content-type', 'application/json').end(JSON.stringify(it));
      if (path.includes('oauth-protected-resource')) return json(resource);
      if (path.includes('oauth-authorization-server')) return json(metadata);
      if (path === '/register') return json({ client_id: 'c1' });
      if (method === 'POST' && challenge !== undefined) response.setHeader('www-authenticate', challenge);
      response.writeHead(path === '/mcp' ? 401 : 404).end();
    };
  });
  afterEach(async () => {
    await world.backends.close();
    await backend.close();
  });

  const begin = (user = 'alice') => world.backends.signIn.begin({ server, secrets: {}, user, redirectUri });
  const finish = async () => {
    const { url, cookie } = await begin();
    const query = new URLSearchParams({ code: 'c', state: new URL(url).searchParams.get('state') ?? '' });
    return world.backends.signIn.finish({ query, cookie, find: async () => ({ server, secrets: {} }) });
  };
  const asked = () => backend.heard.map((it) => it.path);

  it('goes on where all is in order', async () => {
    const { url } = await begin();
    assert.ok(url.startsWith(`${backend.url}/authorize?`));
    assert.ok(asked().includes('/register'));
  });

  describe('leads inside (CVE-2026-45609, SSRF by discovery and registration)', () => {
    verifies('security.CVE-2026-45609', 'security.ssrf');
    const forbidden = {
      code: 'forbidden',
      message: /(?:a private network, and its registration does not allow that|in a range that is always blocked)/,
    };

    for (const address of inside) {
      it(`not by ${address}, wherever that is named`, async () => {
        challenge = `Bearer resource_metadata="${address}"`;
        await assert.rejects(begin(), forbidden, 'where its metadata is');
        challenge = undefined;
        const { authorization_servers } = resource;
        resource['authorization_servers'] = [address];
        await assert.rejects(begin(), forbidden, 'who its authorization server is');
        resource['authorization_servers'] = authorization_servers;
        metadata['registration_endpoint'] = address;
        await assert.rejects(begin(), forbidden, 'where clients register');
        assert.equal(await world.clients.read({ server_id: 's1' }), undefined);
        metadata['registration_endpoint'] = `${backend.url}/register`;
        metadata['token_endpoint'] = address;
        await assert.rejects(finish(), forbidden, 'where codes become tokens');
        assert.equal(await world.tokens.read({ user: 'alice', server_id: 's1' }), undefined);
      });
    }

    it('not to this machine or a private network, where the server was not registered for that', async () => {
      server = { ...server, allow_private_network: false, issuer: backend.url };
      await assert.rejects(begin(), forbidden);
      server = { ...server, issuer: null };
      await assert.rejects(begin(), forbidden);
      assert.deepEqual(asked(), []);
    });

    it('not by a redirect of the metadata, of the registration or of the token', async () => {
      const { answer } = backend;
      for (const part of ['oauth-protected-resource', 'oauth-authorization-server', '/register']) {
        backend.answer = (heard, response) => {
          if (heard.path.includes(part)) response.writeHead(307, { location: `${backend.url}/stolen` }).end();
          else answer(heard, response);
        };
        await begin().catch((thrown: unknown) => assert.equal((thrown as { code: string }).code, 'unavailable', part));
      }
      assert.ok(!asked().includes('/stolen'));
    });
  });

  describe('redirects to another origin (a redirect of OAuth discovery)', () => {
    let elsewhere: EchoBackend;
    beforeEach(async () => {
      elsewhere = await startEchoBackend();
      const { url } = elsewhere;
      elsewhere.answer = (_heard, response) =>
        void response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ ...resource, ...metadata, token_endpoint: `${url}/token`, client_id: 'theirs' }));
    });
    afterEach(() => elsewhere.close());

    for (const status of [301, 302, 303, 307, 308])
      it(`by ${status} for its metadata, the registration or the token: nothing is asked there and nothing taken from there`, async () => {
        verifies('security.redirected-discovery');
        const { answer } = backend;
        for (const part of ['oauth-protected-resource', 'oauth-authorization-server', '/register', '/token']) {
          // A client is registered once for each server.
          server = { ...server, server_id: part };
          let redirected = 0;
          backend.answer = (heard, response) => {
            if (!heard.path.includes(part)) return answer(heard, response);
            redirected += 1;
            response.writeHead(status, { location: `${elsewhere.url}${heard.path}` }).end();
          };
          await finish().catch((thrown: unknown) =>
            assert.equal((thrown as { code: string }).code, 'unavailable', part),
          );
          assert.ok(redirected > 0, part);
          assert.equal(elsewhere.heard.length, 0, part);
          assert.notEqual((await world.clients.read({ server_id: part }))?.client_id, 'theirs', part);
          assert.equal(await world.tokens.read({ user: 'alice', server_id: part }), undefined, part);
        }
      });
  });

  describe('names an address that is none of the web (CVE-2025-6514)', () => {
    verifies('security.CVE-2025-6514');
    for (const address of [
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:text/html,x',
      'vscode://publisher.extension/run',
      'ms-settings:',
      'cmd /c calc.exe',
      '$(touch /tmp/owned)',
      '',
    ]) {
      it(`'${address}': nobody is sent there, and nothing is sent`, async () => {
        for (const name of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint']) {
          const before = metadata[name];
          metadata[name] = address;
          await assert.rejects(begin(), { code: 'unavailable' }, name);
          metadata[name] = before;
        }
        assert.ok(!asked().includes('/register'));
      });
    }

    it('with the words of a shell in it: it stays the address of one host, encoded, for a browser alone', async () => {
      metadata['authorization_endpoint'] = `${backend.url}/a\`id\`"$(id)";|<>\n ^&?x='y'#z`;
      const { url } = await begin();
      assert.equal(new URL(url).origin, backend.url);
      assert.match(url, /^[\w\-.~:/?#[\]@!$&'()*+,;=%|^]+$/);
      assert.doesNotMatch(url, /["`<>\s\\]/);
    });
  });

  it('is about another server (authorization-server mix-up): its words are not believed', async () => {
    verifies('security.authorization-server-mix-up');
    resource['resource'] = 'https://other.example/mcp';
    await assert.rejects(begin(), { code: 'unavailable' });
    resource['resource'] = `${backend.url}/mcp`;
    for (const issuer of ['https://other.example', `${backend.url}/other`, `${backend.url}.evil.example`]) {
      metadata['issuer'] = issuer;
      await assert.rejects(begin(), { code: 'unavailable' }, issuer);
    }
    assert.ok(!asked().includes('/register'));
  });

  it('changes its authorization server in the middle (authorization-server mix-up): the code goes to neither', async () => {
    verifies('security.authorization-server-mix-up');
    const { url, cookie } = await begin();
    const state = new URL(url).searchParams.get('state') ?? '';
    metadata['issuer'] = `${backend.url}/other`;
    resource['authorization_servers'] = [`${backend.url}/other`];
    const query = new URLSearchParams({ code: 'stolen-code', state });
    const find = async () => ({ server, secrets: {} });
    await assert.rejects(world.backends.signIn.finish({ query, cookie, find }), { code: 'invalid_params' });
    assert.ok(!backend.heard.some((it) => it.body.includes('stolen-code')));
  });
});
