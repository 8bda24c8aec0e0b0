import type { DirectoryCustomization } from '../../protocol/channels/session/customizations.ts';

export type Contents = 'agent' | 'skill' | 'prompt' | 'rule' | 'hook' | 'mcpServer';

/** A folder below a working directory in which programs of the field keep customizations. */
export interface CustomizationLocation {
  /** Below the working directory, with slashes; empty for the directory itself. */
  readonly folder: string;
  readonly name: string;
  readonly contents: Contents & DirectoryCustomization['contents'];
  /** Shown also while it does not exist: a client may put the first one there. */
  readonly isOffered?: boolean;
  /** Only these files, by their paths below the folder. Absent: all that look like `contents`. */
  readonly only?: readonly string[];
}

/** In the order in which they are shown. */
export const customizationLocations: readonly CustomizationLocation[] = [
  {
    folder: '',
    name: 'Instructions',
    contents: 'rule',
    only: ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', '.github/copilot-instructions.md', '.claude/CLAUDE.md'],
  },
  { folder: '.agents/agents', name: '.agents/agents', contents: 'agent' },
  { folder: '.agents/skills', name: '.agents/skills', contents: 'skill', isOffered: true },
  { folder: '.agents/prompts', name: '.agents/prompts', contents: 'prompt' },
  { folder: '.agents/rules', name: '.agents/rules', contents: 'rule' },
  { folder: '.github/agents', name: '.github/agents', contents: 'agent', isOffered: true },
  { folder: '.github/prompts', name: '.github/prompts', contents: 'prompt', isOffered: true },
  { folder: '.github/instructions', name: '.github/instructions', contents: 'rule', isOffered: true },
  { folder: '.github/skills', name: '.github/skills', contents: 'skill' },
  { folder: '.github/hooks', name: '.github/hooks', contents: 'hook' },
  { folder: '.claude/agents', name: '.claude/agents', contents: 'agent' },
  { folder: '.claude/skills', name: '.claude/skills', contents: 'skill' },
  { folder: '.claude/commands', name: '.claude/commands', contents: 'prompt' },
  { folder: '.claude/rules', name: '.claude/rules', contents: 'rule' },
  { folder: '.claude', name: '.claude/settings', contents: 'hook', only: ['settings.json', 'settings.local.json'] },
  { folder: '.cursor/rules', name: '.cursor/rules', contents: 'rule' },
  { folder: '.vscode', name: '.vscode/mcp.json', contents: 'mcpServer', only: ['mcp.json'] },
  { folder: '.cursor', name: '.cursor/mcp.json', contents: 'mcpServer', only: ['mcp.json'] },
];

/** Below a plugin's own folder. */
export const pluginLocations: readonly Pick<CustomizationLocation, 'folder' | 'contents' | 'only'>[] = [
  { folder: 'agents', contents: 'agent' },
  { folder: 'skills', contents: 'skill' },
  { folder: 'commands', contents: 'prompt' },
  { folder: 'prompts', contents: 'prompt' },
  { folder: 'rules', contents: 'rule' },
  { folder: 'hooks', contents: 'hook' },
  { folder: '', contents: 'mcpServer', only: ['.mcp.json'] },
];

/** Where a plugin says what it is. The first counts. */
export const manifests: readonly string[] = ['.plugin/plugin.json', '.claude-plugin/plugin.json', 'plugin.json'];

/** Folders below a working directory whose folders are plugins. */
export const pluginFolders: readonly string[] = ['.agents/plugins', '.claude/plugins', '.github/plugins'];
