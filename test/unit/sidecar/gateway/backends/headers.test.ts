import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  type HeaderInputs,
  type HeaderRules,
  mergeHeaders,
  planHeaders,
} from '../../../../../sidecar/gateway/backends/headers.ts';
import { noKeys } from '../../../../../sidecar/gateway/backends/keyGuard.ts';
import { PassthroughIndex } from '../../../../../sidecar/gateway/backends/passthrough.ts';
import { variablesOf } from '../../../../../sidecar/gateway/backends/variables.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { inboundOf, virtualKey } from '../../../../support/backends/callOf.ts';

const passthrough = new PassthroughIndex('mcp', [
  { id: 's1', names: ['alpha', 'first server'] },
  { id: 's2', names: ['alpha-two', undefined] },
]);

/** As an admin writes it. */
const slot = (name: string) => `\${${name}}`;

function merge(
  rules: Partial<HeaderRules>,
  parts: Partial<HeaderInputs> & { headers?: Record<string, string>; bearer?: string },
) {
  const { headers = {}, bearer, ...rest } = parts;
  const inbound = inboundOf(headers, bearer);
  return mergeHeaders(planHeaders({ id: 's1', ...rules }), { base: {}, inbound, passthrough, credential: {}, ...rest })
    .headers;
}

describe('the headers of an outgoing request', () => {
  const base = { 'X-One': 'base' };
  const headers = { 'x-one': 'extra', 'x-mcp-alpha-x-one': 'per user' };
  const rows: readonly [string, Partial<HeaderRules>, Parameters<typeof merge>[1], Record<string, string>][] = [
    ['the base is sent', {}, { base }, { 'x-one': 'base' }],
    ['unasked headers of the caller are not', {}, { headers: { 'x-other': '1' } }, {}],
    [
      'extra_headers win over the base',
      { extra_headers: ['X-ONE'] },
      { base, headers: { 'x-one': 'extra' } },
      { 'x-one': 'extra' },
    ],
    [
      'per-user headers win over extra_headers',
      { extra_headers: ['x-one'] },
      { base, headers },
      { 'x-one': 'per user' },
    ],
    [
      'the credential wins over per-user headers',
      {},
      { headers, credential: { 'x-one': 'credential' } },
      { 'x-one': 'credential' },
    ],
    [
      'static_headers win over the credential',
      { static_headers: { 'X-oNe': ' static ' } },
      { headers, credential: { 'x-one': 'credential' } },
      { 'x-one': 'static' },
    ],
    [
      'but not where the operator named its place',
      { static_headers: { 'X-One': 'static' }, upstream_token_header: 'X-One' },
      { headers, credential: { 'x-one': 'credential' } },
      { 'x-one': 'credential' },
    ],
    [
      'the own bearer of the caller goes where it is allowed',
      { extra_headers: ['Authorization'] },
      { bearer: 't' },
      { authorization: 'Bearer t' },
    ],
    ['and nowhere else', {}, { bearer: 't' }, {}],
    ['a bearer that is the virtual key goes nowhere', { extra_headers: ['authorization'] }, { bearer: virtualKey }, {}],
    [
      'a value that holds the virtual key is dropped, in whatever dress',
      { extra_headers: ['a', 'b', 'c', 'd'] },
      {
        headers: {
          a: virtualKey,
          b: `x=${virtualKey};y`,
          c: `Basic ${Buffer.from(`u:${virtualKey}`).toString('base64')}`,
          d: virtualKey.replace('s', '%73'),
          'x-mcp-alpha-e': virtualKey,
        },
      },
      {},
    ],
    [
      'what belongs to a connection, the gateway or the protocol is never forwarded',
      {
        extra_headers: [
          'Host',
          'Content-Length',
          'Cookie',
          'Connection',
          'TE',
          'Proxy-Authorization',
          'Mcp-Session-Id',
          'X-Gateway-Api-Key',
          'content-type',
          'bad name',
        ],
      },
      {
        headers: {
          host: 'a',
          'content-length': '1',
          cookie: 'a',
          connection: 'a',
          te: 'a',
          'proxy-authorization': 'a',
          'mcp-session-id': 'a',
          'x-gateway-api-key': 'a',
          'content-type': 'a',
          'bad name': 'a',
          'x-mcp-alpha-host': 'a',
          'x-mcp-alpha-transfer-encoding': 'a',
          'x-mcp-alpha-mcp-name': 'a',
          'x-mcp-alpha-x-gateway-trace-id': 'a',
          'x-mcp-alpha-bad name': 'a',
        },
      },
      {},
    ],
    [
      'a value with CR, LF or NUL is dropped',
      { extra_headers: ['a', 'b', 'c'] },
      { headers: { a: 'x\r\ny: z', b: 'x\ny', c: 'x\0' } },
      {},
    ],
    ['a value of more than 8 kB is dropped', { extra_headers: ['a'] }, { headers: { a: 'x'.repeat(8_193) } }, {}],
    [
      'a name of Object stays a name',
      { extra_headers: ['__proto__', 'constructor'] },
      { headers: { constructor: 'x' } },
      { constructor: 'x' },
    ],
  ];
  for (const [says, rules, parts, wanted] of rows) it(says, () => assert.deepEqual(merge(rules, parts), wanted));

  it('take variables: those of the registration, and those of the caller', () => {
    const env = [
      { name: 'TEAM', value: 'blue' },
      { name: 'PAT', value: 'not this', scope: 'user' as const },
    ];
    const rules = { static_headers: { 'X-A': `${slot('TEAM')}-${slot('PAT')}`, 'X-B': '$TEAM {TEAM} ${' } };
    const variables = variablesOf(env, { PAT: 'mine', TEAM: 'not mine' });
    assert.deepEqual(merge(rules, { variables }), { 'x-a': 'blue-mine', 'x-b': '$TEAM {TEAM} ${' });
    assert.throws(
      () => merge(rules, { variables: variablesOf(env) }),
      (it) => it instanceof Fault && it.code === 'auth_required' && /static_headers\.X-A.*PAT/.test(it.message),
    );
    assert.throws(() => merge({ static_headers: { a: slot('toString') } }, { variables: {} }), {
      code: 'auth_required',
    });
    const broken = variablesOf(env, { PAT: 'canary\r\nX-Evil: 1' });
    assert.throws(
      () => merge(rules, { variables: broken }),
      (it) => it instanceof Fault && !it.message.includes('canary'),
    );
  });

  it('never hold a character that ends a header, whatever callers and registrations send', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 });
    fc.assert(
      fc.property(fc.dictionary(text, text), text, text, (headers, name, value) => {
        const sent = { ...headers, [`x-mcp-alpha-${name}`]: value };
        for (const [key, it] of Object.entries(merge({ extra_headers: Object.keys(headers) }, { headers: sent }))) {
          assert.match(key, /^[!#$%&'*+.^_`|~0-9a-z-]+$/);
          assert.doesNotMatch(it, /[\r\n\0]/);
        }
      }),
    );
  });
});

describe('static_headers when they are registered', () => {
  const rows: readonly [string, string, RegExp][] = [
    ['Host', 'x', /static_headers\.Host/],
    ['Content-Length', '1', /static_headers\.Content-Length/],
    ['Transfer-Encoding', 'chunked', /static_headers\.Transfer-Encoding/],
    ['Proxy-Authorization', 'x', /static_headers\.Proxy-Authorization/],
    ['X-Gateway-Trace-Id', 'x', /static_headers\.X-Gateway-Trace-Id/],
    ['X A', 'x', /static_headers\.X A/],
    ['', 'x', /static_headers\./],
    ['X-A', 'canary\r\nX-B: 1', /static_headers\.X-A/],
    ['X-A', 'canary\u20281', /static_headers\.X-A/],
  ];
  for (const [name, value, says] of rows) {
    it(`refuse ${JSON.stringify(name)}: ${JSON.stringify(value)}, naming the field and not the value`, () => {
      assert.throws(
        () => planHeaders({ id: 's1', static_headers: { [name]: value } }),
        (it) =>
          it instanceof Fault &&
          it.code === 'invalid_params' &&
          says.test(it.message) &&
          !it.message.includes('canary'),
      );
    });
  }
});

describe('per-user headers', () => {
  const rows: readonly [string, { id: string; header: string } | undefined][] = [
    ['x-mcp-alpha-authorization', { id: 's1', header: 'authorization' }],
    ['x-mcp-alpha-two-authorization', { id: 's2', header: 'authorization' }],
    ['x-mcp-alpha-tw', { id: 's1', header: 'tw' }],
    ['x-mcp-first_server-x-a', { id: 's1', header: 'x-a' }],
    ['x-mcp-alpha-two', { id: 's1', header: 'two' }],
    ['x-mcp-alpha-', undefined],
    ['x-mcp-alpha', undefined],
    ['x-mcp-beta-x-a', undefined],
    ['x-mcp-servers', undefined],
    ['x-mcp-toolset-id', undefined],
    ['x-mcp-debug-alpha-x', undefined],
    ['x-a2a-alpha-x', undefined],
  ];
  for (const [name, wanted] of rows)
    it(`${name} is for ${wanted?.id ?? 'nobody'}`, () => assert.deepEqual(passthrough.match(name), wanted));

  it('go by the alias first, then by the name, ignoring case', () => {
    const index = new PassthroughIndex('mcp', [
      { id: 'one', names: [null, 'Shared'] },
      { id: 'two', names: ['SHARED', 'second'] },
    ]);
    assert.equal(index.match('x-mcp-shared-a')?.id, 'two');
    assert.equal(index.match('x-mcp-second-a')?.id, 'two');
  });

  it('of agents go by id and by name', () => {
    const index = new PassthroughIndex('a2a', [
      { id: '0b1c', names: ['0b1c', 'Travel Agent'] },
      { id: 'ffff', names: ['ffff', '0b1c'] },
    ]);
    assert.deepEqual(index.match('x-a2a-0b1c-x-a'), { id: '0b1c', header: 'x-a' });
    assert.deepEqual(index.match('x-a2a-travel_agent-x-a'), { id: '0b1c', header: 'x-a' });
  });

  it('are left alone where nothing is registered', () => {
    assert.equal(new PassthroughIndex('mcp', []).match('x-mcp-alpha-x'), undefined);
    assert.equal(noKeys(virtualKey), false);
  });
});
