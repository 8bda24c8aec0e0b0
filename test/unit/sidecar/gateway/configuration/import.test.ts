import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { importFile } from '../../../../../sidecar/gateway/configuration/import/importFile.ts';
import { printImport } from '../../../../../sidecar/gateway/configuration/import/printImport.ts';
import { readConfig } from '../../../../../sidecar/gateway/configuration/readConfig.ts';
import { projectRoot } from '../../../../support/cache.ts';
import { verifies } from '../../../../support/verifies.ts';

const fixture = (name: string) => readFileSync(join(projectRoot, 'test/fixtures/config', name), 'utf8');
const editors = fixture('mcp.json');
const litellm = fixture('litellm.yaml');

/** Each line is ten times the one before. */
const billion = `a0: &a0 [x]\n${Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n}, `.repeat(10)}]`).join('\n')}`;

describe('importFile', () => {
  it("takes an editor's servers, with what authenticates as auth_type and secrets by their place", async () => {
    const { part } = await importFile(editors, '.vscode/mcp.json');
    assert.deepEqual(part.mcp_servers, {
      github: {
        transport: 'http',
        url: 'https://api.example.com/mcp',
        auth_type: 'bearer_token',
        credentials: { auth_value: { env: 'GH_TOKEN' } },
        static_headers: { 'x-team': 'blue' },
      },
      files: {
        transport: 'stdio',
        command: 'npx',
        args: ['-y', 'server-files'],
        env: { LEVEL: 'warn', API_KEY: { env: 'API_KEY' }, HOME_ID: { env: 'ME' } },
      },
      my_own: {
        transport: 'http',
        url: 'https://own.example.com',
        auth_type: 'api_key',
        credentials: { auth_value: { env: 'MY_OWN_X_API_KEY' } },
      },
    });
    assert.deepEqual(part.stdio, { allowed_commands: ['npx'] });
  });

  it('leaves no credential in the address of a server', async () => {
    verifies('gateway.import.no-secret-in-address');
    const from = async (server: object) => {
      const { part, notes } = await importFile(JSON.stringify({ servers: { a: server } }), 'mcp.json');
      return { server: part.mcp_servers?.['a'], notes: notes.map((it) => it.path) };
    };
    const headers = { Authorization: 'Bearer clear' };
    assert.deepEqual(await from({ url: 'https://a.example.com/mcp?x=1&API-Key=k&sig=s&token=' }), {
      server: { transport: 'http', url: 'https://a.example.com/mcp?x=1&token=' },
      notes: ['servers.a.url', 'servers.a.url'],
    });
    assert.deepEqual(await from({ url: 'https://u:p@a.example.com/mcp', headers }), {
      server: {
        transport: 'http',
        url: 'https://a.example.com/mcp',
        auth_type: 'bearer_token',
        credentials: { auth_value: { env: 'A_TOKEN' } },
      },
      notes: ['servers.a.url', 'servers.a.headers.Authorization'],
    });
    assert.deepEqual((await from({ url: 'https://u:p@a.example.com/mcp' })).server, {
      transport: 'http',
      url: 'https://a.example.com/mcp',
      auth_type: 'basic',
      credentials: { auth_value: { env: 'A_BASIC' } },
    });
    const { server } = await from({ command: 'npx', args: ['r@1.0.0', 'https://a.example.com/?token=t', '-y'] });
    assert.deepEqual(server?.args, ['r@1.0.0', 'https://a.example.com/', '-y']);
  });

  it('says what it did not take from it, and why', async () => {
    const { notes } = await importFile(editors, 'mcp.json');
    assert.deepEqual(
      notes.map((it) => `${it.path}: ${it.message.replace('$', '')}`),
      [
        'servers.github.headers.Authorization: the editor prompted for this value. Set the environment variable GH_TOKEN',
        'servers.files.cwd: not imported: the gateway does not support this member',
        'servers.files.env.API_KEY: a plaintext secret was found here but was not imported. Set the environment variable API_KEY',
        'servers.files.args: add the exact package version, such as name@1.2.3. Without it, only your own editor can start the server',
        'servers.here: skipped: {workspaceFolder} is available only in an editor',
        'servers.off: skipped: it is disabled',
        'servers.odd: skipped: transport: must be one of "http", "sse", "stdio"',
        'servers.my__own.headers.X-API-Key: a plaintext secret was found here but was not imported. Set the environment variable MY_OWN_X_API_KEY',
        "servers.my__own: was imported as 'my_own' because '__' separates a server name from a tool name",
        'stdio: review stdio.allowed_commands. It allows servers to run npx on this machine',
      ],
    );
  });

  it('reads mcpServers, and the servers of a settings file, as well', async () => {
    const server = { a: { url: 'https://a.example.com' } };
    for (const file of [{ mcpServers: server }, { mcp: { servers: server } }]) {
      const { part, notes } = await importFile(`// settings\n${JSON.stringify(file)}`, 'settings.json');
      assert.deepEqual([Object.keys(part.mcp_servers ?? {}), notes], [['a'], []]);
    }
  });

  it('takes servers, aliases, agents, guardrails and headers of a LiteLLM configuration', async () => {
    verifies('gateway.import.litellm-transport');
    const { part } = await importFile(litellm, 'config.yaml');
    assert.deepEqual(part, {
      guardrails: [
        {
          guardrail_name: 'schema',
          gateway_params: {
            guardrail: 'argument_schema',
            mode: 'pre_mcp_call',
            default_on: false,
            when_unchecked: 'refuse',
          },
        },
      ],
      mcp_servers: {
        github_mcp: {
          transport: 'http',
          url: 'https://api.example.com/mcp',
          auth_type: 'bearer_token',
          mcp_access_groups: ['dev'],
          disallowed_tools: ['delete'],
          credentials: { auth_value: { env: 'GITHUB_TOKEN' } },
          alias: 'gh',
        },
        bedrock: {
          transport: 'http',
          url: 'https://aws.example.com/mcp',
          auth_type: 'cloud_sigv4',
          credentials: {
            aws_region_name: 'us-east-1',
            aws_secret_access_key: { env: 'BEDROCK_AWS_SECRET_ACCESS_KEY' },
          },
        },
        old: { transport: 'http', url: 'https://old.example.com/sse' },
        older: { transport: 'sse', url: 'https://older.example.com/sse' },
        petstore: { spec_path: './openapi.json', transport: 'http', url: 'https://pets.example.com' },
        weather: {
          transport: 'http',
          url: 'https://weather.example.com/mcp?units=metric',
          auth_type: 'basic',
          credentials: { auth_value: { env: 'WEATHER_BASIC' } },
        },
        mine: {
          transport: 'http',
          url: 'https://mine.example.com/mcp',
          auth_type: 'bearer_token',
          token_url: 'https://mine.example.com/token',
          credentials: { auth_value: { env: 'MINE' } },
        },
        bridge: { transport: 'stdio', command: 'npx', args: ['mcp-remote@1.0.0', 'https://b.example.com/mcp'] },
      },
      agents: {
        reviewer: {
          agent_card_params: { url: 'https://rev.example.com/' },
          gateway_params: { api_key: { env: 'REV_KEY' }, cost_per_query: 0.1 },
        },
      },
      budgets: { global: { max_budget: 100.5, budget_duration: '30d' } },
      caller: { end_user_header: 'X-User' },
    });
  });

  it('says what it did not take from that, and why', async () => {
    verifies('gateway.import.openapi', 'gateway.import.no-secret-in-address');
    const { notes } = await importFile(litellm, 'config.yml');
    assert.deepEqual(
      notes.map((it) => `${it.path}: ${it.message}`),
      [
        'guardrails.1: skipped: the gateway does not support this guardrail with these parameters and modes',
        'mcp_servers.bedrock.aws_secret_access_key: a plaintext secret was found here but was not imported. Set the environment variable BEDROCK_AWS_SECRET_ACCESS_KEY',
        'mcp_servers.petstore.spec_path: tool names can differ: the gateway uses the operation IDs of the document',
        `mcp_servers.weather.url: a plaintext secret was found here as 'api_key' but was not imported. If the server also accepts it in a header, set that header in static_headers to { "env": "WEATHER_API_KEY" }`,
        `mcp_servers.weather.url: a plaintext secret was found here as 'token' but was not imported. If the server also accepts it in a header, set that header in static_headers to { "env": "WEATHER_TOKEN" }`,
        'mcp_servers.weather.url: a plaintext username and password were found here but were not imported. Set the environment variable WEATHER_BASIC to name:password',
        'mcp_servers.mine.url: a plaintext username and password were found here but were not imported',
        `mcp_servers.mine.token_url: a plaintext secret was found here as 'client_secret' but was not imported. If the server also accepts it in a header, set that header in static_headers to { "env": "MINE_CLIENT_SECRET" }`,
        `mcp_servers.bridge.args: a plaintext secret was found here as 'access_token' but was not imported. If the server also accepts it in a header, set that header in static_headers to { "env": "BRIDGE_ACCESS_TOKEN" }`,
        'mcp_servers.broken: skipped: url: is required for the http transport',
        'litellm_settings.mcp_aliases.no: skipped: the MCP server does not exist',
        `agents.0.agent_card_params.url: a plaintext secret was found here as 'key' but was not imported. If the server also accepts it in a header, set that header in static_headers to { "env": "REVIEWER_KEY" }`,
        'agents.0.litellm_params.stream: not imported: the gateway does not support this member',
        "model_list.0: skipped: gateway_params.model: 'model' is missing",
        'general_settings.master_key: not imported: keys and URLs that contain passwords do not belong in this file',
        'litellm_settings.drop_params: not imported: the gateway does not support this setting',
      ],
    );
  });

  for (const [settings, note] of [
    ['{ budget_duration: 30d }', 'litellm_settings.budget_duration: not imported: max_budget is missing'],
    ['{ max_budget: lots }', 'litellm_settings.max_budget: skipped: max_budget: must be a number'],
  ] as const) {
    it(`takes no budget of the whole proxy that is none: ${settings}`, async () => {
      const { part, notes } = await importFile(`litellm_settings: ${settings}`, 'config.yaml');
      assert.deepEqual([part.budgets, notes.map((it) => `${it.path}: ${it.message}`)], [undefined, [note]]);
    });
  }

  for (const [text, path] of [
    [editors, 'mcp.json'],
    [litellm, 'config.yaml'],
  ] as const) {
    it(`prints ${path} as a configuration that can be read, without a secret of it`, async () => {
      const printed = printImport(await importFile(text, path), path);
      const read = readConfig(printed);
      assert.ok('config' in read, printed);
      assert.doesNotMatch(printed, /in-clear/);
      assert.match(printed, /^\/\/ Imported from .*\n\/\/ Review:\n/);
    });
  }

  for (const [title, text, path] of [
    ['a file that is no JSON', '{', 'mcp.json'],
    ['a file that is no YAML', 'a: [', 'config.yaml'],
    ['YAML whose aliases grow without an end', billion, 'config.yaml'],
    ['a JSON file without servers', '{ "a": 1 }', 'mcp.json'],
    ['YAML that is no map', '- 1', 'config.yaml'],
  ] as const) {
    it(`refuses ${title}`, () => assert.rejects(importFile(text, path), { code: 'invalid_params' }));
  }

  it('keeps a name with a line end inside its comment', () => {
    const printed = printImport({ part: {}, notes: [{ path: 'a\n"x": 1', message: 'm\u2028n' }] }, 'f\r\ng');
    assert.deepEqual(printed.split('\n').slice(0, 4), [
      '// Imported from f g.',
      '// Review:',
      '//   a "x": 1: m n',
      '{}',
    ]);
  });
});
