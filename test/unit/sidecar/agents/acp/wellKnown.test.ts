import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { wellKnown } from '../../../../../sidecar/agents/acp/wellKnown.ts';

describe('agents that are offered when their command is on PATH', () => {
  /** As the packages of 2026-11 name their command and the arguments that make it speak ACP. */
  const started: Readonly<Record<string, readonly [commandLine: string, npmPackage: string]>> = {
    claude: ['claude-agent-acp', '@agentclientprotocol/claude-agent-acp'],
    codex: ['codex-acp', '@agentclientprotocol/codex-acp'],
    gemini: ['gemini --acp', '@google/gemini-cli'],
    copilot: ['copilot --acp', '@github/copilot'],
    cline: ['cline --acp', 'cline'],
    opencode: ['opencode acp', 'opencode-ai'],
    auggie: ['auggie --acp', '@augmentcode/auggie'],
    qwen: ['qwen --acp', '@qwen-code/qwen-code'],
  };
  for (const [id, [commandLine, npmPackage]] of Object.entries(started)) {
    it(`${id} is started as \`${commandLine}\`, and installed from ${npmPackage}`, () => {
      const agent = wellKnown.find((it) => it.id === id);
      assert.equal([agent?.command, ...(agent?.args ?? [])].join(' '), commandLine);
      assert.equal(agent?.install, `Install it with: npm install -g ${npmPackage}`);
    });
  }
});
