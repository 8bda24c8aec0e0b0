import type { ModelDialect, SessionModels } from '../models.ts';
import { type OwnSignIn, ownSignIns } from './ownSignIns.ts';

/** The gateway's models that an agent can use. */
export interface UsableModels extends Pick<SessionModels, 'url' | 'key'> {
  /** Names without a pattern. */
  readonly names: readonly string[];
  /** The prefixes of the patterns. */
  readonly beginnings: readonly string[];
  /** Names and patterns, with their dialects. */
  readonly all: SessionModels['models'];
}

/** How an agent is started so that all its calls to models go to the gateway. */
export interface HandOver {
  /** They replace the window's variables of the same names. */
  readonly variables: Readonly<Record<string, string>>;
  /** `_meta` of the request that opens its conversation. It holds no key, because the agent may pass it as an argument. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** How one agent uses the gateway's models. */
export interface ModelRoute {
  /** Those that the agent supports. */
  readonly dialects: readonly ModelDialect[];
  /** Whether patterns alone serve the agent's default names. Absent: it always needs a name. */
  readonly servedBy?: (models: UsableModels) => boolean;
  /** Variables that are kept although their names match, because they hold neither a key nor an address. */
  readonly kept?: RegExp;
  readonly signIn: OwnSignIn;
  readonly handOver: (models: UsableModels) => HandOver;
}

/**
 * Variables that hold a provider's key or address, or that choose another provider. An agent that uses the gateway's models
 * gets none of them.
 */
const ofProviders = new RegExp(
  [
    '^(ANTHROPIC|OPENAI|CODEX|OPENROUTER|GEMINI|GOOGLE|GCLOUD|CLOUDSDK|VERTEX|CLOUD_ML|AWS|AZURE|BEDROCK|DATABRICKS|DASHSCOPE|QWEN)_',
    '^(MISTRAL|GROQ|DEEPSEEK|XAI|TOGETHER|FIREWORKS|CEREBRAS|COHERE|PERPLEXITY|NVIDIA|MOONSHOT|ZAI|ZHIPU|MINIMAX)_',
    '^(HF|HUGGINGFACE|HUGGING_FACE|LITELLM|OLLAMA|LMSTUDIO|SNOWFLAKE|WATSONX|SAMBANOVA|VENICE|XIAOMI|AI_GATEWAY|VERCEL)_',
    '^CLAUDE_CODE_(USE|SKIP|API|OAUTH)_',
    '^OPENCODE_(API_KEY|AUTH_CONTENT|CONFIG_CONTENT|CONSOLE_TOKEN)$',
    '^(GOOSE_PROVIDER|GOOSE_LEAD_PROVIDER|GOOSE_PLANNER_PROVIDER|MODEL_PROVIDER|DEFAULT_AUTH_REQUEST)$',
    '_(API_KEY|API_KEYS|API_BASE)$',
  ].join('|'),
  'i',
);

/** Whether the variable is withheld from the agent when it uses the gateway's models. */
export const isTaken = ({ kept }: ModelRoute, variable: string): boolean =>
  ofProviders.test(variable) && kept?.test(variable) !== true;

/** Whether a pattern serves the agent's default names. */
const servesOwn = ({ beginnings }: UsableModels, own: string): boolean =>
  beginnings.some((it) => it.startsWith(own) || own.startsWith(it));

/** The first name that contains the word, or else the first name. */
const named = ({ names }: UsableModels, word: string): string =>
  names.find((it) => it.toLowerCase().includes(word)) ?? names[0] ?? '';

/** Codex's configuration names the variable that holds the key. */
const KEY_VARIABLE = 'SWITCHBOARD_MODELS_KEY';

const claude: ModelRoute = {
  dialects: ['messages'],
  servedBy: (models) => servesOwn(models, 'claude-'),
  kept: /^ANTHROPIC_(MODEL|SMALL_FAST_MODEL|DEFAULT_[A-Z]+_MODEL)$/i,
  signIn: ownSignIns.claude,
  handOver(models) {
    const families = ['opus', 'sonnet', 'haiku'];
    const chosen = servesOwn(models, 'claude-')
      ? {}
      : {
          ANTHROPIC_MODEL: named(models, 'sonnet'),
          ...Object.fromEntries(
            families.map((it) => [`ANTHROPIC_DEFAULT_${it.toUpperCase()}_MODEL`, named(models, it)]),
          ),
        };
    // `env` in Claude Code's settings files overrides its environment. These settings override the files.
    const env = {
      ANTHROPIC_BASE_URL: models.url,
      ANTHROPIC_API_KEY: '',
      ANTHROPIC_CUSTOM_HEADERS: '',
      ANTHROPIC_BEDROCK_BASE_URL: '',
      ANTHROPIC_VERTEX_BASE_URL: '',
      CLAUDE_CODE_OAUTH_TOKEN: '',
      CLAUDE_CODE_USE_BEDROCK: '0',
      CLAUDE_CODE_USE_VERTEX: '0',
      CLAUDE_CODE_USE_FOUNDRY: '0',
    };
    return {
      variables: { ANTHROPIC_BASE_URL: models.url, ANTHROPIC_AUTH_TOKEN: models.key, ...chosen },
      meta: { claudeCode: { options: { settings: { apiKeyHelper: '', env } } } },
    };
  },
};

/** OpenCode's package for each dialect, the path after the gateway's address, and OpenCode's own provider of such models. */
const opencodeProviders: readonly (readonly [dialect: ModelDialect, npm: string, path: string, own?: string])[] = [
  ['messages', '@ai-sdk/anthropic', '/v1', 'anthropic'],
  ['responses', '@ai-sdk/openai', '/v1', 'openai'],
  ['gemini', '@ai-sdk/google', '/v1beta', 'google'],
  ['chat', '@ai-sdk/openai-compatible', '/v1'],
];

const opencode: ModelRoute = {
  dialects: opencodeProviders.map(([dialect]) => dialect),
  servedBy: ({ all }) => all.some((it) => it.name.endsWith('*') && dialectFor(it) !== 'chat'),
  signIn: ownSignIns.opencode,
  handOver({ url, key, all }) {
    const provider: Record<string, object> = {};
    const given: string[] = [];
    for (const [dialect, npm, path, own] of opencodeProviders) {
      const options = { baseURL: `${url}${path}`, apiKey: key };
      const first = all.filter((it) => dialectFor(it) === dialect);
      const names = first.map((it) => it.name).filter((it) => !it.endsWith('*'));
      if (names.length > 0) {
        const id = `switchboard-${dialect}`;
        const models = Object.fromEntries(names.map((it) => [it, { name: it, tool_call: true }]));
        provider[id] = { npm, name: 'Switchboard', options, models };
        given.push(...names.map((it) => `${id}/${it}`));
      }
      // OpenCode knows the models of its own providers by name, and the pattern serves those names.
      if (own !== undefined && names.length < first.length) provider[own] = { options };
    }
    const [model] = given;
    const config = {
      provider,
      // Excludes other providers that OpenCode is configured for or signed in to.
      enabled_providers: Object.keys(provider),
      ...(model !== undefined && { model, small_model: model }),
    };
    return { variables: { OPENCODE_CONFIG_CONTENT: JSON.stringify(config), OPENCODE_AUTH_CONTENT: '{}' } };
  },
};

/** The dialect in which OpenCode calls a model: the first of its own order that the model supports. */
const dialectFor = ({ dialects }: SessionModels['models'][number]): ModelDialect | undefined =>
  opencodeProviders.find(([it]) => dialects.includes(it))?.[0];

const gemini: ModelRoute = {
  dialects: ['gemini'],
  servedBy: (models) => servesOwn(models, 'gemini-'),
  kept: /^GEMINI_(MODEL|CLI_.*)$/i,
  signIn: ownSignIns.gemini,
  handOver: (models) => ({
    variables: {
      GOOGLE_GEMINI_BASE_URL: models.url,
      GEMINI_API_KEY: models.key,
      ...(!servesOwn(models, 'gemini-') && { GEMINI_MODEL: named(models, 'pro') }),
    },
  }),
};

const codex: ModelRoute = {
  dialects: ['responses'],
  servedBy: (models) => servesOwn(models, 'gpt-'),
  kept: /^CODEX_(HOME|PATH)$/i,
  signIn: ownSignIns.codex,
  handOver(models) {
    const { url, key } = models;
    const provider = { name: 'Switchboard', base_url: `${url}/v1`, wire_api: 'responses', env_key: KEY_VARIABLE };
    const config = {
      model_provider: 'switchboard',
      model_providers: { switchboard: provider },
      ...(!servesOwn(models, 'gpt-') && { model: named(models, 'codex') }),
    };
    return {
      variables: { CODEX_CONFIG: JSON.stringify(config), MODEL_PROVIDER: 'switchboard', [KEY_VARIABLE]: key },
    };
  },
};

const qwen: ModelRoute = {
  dialects: ['chat'],
  kept: /^QWEN_(HOME|CODE_.*)$/i,
  signIn: ownSignIns.qwen,
  handOver: (models) => ({
    variables: {
      OPENAI_BASE_URL: `${models.url}/v1`,
      OPENAI_API_KEY: models.key,
      OPENAI_MODEL: named(models, 'qwen'),
    },
  }),
};

const goose: ModelRoute = {
  dialects: ['chat'],
  signIn: ownSignIns.goose,
  handOver: (models) => ({
    variables: {
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: named(models, 'goose'),
      OPENAI_HOST: models.url,
      OPENAI_API_KEY: models.key,
    },
  }),
};

/** By the well-known agent's ID. Agents without a route use their own keys and sign-in. */
export const modelRoutes: Readonly<Record<string, ModelRoute>> = { claude, opencode, gemini, codex, qwen, goose };

/** @returns the models that the route's agent can use; `undefined` if there are none */
export function usableBy(route: ModelRoute, { url, key, models }: SessionModels): UsableModels | undefined {
  const all = models.filter(({ dialects }) => dialects.some((it) => route.dialects.includes(it)));
  const names = all.map((it) => it.name).filter((it) => !it.endsWith('*'));
  const beginnings = all.map((it) => it.name).flatMap((it) => (it.endsWith('*') ? [it.slice(0, -1)] : []));
  const usable = { url, key, names, beginnings, all };
  return names.length > 0 || route.servedBy?.(usable) === true ? usable : undefined;
}
