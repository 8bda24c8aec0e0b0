import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isTaken, modelRoutes, usableBy } from '../../../../../sidecar/agents/acp/modelRoutes.ts';
import { wellKnown } from '../../../../../sidecar/agents/acp/wellKnown.ts';
import type { ModelDialect, SessionModels } from '../../../../../sidecar/agents/models.ts';

const url = 'http://127.0.0.1:4000';
const key = 'sk-of-the-session';
const offered = (models: Readonly<Record<string, readonly ModelDialect[]>>): SessionModels => ({
  url,
  key,
  models: Object.entries(models).map(([name, dialects]) => ({ name, dialects })),
});
const routeOf = (id: string) => modelRoutes[id] ?? assert.fail(`no row for ${id}`);
const handed = (id: string, models: Parameters<typeof offered>[0]) => {
  const route = routeOf(id);
  const usable = usableBy(route, offered(models));
  return usable && route.handOver(usable);
};
const parsed = (text: string | undefined): unknown => JSON.parse(text ?? 'null');

/** The variables that every start of the agent gets. */
const claudeAt = { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: key };
const geminiAt = { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: key };

/** The variables that an agent gets, by the gateway's models. */
const given: readonly {
  readonly id: string;
  readonly says: string;
  readonly models: Parameters<typeof offered>[0];
  readonly variables: Readonly<Record<string, string>> | undefined;
}[] = [
  {
    id: 'claude',
    says: 'only an address and a key where a pattern serves its default names',
    models: { 'claude-*': ['messages'] },
    variables: claudeAt,
  },
  {
    id: 'claude',
    says: 'a model for each of its families where only names are served',
    models: { fast: ['messages'], 'my-opus': ['messages', 'chat'], gpt: ['chat', 'responses'] },
    variables: {
      ...claudeAt,
      ANTHROPIC_MODEL: 'fast',
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'my-opus',
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'fast',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'fast',
    },
  },
  { id: 'claude', says: 'nothing where no model has its dialect', models: { gpt: ['chat'] }, variables: undefined },
  {
    id: 'claude',
    says: 'nothing where no pattern serves its default names',
    models: { 'gpt-*': ['messages'] },
    variables: undefined,
  },
  {
    id: 'gemini',
    says: 'only an address and a key where a pattern serves its default names',
    models: { '*': ['gemini'] },
    variables: geminiAt,
  },
  {
    id: 'gemini',
    says: 'a name where only names are served',
    models: { flash: ['gemini'] },
    variables: { ...geminiAt, GEMINI_MODEL: 'flash' },
  },
  {
    id: 'qwen',
    says: 'a name that can be called',
    models: { 'gpt-*': ['chat'], coder: ['chat'], 'qwen3-coder': ['chat'] },
    variables: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: 'qwen3-coder' },
  },
  { id: 'qwen', says: 'nothing where only patterns are served', models: { '*': ['chat'] }, variables: undefined },
  {
    id: 'goose',
    says: 'a name that can be called',
    models: { coder: ['chat'] },
    variables: { GOOSE_PROVIDER: 'openai', GOOSE_MODEL: 'coder', OPENAI_HOST: url, OPENAI_API_KEY: key },
  },
];

describe("an agent's route to the gateway's models", () => {
  for (const { id, says, models, variables } of given)
    it(`gives ${id} ${says}`, () => assert.deepEqual(handed(id, models)?.variables, variables));

  it('gives claude settings that override its files, without the key, because they become an argument', () => {
    const { meta } = handed('claude', { 'claude-*': ['messages'] })!;
    const { settings } = (meta as { claudeCode: { options: { settings: { apiKeyHelper: string; env: object } } } })
      .claudeCode.options;
    assert.equal(settings.apiKeyHelper, '');
    assert.deepEqual(settings.env, {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: '',
      ANTHROPIC_CUSTOM_HEADERS: '',
      ANTHROPIC_BEDROCK_BASE_URL: '',
      ANTHROPIC_VERTEX_BASE_URL: '',
      CLAUDE_CODE_OAUTH_TOKEN: '',
      CLAUDE_CODE_USE_BEDROCK: '0',
      CLAUDE_CODE_USE_VERTEX: '0',
      CLAUDE_CODE_USE_FOUNDRY: '0',
    });
    assert.doesNotMatch(JSON.stringify(meta), new RegExp(key));
  });

  it('gives codex a provider whose key is in a variable', () => {
    const { CODEX_CONFIG, ...rest } = handed('codex', { 'my-codex': ['responses'], other: ['responses'] })!.variables;
    assert.deepEqual(rest, { MODEL_PROVIDER: 'switchboard', SWITCHBOARD_MODELS_KEY: key });
    const provider = {
      name: 'Switchboard',
      base_url: `${url}/v1`,
      wire_api: 'responses',
      env_key: 'SWITCHBOARD_MODELS_KEY',
    };
    const wanted = { model_provider: 'switchboard', model_providers: { switchboard: provider } };
    assert.deepEqual(parsed(CODEX_CONFIG), { ...wanted, model: 'my-codex' });
    assert.deepEqual(parsed(handed('codex', { 'gpt-*': ['responses'] })?.variables['CODEX_CONFIG']), wanted);
  });

  it('gives opencode one provider for each dialect, and enables no others', () => {
    const { variables } = handed('opencode', {
      sonnet: ['chat', 'messages'],
      local: ['chat'],
      'gpt-*': ['chat', 'responses'],
    })!;
    assert.equal(variables['OPENCODE_AUTH_CONTENT'], '{}');
    const options = { baseURL: `${url}/v1`, apiKey: key };
    const model = (name: string) => ({ [name]: { name, tool_call: true } });
    assert.deepEqual(parsed(variables['OPENCODE_CONFIG_CONTENT']), {
      provider: {
        'switchboard-messages': { npm: '@ai-sdk/anthropic', name: 'Switchboard', options, models: model('sonnet') },
        openai: { options },
        'switchboard-chat': {
          npm: '@ai-sdk/openai-compatible',
          name: 'Switchboard',
          options,
          models: model('local'),
        },
      },
      enabled_providers: ['switchboard-messages', 'openai', 'switchboard-chat'],
      model: 'switchboard-messages/sonnet',
      small_model: 'switchboard-messages/sonnet',
    });
    assert.equal(
      handed('opencode', { '*': ['chat'] }),
      undefined,
      'it has no default names for a pattern in this dialect',
    );
  });

  /** Some of each well-known agent's variables: those that it keeps and those that are withheld. */
  const variables: Readonly<Record<string, readonly [kept: readonly string[], taken: readonly string[]]>> = {
    claude: [
      ['CLAUDE_CONFIG_DIR', 'ANTHROPIC_MODEL', 'ANTHROPIC_DEFAULT_OPUS_MODEL', 'IS_SANDBOX', 'PATH', 'HTTPS_PROXY'],
      [
        'ANTHROPIC_API_KEY',
        'ANTHROPIC_AUTH_TOKEN',
        'ANTHROPIC_BASE_URL',
        'ANTHROPIC_CUSTOM_HEADERS',
        'CLAUDE_CODE_OAUTH_TOKEN',
        'CLAUDE_CODE_USE_BEDROCK',
        'AWS_SECRET_ACCESS_KEY',
        'AWS_BEARER_TOKEN_BEDROCK',
        'GOOGLE_APPLICATION_CREDENTIALS',
        'CLOUD_ML_REGION',
      ],
    ],
    opencode: [
      ['OPENCODE_CONFIG', 'OPENCODE_DISABLE_AUTOUPDATE', 'HOME'],
      ['OPENCODE_API_KEY', 'OPENCODE_AUTH_CONTENT', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
    ],
    gemini: [
      ['GEMINI_CLI_HOME', 'GEMINI_MODEL'],
      ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_VERTEX_BASE_URL', 'GOOGLE_GENAI_USE_VERTEXAI'],
    ],
    codex: [
      ['CODEX_HOME', 'CODEX_PATH'],
      ['OPENAI_API_KEY', 'CODEX_API_KEY', 'CODEX_CONFIG', 'OPENAI_BASE_URL', 'MODEL_PROVIDER'],
    ],
    qwen: [
      ['QWEN_HOME', 'QWEN_CODE_MAX_OUTPUT_TOKENS'],
      ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'DASHSCOPE_API_KEY', 'QWEN_OAUTH', 'QWEN_API_KEY'],
    ],
    goose: [
      ['GOOSE_MODE', 'GOOSE_MAX_TURNS'],
      ['GOOSE_PROVIDER', 'OPENAI_HOST', 'ANTHROPIC_HOST', 'DATABRICKS_TOKEN', 'GOOGLE_API_KEY'],
    ],
  };
  for (const [id, [kept, taken]] of Object.entries(variables))
    it(`withholds providers' keys and addresses from ${id}, and nothing else, in upper and lower case`, () => {
      const route = routeOf(id);
      const all = [...kept, ...taken];
      assert.deepEqual(
        all.filter((it) => !isTaken(route, it)),
        kept,
      );
      assert.deepEqual(
        all.map((it) => it.toLowerCase()).filter((it) => !isTaken(route, it)),
        kept.map((it) => it.toLowerCase()),
      );
      for (const name of ['MY_MODEL_API_KEY', 'MISTRAL_API_KEY', 'AZURE_OPENAI_ENDPOINT'])
        assert.ok(isTaken(route, name), name);
    });

  it('belongs to a well-known agent and is tested here', () => {
    assert.deepEqual(Object.keys(modelRoutes).toSorted(), Object.keys(variables).toSorted());
    for (const id of Object.keys(modelRoutes))
      assert.ok(
        wellKnown.some((it) => it.id === id),
        id,
      );
  });
});
