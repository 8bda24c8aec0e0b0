import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import { openUiSessions } from '../../../../sidecar/gateway/http/uiSession.ts';
import { UNCONFIRMED_MS } from '../../../../sidecar/gateway/oauth/signin/sessions.ts';
import { sealerFor } from '../../../../sidecar/platform/seal.ts';
import { verifies } from '../../../support/verifies.ts';
import { Browser, openScene, recheckMs, type Scene } from './pageSignInScene.ts';

const staff = { name: 'Ada Lovelace', email: 'ada@example.com', email_verified: true, groups: ['staff'] };

describe("signing in to the gateway's pages with an identity provider", () => {
  let scene: Scene;
  let browser: Browser;
  before(async () => {
    scene = await openScene();
    await scene.stand.manage('POST', '/team/new', { team_id: 'platform', team_alias: 'platform' });
    await scene.stand.manage('POST', '/team/new', { team_id: 'others', team_alias: 'others' });
  });
  after(() => scene.close());
  let count = 0;
  /** Somebody whom the gateway has not seen. */
  const newcomer = (more: object = {}) => {
    const subject = `person-${(count += 1)}`;
    scene.provider.account = subject;
    scene.accounts.set(subject, { ...staff, email: `${subject}@example.com`, ...more });
    return subject;
  };
  const groups = (subject: string, ...held: readonly string[]) =>
    scene.accounts.set(subject, { ...scene.accounts.get(subject), groups: held });
  beforeEach(() => {
    browser = new Browser(scene.stand);
    scene.provider.intercept = undefined;
  });

  it('tells the page what the provider is called', async () => {
    verifies('gateway.ui.sign-in');
    const said = await (await browser.page('/ui/sign-in')).json();
    assert.deepEqual(said, { provider: 'Example ID', keys: true });
  });

  it('makes a user at the first sign-in, finds the same one later, and goes on to the page that was asked for', async () => {
    verifies('gateway.ui.sign-in');
    const subject = newcomer();
    const response = await browser.signIn('?page=teams');
    assert.equal(response.status, 303);
    assert.equal(response.headers.get('location'), `${scene.stand.base}/ui/?page=teams`);
    assert.deepEqual(await browser.whoami(), { status: 200, name: 'Ada Lovelace', role: 'internal_user' });
    const again = new Browser(scene.stand);
    assert.equal((await again.signIn()).status, 303);
    const users = (await scene.stand.gateway.store.user.all()).filter((it) => it.identity?.subject === subject);
    assert.equal(users.length, 1);
    assert.equal(users[0]?.user_email, `${subject}@example.com`);
  });

  it('belongs to the user with the same verified address, and to a new one where the address is not verified', async () => {
    verifies('gateway.ui.sign-in');
    const first = newcomer();
    const { user_id } = await scene.stand.manage('POST', '/user/new', { user_email: `${first}@EXAMPLE.com` });
    await browser.signIn();
    const linked = (await scene.stand.gateway.store.user.all()).find((it) => it.identity?.subject === first);
    assert.equal(linked?.user_id, user_id);
    const second = newcomer({ email_verified: false });
    await scene.stand.manage('POST', '/user/new', { user_id: 'victim', user_email: `${second}@example.com` });
    await new Browser(scene.stand).signIn();
    const made = (await scene.stand.gateway.store.user.all()).find((it) => it.identity?.subject === second);
    assert.notEqual(made?.user_id, 'victim');
    assert.equal(made?.user_email, undefined);
  });

  it('gives roles and teams by groups, follows them while the session goes on, and leaves what was given by hand', async () => {
    verifies('gateway.ui.sign-in.groups');
    const subject = newcomer({ groups: ['staff', 'platform'] });
    await browser.signIn();
    const { user_id } = (await scene.stand.gateway.store.user.all()).find((it) => it.identity?.subject === subject)!;
    await scene.stand.manage('POST', '/team/member_add', { team_id: 'others', member: { role: 'user', user_id } });
    const teams = async () => {
      const list = (await (await browser.page('/team/list')).json()) as readonly { team_id: string }[];
      return list.map((it) => it.team_id).toSorted();
    };
    const block = async () => (await browser.page('/team/block', { team_id: 'platform' })).status;
    assert.deepEqual(await teams(), ['others', 'platform']);
    assert.equal(await block(), 200);
    groups(subject, 'staff', 'admins');
    scene.clock.pass(recheckMs);
    assert.equal((await browser.whoami()).role, 'proxy_admin');
    groups(subject, 'staff', 'readers');
    scene.clock.pass(recheckMs);
    assert.equal((await browser.whoami()).role, 'proxy_admin_viewer');
    groups(subject, 'staff');
    scene.clock.pass(recheckMs);
    assert.equal((await browser.whoami()).role, 'internal_user');
    assert.deepEqual(await teams(), ['others']);
    assert.equal(await block(), 404);
  });

  it('keeps the role that an administrator gave where groups give a lower one', async () => {
    verifies('gateway.ui.sign-in.groups');
    const subject = newcomer({ groups: ['staff', 'readers'] });
    await browser.signIn();
    const { user_id } = (await scene.stand.gateway.store.user.all()).find((it) => it.identity?.subject === subject)!;
    await scene.stand.manage('POST', '/user/update', { user_id, user_role: 'proxy_admin' });
    assert.equal((await browser.whoami()).role, 'proxy_admin');
  });

  it('gives a key of the person nothing of what their groups give', async () => {
    verifies('gateway.ui.sign-in.groups');
    newcomer({ groups: ['staff', 'admins'] });
    await browser.signIn();
    const { user_id } = (await (await browser.page('/user/info')).json()) as { user_id: string };
    const { key } = await scene.stand.manage('POST', '/key/generate', { user_id });
    assert.equal((await scene.stand.as(String(key), '/user/list')).status, 403);
    assert.equal((await browser.page('/user/list')).status, 200);
  });

  it('goes on for an hour while the provider cannot be reached, and then ends', async () => {
    verifies('gateway.ui.sign-in.ends');
    newcomer();
    await browser.signIn();
    scene.provider.intercept = (_, response) => void response.writeHead(503).end();
    scene.clock.pass(UNCONFIRMED_MS - 1_000);
    assert.equal((await browser.whoami()).status, 200);
    scene.clock.pass(1_000);
    assert.equal((await browser.whoami()).status, 401);
  });

  it('asks the provider once where a page sends many requests at the same time', async () => {
    verifies('gateway.ui.sign-in.ends');
    newcomer();
    await browser.signIn();
    scene.clock.pass(recheckMs);
    const before = scene.provider.tokenRequests.length;
    const answers = await Promise.all(Array.from({ length: 5 }, () => browser.whoami()));
    assert.deepEqual(new Set(answers.map((it) => it.status)), new Set([200]));
    assert.equal(scene.provider.tokenRequests.length - before, 1);
  });

  it('ends with a provider that the configuration does not name any more, and whose tokens no other provider gets', async () => {
    verifies('gateway.ui.sign-in.ends');
    newcomer();
    const { stand, clock, provider } = scene;
    await browser.signIn();
    const { pageSessions } = stand.gateway.store;
    const ui = openUiSessions(sealerFor(stand.secret, 'ui sessions'), false);
    const id = ui.readPerson(`switchboard_ui=${browser.cookies.get('switchboard_ui')}`, clock.nowMs()) ?? '';
    const session = await pageSessions.get(id);
    assert.ok(session);
    await pageSessions.remove(id);
    await pageSessions.add({ ...session, issuer: 'https://before.example' });
    clock.pass(recheckMs);
    const asked = provider.tokenRequests.length;
    assert.equal((await browser.page('/user/list')).status, 401);
    assert.equal(provider.tokenRequests.length, asked);
    assert.equal(await pageSessions.get(id), undefined);
  });

  it('ends at every replica with the sign-out, which leads to that of the provider', async () => {
    verifies('gateway.ui.sign-in.ends');
    newcomer();
    await browser.signIn();
    const copy = new Browser(await scene.stand.replica());
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    assert.equal((await copy.whoami()).status, 200);
    const response = await browser.page('/ui/session', undefined, { method: 'DELETE' });
    const { url } = (await response.json()) as { url: string };
    assert.ok(url.startsWith(`${scene.provider.url}/session/end?`), url);
    assert.equal(browser.cookies.has('switchboard_ui'), false);
    assert.equal((await copy.whoami()).status, 401);
  });

  it('names the person in the audit, and how they signed in', async () => {
    verifies('gateway.audit.people');
    const subject = newcomer({ groups: ['staff', 'admins'] });
    await browser.signIn();
    await browser.page('/team/new', { team_id: `made-by-${subject}` });
    const { audit_logs } = (await scene.stand.manage('GET', `/audit?object_id=made-by-${subject}`)) as {
      audit_logs: readonly { changed_by: string; user_email: string; signed_in_by: string }[];
    };
    const user = (await scene.stand.gateway.store.user.all()).find((it) => it.identity?.subject === subject)!;
    assert.deepEqual(
      audit_logs.map((it) => [it.changed_by, it.user_email, it.signed_in_by]),
      [[user.user_id, `${subject}@example.com`, 'sign_in']],
    );
  });
});

describe('pages that people sign in to with the identity provider alone', () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene({ key_sign_in: false, create_users: false, allow: { email_domains: ['example.com'] } });
  });
  after(() => scene.close());

  it('refuse a key, also in a browser that signed in with one before', async () => {
    verifies('gateway.ui.sign-in');
    const browser = new Browser(scene.stand);
    const { status } = await browser.page('/ui/session', { key: scene.stand.adminKey });
    assert.equal(status, 403);
    const { adminKey, secret } = scene.stand;
    const ui = openUiSessions(sealerFor(secret, 'ui sessions'), false);
    const [, value = ''] = /=([^;]*)/.exec(ui.begin(hashKey(adminKey), scene.clock.nowMs())) ?? [];
    browser.cookies.set('switchboard_ui', value);
    assert.equal((await browser.page('/user/list')).status, 401);
  });

  it('admit people with an address in a domain that is allowed, where they have a user', async () => {
    verifies('gateway.ui.sign-in');
    scene.provider.account = 'grace';
    scene.accounts.set('grace', { email: 'grace@example.com', email_verified: true });
    assert.equal((await new Browser(scene.stand).signIn()).status, 403);
    await scene.stand.manage('POST', '/user/new', { user_email: 'grace@example.com', user_alias: 'Grace' });
    const browser = new Browser(scene.stand);
    assert.equal((await browser.signIn()).status, 303);
    assert.equal((await browser.whoami()).name, 'Grace');
  });
});
