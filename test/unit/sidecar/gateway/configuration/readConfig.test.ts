import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { authenticators } from '../../../../../sidecar/gateway/backends/auth/index.ts';
import { readConfig } from '../../../../../sidecar/gateway/configuration/readConfig.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { authTypeOf } from '../../../../../sidecar/protocol/gateway/authTypes/index.ts';
import { projectRoot } from '../../../../support/cache.ts';

const sample = readFileSync(join(projectRoot, 'test/fixtures/config/switchboard.jsonc'), 'utf8');

/** What is wrong, each with the text that is marked. */
function wrong(text: string): string[] {
  const read = readConfig(text);
  assert.ok('problems' in read, 'something is wrong');
  return read.problems.map(
    ({ path, offset, length, message }) => `${path} | ${text.slice(offset, offset + length)} | ${message}`,
  );
}
const server = (members: string) => `{ "mcp_servers": { "a": { ${members} } } }`;
const refusal =
  'must be { "env": "NAME" }, { "file": "path" }, or a secret in secret_stores, because secrets must not be stored in this file';

describe('readConfig', () => {
  it('warns of a package that is fetched without its exact version', () => {
    const of = (name: string) =>
      readConfig(
        `{ "mcp_servers": { "a": { "transport": "stdio", "command": "npx", "args": ["-y", "${name}"] } }, "stdio": { "allowed_commands": ["npx"] } }`,
      );
    const [read, exact] = [of('server@latest'), of('server@1.2.3')];
    assert.ok('config' in read && 'config' in exact);
    assert.deepEqual([read.warnings.map((it) => it.path), exact.warnings], [['mcp_servers.a.args'], []]);
  });

  it('reads the documented sample without a word', () => {
    const read = readConfig(sample);
    assert.ok('config' in read);
    assert.deepEqual(read.warnings, []);
    const { config } = read;
    assert.deepEqual(Object.keys(config.mcp_servers), ['github', 'files']);
    assert.deepEqual(config.mcp_servers['github']?.credentials?.auth_value, { env: 'GITHUB_TOKEN' });
    assert.deepEqual([config.listen.port, config.listen.host, config.separator], [4100, '127.0.0.1', '__']);
    assert.equal(config.mcp_servers['github']?.transport, 'http');
  });

  it('takes an empty object: everything has a default or may be left out', () => {
    const read = readConfig('// nothing yet\n{}');
    assert.ok('config' in read);
    assert.deepEqual([read.config.mcp_servers, read.config.default_access], [{}, undefined]);
    assert.deepEqual(read.config.caller.subscription_key_headers, ['ocp-apim-subscription-key']);
  });

  const cases: readonly (readonly [title: string, text: string, expected: string])[] = [
    [
      'a method that MCP has',
      '{ "mcp_methods": { "Tools/Call": {} } }',
      'mcp_methods.Tools/Call | "Tools/Call" | this name cannot be used: is a standard MCP method, which the gateway already supports',
    ],
    [
      'a method that is none',
      '{ "mcp_methods": { "search": {} } }',
      'mcp_methods.search | "search" | this name cannot be used: must be a method name such as "acme/search"',
    ],
    ['a missing comma', '{ "separator": "__" "import": [] }', ' | "import" | a comma is expected here'],
    ['an empty file', '', ' |  | a value is expected here'],
    ['a list instead of an object', '[]', ' | [ | must be an object { }'],
    ['a mistyped member', '{ "mcp_server": {} }', 'mcp_server | "mcp_server" | the member \'mcp_server\' is unknown'],
    ['a text instead of a number', '{ "listen": { "port": "80" } }', 'listen.port | "80" | must be a number'],
    ['a port that is none', '{ "listen": { "port": 70000 } }', 'listen.port | 70000 | must be at most 65535'],
    [
      'a transport that is none',
      server('"url": "https://a.b", "transport": "websocket"'),
      'mcp_servers.a.transport | "websocket" | must be one of "http", "sse", "stdio"',
    ],
    [
      'a secret in clear text',
      server('"url": "https://a.b", "credentials": { "auth_value": "s3cret-s3cret" }'),
      `mcp_servers.a.credentials.auth_value | "s3cret-s3cret" | ${refusal}`,
    ],
    [
      'a secret of an agent in clear text',
      '{ "agents": { "x": { "agent_card_params": {}, "gateway_params": { "api_key": "s3cret" } } } }',
      `agents.x.gateway_params.api_key | "s3cret" | ${refusal}`,
    ],
    [
      'the credential of cloud agents in clear text',
      '{ "cloud_agents": { "upstream_url": "https://c.d", "prefix": "c", "credential": "s3cret" } }',
      `cloud_agents.credential | "s3cret" | ${refusal}`,
    ],
    ['a member that is missing', '{ "toolsets": { "t": {} } }', 'toolsets.t.tools | "t" | \'tools\' is missing'],
    ['a server without an address', server(''), 'mcp_servers.a.url | "a" | is required for the http transport'],
    [
      'an OpenAPI service over another transport',
      server('"transport": "sse", "spec_path": "./api.json"'),
      'mcp_servers.a.transport | "sse" | must be http, because \'spec_path\' is set',
    ],
    [
      'an OpenAPI document over another protocol',
      server('"spec_path": "ftp://a.example/api.json"'),
      'mcp_servers.a.spec_path | "ftp://a.example/api.json" | must be an http or https URL, or the path of a file',
    ],
    [
      'a process without a program',
      server('"transport": "stdio"'),
      'mcp_servers.a.command | "a" | is required for the stdio transport',
    ],
    [
      'a process whose requests would be signed',
      `{ "stdio": { "allowed_commands": ["/bin/x"] }, ${server(
        '"transport": "stdio", "command": "/bin/x", "auth_type": "cloud_sigv4"',
      ).slice(1)}`,
      'mcp_servers.a.auth_type | "cloud_sigv4" | must not be cloud_sigv4 with transport stdio, because there are no HTTP requests to sign',
    ],
    [
      'an address that is none',
      server('"url": "ftp://a.b"'),
      'mcp_servers.a.url | "ftp://a.b" | must be a URL such as https://mcp.example.com/mcp',
    ],
    [
      'a server whose name holds the separator',
      '{ "mcp_servers": { "a__b": { "url": "https://a.b" } } }',
      'mcp_servers.a__b | "a__b" | must not contain the separator \'__\'',
    ],
    [
      'a guardrail that nobody described',
      server('"url": "https://a.b", "guardrails": ["x"]'),
      'mcp_servers.a.guardrails.0 | "x" | this file has no guardrail named \'x\'',
    ],
    [
      'two guardrails of one name',
      `{ "guardrails": [${Array.from({ length: 2 }, () => '{ "guardrail_name": "g", "gateway_params": { "guardrail": "argument_schema", "mode": "pre_mcp_call" } }').join()}] }`,
      'guardrails.1.guardrail_name | "g" | \'g\' is used twice',
    ],
    [
      'two members of one name',
      '{ "separator": "a", "separator": "b" }',
      'separator | "separator" | \'separator\' appears more than once',
    ],
    [
      'an open address without TLS',
      '{ "listen": { "host": "0.0.0.0" } }',
      'listen.host | "0.0.0.0" | to accept connections from other machines, the gateway requires tls or "allow_insecure": true',
    ],
    [
      'a proxy that is no address',
      '{ "trusted_proxies": ["proxy"] }',
      'trusted_proxies.0 | "proxy" | must be an IP address or a network, such as 10.0.0.7 or 10.0.0.0/8',
    ],
    [
      'a name that cannot be one',
      '{ "toolsets": { "a b": { "tools": [] } } }',
      'toolsets.a b | "a b" | this name cannot be used: may contain only letters, digits, "_", "-", and "."',
    ],
    [
      'two servers with one id',
      '{ "mcp_servers": { "a": { "url": "https://a.b" }, "b": { "url": "https://a.b", "server_id": "a" } } }',
      'mcp_servers.b.server_id | "a" | this ID is already used by \'a\'',
    ],
    [
      'two entries for one issuer',
      `{ "jwt": [${Array.from({ length: 2 }, () => '{ "issuer": "https://id.a", "audience": "b" }').join()}] }`,
      'jwt.1.issuer | "https://id.a" | is already used by another entry',
    ],
    ...['http://id.a', 'http://localhost.a/', 'ftp://id.a', 'id.a'].map(
      (issuer) =>
        [
          `the issuer ${issuer}, whose keys anybody could change on their way`,
          `{ "jwt": [{ "issuer": "${issuer}", "audience": "b" }] }`,
          `jwt.0.issuer | "${issuer}" | must be an https URL such as https://id.example.com`,
        ] as const,
    ),
    [
      'tokens of nobody',
      '{ "jwt": [{ "issuer": "https://id.a", "audience": "b", "claims": { "user_id": null } }] }',
      'jwt.0.claims | { "user_id": null } | must contain team_id if user_id is null, because each call is made for a user or a team',
    ],
    [
      'tokens that are signed with a shared secret',
      '{ "jwt": [{ "issuer": "https://id.a", "audience": "b", "algorithms": ["HS256"] }] }',
      'jwt.0.algorithms.0 | "HS256" | must be one of "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"',
    ],
  ];
  for (const [title, text, expected] of cases) {
    it(`marks ${title}`, () => assert.deepEqual(wrong(text), [expected]));
  }

  it('finds every mistake of a file in one reading', () => {
    assert.equal(wrong('{ "x": 1, "listen": { "port": -1 }, "separator": "" }').length, 3);
  });

  it('never quotes what stands where a secret belongs', () => {
    const text = server('"url": 7, "credentials": { "auth_value": "hunter2-hunter2", "client_secret": ["hunter2"] }');
    const read = readConfig(text);
    assert.ok('problems' in read && read.problems.length === 3);
    assert.doesNotMatch(JSON.stringify(read.problems), /hunter2/);
  });

  it('reads text without comments as it reads the same text with one', () => {
    const texts = [
      server('"url": "https://a.b", "tags": ["x", "\\u0041\\ud800", "https://c.d//e: f"]'),
      '{ "mcp_servers": { "2": { "url": "https://a.b" }, "1": { "url": "https://a.b" }, "__proto__": { "url": 7 } } }',
      '{ "mcp_servers": { "a": { "url": "https://a.b" }, "a": { "url": "https://c.d" } } }',
      '{ "separator": ":", "limits": { "timeout_s": -0.5e1 }, "nobody": [{}, null, { "a": [] }] }',
      '[]',
      'null',
    ];
    for (const it of texts) assert.deepEqual(readConfig(it), readConfig(`${it} // a comment`), it);
  });

  it('refuses what nests deeper than any configuration', () => {
    for (const it of [
      '['.repeat(100_000),
      `${'['.repeat(65)}${']'.repeat(65)}`,
      `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`,
    ])
      assert.match(wrong(it)[0] ?? '', /the configuration is too large or nested too deeply/);
    assert.doesNotMatch(wrong(`${'['.repeat(64)}${']'.repeat(64)}`)[0] ?? '', /nested/);
  });

  it('refuses deep nesting where brackets do not match and where texts and comments do not end', () => {
    const deep = '['.repeat(100_000);
    const texts = [`"\\\n"${deep}"`, `["\r,${deep}"`, `// \u2028/*\n${deep}*/`, `[${'}'.repeat(100_000)},${deep}`];
    for (const it of texts)
      assert.match(wrong(it)[0] ?? '', /too large or nested too deeply/, JSON.stringify(it.slice(0, 9)));
  });

  it('refuses a large text that is never closed, in a time that grows with its length only', () => {
    for (const it of [`"${'\\"'.repeat(400_000)}`, '/* "'.repeat(200_000)])
      assert.match(wrong(it).join(), /is not closed/, it.slice(0, 4));
  });

  it('warns of a server whose calls are refused for want of a credential, and of no other', () => {
    const warnings = (members: string) => {
      const read = readConfig(server(`"url": "https://a.b", ${members}`));
      assert.ok('config' in read);
      return read.warnings.map(({ path, message }) => `${path} | ${message}`);
    };
    for (const [name, authenticator] of Object.entries(authenticators)) {
      let refused: unknown;
      try {
        authenticator.check({ server_id: 'a', url: 'https://a.b' }, {});
      } catch (thrown) {
        refused = thrown;
      }
      const said = warnings(`"auth_type": "${name}"`);
      const field = refused instanceof Fault && /^'credentials\.(\w+)'/.exec(refused.message)?.[1];
      if (field === 'auth_value' || (field && authTypeOf(name)?.needs?.includes(field)))
        assert.deepEqual(said, [
          `mcp_servers.a.auth_type | 'credentials.${field}' is missing, so every call will be refused`,
        ]);
      else assert.deepEqual(said, [], name);
      assert.deepEqual(warnings(`"auth_type": "${name}", "is_byok": true`), [], name);
    }
    assert.deepEqual(warnings('"auth_type": "basic", "credentials": { "auth_value": { "env": "X" } }'), []);
  });

  it('warns of names that this file does not have, and takes it', () => {
    const text = `{ "teams": { "t": { "budget_id": "b", "organization_id": "o" } },
      "toolsets": { "s": { "tools": [{ "server_id": "x", "tool_name": "y" }] } },
      "mcp_servers": { "p": { "transport": "stdio", "command": "node" }, "q": { "url": "https://a.b", "auth_type": "basic" } } }`;
    const read = readConfig(text);
    assert.ok('config' in read);
    assert.deepEqual(read.warnings.map((it) => it.path).sort(), [
      'mcp_servers.p.command',
      'mcp_servers.q.auth_type',
      'teams.t.budget_id',
      'teams.t.organization_id',
      'toolsets.s.tools.0.server_id',
    ]);
  });
});
