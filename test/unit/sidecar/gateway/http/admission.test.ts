import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'mocha';
import { HeaderList } from '../../../../../sidecar/gateway/auth/headerList.ts';
import { openAddressGuard } from '../../../../../sidecar/gateway/http/addressGuard.ts';
import { faultResponse } from '../../../../../sidecar/gateway/http/faultResponses.ts';
import { clientAddress, visibleHeaders } from '../../../../../sidecar/gateway/http/inbound.ts';
import { openTrustedProxies } from '../../../../../sidecar/gateway/http/trustedProxies.ts';
import { openUiSessions, UI_SESSION_MS } from '../../../../../sidecar/gateway/http/uiSession.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { createSealer } from '../../../../../sidecar/platform/seal.ts';

describe('the names that a gateway answers to', () => {
  const guard = openAddressGuard({ hosts: ['Gateway.test:4000'], origins: ['https://Page.test'] });
  const rows: readonly [host: readonly string[], origin: readonly string[], wrong: string | undefined][] = [
    [['gateway.test:4000'], [], undefined],
    [['GATEWAY.test:4000'], ['http://gateway.TEST:4000'], undefined],
    [['gateway.test:4000'], ['https://gateway.test:4000'], undefined],
    [['gateway.test:4000'], ['https://page.test'], undefined],
    [[], [], 'Host'],
    [['gateway.test'], [], 'Host'],
    [['gateway.test:4001'], [], 'Host'],
    [['gateway.test:4000', 'gateway.test:4000'], [], 'Host'],
    [['page.test'], ['https://page.test'], 'Host'],
    [['gateway.test:4000'], ['null'], 'Origin'],
    [['gateway.test:4000'], [''], 'Origin'],
    [['gateway.test:4000'], ['http://page.test'], 'Origin'],
    [['gateway.test:4000'], ['https://page.test.evil.test'], 'Origin'],
    [['gateway.test:4000'], ['https://page.test', 'https://page.test'], 'Origin'],
  ];
  for (const [host, origin, wrong] of rows)
    it(`${wrong ? `lack the ${wrong} of` : 'include'} ${JSON.stringify({ host, origin })}`, () =>
      assert.equal(guard.check({ host, origin }), wrong));
});

describe('what comes in with a request', () => {
  const message = (remoteAddress?: string) => ({ socket: { remoteAddress } }) as IncomingMessage;

  it('are headers in order, repetitions joined, without what only the gateway reads', () => {
    const list = new HeaderList(
      'X-A 1 x-key secret Authorization Bearer Cookie c x-a 2 X-MCP-Toolset-Id t x-b 3'.split(' '),
    );
    assert.deepEqual(list.values('x-a'), ['1', '2']);
    assert.deepEqual(
      [...visibleHeaders(list, 'x-key')],
      [
        ['x-a', '1, 2'],
        ['x-b', '3'],
      ],
    );
    assert.equal(visibleHeaders(list, undefined).get('x-key'), 'secret');
  });

  const proxies = openTrustedProxies(['10.0.0.0/8', '192.168.0.1']);
  const rows: readonly [peer: string | undefined, forwarded: string | undefined, from: string][] = [
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '198.51.100.66, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '198.51.100.66, 198.51.100.1, 10.0.0.7 , 192.168.0.1', '198.51.100.1'],
    ['10.0.0.1', '198.51.100.1, ,', '198.51.100.1'],
    ['10.0.0.1', '10.0.0.7, 192.168.0.1', '10.0.0.1'],
    [undefined, '198.51.100.1', ''],
  ];
  for (const [peer, forwarded, from] of rows)
    it(`is from '${from}' when ${peer} brings it, forwarded for '${forwarded}'`, () => {
      const headers = new HeaderList(forwarded === undefined ? [] : ['X-Forwarded-For', forwarded]);
      assert.equal(clientAddress(message(peer), headers, proxies), from);
    });
});

describe('the session of a browser', () => {
  const sealer = createSealer(new Uint8Array(32).fill(1));
  const sessions = openUiSessions(sealer, true);
  const cookie = sessions.begin('hash', 1_000).split(';')[0] ?? '';

  it('is in a cookie that no script, no other site and no plain connection gets', () => {
    for (const isSecure of [true, false]) {
      const { begin, end } = openUiSessions(sealer, isSecure);
      const rest = ['Path=/', 'HttpOnly', 'SameSite=Strict', ...(isSecure ? ['Secure'] : [])];
      const [value, age, ...flags] = begin('hash', 0).split('; ');
      assert.deepEqual([age, flags], [`Max-Age=${12 * 60 * 60}`, rest]);
      assert.ok(value && !value.includes('hash'));
      assert.deepEqual(end.split('; '), ['switchboard_ui=', 'Max-Age=0', ...rest]);
    }
  });

  const sealed = (value: unknown, subject = 'ui session') => `switchboard_ui=${sealer.seal(value, subject)}`;
  const until = 1_000 + UI_SESSION_MS;
  const rows: readonly [says: string, cookies: string | undefined, nowMs: number, key: string | undefined][] = [
    ['to its last moment', cookie, until - 1, 'hash'],
    ['no longer', cookie, until, undefined],
    ['among other cookies', `a=b;  ${cookie} ; xswitchboard_ui=1`, 1_000, 'hash'],
    ['without a cookie', undefined, 1_000, undefined],
    ['of another name', cookie.replace('switchboard_ui', 'switchboard_ux'), 1_000, undefined],
    ['that was changed', cookie.replace(/.(?=.{8}$)/, (it) => (it === 'A' ? 'B' : 'A')), 1_000, undefined],
    ['that was sealed for something else', sealed({ token: 'hash', until }, 'mcp'), 1_000, undefined],
    ['without an end', sealed({ token: 'hash' }), 1_000, undefined],
    ['without a key', sealed({ until }), 1_000, undefined],
    ['whose key is no text', sealed({ token: 1, until }), 1_000, undefined],
    ['whose end is no number', sealed({ token: 'hash', until: '9' }), 1_000, undefined],
    ['that is null', sealed(null), 1_000, undefined],
    ['that is a text', sealed('hash'), 1_000, undefined],
  ];
  for (const [says, cookies, nowMs, key] of rows)
    it(`is ${key ? 'good' : 'none'}: ${says}`, () => assert.equal(sessions.read(cookies, nowMs), key));
});

describe('the answer to a failure', () => {
  const rows: readonly [Fault, status: number, error: object, headers: Readonly<Record<string, string | null>>][] = [
    [
      new Fault('auth_required', 'who?', { cause: new Error('/secret/path') }),
      401,
      { message: 'who?', type: 'auth_error', param: null, code: '401' },
      { 'www-authenticate': 'Bearer x', 'retry-after': null, 'cache-control': 'no-store' },
    ],
    [
      new Fault('forbidden', 'no', { data: { field: 'Host', secret: 's' } }),
      403,
      { message: 'no', type: 'permission_error', param: 'Host', code: '403' },
      { 'www-authenticate': null },
    ],
    [
      new Fault('rate_limited', 'wait', { data: { retry_after_ms: 1_001 } }),
      429,
      { message: 'wait', type: 'throttling_error', param: null, code: '429' },
      { 'retry-after': '2' },
    ],
    [
      new Fault('unavailable', 'soon', { data: { reason: 'busy', retry_after_s: 0, retry_after_ms: 9_000 } }),
      503,
      { message: 'soon', type: 'busy', param: null, code: '503' },
      { 'retry-after': '1' },
    ],
    [
      new Fault('budget_exceeded', 'spent', {
        data: { resets_at: '2026-01-01', field: 1, reason: 2, retry_after_s: 'x' },
      }),
      429,
      { message: 'spent', type: 'budget_exceeded', param: null, code: '429', resets_at: '2026-01-01' },
      { 'retry-after': null },
    ],
    [
      new Fault('internal', 'oh', { data: 'text' }),
      500,
      { message: 'oh', type: 'internal_server_error', param: null, code: '500' },
      {},
    ],
  ];
  for (const [fault, status, error, headers] of rows)
    it(`of '${fault.code}' has status ${status}, names what is wrong, and nothing else`, async () => {
      const response = faultResponse(fault, 'Bearer x');
      assert.equal(response.status, status);
      assert.deepEqual(await response.json(), { error });
      for (const [name, value] of Object.entries(headers)) assert.equal(response.headers.get(name), value, name);
    });
});
