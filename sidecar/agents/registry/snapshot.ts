/** The list of the public ACP registry as of this day, which is shown where it cannot be fetched. */
export const snapshotDate = '2026-11-22';

export const snapshot = {
  version: '1.0.0',
  agents: [
    {
      id: 'claude-acp',
      name: 'Claude Code',
      version: '0.101.0',
      description: "Anthropic's coding agent, through its ACP adapter",
      repository: 'https://github.com/agentclientprotocol/claude-agent-acp',
      authors: ['Anthropic', 'Zed Industries'],
      license: 'Apache-2.0',
      distribution: {
        npx: {
          package: '@agentclientprotocol/claude-agent-acp@0.101.0',
        },
      },
    },
    {
      id: 'codex-acp',
      name: 'Codex',
      version: '2.6.0',
      description: "OpenAI's coding agent, through its ACP adapter",
      repository: 'https://github.com/agentclientprotocol/codex-acp',
      authors: ['OpenAI', 'Zed Industries'],
      license: 'Apache-2.0',
      distribution: {
        npx: {
          package: '@agentclientprotocol/codex-acp@2.6.0',
        },
      },
    },
    {
      id: 'gemini',
      name: 'Gemini CLI',
      version: '0.61.0',
      description: "Google's coding agent",
      repository: 'https://github.com/google-gemini/gemini-cli',
      authors: ['Google'],
      license: 'Apache-2.0',
      distribution: {
        npx: {
          package: '@google/gemini-cli@0.61.0',
          args: ['--acp'],
        },
      },
    },
    {
      id: 'github-copilot-cli',
      name: 'GitHub Copilot CLI',
      version: '1.0.102',
      description: "GitHub's coding agent",
      authors: ['GitHub'],
      license: 'proprietary',
      distribution: {
        npx: {
          package: '@github/copilot@1.0.102',
          args: ['--acp'],
          env: {
            COPILOT_AUTO_UPDATE: 'false',
          },
        },
      },
    },
    {
      id: 'opencode',
      name: 'OpenCode',
      version: '1.18.33',
      description: 'The open source coding agent',
      repository: 'https://github.com/sst/opencode',
      authors: ['Anomaly'],
      license: 'MIT',
      distribution: {
        npx: {
          package: 'opencode-ai@1.18.33',
          args: ['acp'],
        },
      },
    },
    {
      id: 'qwen-code',
      name: 'Qwen Code',
      version: '0.24.4',
      description: "Alibaba's coding agent",
      repository: 'https://github.com/QwenLM/qwen-code',
      authors: ['Alibaba Qwen Team'],
      license: 'Apache-2.0',
      distribution: {
        npx: {
          package: '@qwen-code/qwen-code@0.24.4',
          args: ['--acp'],
        },
      },
    },
    {
      id: 'cline',
      name: 'Cline',
      version: '3.0.65',
      description: "Cline's coding agent",
      repository: 'https://github.com/cline/cline',
      authors: ['Cline'],
      license: 'Apache-2.0',
      distribution: {
        npx: {
          package: 'cline@3.0.65',
          args: ['--acp'],
        },
      },
    },
    {
      id: 'auggie',
      name: 'Auggie CLI',
      version: '0.36.0',
      description: "Augment Code's coding agent",
      authors: ['Augment Code'],
      license: 'proprietary',
      distribution: {
        npx: {
          package: '@augmentcode/auggie@0.36.0',
          args: ['--acp'],
          env: {
            AUGMENT_DISABLE_AUTO_UPDATE: '1',
          },
        },
      },
    },
  ],
  extensions: [],
};
