import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import type { ConfinedNeeds } from '../../platform/children/children.ts';
import { type AcpAgent, wellKnown } from './wellKnown.ts';

/** How an agent works in a sandbox. Paths are relative to the home folder. */
export interface SandboxedAgent {
  /** Where it keeps its sign-in and its conversations. */
  readonly state: readonly string[];
  /** In {@link state}, what it or others run: it can only read that. */
  readonly protects?: readonly string[];
  /**
   * How it learns of the proxy, through which alone it reaches the network. `variables`: it reads HTTP_PROXY and HTTPS_PROXY.
   * `node`: Node.js reads them for it, where NODE_USE_ENV_PROXY is set. `ignored`: not at all, so it has no network.
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
    state: ['.local/share/goose', '.local/state/goose'],
    proxy: 'variables',
  },
  qwen: {
    state: ['.qwen'],
    protects: ['.qwen/settings.json', '.qwen/extensions', '.qwen/commands', '.qwen/QWEN.md'],
    proxy: 'variables',
  },
  auggie: { state: ['.augment'], protects: ['.augment/settings.json', '.augment/commands'], proxy: 'node' },
};

/** What is known of an agent in a sandbox, also where it was declared or installed under another id. */
export function sandboxedAgent({ command, registryId }: AcpAgent): SandboxedAgent | undefined {
  const program = basename(command.replaceAll('\\', '/'));
  const known = wellKnown.find(
    (it) => it.command === program || (registryId !== undefined && it.registryId === registryId),
  );
  return known && sandboxedAgents[known.id];
}

/** What the agent needs in the sandbox of its session. @param urls of this machine that it is given */
export function confinedNeeds(agent: AcpAgent, urls: readonly string[]): ConfinedNeeds {
  const { state = [], protects = [] } = sandboxedAgent(agent) ?? {};
  const atHome = (paths: readonly string[]) => paths.map((it) => join(homedir(), it));
  return { writes: atHome(state), protects: atHome(protects), ports: urls.map((it) => Number(new URL(it).port)) };
}

/** Makes the folders in which the agent keeps its state: in the sandbox it could not. */
export function makeState(agent: AcpAgent): void {
  for (const it of sandboxedAgent(agent)?.state ?? [])
    if (!it.endsWith('.json')) mkdirSync(join(homedir(), it), { recursive: true, mode: 0o700 });
}

/** The places in the home folder where well-known agents keep their state. */
export const agentStates: readonly string[] = Object.values(sandboxedAgents).flatMap((it) => it.state);
