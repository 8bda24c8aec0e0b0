import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { authTypeNames } from '../../../../../sidecar/protocol/gateway/authTypes/index.ts';
import { McpServerCreate } from '../../../../../sidecar/protocol/gateway/mcpServer.ts';
import {
  askedFields,
  endpointOf,
  isPrivateAddress,
  nameFor,
  splitCommandLine,
  withCredential,
} from '../../../../../src/gateway/commands/forms.ts';

describe('adding a server', () => {
  for (const authType of authTypeNames) {
    it(`asks what ${authType} needs, and the schema of servers knows each answer`, () => {
      const answers = Object.fromEntries(askedFields(authType).map(([path]) => [path, 'https://x.example']));
      const body = { url: 'https://x.example', ...withCredential(authType, answers) };
      const said = McpServerCreate.parse(body) as Record<string, unknown>;
      const credentials = (said['credentials'] ?? {}) as Record<string, unknown>;
      const given = (path: string) => {
        const [member = '', inner] = path.split('.');
        return inner === undefined ? said[member] : credentials[inner];
      };
      for (const path of Object.keys(answers)) assert.equal(given(path), 'https://x.example', path);
    });
  }

  it('asks for what the auth types could not do without, and for no more than before', () => {
    const names = Object.fromEntries(
      authTypeNames.map((it) => [
        it,
        askedFields(it)
          .map(([path]) => path)
          .sort(),
      ]),
    );
    const value = ['credentials.auth_value'];
    assert.deepEqual(names, {
      none: [],
      api_key: value,
      bearer_token: value,
      basic: value,
      authorization: value,
      token: value,
      oauth2: ['credentials.client_id', 'credentials.client_secret'],
      oauth2_token_exchange: [
        'audience',
        'credentials.client_id',
        'credentials.client_secret',
        'token_exchange_endpoint',
      ],
      cloud_sigv4: [
        'credentials.aws_access_key_id',
        'credentials.aws_region_name',
        'credentials.aws_secret_access_key',
        'credentials.aws_service_name',
      ],
    });
  });

  it('puts secrets among the credentials, and leaves out what was not answered', () => {
    assert.deepEqual(withCredential('bearer_token', { 'credentials.auth_value': 't' }), {
      auth_type: 'bearer_token',
      credentials: { auth_value: 't' },
    });
    assert.deepEqual(withCredential('oauth2', { 'credentials.client_id': '', 'credentials.client_secret': '' }), {
      auth_type: 'oauth2',
      oauth2_flow: 'authorization_code',
    });
    assert.deepEqual(withCredential('none', {}), { auth_type: 'none' });
  });

  for (const [line, words] of [
    ['npx -y @scope/server', ['npx', '-y', '@scope/server']],
    [`"C:\\Program Files\\x.exe" 'a b' c`, ['C:\\Program Files\\x.exe', 'a b', 'c']],
    ['say "a \\"b\\""', ['say', 'a "b"']],
    ['  ', []],
  ] as const) {
    it(`reads the command line ${line.trim() || 'of blanks'}`, () => assert.deepEqual(splitCommandLine(line), words));
  }

  it('knows an address of this machine or a private network', () => {
    const addresses = [
      'http://localhost:1/mcp',
      'http://127.0.0.1',
      'http://10.1.2.3',
      'http://[::1]:9',
      'http://nas.local',
    ];
    assert.deepEqual(
      addresses.filter((it) => !isPrivateAddress(it)),
      [],
    );
    for (const it of ['https://mcp.example.com', 'https://172.32.0.1', 'https://8.8.8.8', 'no address'])
      assert.equal(isPrivateAddress(it), false, it);
  });

  for (const [where, name] of [
    ['https://mcp.linear.app/sse', 'linear'],
    ['https://api.example.com/mcp', 'example'],
    ['npx -y @modelcontextprotocol/server-everything', 'everything'],
    ['uvx mcp-server-time --local', 'time'],
    ['', 'server'],
  ] as const) {
    it(`calls ${where || 'nothing'} ${name}`, () => assert.equal(nameFor(where), name));
  }
});

describe('where an agent takes calls', () => {
  const given = 'https://a.example/agents/weather/.well-known/agent-card.json';
  for (const { says, card, expected } of [
    {
      says: 'is what an older card says',
      card: { url: 'https://a.example/rpc' },
      expected: 'https://a.example/rpc',
    },
    {
      says: 'is the JSON-RPC interface of a newer card',
      card: {
        supportedInterfaces: [
          { url: 'https://a.example/grpc', protocolBinding: 'GRPC' },
          { url: 'https://a.example/v1', protocolBinding: 'JSONRPC' },
        ],
      },
      expected: 'https://a.example/v1',
    },
    {
      says: 'is the address that was given where the card leads elsewhere',
      card: { url: 'http://169.254.169.254/rpc' },
      expected: 'https://a.example/agents/weather',
    },
    {
      says: 'is the address that was given where the card says none',
      card: {},
      expected: 'https://a.example/agents/weather',
    },
    {
      says: 'is the address that was given where the card says no address',
      card: { url: 'soon' },
      expected: 'https://a.example/agents/weather',
    },
  ])
    it(says, () => assert.equal(endpointOf(card, given), expected));

  it('is the agent itself where its own address was given', () => {
    assert.equal(endpointOf({}, 'https://a.example/rpc/'), 'https://a.example/rpc');
  });
});
