import type { ModelDialect, SessionModels } from '../models.ts';
import { type OwnSignIn, ownSignIns } from './ownSignIns.ts';

/** The gateway's models that an agent can use. */
export interface UsableModels extends Pick<SessionModels, 'url' | 'key'> {
  /** Names that can be called as they stand. */
  readonly names: readonly string[];
  /** Beginnings: every name that starts so is served. */
  readonly beginnings: readonly string[];
  /** With patterns. */
  readonly all: SessionModels['models'];
}

/** How an agent is started so that all its calls to models go to the gateway. */
export interface HandOver {
  /** Instead of what the window has under these names. */
  readonly variables: Readonly<Record<string, string>>;
  /** `_meta` of the request that opens its conversation. The agent may put it into an argument, so no key is in it. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** One agent and the gateway's models. */
export interface ModelRoute {
  /** Those that it speaks. */
  readonly dialects: readonly ModelDialect[];
  /** Whether patterns alone serve the names for which it asks by itself. Absent: it has to be told a name. */
  readonly servedBy?: (models: UsableModels) => boolean;
  /** Variables that would be taken away by their names, and hold neither a key nor an address. */
  readonly kept?: RegExp;
  readonly signIn: OwnSignIn;
  readonly handOver: (models: UsableModels) => HandOver;
}

/**
 * Variables that hold a provider's key or address, or that choose another provider. All are taken away from an agent whose
 * models come from the gateway.
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

/** Whether an agent of this row gets the variable when its models come from the gateway. */
export const isTaken = ({ kept }: ModelRoute, variable: string): boolean =>
  ofProviders.test(variable) && kept?.test(variable) !== true;

/** Whether names for which the agent asks by itself are served. */
const servesOwn = ({ beginnings }: UsableModels, own: string): boolean =>
  beginnings.some((it) => it.startsWith(own) || own.startsWith(it));

/** The one whose name has the word in it, else the first. */
const named = ({ names }: UsableModels, word: string): string =>
  names.find((it) => it.toLowerCase().includes(word)) ?? names[0] ?? '';

/** Where its keys are named in what it is configured with. */
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
    // The `env` of its settings files wins over its environment, and these settings win over those files.
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

/** Of OpenCode: its package for each dialect, the path behind the gateway's address, and its own provider of the models. */
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
      // It knows the names of its own provider's models: a pattern serves those.
      if (own !== undefined && names.length < first.length) provider[own] = { options };
    }
    const [model] = given;
    const config = {
      provider,
      // What else it is configured with, or signed in to, is not used.
      enabled_providers: Object.keys(provider),
      ...(model !== undefined && { model, small_model: model }),
    };
    return { variables: { OPENCODE_CONFIG_CONTENT: JSON.stringify(config), OPENCODE_AUTH_CONTENT: '{}' } };
  },
};

/** The dialect in which OpenCode uses a model: the one of its provider, where it speaks that. */
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

/** By the id of the well-known agent. One without a row uses its own keys and sign-in. */
export const modelRoutes: Readonly<Record<string, ModelRoute>> = { claude, opencode, gemini, codex, qwen, goose };

/** @returns what an agent of the row can use; `undefined` where that is nothing */
export function usableBy(route: ModelRoute, { url, key, models }: SessionModels): UsableModels | undefined {
  const all = models.filter(({ dialects }) => dialects.some((it) => route.dialects.includes(it)));
  const names = all.map((it) => it.name).filter((it) => !it.endsWith('*'));
  const beginnings = all.map((it) => it.name).flatMap((it) => (it.endsWith('*') ? [it.slice(0, -1)] : []));
  const usable = { url, key, names, beginnings, all };
  return names.length > 0 || route.servedBy?.(usable) === true ? usable : undefined;
}
