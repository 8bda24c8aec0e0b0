import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { UnsecuredJWT } from 'jose';
import { after, before, describe, it } from 'mocha';
import { openUiSessions } from '../../../../sidecar/gateway/http/uiSession.ts';
import { type Sealer, sealerFor } from '../../../../sidecar/platform/seal.ts';
import { verifies } from '../../../support/verifies.ts';
import { Browser, clientId, openScene, recheckMs, type Scene } from './pageSignInScene.ts';

const logoutEvent = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const account = { name: 'Ada', email: 'ada@example.com', email_verified: true, groups: ['staff', 'admins'] };
const seconds = () => Math.floor(Date.now() / 1_000);

/** What an attacker does, and how the gateway answers. */
interface Attack {
  readonly name: string;
  readonly status: number;
  run(scene: Scene): Promise<Response>;
}

/** What the provider says of Ada, whole, so that nothing is asked but the token endpoint. */
const idTokenClaims = ({ provider }: Scene) => ({
  iss: provider.url,
  aud: clientId,
  sub: 'ada',
  email: account.email,
  email_verified: true,
  groups: account.groups,
  iat: seconds(),
  exp: seconds() + 60,
});

/** Answers token requests with an ID token while something is done. */
async function withIdToken<T>({ provider }: Scene, id_token: string, act: () => Promise<T>): Promise<T> {
  provider.intercept = (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ access_token: 'a', token_type: 'Bearer', id_token }));
  try {
    return await act();
  } finally {
    provider.intercept = undefined;
  }
}

/** A sign-in whose ID token somebody else wrote. */
const forgedIdToken =
  (forge: (scene: Scene, claims: Record<string, unknown>) => Promise<string> | string): Attack['run'] =>
  async (scene) => {
    const browser = new Browser(scene.stand);
    const url = await browser.begin();
    const nonce = new URL(url).searchParams.get('nonce');
    const back = await browser.follow(url);
    const id_token = await forge(scene, { ...idTokenClaims(scene), nonce });
    return withIdToken(scene, id_token, () => browser.send(back));
  };

/** A return from the provider whose query somebody changed. */
const changedReturn =
  (change: (query: URLSearchParams, scene: Scene) => void): Attack['run'] =>
  async (scene) => {
    const browser = new Browser(scene.stand);
    const url = new URL(await browser.follow(await browser.begin()));
    change(url.searchParams, scene);
    return browser.send(url.href);
  };

/** A session that goes on, and what changes at the provider or at the gateway meanwhile. */
const changedMeanwhile =
  (change: (scene: Scene, browser: Browser) => Promise<void> | void): Attack['run'] =>
  async (scene) => {
    const browser = new Browser(scene.stand);
    assert.equal((await browser.signIn()).status, 303);
    assert.equal((await browser.whoami()).role, 'proxy_admin');
    await change(scene, browser);
    scene.clock.pass(recheckMs);
    const answer = await browser.page('/user/list');
    scene.accounts.set('ada', account);
    // What is over stays over.
    if (answer.status === 401) assert.equal((await browser.whoami()).status, 401);
    return answer;
  };

const logout = (scene: Scene, logout_token: string) =>
  fetch(`${scene.stand.base}/ui/sign-in/backchannel-logout`, {
    method: 'POST',
    body: new URLSearchParams({ logout_token }),
  });
const logoutClaims = ({ provider, clock }: Scene) => ({
  iss: provider.url,
  aud: clientId,
  iat: Math.floor(clock.nowMs() / 1_000),
  exp: Math.floor(clock.nowMs() / 1_000) + 120,
  jti: randomUUID(),
  sub: 'ada',
  events: logoutEvent,
});
const forgedLogout =
  (forge: (scene: Scene, claims: ReturnType<typeof logoutClaims>) => Promise<string> | string): Attack['run'] =>
  async (scene) =>
    logout(scene, await forge(scene, logoutClaims(scene)));

const attacks: readonly Attack[] = [
  {
    name: 'a return from the provider that is replayed, also where the provider would take its code again',
    status: 403,
    async run(scene) {
      const browser = new Browser(scene.stand);
      const url = await browser.begin();
      const back = await browser.follow(url);
      const again = new Browser(scene.stand);
      for (const [name, value] of browser.cookies) again.cookies.set(name, value);
      const claims = { ...idTokenClaims(scene), nonce: new URL(url).searchParams.get('nonce') };
      return withIdToken(scene, await scene.token({ claims }), async () => {
        assert.equal((await browser.send(back)).status, 303);
        return again.send(back);
      });
    },
  },
  {
    name: 'a return with the state of another browser',
    status: 403,
    async run(scene) {
      const browser = new Browser(scene.stand);
      return new Browser(scene.stand).send(await browser.follow(await browser.begin()));
    },
  },
  { name: 'a return without a state', status: 403, run: changedReturn((query) => query.delete('state')) },
  {
    name: 'a code that was issued for another sign-in of the same browser',
    status: 403,
    async run(scene) {
      const browser = new Browser(scene.stand);
      const first = new URL(await browser.follow(await browser.begin()));
      const second = new URL(await browser.follow(await browser.begin()));
      second.searchParams.set('code', first.searchParams.get('code') ?? '');
      return browser.send(second.href);
    },
  },
  {
    name: 'a code of another client',
    status: 403,
    async run(scene) {
      const browser = new Browser(scene.stand);
      const url = new URL(await browser.begin());
      const other = new URL(url);
      other.searchParams.set('client_id', await scene.otherClient());
      const back = await new Browser(scene.stand).follow(other.href);
      return browser.send(back);
    },
  },
  {
    name: 'a return from another issuer (RFC 9207)',
    status: 403,
    run: changedReturn((query) => query.set('iss', 'https://evil.example')),
  },
  {
    name: 'a return that does not name the issuer, though this provider always does',
    status: 403,
    run: changedReturn((query) => query.delete('iss')),
  },
  {
    name: 'an ID token without a nonce',
    status: 403,
    run: forgedIdToken((scene, { nonce: _nonce, ...claims }) => scene.token({ claims })),
  },
  {
    name: 'an ID token with the nonce of another sign-in',
    status: 403,
    run: forgedIdToken((scene, claims) => scene.token({ claims: { ...claims, nonce: 'other' } })),
  },
  {
    name: 'an ID token without a signature (alg none)',
    status: 403,
    run: forgedIdToken((_, claims) => new UnsecuredJWT(claims).encode()),
  },
  {
    name: 'an ID token signed by another key',
    status: 403,
    run: forgedIdToken((scene, claims) => scene.token({ claims, key: stranger })),
  },
  {
    name: 'an ID token for another audience',
    status: 403,
    run: forgedIdToken((scene, claims) => scene.token({ claims: { ...claims, aud: 'another-client' } })),
  },
  {
    name: 'an ID token of another issuer',
    status: 403,
    run: forgedIdToken((scene, claims) => scene.token({ claims: { ...claims, iss: 'https://evil.example' } })),
  },
  {
    name: 'an ID token that has expired',
    status: 403,
    run: forgedIdToken((scene, claims) => scene.token({ claims: { ...claims, iat: 1_000, exp: 2_000 } })),
  },
  {
    name: 'a person who is in no group that is allowed',
    status: 403,
    run: forgedIdToken((scene, claims) => scene.token({ claims: { ...claims, groups: ['guests'] } })),
  },
  {
    name: 'an administrator whose group was removed in the middle of a session',
    status: 403,
    run: changedMeanwhile(({ accounts }) => void accounts.set('ada', { ...account, groups: ['staff'] })),
  },
  {
    name: 'a person who lost the last group that is allowed in the middle of a session',
    status: 401,
    run: changedMeanwhile(({ accounts }) => void accounts.set('ada', { ...account, groups: ['admins'] })),
  },
  {
    name: 'a person whose account was disabled in the middle of a session',
    status: 401,
    run: changedMeanwhile(({ accounts }) => void accounts.delete('ada')),
  },
  {
    name: 'a person whose user was blocked in the middle of a session',
    status: 401,
    run: changedMeanwhile(async ({ stand }, browser) => {
      const { user_id } = (await (await browser.page('/user/info')).json()) as { user_id: string };
      await stand.manage('POST', '/user/update', { user_id, blocked: true });
      assert.equal((await browser.whoami()).status, 401);
      await stand.manage('POST', '/user/update', { user_id, blocked: false });
      await stand.manage('POST', '/user/delete', { user_ids: [user_id] });
    }),
  },
  {
    name: 'a person whose user was deleted and whose ID was given to somebody else in the middle of a session',
    status: 401,
    run: changedMeanwhile(async ({ stand }, browser) => {
      const { user_id } = (await (await browser.page('/user/info')).json()) as { user_id: string };
      await stand.manage('POST', '/user/delete', { user_ids: [user_id] });
      await stand.manage('POST', '/user/new', { user_id, user_role: 'proxy_admin' });
      assert.equal((await browser.whoami()).status, 401);
      await stand.manage('POST', '/user/delete', { user_ids: [user_id] });
    }),
  },
  {
    name: 'a refresh that vouches for somebody else',
    status: 401,
    async run(scene) {
      const browser = new Browser(scene.stand);
      assert.equal((await browser.signIn()).status, 303);
      scene.clock.pass(recheckMs);
      const id_token = await scene.token({ claims: { ...idTokenClaims(scene), sub: 'eve' } });
      return withIdToken(scene, id_token, () => browser.page('/user/list'));
    },
  },
  {
    name: 'a session that the provider ended by its back channel',
    status: 401,
    run: changedMeanwhile(async (scene) => {
      const claims = logoutClaims(scene);
      const { status } = await logout(scene, await scene.token({ claims, header: { typ: 'logout+jwt' } }));
      assert.equal(status, 200);
    }),
  },
  {
    name: 'a logout token signed by another key',
    status: 400,
    run: forgedLogout((scene, claims) => scene.token({ claims, key: stranger })),
  },
  {
    name: 'a logout token without a signature (alg none)',
    status: 400,
    run: forgedLogout((_, claims) => new UnsecuredJWT(claims).encode()),
  },
  {
    name: 'a logout token for another audience',
    status: 400,
    run: forgedLogout((scene, claims) => scene.token({ claims: { ...claims, aud: 'another-client' } })),
  },
  {
    name: 'a token without the event of a logout, such as an ID token, in place of a logout token',
    status: 400,
    run: forgedLogout((scene, { events: _events, ...claims }) => scene.token({ claims })),
  },
  {
    name: 'a logout token with a nonce',
    status: 400,
    run: forgedLogout((scene, claims) => scene.token({ claims: { ...claims, nonce: 'n' } })),
  },
  {
    name: 'a logout token that names nobody',
    status: 400,
    run: forgedLogout((scene, { sub: _sub, ...claims }) => scene.token({ claims })),
  },
  {
    name: 'an old logout token',
    status: 400,
    run: forgedLogout((scene, claims) => scene.token({ claims: { ...claims, iat: claims.iat - 301 } })),
  },
  {
    name: 'a logout token that is replayed',
    status: 400,
    async run(scene) {
      const token = await scene.token({ claims: logoutClaims(scene) });
      assert.equal((await logout(scene, token)).status, 200);
      return logout(scene, token);
    },
  },
  ...[
    '//evil.example',
    'https://evil.example/',
    '/\\evil.example',
    '@evil.example',
    '?a\r\nlocation: x',
    '../../x',
  ].map(
    (query): Attack => ({
      name: `a sign-in that would go on to ${JSON.stringify(query)}`,
      status: 400,
      run: ({ stand }) => new Browser(stand).page('/ui/sign-in', { query }),
    }),
  ),
  {
    name: 'a page of another site that begins a sign-in',
    status: 403,
    run: ({ stand }) => new Browser(stand).page('/ui/sign-in', {}, { headers: { 'sec-fetch-site': 'cross-site' } }),
  },
  {
    name: 'a page of another site that signs out',
    status: 403,
    run: ({ stand }) =>
      new Browser(stand).page('/ui/session', undefined, {
        method: 'DELETE',
        headers: { 'sec-fetch-site': 'cross-site' },
      }),
  },
  {
    name: 'a session cookie that another gateway sealed',
    status: 401,
    run: (scene) => withCookie(scene, sealerFor(randomBytes(32), 'ui sessions'), scene.sessionOf),
  },
  {
    name: 'a session cookie of this gateway that names a session that is over',
    status: 401,
    run: (scene) => withCookie(scene, sealerFor(scene.stand.secret, 'ui sessions'), async () => 'a-session'),
  },
];

/** @param session the ID that the cookie names */
async function withCookie(scene: Scene, sealer: Sealer, session: (scene: Scene) => Promise<string>): Promise<Response> {
  const browser = new Browser(scene.stand);
  const nowMs = scene.clock.nowMs();
  const line = openUiSessions(sealer, false).beginPerson(await session(scene), nowMs, nowMs + 60_000);
  browser.cookies.set('switchboard_ui', /=([^;]*)/.exec(line)?.[1] ?? '');
  return browser.page('/user/list');
}

describe('an attack on the sign-in to the pages', () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
    scene.provider.account = 'ada';
    scene.accounts.set('ada', account);
  });
  after(() => scene.close());

  for (const { name, status, run } of attacks)
    it(`is refused: ${name}`, async () => {
      verifies('gateway.ui.sign-in.attacks');
      const response = await run(scene);
      assert.equal(response.status, status, await response.text());
      assert.doesNotMatch(response.headers.getSetCookie().join('\n'), /switchboard_ui=[^;]/);
    });

  it('is not what an honest person does', async () => {
    verifies('gateway.ui.sign-in.attacks');
    const browser = new Browser(scene.stand);
    assert.equal((await browser.signIn()).status, 303);
    assert.equal((await browser.page('/user/list')).status, 200);
    const signed = forgedIdToken((it, claims) => it.token({ claims }));
    assert.equal((await signed(scene)).status, 303);
    const cookie = sealerFor(scene.stand.secret, 'ui sessions');
    assert.equal((await withCookie(scene, cookie, scene.sessionOf)).status, 200);
  });
});
