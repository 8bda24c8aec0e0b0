import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { cardAddress, isCard, rewriteCard } from '../../../../../sidecar/gateway/a2a/card.ts';
import { verifies } from '../../../../support/verifies.ts';

const address = 'https://gateway.test/a2a/agent-1';
const inside = 'http://10.0.0.7:9/secret';

const legacy = {
  protocolVersion: '0.3.0',
  name: 'Weather',
  url: inside,
  preferredTransport: 'GRPC',
  additionalInterfaces: [
    { transport: 'GRPC', url: inside },
    { transport: 'JSONRPC', url: `${inside}/rpc` },
    { transport: 'JSONRPC', url: `${inside}/also` },
    { transport: 'HTTP+JSON', url: `${inside}/rest` },
  ],
  securitySchemes: { inner: { type: 'apiKey', in: 'header', name: 'x-inner' } },
  security: [{ inner: [] }],
  signatures: [{ protected: 'e30', signature: 'abc' }],
  skills: [{ id: 's', name: 'S', security: [{ inner: [] }] }],
  capabilities: { streaming: true },
  'x-more': 1,
};
const modern = {
  name: 'Weather',
  version: '2',
  supportedInterfaces: [
    { url: inside, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: 't' },
    { url: inside, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    { url: inside, protocolBinding: 'GRPC', protocolVersion: '1.0' },
    { url: inside, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
  ],
  securitySchemes: { inner: { oauth2SecurityScheme: { flows: {} } } },
  securityRequirements: [{ schemes: { inner: { list: [] } } }],
  signatures: [{ protected: 'e30', signature: 'abc' }],
  skills: [{ id: 's', securityRequirements: [{ schemes: { inner: {} } }] }],
};

describe('the card of an agent', () => {
  it('is shown without what nobody sees, in every text that is read, and not without an end', () => {
    const unseen = '\u202e\u200b\u0000\u{e0041}';
    const card = {
      name: `Wea${unseen}ther`,
      description: 'x'.repeat(5_000),
      provider: { organization: `Sky${unseen}`, url: 'https://sky.example/\u200b' },
      iconUrl: `data:image/png;base64,${'A'.repeat(5_000)}`,
      skills: [{ id: 's\u200b', name: `S${unseen}`, tags: [`t${unseen}`], examples: [`e\n${unseen}`], security: [] }],
      capabilities: { extensions: [{ uri: 'u', description: `d${unseen}`, params: { name: `p${unseen}` } }] },
    };
    const shown = rewriteCard(card, address);
    assert.deepEqual(
      [shown['name'], shown['provider'], shown['iconUrl']],
      ['Weather', { organization: 'Sky', url: 'https://sky.example/\u200b' }, card.iconUrl],
    );
    assert.equal(String(shown['description']).length, 4_096);
    assert.deepEqual(shown['skills'], [{ id: 's\u200b', name: 'S', tags: ['t'], examples: ['e\n'] }]);
    assert.deepEqual(shown['capabilities'], {
      extensions: [{ uri: 'u', description: 'd', params: { name: `p${unseen}` } }],
    });
  });

  it('of 0.3 leads to the gateway, by JSON-RPC and with its bearer, and keeps the rest', () => {
    const description = 'A gateway virtual key.';
    assert.deepEqual(rewriteCard(legacy, address), {
      protocolVersion: '0.3.0',
      name: 'Weather',
      skills: [{ id: 's', name: 'S' }],
      capabilities: { streaming: true },
      'x-more': 1,
      url: address,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [{ transport: 'JSONRPC', url: address }],
      securitySchemes: { gateway: { type: 'http', scheme: 'bearer', description } },
      security: [{ gateway: [] }],
    });
  });

  it('of 1.0 stays one of 1.0', () => {
    const description = 'A gateway virtual key.';
    assert.deepEqual(rewriteCard(modern, address), {
      name: 'Weather',
      version: '2',
      skills: [{ id: 's' }],
      supportedInterfaces: [
        { url: address, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: 't' },
        { url: address, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      securitySchemes: { gateway: { httpAuthSecurityScheme: { scheme: 'Bearer', description } } },
      securityRequirements: [{ schemes: { gateway: { list: [] } } }],
    });
  });

  it('of 1.0 without an interface that is relayed gets the one of the registered address', () => {
    const card = rewriteCard({ name: 'W', supportedInterfaces: [{ url: inside, protocolBinding: 'GRPC' }] }, address);
    assert.deepEqual(card['supportedInterfaces'], [
      { url: address, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ]);
  });

  it('of 1.0 in snake_case keeps the interfaces that are relayed, under their own name', () => {
    const { supportedInterfaces, ...more } = modern;
    const card = rewriteCard({ ...more, skills: ['s', null], supported_interfaces: supportedInterfaces }, address);
    assert.deepEqual(card['supportedInterfaces'], rewriteCard(modern, address)['supportedInterfaces']);
    assert.deepEqual(['url' in card, 'supported_interfaces' in card, card['skills']], [false, false, ['s', null]]);
  });

  it('of both styles at once is rewritten in both', () => {
    const card = rewriteCard({ ...legacy, supportedInterfaces: modern.supportedInterfaces }, address);
    assert.deepEqual([card['url'], card['preferredTransport']], [address, 'JSONRPC']);
    assert.equal((card['supportedInterfaces'] as unknown[]).length, 2);
    assert.ok('security' in card && 'securityRequirements' in card);
  });

  describe('with HTTP+JSON', () => {
    const isReached = (url: unknown) => url === `${inside}/rest`;
    const bindingsOf = (card: object) => {
      const { preferredTransport, additionalInterfaces, supportedInterfaces } = rewriteCard(
        card as Readonly<Record<string, unknown>>,
        address,
        { isReached },
      );
      const listed = [additionalInterfaces, supportedInterfaces].flat().filter((it) => it !== undefined);
      return [
        preferredTransport,
        ...listed.map((it) => {
          const { transport, protocolBinding, url } = it as Readonly<Record<string, unknown>>;
          assert.equal(url, address);
          return transport ?? protocolBinding;
        }),
      ];
    };
    const rest = { transport: 'HTTP+JSON', url: `${inside}/rest` };

    it('keeps it for an address that the gateway calls, in both styles', () => {
      verifies('gateway.a2a.http-json');
      assert.deepEqual(bindingsOf(legacy), ['JSONRPC', 'JSONRPC', 'HTTP+JSON']);
      const supportedInterfaces = modern.supportedInterfaces.map((it) => ({ ...it, url: `${inside}/rest` }));
      assert.deepEqual(bindingsOf({ ...modern, supportedInterfaces }), [undefined, 'JSONRPC', 'JSONRPC', 'HTTP+JSON']);
      assert.deepEqual(bindingsOf(modern), [undefined, 'JSONRPC', 'JSONRPC']);
    });

    it('prefers what the agent prefers, if the gateway relays it', () => {
      const card = { name: 'W', url: rest.url };
      assert.deepEqual(bindingsOf({ ...card, preferredTransport: 'http+json' }), ['HTTP+JSON']);
      assert.deepEqual(bindingsOf({ ...card, preferredTransport: 'HTTP+JSON', url: inside }), ['JSONRPC']);
      assert.deepEqual(bindingsOf({ ...card, preferredTransport: 'GRPC', additionalInterfaces: [rest] }), [
        'HTTP+JSON',
        'HTTP+JSON',
      ]);
      assert.deepEqual(bindingsOf({ ...card, additionalInterfaces: [rest] }), ['JSONRPC', 'HTTP+JSON']);
    });

    it("names the gateway's scheme also in protobuf's JSON of 0.3", () => {
      const security = [{ schemes: { inner: { list: [] } } }];
      const card = rewriteCard({ name: 'W', url: inside, security }, address, { isProtobuf: true });
      const description = 'A gateway virtual key.';
      const scheme = { type: 'http', scheme: 'bearer', description };
      assert.deepEqual(card['securitySchemes'], {
        gateway: { ...scheme, httpAuthSecurityScheme: { scheme: 'Bearer', description } },
      });
      assert.deepEqual(card['security'], [{ schemes: { gateway: { list: [] } } }]);
    });
  });

  it('of a registration that holds little more than a name is complete enough to be called', () => {
    const card = rewriteCard({ name: 'W' }, address);
    assert.deepEqual([card['url'], card['security']], [address, [{ gateway: [] }]]);
  });

  it('names no address of the agent, and keeps no signature, in whichever spelling they came', () => {
    const names = [
      'url',
      'additionalInterfaces',
      'supportedInterfaces',
      'additional_interfaces',
      'supported_interfaces',
    ];
    const secret = 'http://internal.test:1';
    const one = fc.constantFrom<unknown>(
      secret,
      [secret],
      { url: secret },
      [{ url: secret, transport: 'JSONRPC' }],
      [{ url: secret, protocolBinding: 'jsonrpc' }],
      [{ url: secret, protocolBinding: 'GRPC' }],
      null,
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names, 'signatures'), one), (members) => {
        const text = JSON.stringify(rewriteCard({ name: 'W', ...members }, address));
        assert.ok(!text.includes('internal.test') && !text.includes('signatures'), text);
      }),
    );
  });

  it('is told from what is none by its name', () => {
    assert.deepEqual(
      [isCard({ name: 'a' }), isCard({}), isCard([]), isCard(null), isCard('x')],
      [true, false, false, false, false],
    );
  });

  it('says an address that is one segment, whatever the id', () => {
    assert.equal(cardAddress('https://g.test', 'a/../b c'), 'https://g.test/a2a/a%2F..%2Fb%20c');
  });
});
