import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Uri } from 'vscode';
import { acpProvider } from '../../sidecar/agents/acp/provider.ts';
import { type Children, openChildren } from '../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import type { RootState } from '../../sidecar/protocol/channels/root/schema.ts';
import type { ProtectedResourceMetadata } from '../../sidecar/protocol/shared.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import { Tokens } from '../../src/config/tokens.ts';
import { OAuthServer } from '../../src/oauth/oauthServer.ts';
import { Accounts } from '../../src/requests/accounts.ts';
import { Callbacks } from '../../src/requests/callbacks.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../support/backends/authorizationServer.ts';
import { enterCode, signInWithBrowser } from '../support/backends/browser.ts';
import { type Listening, listen } from '../support/backends/listen.ts';
import type { HostPeer } from '../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../support/host/hostPlace.ts';
import { commandLines, filesIn, rowsIn } from '../support/leaks.ts';
import { MemorySecrets } from '../support/memorySecrets.ts';
import { verifies } from '../support/verifies.ts';
import { fakeAgent } from './peers/acp/fakeAgent.ts';

/** As editors make it: with a query of their own. */
const redirect = 'http://127.0.0.1/callback?windowId=7';

describe('a sign-in to the resource of an agent', () => {
  let server: AuthorizationServer;
  let vault: Listening;
  let metadata: ProtectedResourceMetadata;
  let folder: string;
  const inFolder = () => ({ workingDirectories: [pathToFileURL(folder).href] });
  let children: Children;
  let place: HostPlace;
  let secrets: MemorySecrets;
  let nowMs: number;
  before(async () => {
    server = await startAuthorizationServer();
    vault = await listen(
      createServer((request, response) => {
        const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
        server.accountOf(token).then(
          (account) => response.writeHead(account === undefined ? 401 : 200).end(`hello ${account}`),
          () => response.writeHead(500).end(),
        );
      }),
    );
    const { url: resource } = vault;
    metadata = {
      resource,
      resource_name: 'The vault',
      authorization_servers: [server.url],
      scopes_supported: ['read'],
    };
  });
  after(async () => {
    await vault.close();
    await server.close();
  });
  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-sign-in-')));
    children = openChildren(join(folder, 'children.json'), () => '2026-01-01T00:00:00Z');
    secrets = new MemorySecrets();
    nowMs = Date.now();
    const agent = {
      ...fakeAgent(['--token=VAULT_TOKEN']),
      protectedResources: [{ env: 'VAULT_TOKEN', metadata }],
    };
    place = await openHostPlace([acpProvider(agent, { timers: systemTimers, children })]);
  });
  afterEach(async () => {
    await place.close();
    await children.stopAll();
    rmSync(folder, { recursive: true, force: true });
  });

  interface Window {
    readonly peer: HostPeer;
    readonly accounts: Accounts;
    readonly tokens: Tokens;
    readonly warned: string[];
  }
  async function openWindow(clientId: string): Promise<Window> {
    const peer = await place.connect(clientId, { env: { PATH: process.env['PATH'] ?? '' } });
    const tokens = new Tokens(secrets);
    const warned: string[] = [];
    const accounts = new Accounts({
      port: { request: (method, params) => peer.request(method, params) as never },
      tokens,
      discover: (issuer) => OAuthServer.discover(issuer),
      nowMs: () => nowMs,
      warn: (message) => warned.push(message),
    });
    return { peer, accounts, tokens, warned };
  }
  const resourcesOf = async ({ peer }: Window) => {
    const root = () => peer.states.get(ROOT) as RootState;
    await peer.until(() => root().agents.length > 0);
    return root().agents[0]?.protectedResources ?? [];
  };
  /** As the person does it, in a browser, at the server that the agent's resource names. */
  async function signIn({ accounts }: Window, { resource, authorization_servers, scopes_supported }: typeof metadata) {
    const found = await OAuthServer.discover(authorization_servers![0]!);
    const client = await found.register(redirect);
    const begun = await found.viaBrowser(client, redirect, { resource, scopes: scopes_supported! });
    const callbacks = new Callbacks();
    const answer = callbacks.wait(begun.state, new AbortController().signal);
    const query = (await signInWithBrowser(begun.url, redirect)).toString();
    callbacks.handleUri({ query: 'state=another&code=stolen' } as Uri);
    callbacks.handleUri({ query } as Uri);
    const granted = await begun.finish(await answer);
    assert.equal(await accounts.keep(resource, granted, { issuer: found.issuer, client }), true);
    return granted;
  }
  const ask = async ({ peer }: Window, chat: string) =>
    peer.ended(chat, await peer.prompt(chat, `fetch ${metadata.resource}`));
  const textOf = (turn: unknown) => /hello \w+/.exec(JSON.stringify(turn))?.[0];

  it('comes before the first session: code with PKCE, token to the host, from there to the agent', async () => {
    verifies('host.auth.pushed');
    const window = await openWindow('w1');
    const missing = await window.accounts.missing(await resourcesOf(window));
    assert.deepEqual(missing, [metadata]);
    await assert.rejects(window.peer.newSession(inFolder()), { code: -32007 });
    const { accessToken } = await signIn(window, metadata);
    assert.deepEqual(await window.accounts.missing(missing), []);
    const { chat } = await window.peer.newSession(inFolder());
    assert.equal(textOf(await ask(window, chat)), 'hello alice');
    const { form } = server.tokenRequests.at(-1)!;
    assert.equal(form['grant_type'], 'authorization_code');
    assert.equal(form['resource'], metadata.resource);
    assert.match(form['code_verifier']!, /^[\w-]{43,}$/);
    assert.ok(!JSON.stringify([...window.peer.states.values(), window.warned, place.log]).includes(accessToken));
  });

  it('is renewed without a question when the resource refuses the token, and the next turn goes on', async () => {
    const window = await openWindow('w1');
    const { refreshToken } = await signIn(window, metadata);
    const { session, chat } = await window.peer.newSession(inFolder());
    const before = (await window.tokens.get(metadata.resource))!;
    await server.forget(before.accessToken);
    const failed = await ask(window, chat);
    assert.equal(failed.error?.errorType, 'authRequired');
    assert.deepEqual(failed.error._meta?.['resources'], [metadata]);
    const told = { channel: session, resource: metadata.resource, reason: 'expired' };
    await window.peer.until(() => window.peer.notified.some((it) => it.method === 'auth/required'));
    assert.deepEqual(window.peer.notified.find((it) => it.method === 'auth/required')?.params, told);
    assert.equal(await window.accounts.push(metadata.resource, true), true);
    const renewed = (await window.tokens.get(metadata.resource))!;
    assert.notEqual(renewed.accessToken, before.accessToken);
    assert.notEqual(renewed.refreshToken, refreshToken);
    assert.equal(textOf(await ask(window, chat)), 'hello alice');
  });

  it('is renewed once for all windows that share it', async () => {
    const [one, two] = [await openWindow('w1'), await openWindow('w2')];
    await signIn(one, metadata);
    nowMs += 3_590_000;
    const before = server.tokenRequests.length;
    const pushed = await Promise.all([one.accounts.push(metadata.resource), two.accounts.push(metadata.resource)]);
    assert.deepEqual(pushed, [true, true]);
    const renewals = server.tokenRequests.slice(before).map((it) => it.form['grant_type']);
    assert.deepEqual(renewals, ['refresh_token']);
    for (const { peer } of [one, two]) await peer.newSession(inFolder());
  });

  it('that the server ended asks the person again', async () => {
    const window = await openWindow('w1');
    const { refreshToken } = await signIn(window, metadata);
    await server.revoke(refreshToken!);
    nowMs += 3_590_000;
    window.accounts.disconnected();
    assert.deepEqual(await window.accounts.missing([metadata]), [metadata]);
    assert.deepEqual([...secrets.values], []);
  });

  it('ends everywhere when the person signs out', async () => {
    const [one, two] = [await openWindow('w1'), await openWindow('w2')];
    const { accessToken, refreshToken } = await signIn(one, metadata);
    assert.equal(await two.accounts.push(metadata.resource), true);
    await one.accounts.signOut(metadata.resource);
    await two.accounts.follow(metadata.resource);
    for (const { peer } of [one, two]) await assert.rejects(peer.newSession(inFolder()), { code: -32007 });
    assert.deepEqual([...secrets.values], []);
    assert.equal(await server.accountOf(accessToken), undefined);
    assert.equal(await server.knows(refreshToken!), false);
  });

  it('leaves no token, code or verifier in files, rows, arguments, states and logs', async () => {
    const window = await openWindow('w1');
    const tokens = new Set<string>();
    const keepTokens = async () => {
      const { accessToken, refreshToken } = (await window.tokens.get(metadata.resource))!;
      for (const it of [accessToken, refreshToken!]) tokens.add(it);
    };
    await signIn(window, metadata);
    await keepTokens();
    const { chat } = await window.peer.newSession(inFolder());
    assert.equal(textOf(await ask(window, chat)), 'hello alice');
    const found = await OAuthServer.discover(server.url);
    const client = await found.register(redirect);
    const begun = await found.viaCode(client, { resource: metadata.resource, scopes: ['read'] });
    await enterCode(begun.url, begun.userCode, 'confirm');
    const granted = await begun.finish(new AbortController().signal);
    await window.accounts.keep(metadata.resource, granted, { issuer: found.issuer, client });
    await keepTokens();
    assert.equal(textOf(await ask(window, chat)), 'hello alice');
    nowMs += 3_590_000;
    assert.equal(await window.accounts.push(metadata.resource), true);
    await keepTokens();
    assert.equal(textOf(await ask(window, chat)), 'hello alice');
    await window.peer.prompt(chat, 'wait');
    for (const { form } of server.tokenRequests)
      for (const name of ['code', 'code_verifier', 'device_code', 'refresh_token'])
        if (form[name] !== undefined) tokens.add(form[name]);
    assert.ok(tokens.size >= 6 + 3, 'two of each of three grants, and what was exchanged for them');
    const places = [
      ...filesIn(place.dataDir),
      ...rowsIn(join(place.dataDir, 'host.db')),
      ...commandLines(),
      { name: 'states', text: JSON.stringify([...window.peer.states.values()]) },
      { name: 'envelopes', text: JSON.stringify([window.peer.envelopes, window.peer.notified]) },
      { name: 'logs', text: JSON.stringify([place.log, window.warned]) },
    ];
    assert.ok(places.some((it) => it.name.startsWith('rows of ')));
    const leaks = places.flatMap(({ name, text }) => ([...tokens].some((it) => text.includes(it)) ? [name] : []));
    assert.deepEqual(leaks, []);
  });

  it('takes no answer of another sign-in, of another server, or of a person who said no', async () => {
    const found = await OAuthServer.discover(server.url);
    const client = await found.register(redirect);
    const begin = () => found.viaBrowser(client, redirect, { resource: metadata.resource, scopes: [] });
    const { state, finish, url } = await begin();
    const answer = (more: object) => finish(new URLSearchParams({ state, iss: server.url, code: 'c', ...more }));
    await assert.rejects(answer({ state: 'other' }), { code: 'wrong_state' });
    await assert.rejects(answer({ iss: 'https://evil.test' }), { code: 'wrong_issuer' });
    await assert.rejects(finish(new URLSearchParams({ state, code: 'c' })), { code: 'wrong_issuer' });
    await assert.rejects(answer({}), { code: 'invalid_grant' });
    server.refuses = true;
    const no = await signInWithBrowser(url, redirect).finally(() => (server.refuses = false));
    await assert.rejects(finish(no), { code: 'access_denied' });
    const abort = new AbortController();
    const waiting = new Callbacks().wait(state, abort.signal);
    abort.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    await assert.rejects(OAuthServer.discover('http://login.test'), { code: 'insecure' });
    await assert.rejects(OAuthServer.discover(metadata.resource), { code: 'unreachable' });
  });
});
