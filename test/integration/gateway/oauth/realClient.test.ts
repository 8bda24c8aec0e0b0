import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { KeepingProvider } from '../../../support/gateway/oauthClient.ts';
import { PageBrowser, type Shown } from '../../../support/gateway/pageBrowser.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { verifies } from '../../../support/verifies.ts';

const redirect = 'http://127.0.0.1:9/callback';

describe('a real MCP client signs in at the gateway', () => {
  verifies('gateway.oauth.tokens');
  let server: HttpFixture;
  let world: Stand;
  let key: string;
  let browser: PageBrowser;
  let provider: KeepingProvider;

  beforeEach(async () => {
    server = await httpFixture({ name: 'alpha' });
    world = await openStand();
    await world.addServer({ alias: 'alpha', url: server.url });
    key = await world.addKey({ key_alias: 'key of alice' });
    browser = new PageBrowser(redirect);
    provider = new KeepingProvider(redirect);
  });
  afterEach(async () => {
    await world.close();
    await server.close();
  });

  const transportTo = (path: string, base = world.base) =>
    new StreamableHTTPClientTransport(new URL(base + path), { authProvider: provider });
  const newClient = () => new Client({ name: 'test', version: '1' });

  async function consent(): Promise<Shown> {
    const page = await browser.open(provider.asked?.href ?? '');
    return page.text.includes('name="key"') ? browser.send(page, { key }) : page;
  }
  async function signIn(path: string): Promise<void> {
    const transport = transportTo(path);
    await assert.rejects(newClient().connect(transport), UnauthorizedError);
    const back = await browser.send(await consent(), { answer: 'allow' });
    assert.ok(back.url.startsWith(`${redirect}?`), back.text);
    assert.equal(new URL(back.url).searchParams.get('state'), 'state of the client');
    await transport.finishAuth(new URL(back.url).searchParams);
  }
  async function toolsAt(path: string, base?: string): Promise<readonly string[]> {
    const client = newClient();
    await client.connect(transportTo(path, base));
    const { tools } = await client.listTools();
    await client.close();
    return tools.map((it) => it.name);
  }

  for (const path of ['/mcp', '/mcp/alpha', '/alpha/mcp', '/mcp/']) {
    it(`at ${path}: discovery, registration, sign-in, consent, token, tools`, async () => {
      await signIn(path);
      assert.match(provider.held?.access_token ?? '', /^swb_at_/);
      assert.ok((await toolsAt(path)).some((it) => it.endsWith('echo')));
      for (const { headers } of server.seen) assert.doesNotMatch(JSON.stringify(headers), /swb_|sk-/);
      assert.doesNotMatch(world.logLines.join('\n'), /swb_|sk-/);
    });
  }

  it('and is answered at an address with a scheme of its own, where an administrator trusts it', async () => {
    const trusted = 'editor://vendor.extension/callback';
    await world.close();
    world = await openStand({ trustedRedirects: [trusted] });
    key = await world.addKey();
    provider = new KeepingProvider(trusted);
    const transport = transportTo('/mcp');
    await assert.rejects(newClient().connect(transport), UnauthorizedError);
    browser = new PageBrowser(trusted);
    const back = await browser.send(await consent(), { answer: 'allow' });
    await transport.finishAuth(new URL(back.url).searchParams);
    assert.match(provider.held?.access_token ?? '', /^swb_at_/);
  });

  it('and with a secret, where it wants one', async () => {
    provider = new KeepingProvider(redirect, { token_endpoint_auth_method: 'client_secret_post' });
    await signIn('/mcp');
    assert.ok((await toolsAt('/mcp')).includes('alpha__echo'));
  });

  it('and comes back for a new token by itself when the old one is no longer taken', async () => {
    await signIn('/mcp');
    const { held } = provider;
    assert.ok(held);
    provider.held = { ...held, access_token: `${held.access_token.slice(0, -4)}AAAA` };
    assert.ok((await toolsAt('/mcp')).includes('alpha__echo'));
    assert.notEqual(provider.held.refresh_token, held.refresh_token);
  });

  it('and a replica with the same secret takes its token', async () => {
    await signIn('/mcp');
    const other = await world.replica();
    assert.ok((await toolsAt('/mcp', other.base)).includes('alpha__echo'));
  });
});
