import type { Mutant } from './mutant.ts';

const session = ['test/unit/sidecar/agents/coder/session.test.ts'];

/** Faults of the built-in agent. */
export const coderMends: readonly Mutant[] = [
  {
    id: 'coder-search-past-rules',
    file: 'sidecar/agents/coder/tools/readable.ts',
    old: 'names.filter((_name, at) => !denied.has(paths[at]!))',
    new: 'names',
    tests: ['test/integration/coder/readingRules.test.ts'],
    breaks: 'A search shows lines of a file that a rule denies reading.',
  },
  {
    id: 'coder-sub-agents-uncounted',
    file: 'sidecar/agents/coder/tools/delegate.ts',
    old: '        startsSubAgent: true,\n',
    new: '',
    tests: session,
    breaks: 'The built-in agent starts any number of sub-agents, regardless of the limit.',
  },
  {
    id: 'coder-sub-agent-without-end',
    file: 'sidecar/host/sessions/subAgentChats.ts',
    old: "        if (turn) commitChat(store, chat, { type: 'chat/turnCancelled', turnId, duration });\n",
    new: '',
    tests: ['test/integration/coder/subAgents.test.ts'],
    breaks: 'Sub-agents continue after the turn that delegated was cancelled.',
  },
  {
    id: 'coder-sub-agent-parked',
    file: 'sidecar/host/turns/limits/parking/parking.ts',
    old: "    if (state.origin?.kind === 'tool') return;",
    new: '   ',
    tests: ['test/unit/sidecar/host/turns/limits/parking/parking.test.ts'],
    breaks: 'A sub-agent that reached a usage limit is parked, and sends its message again when nobody waits for it.',
  },
  {
    id: 'coder-sub-agent-resets-permissions',
    file: 'sidecar/host/sessions/newChats.ts',
    old: "    if (state.origin?.kind === 'tool') return;",
    new: '   ',
    tests: ['test/integration/coder/subAgents.test.ts'],
    breaks: 'Each sub-agent sets the permissions of the session back to Ask.',
  },
  {
    id: 'coder-message-too-long',
    file: 'sidecar/agents/coder/turn.ts',
    old: 'thrown instanceof ContextOverflow && conversation.entries.at(-1) === message',
    new: 'false',
    tests: session,
    breaks: 'After a message that does not fit into the context, every later message of the chat fails too.',
  },
  {
    id: 'coder-empty-summary',
    file: 'sidecar/agents/coder/loop.ts',
    old: "    if (text === '') throw new Fault('unavailable', NO_SUMMARY);\n",
    new: '',
    tests: session,
    breaks: 'An empty summary replaces the whole conversation.',
  },
  {
    id: 'coder-secrets-stored',
    file: 'sidecar/host/agents/conversationMemory.ts',
    old: 'JSON.stringify(secrets.within(JSON.parse(entry) as unknown))',
    new: 'entry',
    tests: ['test/unit/sidecar/host/agents/conversationMemory.test.ts'],
    breaks: 'Output of commands is stored in the database with the secrets in it.',
  },
  {
    id: 'coder-exception-shown',
    file: 'sidecar/agents/coder/models/askModel.ts',
    old: '  return { ...error, message: error.isRetryable === true ? UNREACHABLE : UNREADABLE };\n',
    new: '  return error;\n',
    tests: ['test/unit/sidecar/agents/coder/askModel.test.ts'],
    breaks: 'The text of exceptions, with addresses in it, is shown in the chat.',
  },
];
