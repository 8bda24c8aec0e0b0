/** What a person expects of an editor for agents. The titles of the tests that show a feature begin with its id. */
export interface Feature {
  readonly id: string;
  readonly name: string;
  /** M: must. S: should. */
  readonly need: 'M' | 'S';
  /** Why no test shows it yet. */
  readonly open?: string;
}

const features1a: readonly Feature[] = [
  { id: '1a-1', name: 'Session list view', need: 'M' },
  { id: '1a-2', name: 'Status of each session', need: 'M' },
  { id: '1a-3', name: 'Approve from the list row', need: 'S' },
  { id: '1a-4', name: 'Groups by status, time, and folder', need: 'M' },
  { id: '1a-5', name: 'Filter and sort', need: 'M' },
  { id: '1a-6', name: 'Search titles', need: 'M' },
  { id: '1a-7', name: 'Full-text search over transcripts', need: 'S' },
  { id: '1a-8', name: 'Archive and restore, also a group', need: 'M' },
  { id: '1a-9', name: 'Read and unread, also all', need: 'M' },
  { id: '1a-10', name: 'Rename in place', need: 'M' },
  { id: '1a-11', name: 'Pin', need: 'S' },
  { id: '1a-12', name: 'Select several, delete after a question', need: 'M' },
  { id: '1a-13', name: 'Session hover card', need: 'S' },
  { id: '1a-14', name: 'New session with agent, model, mode, folder, and worktree', need: 'M' },
  { id: '1a-15', name: 'Several chats in one session', need: 'M' },
  { id: '1a-16', name: 'Fork from a turn', need: 'M' },
  { id: '1a-17', name: 'Side chat', need: 'S' },
  { id: '1a-19', name: 'Queue, steer, and edit or remove queued messages', need: 'M' },
  { id: '1a-20', name: 'Edit a past prompt and resend', need: 'S' },
  { id: '1a-21', name: 'Checkpoints: restore, redo, compare', need: 'S' },
  { id: '1a-22', name: 'Draft kept per session', need: 'M' },
];

const features1b: readonly Feature[] = [
  { id: '1b-1', name: 'Streaming Markdown and code blocks', need: 'M' },
  { id: '1b-2', name: 'Code block: copy, insert at cursor, new file, apply, run in terminal', need: 'M' },
  { id: '1b-3', name: 'Reasoning with its duration', need: 'M' },
  { id: '1b-4', name: 'Tool card: title, input, output, duration, error', need: 'M' },
  { id: '1b-5', name: 'Summary of finished turns', need: 'S' },
  { id: '1b-6', name: 'Nested calls of subagents', need: 'S' },
  { id: '1b-7', name: 'To-do list', need: 'S' },
  { id: '1b-8', name: 'Approve and deny inline', need: 'M' },
  { id: '1b-9', name: 'Scopes once, session, workspace, always', need: 'M' },
  { id: '1b-10', name: 'Deny with a reason for the agent', need: 'M' },
  { id: '1b-11', name: 'Pending approvals as one card, allow all and skip all', need: 'S' },
  { id: '1b-12', name: 'Review of a result after the call', need: 'M' },
  { id: '1b-13', name: 'Rules that allow without asking', need: 'M' },
  { id: '1b-14', name: 'Manage and reset approvals', need: 'M' },
  { id: '1b-16', name: 'Permission dial', need: 'M' },
  { id: '1b-18', name: 'Input requests as forms', need: 'M' },
  { id: '1b-19', name: 'Sign-in during a tool call', need: 'M' },
  { id: '1b-20', name: 'System notifications', need: 'M' },
  { id: '1b-21', name: 'Badge count', need: 'M' },
  { id: '1b-22', name: 'Status bar item', need: 'M' },
  { id: '1b-23', name: 'Find in chat, next and previous prompt', need: 'S' },
  { id: '1b-24', name: 'Export, import, and copy', need: 'M' },
];

const features1c: readonly Feature[] = [
  { id: '1c-1', name: 'Changed files with their counts', need: 'M' },
  { id: '1c-2', name: 'Multi-file diff', need: 'M' },
  { id: '1c-3', name: 'Keep and undo a file', need: 'M' },
  { id: '1c-4', name: 'Keep and undo a hunk', need: 'M' },
  { id: '1c-5', name: 'Mark as reviewed, reset on change', need: 'S' },
  { id: '1c-6', name: 'Comments on lines, sent together, resolved by a change', need: 'M' },
  { id: '1c-7', name: 'Stage, commit, merge, and patch', need: 'S' },
  { id: '1c-8', name: 'Worktrees: create, size, cleanup', need: 'S' },
  { id: '1c-9', name: 'Terminal output in the chat, and the terminal itself', need: 'M' },
  { id: '1c-10', name: 'MCP servers: list, start, stop, sign-in, tools on or off', need: 'M' },
  { id: '1c-11', name: 'Customizations', need: 'M' },
  {
    id: '1c-12',
    name: 'Attach files, folders, selections, images, problems, output, and sessions',
    need: 'M',
  },
  { id: '1c-13', name: 'Slash commands and completions', need: 'M' },
  { id: '1c-14', name: 'Context meter with its parts', need: 'M' },
  { id: '1c-15', name: 'Cost of turn and session', need: 'M' },
  { id: '1c-16', name: 'Model picker: pinned, recent, capabilities', need: 'M' },
  { id: '1c-17', name: 'Hand-off to a cloud agent', need: 'M' },
  { id: '1c-18', name: 'Virtual keys, permissions per key, endpoint activity', need: 'M' },
  { id: '1c-19', name: 'Chat as text, announcements', need: 'M' },
  { id: '1c-20', name: 'High contrast and theme colors', need: 'M' },
  { id: '1c-21', name: 'Translations', need: 'M' },
  { id: '1c-22', name: 'Settings sync keeps secrets and machines apart', need: 'M' },
  { id: '1c-23', name: 'The same session in several windows', need: 'M' },
  { id: '1c-24', name: 'Hosts on other machines', need: 'M' },
  { id: '1c-26', name: 'Walkthrough and adding agents', need: 'M' },
  { id: '1c-27', name: 'No telemetry', need: 'M' },
  { id: '1c-28', name: 'A lost host and what to do about it', need: 'M' },
  { id: '1c-29', name: 'Logs, protocol trace, and diagnostics', need: 'M' },
];

/** 1a: sessions and chats. 1b: transcript, tools, approvals. 1c: changes, terminals, context, platform. */
export const features: readonly Feature[] = [...features1a, ...features1b, ...features1c];

/** The ids that a title begins with, such as `1b-21, 1b-22 a question is counted…`. */
export function featuresOf(title: string): readonly string[] {
  const [start] = /^(?:1[abc]-\d+,? )*/.exec(title) ?? [''];
  return start.match(/1[abc]-\d+/g) ?? [];
}
