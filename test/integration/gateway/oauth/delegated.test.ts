import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'mocha';
import type { Heard } from '../../../support/backends/echoBackend.ts';
import { speakAll, twoTools } from '../../../support/gateway/backendAnswers.ts';
import { bearer, rpcBody, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';

/** A server that authenticates callers itself, `delegate_auth_to_upstream`. */
describe('a server that wants its callers to sign in with it', () => {
  let stand: Stand;
  let key: string;
  let serverUrl: string;
  const token = 'a-token-of-the-server';

  function speak(heard: Heard, response: ServerResponse): void {
    if (heard.path === '/.well-known/oauth-protected-resource/mcp/locked') {
      const document = {
        resource: serverUrl,
        authorization_servers: ['https://login.example/'],
        scopes_supported: ['read'],
      };
      return void response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    }
    if (!heard.path.startsWith('/mcp/locked') || heard.headers['authorization'] === `Bearer ${token}`)
      return speakAll(heard, response);
    const metadata = new URL('/.well-known/oauth-protected-resource/mcp/locked', serverUrl);
    const challenge = `Bearer error="invalid_token", scope="read write", resource_metadata="${metadata}"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  }

  before(async () => {
    stand = await openStand({ tools: twoTools, defaultAccess: 'none' });
    serverUrl = `${stand.backend.url}/mcp/locked`;
    stand.backend.answer = speak;
    await stand.register({ alias: 'locked', delegate_auth_to_upstream: true });
    key = await stand.addKey({ object_permission: { mcp_servers: ['locked'] } });
  });
  after(() => stand.close());

  const challengeOf = async (path = '/locked/mcp') => {
    const answer = await stand.ask(path, bearer(key), rpcBody('tools/list'));
    assert.equal(answer.status, 401, answer.text);
    return { answer, challenge: answer.headers.get('www-authenticate') ?? '' };
  };
  const documentOf = async (url: string) => {
    const response = await fetch(url);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const addressIn = (challenge: string) => /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';

  it('has its challenge relayed to a caller who may use it, with a document of ours, and one record', async () => {
    const { answer, challenge } = await challengeOf();
    const start = `Bearer error="invalid_token", scope="read write", resource_metadata="${stand.base}/.well-known/`;
    assert.ok(challenge.startsWith(start), challenge);
    const { status, error_code } = await stand.recordOf(answer);
    assert.deepEqual([status, error_code], ['failure', 'auth_required']);
  });

  it('has a document that names its own authorization server, about the address that the client called', async () => {
    for (const path of ['/locked/mcp', '/mcp/locked']) {
      const { challenge } = await challengeOf(path);
      assert.deepEqual((await documentOf(addressIn(challenge))).body, {
        resource: `${stand.base}${path}`,
        authorization_servers: ['https://login.example/'],
        scopes_supported: ['read'],
      });
    }
  });

  it('is called with the token that its caller got there, and never with the key', async () => {
    const headers = { 'x-gateway-api-key': `Bearer ${key}`, authorization: `Bearer ${token}` };
    const answer = await stand.ask('/locked/mcp', headers, toolCall('echo'));
    assert.equal(answer.status, 200, answer.text);
    const heard = stand.heardAt('/mcp/locked');
    assert.equal(heard?.headers['authorization'], `Bearer ${token}`);
    assert.ok(!JSON.stringify(heard?.headers).includes(key));
  });

  it('is a name like any other for whoever has no sealed address: its document, and its refusal', async () => {
    const { challenge } = await challengeOf();
    const good = new URL(addressIn(challenge));
    const sealed = good.searchParams.get('upstream') ?? '';
    const plain = (path: string, query = '') => `${stand.base}/.well-known/oauth-protected-resource${path}${query}`;
    const usual = (await documentOf(plain('/locked/mcp'))).body;
    const unknown = (await documentOf(plain('/nobody/mcp'))).body;
    assert.deepEqual(
      { ...usual, resource: '', authorization_servers: [] },
      { ...unknown, resource: '', authorization_servers: [] },
    );
    const wrong = `${sealed.slice(0, -4)}AAAA`;
    for (const url of [plain('/locked/mcp', `?upstream=${wrong}`), plain('/locked/mcp', '?upstream=')])
      assert.deepEqual((await documentOf(url)).body, usual);
    assert.deepEqual((await documentOf(plain('/nobody/mcp', `?upstream=${sealed}`))).body, unknown);

    const stranger = bearer(await stand.addKey({ object_permission: { mcp_servers: [] } }));
    const refusals = await Promise.all(
      ['/locked/mcp', '/nobody/mcp'].map((path) => stand.ask(path, stranger, rpcBody('tools/list'))),
    );
    const [forbidden, missing] = refusals.map((it) => [it.status, it.text, it.headers.get('www-authenticate')]);
    assert.deepEqual(forbidden, missing);
    assert.equal(forbidden?.[0], 404);
  });

  it('relays a challenge of another kind as it is', async () => {
    stand.backend.answer = (heard, response) =>
      heard.path === '/mcp/locked'
        ? void response.writeHead(401, { 'www-authenticate': 'Negotiate abc' }).end()
        : speak(heard, response);
    const { challenge } = await challengeOf();
    stand.backend.answer = speak;
    assert.equal(challenge, 'Negotiate abc');
  });
});
