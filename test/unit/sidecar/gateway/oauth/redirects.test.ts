import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { audienceOfResource, hasOwnEndpoints, issuerAt } from '../../../../../sidecar/gateway/oauth/addresses.ts';
import { checkRedirect, isNear, isSameRedirect, placeName } from '../../../../../sidecar/gateway/oauth/redirects.ts';

describe('a redirect address', () => {
  const same: readonly (readonly [registered: string, asked: string, is: boolean])[] = [
    ['http://127.0.0.1/cb', 'http://127.0.0.1:8080/cb', true],
    ['http://127.0.0.1:1/cb?x=1', 'http://127.0.0.1:2/cb?x=1', true],
    ['http://127.0.0.1:1/cb?x=1', 'http://127.0.0.1:1/cb?x=2', false],
    ['http://127.0.0.1/cb', 'http://localhost/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1/cb/', false],
    ['http://127.0.0.1/cb', 'http://user:word@127.0.0.1/cb', false],
    ['http://127.0.0.1/cb', 'https://127.0.0.1/cb', false],
    ['https://client.example/cb', 'https://client.example:8443/cb', false],
    ['https://client.example/cb', 'https://client.example/cb', true],
    ['editor://vendor/cb', 'editor://vendor/cb', true],
    ['http://127.0.0.1/cb', 'none', false],
  ];
  for (const [registered, asked, is] of same)
    it(`${asked} is ${is ? '' : 'not '}the one that was registered as ${registered}`, () =>
      assert.equal(isSameRedirect(registered, asked), is));

  for (const [uri, isGood] of [
    ['https://client.example/cb', true],
    [`https://client.example/${'x'.repeat(1_001)}`, true],
    [`https://client.example/${'x'.repeat(1_002)}`, false],
    ['https://user@client.example/cb', false],
    ['https://:word@client.example/cb', false],
    ['http://:word@127.0.0.1/cb', false],
    ['editor://vendor/cb', true],
    ['editor://vendor/cb?more', false],
  ] as const) {
    it(`${uri.slice(0, 60)} of ${uri.length} characters is ${isGood ? 'taken' : 'refused'}`, () => {
      const check = () => checkRedirect(uri, ['editor://vendor/cb']);
      if (isGood) check();
      else assert.throws(check, { error: 'invalid_redirect_uri' });
    });
  }
  it('is near where it leads to this machine or an administrator trusts it, and is named by where it leads', () => {
    const trusted = ['editor://vendor/cb'];
    const uris = [
      'http://localhost:3000/cb',
      'editor://vendor/cb',
      'https://client.example:8443/cb',
      'http://a.example/',
    ];
    assert.deepEqual(
      uris.map((it) => isNear(it, trusted)),
      [true, true, false, false],
    );
    const names = ['this machine (localhost:3000)', 'editor://vendor', 'client.example:8443', 'http://a.example'];
    assert.deepEqual(uris.map(placeName), names);
  });
});

describe('a resource', () => {
  const base = 'https://gateway.example/base';
  const rows: Readonly<Record<string, string | undefined>> = {
    [`${base}`]: 'all',
    [`${base}/`]: 'all',
    [`${base}/mcp`]: 'all',
    [`${base}/mcp/alpha`]: 'named/alpha',
    [`${base}/alpha/mcp`]: 'named/alpha',
    [`${base}/toolset/alpha/mcp`]: 'toolset/alpha',
    [`${base}x/mcp`]: undefined,
    [`${base}?x=1`]: undefined,
    [`${base}/mcp?x=1`]: undefined,
    [`${base}/mcp#`]: undefined,
    'https://gateway.example/mcp': undefined,
    'https://user@gateway.example/base/mcp': undefined,
    'https://:word@gateway.example/base/mcp': undefined,
    'http://gateway.example/base/mcp': undefined,
    'https://gateway.example:8443/base/mcp': undefined,
  };
  for (const [resource, audience] of Object.entries(rows))
    it(`${resource} names ${audience ?? 'nothing of ours'}`, () =>
      assert.equal(audienceOfResource(resource, base), audience));
});

describe('an issuer', () => {
  const rows: readonly (readonly [path: string, prefix: string | undefined, audience?: string])[] = [
    ['', '', 'all'],
    ['/', '', 'all'],
    ['/mcp', '', 'all'],
    ['/mcp/', '', 'all'],
    ['/alpha', '/alpha', 'named/alpha'],
    ['/alpha/', '/alpha', 'named/alpha'],
    ['/mcp/alpha', '/alpha', 'named/alpha'],
    ['/alpha/mcp', '/alpha', 'named/alpha'],
    ['/mcp/mcp', '', 'named/mcp'],
    ['/mcp/a,b', '', 'named/a,b'],
    ['/toolset/alpha/mcp', '', 'toolset/alpha'],
    ['/a,b', undefined],
    ['/v1/mcp/server', undefined],
  ];
  for (const [path, prefix, audience] of rows) {
    it(`at '${path}' is ${audience === undefined ? 'none' : `that of ${audience}`}`, () => {
      const found = issuerAt(path);
      assert.deepEqual([found?.prefix, found?.audience], [prefix, audience]);
    });
  }
  it('has endpoints below the name of a server that begins no other route', () => {
    const names = ['alpha', 'a b', 'a,b', 'mcp', 'toolset', 'sse'];
    assert.deepEqual(names.filter(hasOwnEndpoints), ['alpha', 'a b']);
  });
});
