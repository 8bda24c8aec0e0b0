import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, it } from 'mocha';
import type { Caller } from '../../../../../sidecar/gateway/auth/caller.ts';
import { type Registered, SignInFailed } from '../../../../../sidecar/gateway/backends/oauth/flow.ts';
import { CODE_MS, Grants } from '../../../../../sidecar/gateway/oauth/grants.ts';
import { SignIns, type SignInsDeps } from '../../../../../sidecar/gateway/oauth/signIns.ts';
import type { PublicContext } from '../../../../../sidecar/gateway/routing/route.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import type { HttpResponse } from '../../../../../sidecar/platform/httpMessages.ts';
import { createSealer } from '../../../../../sidecar/platform/seal.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { webResponse } from '../../../../support/gateway/webResponse.ts';

const base = 'https://gateway.example';
const pending = { c: 'client', n: 'Raw', r: 'http://127.0.0.1:9/cb', s: 's1', p: 'challenge', a: 'all', i: '/mcp' };
const server = { server: { server_id: 'id-1', alias: 'alpha', server_name: 'Alpha' }, secrets: {} } as Registered;
const caller = { key: { token: 'hash' } } as Caller;

describe('a sign-in at the authorization server of a server', () => {
  let clock: StandingClock;
  let grants: Grants;
  let signIns: SignIns;
  let connected: string[];
  let returnTo: string;
  let begin: () => { url: string; cookie: string };
  let finish: (asked: { readonly cookie: string | undefined }) => void;

  beforeEach(() => {
    clock = new StandingClock('2026-06-01T12:00:00Z');
    grants = new Grants({ sealer: createSealer(randomBytes(32)), random: randomBytes });
    connected = [];
    begin = () => ({ url: 'https://as.example/authorize?state=sealed', cookie: 'word' });
    finish = () => undefined;
    const upstream = {
      begin: async (asked: { readonly returnTo: string; readonly redirectUri: string; readonly user: string }) => {
        ({ returnTo } = asked);
        assert.deepEqual([asked.redirectUri, asked.user], [`${base}/callback`, 'alice']);
        return begin();
      },
      finish: async (asked: { readonly cookie: string | undefined }) => {
        finish(asked);
        return { server_id: 'id-1', user: 'alice', return_to: returnTo };
      },
    };
    const serverAccess = {
      userOf: () => 'alice',
      server: async () => server,
      connected: (id: string, user: string) => connected.push(`${id} ${user}`),
    };
    signIns = new SignIns({ grants, clock, upstream, serverAccess } as unknown as SignInsDeps);
  });
  const back = async (answer: HttpResponse) => {
    const response = webResponse(answer);
    const place = response.headers.get('location');
    const [cookie] = response.headers.getSetCookie();
    return { status: response.status, place: place === null ? undefined : new URL(place), cookie, response };
  };
  const callback = async (cookie?: string) =>
    back(
      await signIns.callback(new URLSearchParams({ state: 'sealed', code: 'c' }), {
        cookie,
        baseUrl: base,
      } as PublicContext),
    );
  const isTakenAway = /^switchboard_flow_[\w-]{12}=; Max-Age=0; /;
  const faults = {
    access_denied: new Fault('auth_required', 'The server said no.'),
    temporarily_unavailable: new Fault('unavailable', 'Nobody answers.'),
    server_error: new Fault('internal', 'Something broke.'),
  };

  it('that a client waits for gives it a code of this moment, for the key of the person, and takes the cookie away', async () => {
    const page = await back(await signIns.beginForClient(server, caller, pending, base));
    assert.match(await page.response.text(), /Sign in to alpha/);
    assert.match(page.cookie ?? '', /=word; Max-Age=600; /);
    let sent: string | undefined;
    finish = (asked) => {
      sent = asked.cookie;
    };
    clock.pass(5 * 60_000);
    const { status, place, cookie, response } = await callback(`other=1; ${page.cookie?.split(';')[0]}`);
    assert.equal(sent, 'word');
    assert.deepEqual([status, place?.origin, place?.pathname], [302, 'http://127.0.0.1:9', '/cb']);
    assert.deepEqual([place?.searchParams.get('state'), place?.searchParams.get('iss')], ['s1', `${base}/mcp`]);
    const { t, e, c, r } = grants.openCode(place?.searchParams.get('code') ?? '') ?? {};
    assert.deepEqual({ t, e, c, r }, { t: 'hash', e: clock.nowMs() + CODE_MS, c: 'client', r: pending.r });
    assert.match(cookie ?? '', isTakenAway);
    assert.equal(cookie?.split('=')[0], page.cookie?.split('=')[0]);
    assert.deepEqual(
      [response.headers.get('referrer-policy'), response.headers.get('cache-control')],
      ['no-referrer', 'no-store'],
    );
    assert.deepEqual(connected, ['id-1 alice']);
  });

  for (const [error, fault] of Object.entries(faults)) {
    it(`that ends with ${fault.code} is reported to the client as ${error}, at its begin and at its end`, async () => {
      await signIns.beginForClient(server, caller, pending, base);
      finish = () => {
        throw new SignInFailed(fault, returnTo);
      };
      const { status, place, cookie } = await callback();
      assert.equal(status, 302);
      const answer = ['error', 'error_description', 'state', 'code'].map((it) => place?.searchParams.get(it));
      assert.deepEqual(answer, [error, fault.message, 's1', null]);
      assert.match(cookie ?? '', isTakenAway);
      assert.deepEqual(connected, []);
      begin = () => {
        throw fault;
      };
      const page = await back(await signIns.beginForClient(server, caller, pending, base));
      const text = await page.response.text();
      assert.ok(text.includes(`error=${error}`) && text.includes('Back to Raw'), text);
      assert.equal(page.cookie, undefined);
    });
  }

  it('that was begun on a page of ours goes back there, or says that the page may be closed', async () => {
    for (const [to, status] of [
      ['/ui/servers?id=1', 302],
      [undefined, 200],
    ] as const) {
      await signIns.beginForPage(server, 'alice', to, base);
      const ended = await callback();
      assert.deepEqual([ended.status, ended.place?.href], [status, to && `${base}${to}`]);
      if (!to) assert.match(await ended.response.text(), /You can close this page/);
      assert.match(ended.cookie ?? '', isTakenAway);
    }
    assert.deepEqual(connected, ['id-1 alice', 'id-1 alice']);
  });

  it('that was begun on a page, or by nobody who is known, says on a page what is wrong', async () => {
    await signIns.beginForPage(server, 'alice', '/ui/servers', base);
    for (const thrown of [new SignInFailed(faults.access_denied, returnTo), faults.access_denied]) {
      finish = () => {
        throw thrown;
      };
      const { status, place, cookie, response } = await callback();
      assert.deepEqual([status, place], [400, undefined]);
      assert.match(await response.text(), /The server said no\./);
      assert.match(cookie ?? '', isTakenAway);
    }
    assert.deepEqual(connected, []);
  });

  it('that fails by a mistake of ours is an error, and no answer to anybody', async () => {
    finish = () => {
      throw new TypeError('a bug');
    };
    await signIns.beginForClient(server, caller, pending, base);
    await assert.rejects(callback(), TypeError);
    begin = finish as typeof begin;
    await assert.rejects(signIns.beginForClient(server, caller, pending, base), TypeError);
  });
});
