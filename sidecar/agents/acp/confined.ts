import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, extname, join } from 'node:path';
import type { ConfinedNeeds } from '../../platform/children/children.ts';
import { type AcpAgent, wellKnown } from './wellKnown.ts';

/** How an agent works in a sandbox. Paths are relative to the home folder. */
export interface SandboxedAgent {
  /** The files and folders with its sign-in and its conversations. */
  readonly state: readonly string[];
  /** The parts of {@link state} that an agent runs or is configured by. It can only read them. */
  readonly protects?: readonly string[];
  /**
   * How it uses the proxy, which is its only way to the network. `variables`: it reads HTTP_PROXY and HTTPS_PROXY.
   * `node`: Node.js reads them if NODE_USE_ENV_PROXY is set. `ignored`: not at all, so it has no network.
   */
  readonly proxy: 'variables' | 'node' | 'ignored';
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
    proxy: 'variables',
  },
  opencode: {
    state: ['.local/share/opencode', '.local/state/opencode', '.cache/opencode'],
    proxy: 'variables',
  },
  gemini: {
    state: ['.gemini'],
    protects: ['.gemini/settings.json', '.gemini/extensions', '.gemini/commands', '.gemini/GEMINI.md'],
    proxy: 'variables',
  },
  codex: {
    state: ['.codex'],
    protects: ['.codex/config.toml', '.codex/hooks.json', '.codex/prompts', '.codex/skills', '.codex/AGENTS.md'],
    proxy: 'variables',
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

/** What the agent needs in the sandbox of its session. @param urls of servers on this machine that it can reach */
export function confinedNeeds(agent: AcpAgent, urls: readonly string[]): ConfinedNeeds {
  const { state = [], protects = [], proxy } = sandboxedAgent(agent) ?? {};
  const atHome = (paths: readonly string[]) => paths.map((it) => join(homedir(), it));
  const ports = urls.map((it) => Number(new URL(it).port));
  return { writes: atHome(state), protects: atHome(protects), ports, isNode: proxy === 'node' };
}

/** Creates the folders in which the agent keeps its state. In the sandbox, the agent could not create them. */
export function makeState(agent: AcpAgent): void {
  for (const it of sandboxedAgent(agent)?.state ?? [])
    if (extname(it) === '') mkdirSync(join(homedir(), it), { recursive: true, mode: 0o700 });
}

/** The state of all well-known agents. Paths are relative to the home folder. */
export const agentStates: readonly string[] = Object.values(sandboxedAgents).flatMap((it) => it.state);
