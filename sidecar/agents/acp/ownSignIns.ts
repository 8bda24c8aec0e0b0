import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** How to find out whether a person signed in to an agent's own subscription. */
export interface OwnSignIn {
  /** Variables that hold such a sign-in. */
  readonly variables: readonly string[];
  /** Files whose content shows such a sign-in. */
  readonly files: (home: string, env: Env) => readonly SignInFile[];
  /** The agent prefers the sign-in to its environment. */
  readonly goesFirst?: boolean;
}
interface SignInFile {
  readonly path: string;
  /** @throws for unexpected content, which counts as signed in */
  readonly says: (text: string) => boolean;
}

const isThere = () => true;
type Json = Readonly<Record<string, unknown>>;
/** Throws for JSON with comments too. */
const json = (text: string): Json => {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no object');
  return value as Json;
};
const at = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>(
    (inside, name) => (typeof inside === 'object' && inside !== null ? (inside as Json)[name] : undefined),
    value,
  );

const claude: OwnSignIn = {
  variables: ['CLAUDE_CODE_OAUTH_TOKEN'],
  files(home, env) {
    const folder = env['CLAUDE_CONFIG_DIR'] || join(home, '.claude');
    const account = (path: string) => ({ path, says: (text: string) => at(json(text), 'oauthAccount') !== undefined });
    return [
      { path: join(folder, '.credentials.json'), says: isThere },
      account(join(folder, '.claude.json')),
      account(join(home, '.claude.json')),
    ];
  },
};

const opencode: OwnSignIn = {
  variables: ['OPENCODE_AUTH_CONTENT', 'OPENCODE_CONSOLE_TOKEN'],
  files: (home, env) => [
    {
      path: join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'opencode', 'auth.json'),
      // Everything but an API key counts as a sign-in.
      says: (text) => Object.values(json(text)).some((it) => at(it, 'type') !== 'api'),
    },
  ],
};

const gemini: OwnSignIn = {
  variables: ['GOOGLE_GENAI_USE_GCA'],
  goesFirst: true,
  files(home, env) {
    const folder = join(env['GEMINI_CLI_HOME'] || home, '.gemini');
    const works = [undefined, 'gateway', 'gemini-api-key'];
    return [
      { path: join(folder, 'oauth_creds.json'), says: isThere },
      {
        path: join(folder, 'settings.json'),
        says: (text) => !works.includes(at(json(text), 'security', 'auth', 'selectedType') as string),
      },
    ];
  },
};

const codex: OwnSignIn = {
  variables: [],
  files(home, env) {
    const folder = env['CODEX_HOME'] || join(home, '.codex');
    return [
      { path: join(folder, 'auth.json'), says: (text) => at(json(text), 'tokens') != null },
      { path: join(folder, 'config.toml'), says: (text) => /^\s*cli_auth_credentials_store\s*=/m.test(text) },
    ];
  },
};

const qwen: OwnSignIn = {
  variables: ['QWEN_OAUTH'],
  goesFirst: true,
  files(home, env) {
    const folder = env['QWEN_HOME'] || join(home, '.qwen');
    return [
      { path: join(folder, 'oauth_creds.json'), says: isThere },
      {
        path: join(folder, 'settings.json'),
        says(text) {
          const settings = json(text);
          const { selectedType, apiKey, baseUrl } = (at(settings, 'security', 'auth') ?? {}) as Json;
          const isPlain = selectedType === undefined || selectedType === 'openai';
          return [apiKey, baseUrl, at(settings, 'modelProviders')].some((it) => it !== undefined) || !isPlain;
        },
      },
    ];
  },
};

/** The providers that Goose calls with an API key. */
const gooseKeys = /^(openai|anthropic|google|openrouter|groq|xai|mistral|deepseek)$/;
const goose: OwnSignIn = {
  variables: [],
  files: (home, env) => [
    {
      path: join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'goose', 'config.yaml'),
      says(text) {
        const chosen = /^GOOSE_PROVIDER:\s*["']?([^\s"'#]+)/m.exec(text)?.[1];
        return chosen === undefined ? /GOOSE_PROVIDER|active_provider/.test(text) : !gooseKeys.test(chosen);
      },
    },
  ],
};

export const ownSignIns = { claude, opencode, gemini, codex, qwen, goose } as const;

/** Whether a person signed in. If that is unclear, the answer is yes. */
export async function isSignedIn({ variables, files }: OwnSignIn, env: Env): Promise<boolean> {
  if (variables.some((it) => env[it])) return true;
  const home = env['HOME'] || env['USERPROFILE'];
  if (!home) return true;
  for (const { path, says } of files(home, env)) {
    try {
      if (says(await readFile(path, 'utf8'))) return true;
    } catch (thrown) {
      if (!isAbsent(thrown)) return true;
    }
  }
  return false;
}

const isAbsent = (thrown: unknown) =>
  thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR');
