import type { ProtectedResource } from '../provider.ts';

/** An agent to be reached over the Agent Client Protocol: where it comes from, and how it is started. */
export interface AcpAgent {
  readonly id: string;
  readonly displayName: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Its id in the public ACP registry: one that was installed from there gets the same variables and sign-in. */
  readonly registryId?: string;
  /** Names of variables it gets besides the plain ones; a trailing `*` stands for any ending. */
  readonly env: readonly string[];
  readonly icon?: string;
  /** Variables that it gets with these values, unless its environment sets them. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Variables that it gets with these values. */
  readonly variables?: Readonly<Record<string, string>>;
  /** What it needs tokens for; each goes to it in a variable when it starts. */
  readonly protectedResources?: readonly { readonly env: string; readonly metadata: ProtectedResource }[];
  /** A person is notified when it sent nothing in a turn for so long. Absent: a minute. */
  readonly silentAfterSeconds?: number;
  /** Asked before each start. @throws {Fault} where what would run is not what was installed */
  readonly verify?: () => Promise<void>;
  /** What a person does when the command is missing: a whole sentence. */
  readonly install?: string;
  /** The agent's own sign-in, to be run in a terminal. */
  readonly login?: { readonly command: string; readonly args: readonly string[] };
  /** Its words for a usage limit, in the message of an error. */
  readonly usageLimit?: RegExp;
}

/** Agents that are offered when their command is found on PATH. */
export const wellKnown: readonly AcpAgent[] = [
  {
    id: 'claude',
    registryId: 'claude-acp',
    displayName: 'Claude',
    command: 'claude-agent-acp',
    args: [],
    env: ['ANTHROPIC_*', 'CLAUDE_*', 'IS_SANDBOX', 'AWS_*', 'GOOGLE_*', 'CLOUD_ML_REGION'],
    // Otherwise, it sends the whole conversation to its model after each turn to predict the next prompt. No chat shows the prediction.
    defaults: { CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false' },
    install: 'Install it with: npm install -g @agentclientprotocol/claude-agent-acp',
    login: { command: 'claude', args: ['/login'] },
    usageLimit: /usage limit|hit your (?:\w+ )?limit|limit reached|out of extra usage/i,
  },
  {
    id: 'opencode',
    registryId: 'opencode',
    displayName: 'OpenCode',
    command: 'opencode',
    args: ['acp'],
    env: ['OPENCODE_*', 'ANTHROPIC_*', 'OPENAI_*', 'OPENROUTER_*', 'GEMINI_*', 'GOOGLE_*'],
    install: 'Install it with: npm install -g opencode-ai',
    login: { command: 'opencode', args: ['auth', 'login'] },
    usageLimit: /usage limit|rate limit|quota exceeded/i,
  },
  {
    id: 'gemini',
    registryId: 'gemini',
    displayName: 'Gemini',
    command: 'gemini',
    args: ['--acp'],
    env: ['GEMINI_*', 'GOOGLE_*'],
    install: 'Install it with: npm install -g @google/gemini-cli',
    login: { command: 'gemini', args: [] },
    usageLimit: /exhausted your (?:daily )?(?:quota|capacity)|quota exceeded|RESOURCE_EXHAUSTED/i,
  },
  {
    id: 'codex',
    registryId: 'codex-acp',
    displayName: 'Codex',
    command: 'codex-acp',
    args: [],
    env: ['OPENAI_*', 'CODEX_*'],
    install: 'Install it with: npm install -g @agentclientprotocol/codex-acp',
    login: { command: 'codex', args: ['login'] },
    usageLimit: /hit your usage limit|usage limit reached|rate limit reached/i,
  },
  {
    id: 'copilot',
    registryId: 'github-copilot-cli',
    displayName: 'Copilot',
    command: 'copilot',
    args: ['--acp'],
    env: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'],
    install: 'Install it with: npm install -g @github/copilot',
    login: { command: 'copilot', args: [] },
    usageLimit: /rate[- ]limit|exceeded your .{0,40}quota/i,
  },
  {
    id: 'cline',
    registryId: 'cline',
    displayName: 'Cline',
    command: 'cline',
    args: ['--acp'],
    env: ['CLINE_*', 'ANTHROPIC_*', 'OPENAI_*', 'OPENROUTER_*', 'GEMINI_*'],
    install: 'Install it with: npm install -g cline',
    login: { command: 'cline', args: ['auth'] },
  },
  {
    id: 'goose',
    registryId: 'goose',
    displayName: 'Goose',
    command: 'goose',
    args: ['acp'],
    env: ['GOOSE_*', 'OPENAI_*', 'ANTHROPIC_*', 'GOOGLE_*', 'DATABRICKS_*'],
    login: { command: 'goose', args: ['configure'] },
  },
  {
    id: 'qwen',
    registryId: 'qwen-code',
    displayName: 'Qwen Code',
    command: 'qwen',
    args: ['--acp'],
    env: ['OPENAI_*', 'QWEN_*', 'DASHSCOPE_*'],
    install: 'Install it with: npm install -g @qwen-code/qwen-code',
    login: { command: 'qwen', args: [] },
    usageLimit: /quota exceeded|exceeded your .{0,40}quota|rate limit/i,
  },
  {
    id: 'auggie',
    registryId: 'auggie',
    displayName: 'Auggie',
    command: 'auggie',
    args: ['--acp'],
    env: ['AUGMENT_*'],
    install: 'Install it with: npm install -g @augmentcode/auggie',
    login: { command: 'auggie', args: ['login'] },
  },
];
