import type { ToolKind } from './provider.ts';

/** What a call is called by its kind. Never words of the agent: clients show the name where they drop markup. */
export const toolNames: Readonly<Record<ToolKind, string>> = {
  shell: 'Run command',
  edit: 'Edit file',
  read: 'Read file',
  delete: 'Delete file',
  move: 'Move file',
  search: 'Search',
  fetch: 'Fetch',
  think: 'Think',
  other: 'Use tool',
};
