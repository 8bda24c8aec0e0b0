import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'mocha';
import {
  cookieOf,
  endOfFlowCookie,
  flowCookie,
  flowCookieName,
  markBrowser,
  markOf,
} from '../../../../../sidecar/gateway/oauth/cookies.ts';
import { DelegatedSignIn } from '../../../../../sidecar/gateway/oauth/delegated.ts';
import { createSealer } from '../../../../../sidecar/platform/seal.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';

const http = 'http://127.0.0.1:4000';
const https = 'https://gateway.example';
const runtime = { random: randomBytes };
const wordIn = (cookie: string) => /=([^;]*)/.exec(cookie)?.[1] ?? '';

describe('a cookie', () => {
  const rows: readonly (readonly [cookies: string | undefined, value: string | undefined])[] = [
    ['name=word', 'word'],
    ['other=1; name=word; more=2', 'word'],
    ['name=a=b', 'a=b'],
    ['names=1; name=word', 'word'],
    ['nam=1', undefined],
    ['name=', undefined],
    ['', undefined],
    [undefined, undefined],
  ];
  for (const [cookies, value] of rows)
    it(`is ${value ?? 'absent'} in '${cookies}'`, () => assert.equal(cookieOf(cookies, 'name'), value));
});

describe('the mark of a browser', () => {
  it('stays the same on every page that is open in it, and is new where it is none of ours', () => {
    const first = markBrowser(undefined, http, runtime);
    const sent = `x=1; ${first.cookie.split(';')[0]}`;
    const second = markBrowser(sent, http, runtime);
    assert.deepEqual(second, first);
    assert.equal(markOf(sent, http), first.digest);
    for (const wrong of ['x'.repeat(42), 'x'.repeat(44), `${'x'.repeat(42)}*`]) {
      const { cookie } = markBrowser(`switchboard_page=${wrong}`, http, runtime);
      assert.notEqual(wordIn(cookie), wrong);
      assert.match(wordIn(cookie), /^[\w-]{43}$/);
    }
  });
  it('is known by its digest alone, and by none where the browser sent none', () => {
    const { cookie, digest } = markBrowser(undefined, http, runtime);
    assert.equal(digest, createHash('sha256').update(wordIn(cookie)).digest('base64url'));
    assert.equal(markOf('', http), undefined);
  });
  it('with TLS has a name that no other host can set, and is sent to us alone', () => {
    const { cookie } = markBrowser(undefined, https, runtime);
    assert.match(
      cookie,
      /^__Host-switchboard_page=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const plain = markBrowser(undefined, http, runtime).cookie;
    assert.match(plain, /^switchboard_page=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.equal(markOf(plain.split(';')[0], https), undefined);
  });
});

describe('the cookie of a sign-in', () => {
  it('is one of its own for each, comes back from another site, and is taken away by its name', () => {
    assert.notEqual(flowCookieName('one'), flowCookieName('two'));
    const name = flowCookieName('one');
    assert.equal(flowCookie('one', 'word', https), `${name}=word; Max-Age=600; Path=/; HttpOnly; SameSite=Lax; Secure`);
    assert.equal(flowCookie('one', 'word', http), `${name}=word; Max-Age=600; Path=/; HttpOnly; SameSite=Lax`);
    assert.equal(endOfFlowCookie('one', https), `${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure`);
  });
});

describe('the address of the document of a server that people sign in to themselves', () => {
  const clock = new StandingClock('2026-01-01T00:00:00Z');
  const delegated = new DelegatedSignIn(createSealer(randomBytes(32)), () => clock.nowMs());
  const query = () => new URL(delegated.address(http, '/mcp/alpha', 'id-1')).searchParams;

  it('stands for the server at the path that the client called, and at no other', () => {
    const asked = query();
    assert.equal(delegated.read('/mcp/alpha', asked), 'id-1');
    assert.equal(delegated.read('/alpha/mcp', asked), undefined);
    assert.equal(delegated.read('', asked), undefined);
    assert.equal(delegated.read('/mcp/alpha', new URLSearchParams()), undefined);
    assert.equal(delegated.read('/mcp/alpha', new URLSearchParams({ upstream: 'AAAA' })), undefined);
  });
  it('is good for an hour', () => {
    const asked = query();
    clock.pass(60 * 60_000 - 1);
    assert.equal(delegated.read('/mcp/alpha', asked), 'id-1');
    clock.pass(1);
    assert.equal(delegated.read('/mcp/alpha', asked), undefined);
  });
});
