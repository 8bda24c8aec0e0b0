import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentSettingLike } from '../../../sidecar/agents/index.ts';
import { cached } from '../cache.ts';
import { npm } from '../npm.ts';
import { say } from '../say.ts';

const run = promisify(execFile);
const packages: Readonly<Record<string, string>> = {
  '@agentclientprotocol/claude-agent-acp': '0.100.0',
  'opencode-ai': '1.18.33',
  '@qwen-code/qwen-code': '0.24.4',
  '@google/gemini-cli': '0.61.0',
  '@agentclientprotocol/codex-acp': '2.6.0',
};

/** An agent as people install it, with an environment that meets no account of anybody. */
export interface RealAgent {
  readonly setting: AgentSettingLike;
  /** The environment of a window: HOME is `home`, which is made and filled. */
  env(home: string, modelUrl: string): Record<string, string>;
}

/** Installs the agents once (about 1.4 GB), exact versions, under this Node. @returns the folder of their commands */
export async function installAgents(): Promise<string> {
  const manifest = JSON.stringify({ private: true, dependencies: packages });
  const folder = await cached(`agents-${Object.values(packages).join('-')}`, async (fresh) => {
    say('installing the agents for the tests (1.4 GB, once)');
    writeFileSync(join(fresh, 'package.json'), manifest);
    await npm(['install', '--ignore-scripts'], fresh);
    // It puts its program for this machine into place; some versions of npm would run it, some would not.
    await run(process.execPath, ['postinstall.mjs'], { cwd: join(fresh, 'node_modules', 'opencode-ai') });
  });
  return join(folder, 'node_modules', '.bin');
}

function plainEnv(bin: string, home: string) {
  mkdirSync(home, { recursive: true });
  const node = join(process.execPath, '..');
  return {
    PATH: [bin, node, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
  };
}

/** The agents whose permissions tests can set in detail. @param bin the folder of the commands, from {@link installAgents} */
export function realAgents(bin: string): readonly RealAgent[] {
  const plain = (home: string) => plainEnv(bin, home);
  return [
    {
      setting: {
        id: 'claude',
        displayName: 'Claude',
        command: 'claude-agent-acp',
        args: [],
        env: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC', 'IS_SANDBOX'],
      },
      env: (home, modelUrl) => ({
        ...plain(home),
        ANTHROPIC_BASE_URL: modelUrl,
        ANTHROPIC_API_KEY: 'fake-key-of-the-tests',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        IS_SANDBOX: '1',
      }),
    },
    {
      setting: { id: 'opencode', displayName: 'OpenCode', command: 'opencode', args: ['acp'], env: ['OPENCODE_*'] },
      env(home, modelUrl) {
        const config = join(home, '.config', 'opencode');
        mkdirSync(config, { recursive: true });
        writeFileSync(join(config, 'opencode.json'), JSON.stringify(opencodeConfig(modelUrl)));
        return { ...plain(home), OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' };
      },
    },
  ];
}

/** All agents that can use the gateway's models. */
export const agentsWithModels = (bin: string): readonly RealAgent[] => [
  ...realAgents(bin),
  {
    setting: { id: 'qwen', displayName: 'Qwen Code', command: 'qwen', args: ['--acp'], env: ['QWEN_*'] },
    env: (home) => plainEnv(bin, home),
  },
  {
    setting: { id: 'gemini', displayName: 'Gemini', command: 'gemini', args: ['--acp'], env: ['GEMINI_*', 'GOOGLE_*'] },
    env: (home) => plainEnv(bin, home),
  },
  {
    setting: {
      id: 'codex',
      displayName: 'Codex',
      command: 'codex-acp',
      args: [],
      env: ['OPENAI_*', 'CODEX_*', 'INITIAL_AGENT_MODE'],
    },
    // Its sandbox does not work in every container.
    env: (home) => ({ ...plainEnv(bin, home), INITIAL_AGENT_MODE: 'agent-full-access' }),
  },
];

function opencodeConfig(modelUrl: string): unknown {
  const model = { name: 'Fake Model', tool_call: true, limit: { context: 100_000, output: 4_000 } };
  return {
    autoupdate: false,
    share: 'disabled',
    model: 'fake/fake-model',
    small_model: 'fake/fake-model',
    permission: { edit: 'ask', bash: 'ask' },
    provider: {
      fake: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Fake',
        options: { baseURL: `${modelUrl}/v1`, apiKey: 'fake' },
        models: { 'fake-model': model },
      },
    },
  };
}
