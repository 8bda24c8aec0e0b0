import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { BrowserContext, Page } from 'playwright-core';
import { type AuthorizationServer, startAuthorizationServer } from '../../../support/backends/authorizationServer.ts';
import { type SharedBrowser, shareBrowser } from '../../../support/editor/sharedBrowser.ts';
import { RawOAuth } from '../../../support/gateway/rawOAuth.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { endListener, listenOnLoopback } from '../../../support/mcp/loopback.ts';

describe('the pages of a sign-in, in a real browser', () => {
  let chromium: SharedBrowser;
  let idp: AuthorizationServer;
  let server: HttpFixture;
  let world: Stand;
  let listener: Server;
  let home: string;
  let context: BrowserContext;
  let page: Page;
  let client: RawOAuth;
  let key: string;
  const referrers: (string | undefined)[] = [];

  before(async () => {
    chromium = await shareBrowser();
  });
  after(() => chromium.close());
  beforeEach(async () => {
    referrers.length = 0;
    listener = createServer((request, response) => {
      referrers.push(request.headers.referer);
      response.setHeader('content-type', 'text/html').end('<title>client</title>here');
    });
    home = await listenOnLoopback(listener);
    idp = await startAuthorizationServer();
    server = await httpFixture({ name: 'alpha' });
    world = await openStand();
    await world.addServer(
      { alias: 'alpha', url: server.url, auth_type: 'oauth2', issuer: idp.url },
      { scopes: ['openid'] },
    );
    key = await world.addKey({ user_id: 'alice' });
    // Another site than the gateway's, as a client on the web is.
    client = await new RawOAuth(world.base, `${home.replace('127.0.0.1', 'localhost')}/callback`).register();
    context = await chromium.newContext({ colorScheme: 'dark' });
    page = await context.newPage();
  });
  afterEach(async () => {
    await context.close();
    await world.close();
    await Promise.all([idp.close(), server.close(), endListener(listener)]);
  });

  async function comeFromClient(resource: string, prefix = ''): Promise<void> {
    await page.goto(client.redirect);
    const url = client.authorizeUrl({ resource: world.base + resource }, prefix);
    await page.evaluate((it) => void (location.href = it), url);
    await page.waitForURL(`${world.base}/**`);
  }
  const back = () => page.waitForURL(`${client.redirect}?**`);

  it('work by keyboard alone, without a script, and give the code to the client', async () => {
    const problems: string[] = [];
    page.on('console', (it) => void (it.type() === 'error' && problems.push(it.text())));
    await comeFromClient('/mcp');
    await page.getByLabel('Your virtual key').and(page.locator(':focus')).waitFor();
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Let Raw use your MCP servers?' }).waitFor();
    assert.equal(await page.evaluate(() => document.scripts.length), 0);
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Allow' }).and(page.locator(':focus')).waitFor();
    const colour = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.notEqual(colour, 'rgb(255, 255, 255)', 'the page is not light where the person wants it dark');
    await page.keyboard.press('Enter');
    await back();
    const code = new URL(page.url()).searchParams.get('code');
    assert.equal((await client.redeem(code)).status, 200);
    assert.deepEqual(problems, []);
    assert.ok(
      referrers.every((it) => it === undefined || !it.startsWith(world.base)),
      String(referrers),
    );
  });

  it('go through the sign-in of a server and back to the client', async () => {
    await comeFromClient('/alpha/mcp', '/alpha');
    await page.getByLabel('Your virtual key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await back();
    const code = new URL(page.url()).searchParams.get('code');
    assert.equal((await client.redeem(code)).status, 200);
  });

  it('take no answer that a page of another site sends for the person', async () => {
    await comeFromClient('/mcp');
    await page.getByLabel('Your virtual key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor(); // the page before it has a form too
    const form = await page.locator('input[name=form]').getAttribute('value');
    await page.goto(client.redirect);
    const action = `${world.base}/authorize`;
    const [answer] = await Promise.all([
      page.waitForResponse(action),
      page.evaluate(
        ([to = '', value = '']) => {
          const made = Object.assign(document.createElement('form'), { method: 'post', action: to });
          for (const [name, text] of [
            ['form', value],
            ['answer', 'allow'],
          ] as const) {
            made.append(Object.assign(document.createElement('input'), { name, value: text }));
          }
          document.body.append(made);
          made.submit();
        },
        [action, form ?? ''],
      ),
    ]);
    assert.equal(answer.status(), 403);
  });
});
