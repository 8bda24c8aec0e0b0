import { promisedBy } from '../promised.ts';

/** What is judged is what leaves, on every road. */
export const messages = promisedBy('gateway specification, Routes and Guardrails; MCP, A2A and JSON-RPC 2.0', {
  'gateway.messages.repeats': 'A message with a member that is there twice, however deep, is refused.',
  'gateway.messages.twins':
    'A member of the envelope, of params or of an A2A message whose name only folds to a known one is refused.',
  'gateway.messages.methods': 'A method or notification that is not listed reaches no server; a setting lists more.',
  'gateway.messages.lines': 'A message to a program is one line for every reader of lines.',
  'gateway.messages.answers': 'An answer of a server that readers understand differently is none.',
  'gateway.messages.own-streams':
    'What a server says by itself and readers understand differently reaches no caller, whatever the caller may use; the rest goes on.',
  'gateway.messages.events':
    'An event of an agent that readers understand differently, or that is larger than an answer may be, reaches no caller: it ends the stream with an error and a failed record.',
  'gateway.messages.refusals-logged': 'A message that is refused by its form leaves a record of the refusal.',
});
