import type { Hook } from './hookFile.ts';
import { type HookedCall, inputOf, namesOf } from './toolWords.ts';

/** What happened, for the hooks of that event. */
export type Happening =
  | { readonly event: 'sessionStart'; readonly source: 'startup' | 'resume' }
  | { readonly event: 'promptSubmitted'; readonly prompt: string }
  | { readonly event: 'beforeTool'; readonly call: HookedCall }
  | { readonly event: 'afterTool'; readonly call: HookedCall; readonly success: boolean; readonly output: string }
  /** `isAgain`: a hook had the turn go on before. */
  | { readonly event: 'turnEnd'; readonly isAgain: boolean };

/** What a hook reads on its standard input, under the names of its dialect. @param now RFC 3339 */
export function payloadFor(hook: Hook, happening: Happening, session: string, now: string): object {
  return hook.dialect === 'snake'
    ? {
        session_id: session,
        hook_event_name: hook.eventName,
        cwd: hook.cwd,
        timestamp: now,
        ...snake(hook, happening),
      }
    : { sessionId: session, cwd: hook.cwd, timestamp: Date.parse(now), ...camel(hook, happening) };
}

function snake(hook: Hook, it: Happening): object {
  switch (it.event) {
    case 'sessionStart':
      return { source: it.source };
    case 'promptSubmitted':
      return { prompt: it.prompt };
    case 'beforeTool':
      return ofTool(hook, it.call);
    case 'afterTool':
      return { ...ofTool(hook, it.call), tool_response: { success: it.success, output: it.output } };
    case 'turnEnd':
      return { stop_hook_active: it.isAgain };
  }
}

function ofTool({ dialect }: Hook, call: HookedCall): object {
  return { tool_name: namesOf(call, dialect)[0], tool_input: inputOf(call), tool_use_id: call.facts.toolCallId };
}

function camel({ dialect }: Hook, it: Happening): object {
  switch (it.event) {
    case 'sessionStart':
      return { source: it.source === 'startup' ? 'new' : 'resume' };
    case 'promptSubmitted':
      return { prompt: it.prompt };
    case 'beforeTool':
      return { toolName: namesOf(it.call, dialect)[0], toolArgs: JSON.stringify(inputOf(it.call)) };
    case 'afterTool':
      return {
        toolName: namesOf(it.call, dialect)[0],
        toolArgs: JSON.stringify(inputOf(it.call)),
        toolResult: { resultType: it.success ? 'success' : 'failure', textResultForLlm: it.output },
      };
    case 'turnEnd':
      return { stopReason: 'end_turn' };
  }
}
