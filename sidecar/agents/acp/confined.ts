import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import * as z from 'zod';
import type { ConfinedNeeds } from '../../platform/children/children.ts';
import type { ModelsThrough } from '../models.ts';
import { type AcpAgent, wellKnown } from './wellKnown.ts';

/** How an agent works in a sandbox. Paths are relative to the home folder. */
export interface SandboxedAgent {
  /** The files and folders with its sign-in and its conversations. */
  readonly state: readonly string[];
  /** The parts of {@link state} that an agent runs or is configured by. It can only read them. */
  readonly protects?: readonly string[];
  /**
   * How it uses the proxy, which is its only way to the network. `variables`: it reads HTTP_PROXY and HTTPS_PROXY.
   * `node`: Node.js reads them if NODE_USE_ENV_PROXY is set, which also reaches the programs of an agent that removes NODE_OPTIONS.
   * `ignored`: not at all, so it has no network.
   */
  readonly proxy: 'variables' | 'node' | 'ignored';
  /** Contents of files outside {@link state} that it creates at its first start, and without which it does not start. */
  readonly makes?: Readonly<Record<string, string>>;
  /** Hosts to which it connects for telemetry and updates. */
  readonly telemetry?: readonly string[];
  /** Hosts of its own service, which it does not require if its models come from the gateway. */
  readonly service?: readonly string[];
  /** Its environment, if it must know about the sandbox. */
  readonly environment?: (env: Environment) => Environment;
}
type Environment = Readonly<Record<string, string>>;

/**
 * For the model of Codex. Codex starts each command in a sandbox of its own, which cannot start in another sandbox. A command
 * for which it asks runs without that sandbox.
 */
const CODEX_INSTRUCTIONS =
  'You run in a sandbox in which your own sandbox cannot start. Run each command with sandbox_permissions set to "require_escalated" and a short justification. It then stays in the outer sandbox, and the user is asked.';

const CodexConfig = z.looseObject({ developer_instructions: z.string().exactOptional() });

function toldCodex(env: Environment): Environment {
  const config = codexConfig(env['CODEX_CONFIG'] ?? '{}');
  if (!config) return env;
  const told = [config.developer_instructions, CODEX_INSTRUCTIONS].filter((it) => it !== undefined);
  return { ...env, CODEX_CONFIG: JSON.stringify({ ...config, developer_instructions: told.join('\n\n') }) };
}

function codexConfig(text: string): z.infer<typeof CodexConfig> | undefined {
  try {
    return CodexConfig.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // not JSON: Codex reports this itself
  }
}

/** By the well-known agent's ID. */
const sandboxedAgents: Readonly<Record<string, SandboxedAgent>> = {
  claude: {
    state: ['.claude', '.claude.json'],
    protects: [
      '.claude/settings.json',
      '.claude/settings.local.json',
      '.claude/hooks',
      '.claude/plugins',
      '.claude/commands',
      '.claude/agents',
      '.claude/skills',
      '.claude/CLAUDE.md',
    ],
    proxy: 'node',
    telemetry: ['statsig.anthropic.com', 'http-intake.logs.us5.datadoghq.com', 'downloads.claude.ai'],
    service: ['api.anthropic.com'],
  },
  opencode: {
    state: ['.local/share/opencode', '.local/state/opencode', '.cache/opencode'],
    proxy: 'variables',
    telemetry: ['models.opencode.ai', 'models.dev'],
    makes: { '.config/opencode/.gitignore': 'node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore' },
  },
  gemini: {
    state: ['.gemini'],
    protects: ['.gemini/settings.json', '.gemini/extensions', '.gemini/commands', '.gemini/GEMINI.md'],
    proxy: 'variables',
    telemetry: ['play.googleapis.com'],
  },
  codex: {
    state: ['.codex'],
    protects: ['.codex/config.toml', '.codex/hooks.json', '.codex/prompts', '.codex/skills', '.codex/AGENTS.md'],
    proxy: 'variables',
    telemetry: ['ab.chatgpt.com'],
    service: ['chatgpt.com'],
    environment: toldCodex,
  },
  copilot: {
    state: ['.copilot'],
    protects: ['.copilot/mcp-config.json', '.copilot/config.json', '.copilot/agents'],
    proxy: 'variables',
  },
  cline: { state: ['.cline'], proxy: 'node' },
  goose: {
    state: ['.local/share/goose', '.local/state/goose', '.config/goose/secrets.yaml'],
    proxy: 'variables',
  },
  qwen: {
    state: ['.qwen'],
    protects: ['.qwen/settings.json', '.qwen/extensions', '.qwen/commands', '.qwen/QWEN.md'],
    proxy: 'variables',
    telemetry: ['gb4w8c3ygj-default-sea.rum.aliyuncs.com'],
  },
  auggie: { state: ['.augment'], protects: ['.augment/settings.json', '.augment/commands'], proxy: 'node' },
};

/** How a well-known agent works in a sandbox, also if it was declared or installed with another ID. */
export function sandboxedAgent({ command, registryId }: AcpAgent): SandboxedAgent | undefined {
  const program = basename(command.replaceAll('\\', '/'));
  const known = wellKnown.find(
    (it) => it.command === program || (registryId !== undefined && it.registryId === registryId),
  );
  return known && sandboxedAgents[known.id];
}

/** Hosts to which the agent connects by itself, although its work does not require them. */
export function needlessHosts(agent: AcpAgent, through: ModelsThrough): readonly string[] {
  const { telemetry = [], service = [] } = sandboxedAgent(agent) ?? {};
  return through === 'gateway' ? [...service, ...telemetry] : telemetry;
}

/** The environment of the agent in a sandbox. */
export function confinedEnvironment(agent: AcpAgent, env: Environment): Environment {
  return sandboxedAgent(agent)?.environment?.(env) ?? env;
}

/** What the agent needs in the sandbox of its session. @param urls of servers on this machine that it can reach */
export function confinedNeeds(agent: AcpAgent, urls: readonly string[]): ConfinedNeeds {
  const { state = [], protects = [], proxy } = sandboxedAgent(agent) ?? {};
  const atHome = (paths: readonly string[]) => paths.map((it) => join(homedir(), it));
  const ports = urls.map((it) => Number(new URL(it).port));
  return { writes: atHome(state), protects: atHome(protects), ports, isNode: proxy === 'node' };
}

/** Creates what the agent could not create in the sandbox: the folders in which it keeps its state, and the files that it requires. */
export function makeState(agent: AcpAgent): void {
  const { state = [], makes = {} } = sandboxedAgent(agent) ?? {};
  for (const it of state) if (extname(it) === '') mkdirSync(join(homedir(), it), { recursive: true, mode: 0o700 });
  for (const [name, content] of Object.entries(makes)) {
    const path = join(homedir(), name);
    if (existsSync(path)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { flag: 'wx' });
  }
}

/** The state of all well-known agents. Paths are relative to the home folder. */
export const agentStates: readonly string[] = Object.values(sandboxedAgents).flatMap((it) => it.state);
