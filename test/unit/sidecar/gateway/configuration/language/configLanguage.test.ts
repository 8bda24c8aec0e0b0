import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { openConfigLanguage } from '../../../../../../sidecar/gateway/configuration/language/configLanguage.ts';
import { type GatewayFacts, noFacts } from '../../../../../../sidecar/gateway/configuration/language/facts.ts';
import { projectRoot } from '../../../../../support/cache.ts';

const facts: GatewayFacts = {
  servers: [
    { id: 'git', name: 'git', tools: ['list_issues', 'create_issue'], health: 'healthy', groups: ['dev'] },
    { id: 'old', name: 'Old', health: 'unhealthy', trouble: 'it answered with 502' },
  ],
  agents: [{ id: 'a-1', name: 'reviewer', groups: ['crew'] }],
  toolsets: ['triage'],
  teams: ['blue'],
  organizations: ['acme'],
  budgets: ['small'],
  models: ['smart'],
};
const language = openConfigLanguage(() => Promise.resolve(facts));
const alone = openConfigLanguage(() => Promise.resolve(noFacts));

/** `|` is where the cursor stands. */
const cursor = (text: string) => [text.replace('|', ''), text.indexOf('|')] as const;
async function labels(text: string): Promise<string[]> {
  return (await language.completion(...cursor(text))).map((it) => it.label);
}
const inPermission = (text: string) => `{ "teams": { "t": { "object_permission": { ${text} } } } }`;
const file = `{
  "mcp_servers": { "own": { "url": "https://a.b", "mcp_access_groups": ["ops"], "allowed_tools": ["run"] } },
  "agents": { "local": { "agent_card_params": {} } },
  "guardrails": [{ "guardrail_name": "schema", "gateway_params": { "guardrail": "argument_schema", "mode": "pre_mcp_call" } }],
  "stdio": { "allowed_commands": ["node"] },
`;
const within = (rest: string) => `${file}${rest} }`;

describe('the language of switchboard.jsonc: completion', () => {
  const cases: readonly (readonly [title: string, text: string, expected: readonly string[]])[] = [
    [
      'servers of the file and of the gateway',
      within('"teams": { "t": { "object_permission": { "mcp_servers": ["|"] } } }'),
      ['git', 'old', 'own'],
    ],
    ['agents of both', within('"teams": { "t": { "object_permission": { "agents": [|] } } }'), ['local', 'reviewer']],
    [
      'groups of servers',
      within('"teams": { "t": { "object_permission": { "mcp_access_groups": [|] } } }'),
      ['dev', 'ops'],
    ],
    ['groups of agents', inPermission('"agent_access_groups": [|]'), ['crew']],
    ['toolsets', inPermission('"mcp_toolsets": [|]'), ['triage']],
    ['servers as names of members', inPermission('"mcp_tool_permissions": { "|" }'), ['git', 'old']],
    [
      'tools of the server above',
      inPermission('"mcp_tool_permissions": { "git": ["|"] }'),
      ['create_issue', 'list_issues'],
    ],
    [
      'tools of the server beside',
      '{ "toolsets": { "t": { "tools": [{ "server_id": "git", "tool_name": "|" }] } } }',
      ['create_issue', 'list_issues'],
    ],
    [
      'tools that the file speaks of',
      within('"toolsets": { "t": { "tools": [{ "server_id": "own", "tool_name": "|" }] } }'),
      ['run'],
    ],
    [
      'tools of the entry itself',
      '{ "mcp_servers": { "git": { "allowed_params": { "|" } } } }',
      ['create_issue', 'list_issues'],
    ],
    ['guardrails', within('"teams": { "t": { "guardrails": ["|"] } }'), ['schema']],
    ['organisations', '{ "teams": { "t": { "organization_id": "|" } } }', ['acme']],
    ['budgets', '{ "teams": { "t": { "budget_id": | } } }', ['small']],
    ['programs', within('"mcp_servers": { "p": { "command": "|" } }'), ['node']],
    ['values of an enumeration', '{ "mcp_servers": { "a": { "transport": "|" } } }', ['http', 'sse', 'stdio']],
    ['true and false', '{ "always_prefix": | }', ['true', 'false']],
    [
      'places of a secret',
      '{ "mcp_servers": { "a": { "credentials": { "auth_value": { "|" } } } } }',
      ['env', 'file', 'vault', 'aws', 'gcp', 'azure'],
    ],
    ['members that are not there yet', '{ "listen": { "host": "::1", "port": 1, | } }', ['tls', 'allow_insecure']],
    ['nothing where any text may stand', '{ "mcp_servers": { "a": { "url": "|" } } }', []],
  ];
  for (const [title, text, expected] of cases) {
    it(`offers ${title}`, async () => assert.deepEqual(await labels(text), expected));
  }

  it('offers every way to authenticate', async () => {
    assert.equal((await labels('{ "mcp_servers": { "a": { "auth_type": "|" } } }')).length, 9);
  });

  it('puts JSON in the place of what is being written, with a colon where none follows', async () => {
    const apply = async (text: string, label: string) => {
      const [plain, offset] = cursor(text);
      const chosen = (await language.completion(plain, offset)).find((it) => it.label === label);
      assert.ok(chosen, `${label} is offered`);
      return plain.slice(0, chosen.offset) + chosen.insert + plain.slice(chosen.offset + chosen.length);
    };
    assert.equal(await apply('{ "sep|" }', 'separator'), '{ "separator":  }');
    assert.equal(await apply('{ "sep|": 1 }', 'separator'), '{ "separator": 1 }');
    assert.equal(await apply(inPermission('"mcp_servers": ["g|"]'), 'git'), inPermission('"mcp_servers": ["git"]'));
    assert.equal(await apply(inPermission('"mcp_servers": [|]'), 'git'), inPermission('"mcp_servers": ["git"]'));
  });

  it('tells how a server is, beside its name', async () => {
    const items = await language.completion(...cursor(inPermission('"mcp_servers": ["|"]')));
    assert.deepEqual(
      items.map((it) => it.detail),
      ['MCP server, healthy', 'MCP server, unhealthy'],
    );
  });
});

describe('the language of switchboard.jsonc: diagnostics', () => {
  const marks = async (text: string, of = language) =>
    (await of.diagnostics(text)).map(
      (it) => `${it.kind} ${text.slice(it.offset, it.offset + it.length)} ${it.message}`,
    );

  it('marks mistakes with the reason', async () => {
    assert.deepEqual(
      await marks('{ "mcp_servers": { "a": { "url": "https://a.b", "credentials": { "auth_value": "x" } } } }'),
      [
        'rule "x" must be { "env": "NAME" }, { "file": "path" }, or a secret in secret_stores, because secrets must not be stored in this file',
      ],
    );
  });

  it('warns of names that neither the file nor the gateway has', async () => {
    const text = inPermission(
      '"mcp_servers": ["git", "gti", "dev"], "agents": ["nobody"], "mcp_tool_permissions": { "git": ["drop"] }',
    );
    assert.deepEqual(await marks(text), [
      'warning "gti" no server or server group named \'gti\' was found, so this allows nothing yet',
      'warning "nobody" no agent or agent group named \'nobody\' was found, so this allows nothing yet',
      'warning "drop" no tool on this server named \'drop\' was found',
    ]);
  });

  it('takes names that only the running gateway has', async () => {
    const text =
      '{ "teams": { "t": { "organization_id": "acme", "budget_id": "small" } }, "toolsets": { "s": { "tools": [{ "server_id": "old", "tool_name": "x" }] } } }';
    assert.deepEqual(await marks(text), []);
    assert.equal((await marks(text, alone)).length, 3);
  });

  it('has nothing to say about the documented sample', async () => {
    assert.deepEqual(
      await marks(readFileSync(join(projectRoot, 'test/fixtures/config/switchboard.jsonc'), 'utf8'), alone),
      [],
    );
  });
});

describe('the language of switchboard.jsonc: hover', () => {
  const lines = async (text: string, of = language) => {
    const hover = await of.hover(...cursor(text));
    return hover && [hover.health, hover.words].filter((it) => it !== undefined);
  };

  it('says what a member means', async () => {
    assert.deepEqual(await lines('{ "mcp_servers": { "git": { "transp|ort": "http" } } }'), [
      'http (streamable HTTP), sse (the older HTTP transport), or stdio (a local process).',
    ]);
    assert.match((await lines('{ "list|en": {} }'))?.[0] ?? '', /Where the gateway listens/);
    assert.deepEqual(
      await lines(
        '{ "guardrails": [{ "gateway_params": { "guardrail": "argument_schema", "when_unch|ecked": "" } }] }',
      ),
      [
        "What to do if a tool's schema cannot be used because it is unknown, is too large, is too slow to check, or contains a remote $ref.",
      ],
    );
  });

  it('tells the health of a server where it is configured and where it is named', async () => {
    assert.deepEqual((await lines('{ "mcp_servers": { "g|it": {} } }'))?.[0], 'git: healthy, 2 tools');
    assert.equal(
      (await lines('{ "mcp_servers": { "here|": { "server_id": "old" } } }'))?.[0],
      'here: unhealthy (it answered with 502)',
    );
    assert.equal((await lines(inPermission('"mcp_servers": ["ol|d"]')))?.[0], 'old: unhealthy (it answered with 502)');
    assert.match((await lines('{ "mcp_servers": { "g|it": {} } }', alone))?.[0] ?? '', /not registered yet/);
  });

  it('is silent between members', async () => assert.equal(await lines('{ | "listen": {} }'), undefined));
});

it('the language of switchboard.jsonc answers at every place of every half-written text', async () => {
  const sample = readFileSync(join(projectRoot, 'test/fixtures/config/switchboard.jsonc'), 'utf8');
  const cut = fc.record({
    from: fc.nat(sample.length),
    length: fc.nat(80),
    put: fc.constantFrom('', '"', '{', '}', '[', ',', ':', '\\'),
  });
  await fc.assert(
    fc.asyncProperty(cut, async ({ from, length, put }) => {
      const text = sample.slice(0, from) + put + sample.slice(from + length);
      for (const it of await language.completion(text, from))
        assert.ok(it.offset <= from && it.offset + it.length >= from);
      await language.hover(text, from);
      for (const it of await language.diagnostics(text))
        assert.ok(it.offset >= 0 && it.offset + it.length <= text.length + 1);
    }),
    { numRuns: 100 },
  );
});
