/** When a hook runs. */
export type HookEvent = 'sessionStart' | 'promptSubmitted' | 'beforeTool' | 'afterTool' | 'turnEnd';

/** How a hook is spoken to: `snake` as Claude Code and VS Code do it, `camel` as GitHub's hooks do. */
export type HookDialect = 'snake' | 'camel';

export interface NamedEvent {
  readonly event: HookEvent;
  readonly dialect: HookDialect;
  /** Of a tool that has run: only when it ended so. Absent: however it ended. */
  readonly outcome?: 'success' | 'failure';
}

/** By the name that a file uses. Events under other names are shown, and nothing runs for them. */
export const namedEvents: ReadonlyMap<string, NamedEvent> = new Map<string, NamedEvent>([
  ['SessionStart', { event: 'sessionStart', dialect: 'snake' }],
  ['UserPromptSubmit', { event: 'promptSubmitted', dialect: 'snake' }],
  ['PreToolUse', { event: 'beforeTool', dialect: 'snake' }],
  ['PostToolUse', { event: 'afterTool', dialect: 'snake', outcome: 'success' }],
  ['PostToolUseFailure', { event: 'afterTool', dialect: 'snake', outcome: 'failure' }],
  ['Stop', { event: 'turnEnd', dialect: 'snake' }],
  ['sessionStart', { event: 'sessionStart', dialect: 'camel' }],
  ['userPromptSubmitted', { event: 'promptSubmitted', dialect: 'camel' }],
  ['preToolUse', { event: 'beforeTool', dialect: 'camel' }],
  ['postToolUse', { event: 'afterTool', dialect: 'camel' }],
  ['agentStop', { event: 'turnEnd', dialect: 'camel' }],
]);
